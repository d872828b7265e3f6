// A = L * L^T, tile by tile, by dataflow: each call of dataflow says what a tile is made of, and is run when that is
// there. The program below is the serial right-looking algorithm with `dataflow(` in front of its steps; what may run
// at the same time follows from the futures.
//
// A tile that is changed again is moved in as a future; a tile of L is final, and a shared_future for all who read it.
//
// Usage: cholesky [n [tile]]. Checked by the residual: the largest |A - L L^T| over the largest |A|.
#include <algorithm>
#include <amity/amity.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "usage.hpp"

namespace {

// A square tile, row by row.
struct tile {
  int size = 0;
  std::vector<double> cells;
  explicit tile(int n) : size(n), cells(static_cast<std::size_t>(n) * n) {}
  double* row(int i) { return cells.data() + static_cast<std::ptrdiff_t>(i) * size; }
  [[nodiscard]] const double* row(int i) const { return cells.data() + static_cast<std::ptrdiff_t>(i) * size; }
};

double dot(const double* x, const double* y, int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += x[k] * y[k];
  return sum;
}

// L with L L^T = a.
tile factor(tile a) {
  for (int j = 0; j < a.size; ++j) {
    a.row(j)[j] = std::sqrt(a.row(j)[j] - dot(a.row(j), a.row(j), j));
    for (int i = j + 1; i < a.size; ++i) a.row(i)[j] = (a.row(i)[j] - dot(a.row(i), a.row(j), j)) / a.row(j)[j];
    for (int i = 0; i < j; ++i) a.row(i)[j] = 0;
  }
  return a;
}

// X with X * diagonal^T = a.
tile solve(tile a, const tile& diagonal) {
  for (int i = 0; i < a.size; ++i)
    for (int j = 0; j < a.size; ++j)
      a.row(i)[j] = (a.row(i)[j] - dot(a.row(i), diagonal.row(j), j)) / diagonal.row(j)[j];
  return a;
}

// a - left * right^T.
tile subtract_product(tile a, const tile& left, const tile& right) {
  for (int i = 0; i < a.size; ++i)
    for (int j = 0; j < a.size; ++j) a.row(i)[j] -= dot(left.row(i), right.row(j), a.size);
  return a;
}

// Symmetric, and positive definite for its heavy diagonal.
double element(int i, int j, int n) { return i == j ? n : 1.0 / (1 + std::abs(i - j)); }

tile first_tile(int i, int j, int size, int n) {
  tile t(size);
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x) t.row(y)[x] = element(i * size + y, j * size + x, n);
  return t;
}

double residual(const std::vector<std::vector<amity::shared_future<tile>>>& l, int size) {
  int const tiles = static_cast<int>(l.size()), n = tiles * size;
  auto const at = [&](int i, int k) { return l[i / size][k / size].get().row(i % size)[k % size]; };
  double worst = 0;
  amity::for_loop(amity::execution::par, 0, n, amity::reduction_max(worst), [&](int i, double& mine) {
    for (int j = 0; j <= i; ++j) {
      double sum = 0;
      for (int k = 0; k <= j; ++k) sum += at(i, k) * at(j, k);
      mine = std::max(mine, std::abs(element(i, j, n) - sum));
    }
  });
  return worst / n;
}

}  // namespace

int main(int argc, char** argv) {
  answer_help(argc, argv, "[rows = 256] [rows of a tile = 32]");
  int const size = std::max(1, argc > 2 ? std::atoi(argv[2]) : 32);
  int const tiles = std::max(1, (argc > 1 ? std::atoi(argv[1]) : 256) / size), n = tiles * size;

  // The lower half of A, to be changed, and of L.
  std::vector<std::vector<amity::future<tile>>> a(tiles);
  std::vector<std::vector<amity::shared_future<tile>>> l(tiles);
  for (int i = 0; i < tiles; ++i) {
    l[i].resize(i + 1);
    for (int j = 0; j <= i; ++j) a[i].push_back(amity::async(first_tile, i, j, size, n));
  }

  for (int k = 0; k < tiles; ++k) {
    l[k][k] = amity::dataflow(factor, std::move(a[k][k]));
    for (int i = k + 1; i < tiles; ++i) l[i][k] = amity::dataflow(solve, std::move(a[i][k]), l[k][k]);
    for (int i = k + 1; i < tiles; ++i)
      for (int j = k + 1; j <= i; ++j)
        a[i][j] = amity::dataflow(subtract_product, std::move(a[i][j]), l[i][k], l[j][k]);
  }

  double const error = residual(l, size);  // waits for each tile that it looks at
  std::printf("Cholesky of %d x %d in tiles of %d: residual %.1e\n", n, n, size, error);
  return error < 1e-14 * n ? 0 : 1;
}
