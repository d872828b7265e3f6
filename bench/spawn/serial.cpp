// No tasks: what the others would take if tasks cost nothing.
#include "spawn/spawn.hpp"

namespace {

// Not inlined into itself: a task can't be, either.
[[gnu::noinline]] long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

long place(const spawn::board& b, int n) {
  if (b.rows == n) return 1;
  long solutions = 0;
  for (int c = 0; c < n; ++c)
    if (b.safe(c)) solutions += place(b.with(c), n);
  return solutions;
}

long nqueens(int n) { return place({}, n); }

}  // namespace

const spawn::idiom spawn::this_idiom = {.begin = [](int) {}, .fib = fib, .nqueens = nqueens, .thread_per_task = false};
