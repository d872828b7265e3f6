// All ways to put n queens on a board so that none takes another, over processes: a branch of the search is a task that
// any process may take.
//
//   amity run -n 4 build/examples/nqueens_processes 13
//
// As HabaneroUPC++'s example of distributed work stealing (Kumar et al., 2014): all begins on rank 0.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../usage.hpp"
#include "amity/amity.hpp"

namespace {

// The columns of the queens so far, as bits, and the squares of the next row that they take along both diagonals.
struct board {
  unsigned columns = 0, falling = 0, rising = 0;
  int rows = 0;
};

std::atomic<long> solutions{0}, tasks{0};

long count(const board& b, int n) {
  if (b.rows == n) return 1;
  long found = 0;
  unsigned free = ~(b.columns | b.falling | b.rising) & ((1u << n) - 1);
  while (free != 0) {
    unsigned const square = free & -free;
    free ^= square;
    found += count({b.columns | square, (b.falling | square) << 1, (b.rising | square) >> 1, b.rows + 1}, n);
  }
  return found;
}

void search(board b, int n) {
  ++tasks;
  constexpr int rows_left = 8;  // less is not worth a task
  if (n - b.rows <= rows_left) {
    solutions += count(b, n);
    return;
  }
  unsigned free = ~(b.columns | b.falling | b.rising) & ((1u << n) - 1);
  while (free != 0) {
    unsigned const square = free & -free;
    free ^= square;
    board const next{b.columns | square, (b.falling | square) << 1, (b.rising | square) >> 1, b.rows + 1};
    amity::async_any([next, n] { search(next, n); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  answer_help(argc, argv, "[queens, 1 to 16 = 12]");
  constexpr long known[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};
  int const n = argc > 1 ? std::atoi(argv[1]) : 12;
  if (n < 1 || n > 16) {
    std::printf("%d queens; allowed: 1 to 16\n", n);
    return 1;
  }
  // In every process, before the first of them has a task: without a word each keeps its own.
  if (amity::get_stealing() == amity::stealing::off) amity::set_stealing(amity::stealing::random);
  amity::barrier_all();
  amity::finish_spmd([n] {
    if (amity::rank_me() == 0) amity::async_any([n] { search({}, n); });
  });
  auto const found = amity::collectives::gather(amity::collectives::world(), solutions.load()).get();
  auto const made = amity::collectives::gather(amity::collectives::world(), tasks.load()).get();
  if (amity::rank_me() != 0) return 0;
  long all = 0;
  for (long each : found) all += each;
  std::printf("%d queens: %ld solutions; tasks by process:", n, all);
  for (long each : made) std::printf(" %ld", each);
  std::printf(": %s\n", all == known[n] ? "right" : "wrong");
  return all == known[n] ? 0 : 1;
}
