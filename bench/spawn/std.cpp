// std::async, which in libstdc++ is an OS thread for each call.
#include <array>
#include <future>

#include "spawn/spawn.hpp"

namespace {

long fib(int n) {
  if (n < 2) return n;
  auto a = std::async(std::launch::async, fib, n - 1);
  long const b = fib(n - 2);
  return a.get() + b;
}

long place(const spawn::board& b, int n) {
  if (b.rows == n) return 1;
  std::array<std::future<long>, spawn::most_columns> parts;
  int count = 0;
  for (int c = 0; c < n; ++c)
    if (b.safe(c))
      parts[static_cast<unsigned>(count++)] =
          std::async(std::launch::async, [next = b.with(c), n] { return place(next, n); });
  long solutions = 0;
  for (int i = 0; i < count; ++i) solutions += parts[static_cast<unsigned>(i)].get();
  return solutions;
}

long nqueens(int n) { return place({}, n); }

}  // namespace

const spawn::idiom spawn::this_idiom = {.begin = [](int) {}, .fib = fib, .nqueens = nqueens, .thread_per_task = true};
