// amity::task_group, used as tbb.cpp uses TBB's.
#include <amity/finish/task_group.hpp>
#include <array>

#include "spawn/amity_begin.hpp"
#include "spawn/spawn.hpp"

namespace {

long fib(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
  amity::task_group group;
  group.run([&a, n] { a = fib(n - 1); });
  group.run([&b, n] { b = fib(n - 2); });
  group.wait();
  return a + b;
}

long place(const spawn::board& b, int n) {
  if (b.rows == n) return 1;
  std::array<long, spawn::most_columns> parts{};
  amity::task_group group;
  for (int c = 0; c < n; ++c)
    if (b.safe(c)) group.run([&part = parts[static_cast<unsigned>(c)], next = b.with(c), n] { part = place(next, n); });
  group.wait();
  long solutions = 0;
  for (long part : parts) solutions += part;
  return solutions;
}

long nqueens(int n) { return place({}, n); }

}  // namespace

const spawn::idiom spawn::this_idiom = {
    .begin = spawn::begin_amity, .fib = fib, .nqueens = nqueens, .thread_per_task = false};
