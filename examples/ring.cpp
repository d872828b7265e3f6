// Processes: each sends its name round the ring, and all count the primes below n together.
//
//   amity run -n 4 build/examples/ring 2000000
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "amity/amity.hpp"
#include "usage.hpp"

namespace {

// A call that goes on from rank to rank, and comes back with all that was added.
amity::future<std::string> visit(std::string so_far, int hops) {
  so_far += " " + std::to_string(amity::rank_me());
  if (hops == 0) return amity::make_ready_future(so_far);
  return amity::rpc((amity::rank_me() + 1) % amity::rank_n(), visit, so_far, hops - 1);
}

long primes(long from, long to) {
  long count = 0;
  amity::for_loop(amity::execution::par, from, to, amity::reduction(count, 0L, std::plus<>()), [](long n, long& found) {
    bool prime = n > 1;
    for (long d = 2; prime && d * d <= n; ++d) prime = n % d != 0;
    found += prime;
  });
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  answer_help(argc, argv, "[numbers = 200000]");
  long const n = argc > 1 ? std::atol(argv[1]) : 200'000;
  int const ranks = amity::rank_n();
  if (amity::rank_me() == 0) {
    std::printf("round:%s\n", visit("", ranks).get().c_str());
    // Each process counts its part, with all of its cores.
    std::vector<amity::future<long>> parts;
    for (int r = 0; r < ranks; ++r) parts.push_back(amity::rpc(r, primes, n * r / ranks, n * (r + 1) / ranks));
    long all = 0;
    for (auto& part : parts) all += part.get();
    std::printf("%ld primes below %ld, counted by %d processes\n", all, n, ranks);
  }
  // Every process tells every other, and nobody goes on before all have been told.
  static std::atomic<int> greetings{0};
  amity::finish_spmd([&] {
    for (int r = 0; r < ranks; ++r) amity::async_at(r, [] { ++greetings; });
  });
  return greetings == ranks ? 0 : 1;
}
