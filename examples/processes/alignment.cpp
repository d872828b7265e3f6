// The best local alignment of two texts (Smith and Waterman, 1981) over processes, by data-driven tasks: a tile begins
// when the three tiles beside it are there, wherever those are.
//
//   amity run -n 4 build/examples/alignment 2000
//
// Columns of tiles are dealt to the processes in turn. A tile that is done sends its last row and column to whoever
// needs them, and puts the promises there.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "../usage.hpp"
#include "amity/amity.hpp"

namespace {

constexpr int tile = 64, match = 2, mismatch = -1, gap = -1;

// What a tile's neighbours need of it: its last row and last column, with the corner before each.
struct border {
  std::vector<int> row, column;
  int best = 0;
  template <class Archive>
  void serialize(Archive& ar) {
    ar(row, column, best);
  }
};

std::string text(int length, unsigned seed) {
  std::minstd_rand random(seed);
  std::string s(static_cast<std::size_t>(length), ' ');
  for (char& c : s) c = "ACGT"[random() % 4];
  return s;
}

// Scores of a tile from those above it and to its left. `above` and `left` begin with the corner between them.
border compute(const std::string& a, const std::string& b, int top, int left_edge, std::vector<int> above,
               const std::vector<int>& left) {
  border out;
  int const rows = std::min(tile, static_cast<int>(a.size()) - top);
  int const columns = std::min(tile, static_cast<int>(b.size()) - left_edge);
  out.column = {above[static_cast<std::size_t>(columns)]};
  for (int i = 0; i < rows; ++i) {
    std::vector<int> now(static_cast<std::size_t>(columns) + 1);
    now[0] = left[static_cast<std::size_t>(i) + 1];
    for (int j = 1; j <= columns; ++j) {
      auto const k = static_cast<std::size_t>(j);
      int const same =
          a[static_cast<std::size_t>(top + i)] == b[static_cast<std::size_t>(left_edge + j - 1)] ? match : mismatch;
      now[k] = std::max({0, above[k - 1] + same, above[k] + gap, now[k - 1] + gap});
      out.best = std::max(out.best, now[k]);
    }
    above = std::move(now);
    out.column.push_back(above.back());
  }
  out.row = std::move(above);
  return out;
}

int serially(const std::string& a, const std::string& b) {
  std::vector<int> above(b.size() + 1);
  int best = 0;
  for (char x : a) {
    int corner = 0;
    for (std::size_t j = 1; j < above.size(); ++j) {
      int const now = std::max({0, corner + (x == b[j - 1] ? match : mismatch), above[j] + gap, above[j - 1] + gap});
      corner = std::exchange(above[j], now);
      best = std::max(best, now);
    }
  }
  return best;
}

// The tiles that this process has, or needs the borders of. Promises by row and column.
class board {
 public:
  board(int rows, int columns) : columns_(columns), cells_(static_cast<std::size_t>(rows * columns)) {
    for (cell& c : cells_) c.known = c.done.get_future().share();
  }
  void put(int i, int j, border b) { at(i, j).done.set_value(std::move(b)); }
  amity::shared_future<border> known(int i, int j) { return at(i, j).known; }

 private:
  struct cell {
    amity::promise<border> done;
    amity::shared_future<border> known;
  };
  cell& at(int i, int j) { return cells_[static_cast<std::size_t>(i * columns_ + j)]; }
  int columns_;
  std::vector<cell> cells_;
};

}  // namespace

int main(int argc, char** argv) {
  answer_help(argc, argv, "[bases = 700]");
  int const length = argc > 1 ? std::atoi(argv[1]) : 700, n = amity::rank_n(), me = amity::rank_me();
  std::string const a = text(length, 1), b = text(length * 4 / 3, 2);
  int const rows = (length + tile - 1) / tile, columns = (static_cast<int>(b.size()) + tile - 1) / tile;
  amity::dist_object<board> mine(board(rows, columns));
  std::atomic<int> best{0};

  amity::finish_spmd([&] {
    for (int i = 0; i < rows; ++i)
      for (int j = me; j < columns; j += n) {
        std::vector<amity::shared_future<border>> needed;
        if (i > 0) needed.push_back(mine->known(i - 1, j));
        if (j > 0) needed.push_back(mine->known(i, j - 1));
        amity::dataflow(
            [&, i, j](std::vector<amity::shared_future<border>> from) {
              int const width = std::min(tile, static_cast<int>(b.size()) - j * tile);
              int const height = std::min(tile, static_cast<int>(a.size()) - i * tile);
              std::vector<int> const above =
                  i > 0 ? from.front().get().row : std::vector<int>(static_cast<std::size_t>(width) + 1);
              std::vector<int> const left =
                  j > 0 ? from.back().get().column : std::vector<int>(static_cast<std::size_t>(height) + 1);
              border done = compute(a, b, i * tile, j * tile, above, left);
              for (int so_far = best; so_far < done.best && !best.compare_exchange_weak(so_far, done.best);) {
              }
              if (j + 1 < columns && n > 1)
                amity::rpc((j + 1) % n,
                           [](amity::dist_object<board>& its, int row, int column, border its_border) {
                             its->put(row, column, std::move(its_border));
                           },
                           mine, i, j, done);
              mine->put(i, j, std::move(done));
            },
            std::move(needed));
      }
  });
  int const of_all = amity::reduce_all(best.load(), amity::op_max).get();
  int const expected = serially(a, b);
  if (me == 0)
    std::printf("%d and %zu bases by %d processes: %d, %d by one thread: %s\n", length, b.size(), n, of_all, expected,
                of_all == expected ? "right" : "wrong");
  amity::barrier_all();
  return of_all == expected ? 0 : 1;
}
