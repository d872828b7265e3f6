// The listing of README.md with several processes; here it
// runs as one.
// clang-format off
// [greetings]
#include <amity/distributed.hpp>
#include <atomic>
#include <cstdio>

int main() {
  int const me = amity::rank_me(), n = amity::rank_n();
  amity::future<int> answer = amity::async_at((me + 1) % n, [me] { return me * 10 + amity::rank_me(); });
  static std::atomic<int> greetings{0};
  amity::finish_spmd([n] {  // waits for the tasks of all processes, and for those that these start
    for (int rank = 0; rank < n; ++rank) amity::async_at(rank, [] { ++greetings; });
  });
  int const all = amity::collectives::all_reduce(amity::collectives::world(), greetings.load(), std::plus<>()).get();
  if (me == 0) std::printf("%d greetings, and %d\n", all, answer.get());
}
// [end]
// clang-format on
