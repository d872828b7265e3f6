// Of docs/tutorials/processes.md.
// clang-format off
// [all]
#include <amity/distributed.hpp>
#include <atomic>
#include <cstdio>
#include <functional>

static std::atomic<int> leaves{0};

void search(int depth) {
  if (depth == 0) {
    for (int i = 0; i < 10'000; ++i) leaves.load();  // some work
    ++leaves;
    return;
  }
  amity::async_any(search, depth - 1);
  amity::async_any(search, depth - 1);
}

int main() {
  amity::set_stealing(amity::stealing::lifelines);
  amity::finish_spmd([] {
    if (amity::rank_me() == 0) amity::async_any(search, 13);
  });
  std::printf("rank %d found %d leaves\n", amity::rank_me(), leaves.load());
  int const all = amity::reduce_one(leaves.load(), std::plus<>(), 0).get();
  if (amity::rank_me() == 0) std::printf("all together %d\n", all);
}
// [end]
// clang-format on
