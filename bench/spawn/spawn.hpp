// The problems of this folder, each solved by every program of it in its own way: recursion without a cut-off, so that
// little is measured but what making and joining a task costs.
//
//   long fib(int n) { ... }                      // in serial.cpp, tbb.cpp, ...
//   const idiom this_idiom = {.begin = begin, .fib = fib, .nqueens = nqueens, .thread_per_task = false};
#pragma once

#include <array>
#include <cstdint>

namespace spawn {

struct idiom {
  void (*begin)(int threads);  // before anything else, once
  long (*fib)(int n);          // two calls for each number above 1
  long (*nqueens)(int n);      // solutions: a task for each safe place in a row, with a board of its own
  bool thread_per_task;        // only the small problem is possible
};

extern const idiom this_idiom;

/// The columns of the queens in the rows so far.
struct board {
  std::array<std::int8_t, 16> column{};
  int rows = 0;

  [[nodiscard]] bool safe(int place) const {
    for (int r = 0; r < rows; ++r) {
      int const aside = column[static_cast<unsigned>(r)] - place;
      if (aside == 0 || aside == rows - r || aside == r - rows) return false;
    }
    return true;
  }
  [[nodiscard]] board with(int place) const {
    board next = *this;
    next.column[static_cast<unsigned>(next.rows++)] = static_cast<std::int8_t>(place);
    return next;
  }
};

inline constexpr int most_columns = 16;

}  // namespace spawn
