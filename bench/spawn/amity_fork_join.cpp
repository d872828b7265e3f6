// amity::fork_join: the closures stay on the stack.
#include <amity/finish/fork_join.hpp>

#include "common/amity_begin.hpp"
#include "spawn/spawn.hpp"

namespace {

long fib(int n) {
  if (n < 2) return n;
  auto const [a, b] = amity::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

long place(const spawn::board& b, int n);

/// The safe places from column `c` on: the first one here, the others at the same time.
long place_from(const spawn::board& b, int n, int c) {
  while (c < n && !b.safe(c)) ++c;
  if (c == n) return 0;
  auto const [here, others] =
      amity::fork_join([&b, n, c] { return place(b.with(c), n); }, [&b, n, c] { return place_from(b, n, c + 1); });
  return here + others;
}

long place(const spawn::board& b, int n) { return b.rows == n ? 1 : place_from(b, n, 0); }

long nqueens(int n) { return place({}, n); }

}  // namespace

const spawn::idiom spawn::this_idiom = {
    .begin = bench::begin_amity, .fib = fib, .nqueens = nqueens, .thread_per_task = false};
