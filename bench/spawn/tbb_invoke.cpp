// oneTBB's parallel_invoke, and parallel_reduce where the number of tasks is not known before.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_reduce.h>

#include <functional>

#include "common/tbb_begin.hpp"
#include "spawn/spawn.hpp"

namespace {

long fib(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
  tbb::parallel_invoke([&a, n] { a = fib(n - 1); }, [&b, n] { b = fib(n - 2); });
  return a + b;
}

long place(const spawn::board& b, int n) {
  if (b.rows == n) return 1;
  return tbb::parallel_reduce(
      tbb::blocked_range<int>(0, n, 1), 0L,
      [&b, n](const tbb::blocked_range<int>& r, long sum) {
        for (int c = r.begin(); c < r.end(); ++c)
          if (b.safe(c)) sum += place(b.with(c), n);
        return sum;
      },
      std::plus<>(), tbb::simple_partitioner());
}

long nqueens(int n) { return place({}, n); }

}  // namespace

const spawn::idiom spawn::this_idiom = {
    .begin = bench::begin_tbb, .fib = fib, .nqueens = nqueens, .thread_per_task = false};
