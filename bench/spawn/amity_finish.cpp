// amity::finish and async, whose futures are thrown away.
#include <amity/finish/finish.hpp>
#include <array>

#include "common/amity_begin.hpp"
#include "spawn/spawn.hpp"

namespace {

long fib(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
  amity::finish([&a, &b, n] {
    amity::async([&a, n] { a = fib(n - 1); });
    amity::async([&b, n] { b = fib(n - 2); });
  });
  return a + b;
}

long place(const spawn::board& b, int n) {
  if (b.rows == n) return 1;
  std::array<long, spawn::most_columns> parts{};
  amity::finish([&parts, &b, n] {
    for (int c = 0; c < n; ++c)
      if (b.safe(c))
        amity::async([&part = parts[static_cast<unsigned>(c)], next = b.with(c), n] { part = place(next, n); });
  });
  long solutions = 0;
  for (long part : parts) solutions += part;
  return solutions;
}

long nqueens(int n) { return place({}, n); }

}  // namespace

const spawn::idiom spawn::this_idiom = {
    .begin = bench::begin_amity, .fib = fib, .nqueens = nqueens, .thread_per_task = false};
