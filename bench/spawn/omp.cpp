// OpenMP's tasks, on the runtime of the compiler that built this.
#include <omp.h>

#include <array>

#include "spawn/spawn.hpp"

namespace {

long fib(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

long place(const spawn::board& b, int n) {
  if (b.rows == n) return 1;
  std::array<long, spawn::most_columns> parts{};
  for (int c = 0; c < n; ++c)
    if (b.safe(c)) {
      spawn::board const next = b.with(c);
#pragma omp task shared(parts) firstprivate(next, n, c)
      parts[static_cast<unsigned>(c)] = place(next, n);
    }
#pragma omp taskwait
  long solutions = 0;
  for (long part : parts) solutions += part;
  return solutions;
}

template <long (*Solve)(int)>
long in_region(int n) {
  long result = 0;
#pragma omp parallel
#pragma omp single
  result = Solve(n);
  return result;
}

long nqueens(int n) { return place({}, n); }

}  // namespace

const spawn::idiom spawn::this_idiom = {
    .begin = omp_set_num_threads, .fib = in_region<fib>, .nqueens = in_region<nqueens>, .thread_per_task = false};
