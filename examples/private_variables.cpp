// A variable of which each iteration has its own: OpenMP's private(x). It is declared where it is used.
//
//   int x = 0;                                   amity::for_loop(amity::execution::par, 0, n, [&](int i) {
//   #pragma omp parallel for private(x)            int x = 0;
//   for (int i = 0; i < n; ++i) {                  // loop body
//     // loop body                               });
//   }
//
// Usage: private_variables [iterations]
#include <amity/amity.hpp>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

// How often 3x + 1 or x / 2 has to be done until 1 is reached.
int steps_to_one(long x) {
  int steps = 0;
  for (; x > 1; ++steps) x = x % 2 == 0 ? x / 2 : 3 * x + 1;
  return steps;
}

}  // namespace

int main(int argc, char** argv) {
  int const n = argc > 1 ? std::atoi(argv[1]) : 50'000;
  std::vector<int> steps(n);

  amity::for_loop(amity::execution::par, 0, n, [&](int i) {
    long x = i;  // this iteration's own; outside of the loop it does not even exist
    for (; x > 1; ++steps[i]) x = x % 2 == 0 ? x / 2 : 3 * x + 1;
  });

  int wrong = 0, longest = 0;
  for (int i = 0; i < n; ++i) {
    if (steps[i] != steps_to_one(i)) ++wrong;
    if (steps[i] > steps[longest]) longest = i;
  }
  std::printf("below %d the longest way to 1 starts at %d: %d steps, %d wrong\n", n, longest,
              n > 0 ? steps[longest] : 0, wrong);
  return wrong == 0 ? 0 : 1;
}
