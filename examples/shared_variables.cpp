// A variable that all iterations share: OpenMP's shared(x). It is captured by reference, and what several may change at
// the same time is a std::atomic.
//
//   int x = 0;                                   std::atomic<int> x = 0;
//   #pragma omp parallel for shared(x)           amity::for_loop(amity::execution::par, 0, n, [&](int i) {
//   for (int i = 0; i < n; ++i) {                  // loop body
//     // loop body                               });
//   }
//
// Where x is a sum, a reduction gives the same without any sharing: each part of the loop has a sum of its own.
//
// Usage: shared_variables [iterations]
#include <amity/amity.hpp>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "usage.hpp"

namespace {

bool is_prime(int x) {
  if (x < 2) return false;
  for (int d = 2; d * d <= x; ++d)
    if (x % d == 0) return false;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  answer_help(argc, argv, "[numbers = 50000]");
  int const n = argc > 1 ? std::atoi(argv[1]) : 50'000;

  int serial = 0;
  for (int i = 0; i < n; ++i)
    if (is_prime(i)) ++serial;

  std::atomic<int> shared = 0;
  amity::for_loop(amity::execution::par, 0, n, [&](int i) {
    // Relaxed: the loop's end orders it before what comes after the loop.
    if (is_prime(i)) shared.fetch_add(1, std::memory_order_relaxed);
  });

  int reduced = 0;
  amity::for_loop(amity::execution::par, 0, n, amity::reduction(reduced, 0, std::plus<>()), [](int i, int& mine) {
    if (is_prime(i)) ++mine;
  });

  std::printf("primes below %d: %d by one thread, %d by an atomic, %d by a reduction\n", n, serial, shared.load(),
              reduced);
  return shared == serial && reduced == serial ? 0 : 1;
}
