// Of docs/tutorials/processes.md.
// clang-format off
// [all]
#include <amity/distributed.hpp>
#include <atomic>
#include <cstdio>

static std::atomic<int> visits{0};

void hop(int left) {
  ++visits;
  int const right = (amity::rank_me() + 1) % amity::rank_n();
  if (left > 0) amity::async_at(right, hop, left - 1);  // nobody keeps the future
}

int main() {
  amity::finish_spmd([] { hop(19); });
  std::printf("rank %d had %d visits\n", amity::rank_me(), visits.load());
}
// [end]
// clang-format on
