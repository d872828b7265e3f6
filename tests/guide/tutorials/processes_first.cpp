// Of docs/tutorials/processes.md.
// clang-format off
// [all]
#include <amity/distributed.hpp>
#include <cstdio>

int main() {
  int const me = amity::rank_me(), n = amity::rank_n();
  std::printf("hello from rank %d of %d, workers: %d\n", me, n, amity::worker_count());
}
// [end]
// clang-format on
