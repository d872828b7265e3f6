// amity::async with futures.
#include <amity/future/async.hpp>
#include <array>

#include "common/amity_begin.hpp"
#include "spawn/spawn.hpp"

namespace {

long fib(int n) {
  if (n < 2) return n;
  auto a = amity::async([n] { return fib(n - 1); });
  auto b = amity::async([n] { return fib(n - 2); });
  return b.get() + a.get();
}

long place(const spawn::board& b, int n) {
  if (b.rows == n) return 1;
  std::array<amity::future<long>, spawn::most_columns> parts;
  int count = 0;
  for (int c = 0; c < n; ++c)
    if (b.safe(c))
      parts[static_cast<unsigned>(count++)] = amity::async([next = b.with(c), n] { return place(next, n); });
  long solutions = 0;
  while (count > 0) solutions += parts[static_cast<unsigned>(--count)].get();
  return solutions;
}

long nqueens(int n) { return place({}, n); }

}  // namespace

const spawn::idiom spawn::this_idiom = {
    .begin = bench::begin_amity, .fib = fib, .nqueens = nqueens, .thread_per_task = false};
