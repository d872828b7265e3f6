// The ways to put n queens on a board so that none attacks another: a tree of tasks of which nobody knows the shape.
// One finish around it waits for all of them, whoever began them, and an accumulator adds up what they find.
//
// Usage: nqueens [n]
#include <amity/amity.hpp>
#include <cstdio>
#include <cstdlib>

#include "usage.hpp"

namespace {

// Bits for the columns that are taken, and for the two diagonals as they cross the next row.
struct board {
  unsigned columns = 0, left = 0, right = 0;
  int rows = 0;

  [[nodiscard]] unsigned free(int n) const { return ~(columns | left | right) & ((1u << n) - 1); }
  [[nodiscard]] board with(unsigned queen) const {
    return {columns | queen, (left | queen) << 1, (right | queen) >> 1, rows + 1};
  }
};

long serial(const board& b, int n) {
  if (b.rows == n) return 1;
  long solutions = 0;
  for (unsigned free = b.free(n); free != 0; free &= free - 1) solutions += serial(b.with(free & -free), n);
  return solutions;
}

// Begins a task for each queen that may stand in the next row. Its tasks count in the finish around the first call.
void place(const board& b, int n, amity::accumulator<long>& solutions) {
  constexpr int rows_by_one = 5;  // what is left of the board then is quicker done than given away
  if (n - b.rows <= rows_by_one) {
    solutions.put(serial(b, n));
    return;
  }
  for (unsigned free = b.free(n); free != 0; free &= free - 1)
    amity::post([next = b.with(free & -free), n, &solutions] { place(next, n, solutions); });
}

}  // namespace

int main(int argc, char** argv) {
  answer_help(argc, argv, "[queens = 10]");
  int const n = argc > 1 ? std::atoi(argv[1]) : 10;
  if (n < 1 || n > 16) {
    std::fprintf(stderr, "nqueens: 1 to 16 queens, not %d\n", n);
    return 2;
  }
  amity::accumulator<long> solutions;
  amity::finish([&] { place({}, n, solutions); });

  long const right = serial({}, n);
  std::printf("%d queens: %ld solutions, %ld by one thread\n", n, solutions.get(), right);
  return solutions.get() == right ? 0 : 1;
}
