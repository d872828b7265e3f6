// The problems with a task_group: Amity's and oneTBB's are used alike.
#pragma once

#include <array>

#include "spawn/spawn.hpp"

namespace spawn {

template <class Group>
struct by_group {
  static long fib(int n) {
    if (n < 2) return n;
    long a = 0, b = 0;
    Group group;
    group.run([&a, n] { a = fib(n - 1); });
    group.run([&b, n] { b = fib(n - 2); });
    group.wait();
    return a + b;
  }

  static long place(const board& b, int n) {
    if (b.rows == n) return 1;
    std::array<long, most_columns> parts{};
    Group group;
    for (int c = 0; c < n; ++c)
      if (b.safe(c))
        group.run([&part = parts[static_cast<unsigned>(c)], next = b.with(c), n] { part = place(next, n); });
    group.wait();
    long solutions = 0;
    for (long part : parts) solutions += part;
    return solutions;
  }

  static long nqueens(int n) { return place({}, n); }
};

}  // namespace spawn
