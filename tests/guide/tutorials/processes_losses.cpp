// Of docs/tutorials/processes.md.
// clang-format off
// [all]
#include <amity/distributed.hpp>
#include <csignal>
#include <cstdio>

int main() {
  amity::go_on_after_losses();
  if (amity::rank_me() != 0) return 0;
  amity::future<void> lost = amity::rpc(1, [] { std::raise(SIGKILL); });
  try {
    lost.get();
  } catch (const amity::lost_rank& error) {
    std::printf("%s\n", error.what());
  }
  int const answer = amity::rpc(2, [] { return amity::rank_me() * 21; }).get();
  std::printf("rank 2 says %d\n", answer);
}
// [end]
// clang-format on
