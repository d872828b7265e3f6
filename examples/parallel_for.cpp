// A loop whose iterations run at the same time: the first step from OpenMP.
//
//   #pragma omp parallel for                     amity::for_loop(amity::execution::par, 0, n, [&](int i) {
//   for (int i = 0; i < n; ++i) {                  // loop body
//     // loop body                               });
//   }
//
// Usage: parallel_for [iterations]. What the loop writes is compared with the same loop by one thread.
#include <amity/amity.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "usage.hpp"

namespace {

double body(int i) { return std::sqrt(static_cast<double>(i)) * std::sin(i); }

}  // namespace

int main(int argc, char** argv) {
  answer_help(argc, argv, "[iterations = 200000]");
  int const n = argc > 1 ? std::atoi(argv[1]) : 200'000;
  std::vector<double> serial(n), parallel(n);

  for (int i = 0; i < n; ++i) serial[i] = body(i);

  // Each iteration writes its own element, so nothing is shared. The loop returns when all iterations have ended.
  amity::for_loop(amity::execution::par, 0, n, [&](int i) { parallel[i] = body(i); });

  bool const right = parallel == serial;
  std::printf("%d iterations by %d workers: %s\n", n, amity::worker_count(), right ? "right" : "WRONG");
  return right ? 0 : 1;
}
