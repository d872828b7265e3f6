// A two-dimensional Fourier transform over processes: rows, a transposition by all_to_all_v, rows again.
//
//   amity run -n 4 build/examples/fft_2d 1024                  # a power of two
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <span>
#include <vector>

#include "../usage.hpp"
#include "amity/amity.hpp"

namespace {

namespace co = amity::collectives;
using complex = std::complex<double>;

// In place; the length is a power of two. Cooley and Tukey, 1965.
void fft(std::span<complex> v, bool inverse) {
  std::size_t const n = v.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(v[i], v[j]);
  }
  for (std::size_t length = 2; length <= n; length *= 2) {
    double const angle = (inverse ? 2 : -2) * std::numbers::pi / static_cast<double>(length);
    for (std::size_t first = 0; first < n; first += length)
      for (std::size_t k = 0; k < length / 2; ++k) {
        complex const a = v[first + k];
        complex const b = v[first + k + length / 2] * std::polar(1.0, angle * static_cast<double>(k));
        v[first + k] = a + b;
        v[first + k + length / 2] = a - b;
      }
  }
  if (inverse)
    for (complex& x : v) x /= static_cast<double>(n);
}

// A square matrix, of which process p has the rows from first_of(p) on.
struct matrix {
  std::size_t n, rows;
  std::vector<complex> values;
  explicit matrix(std::size_t size) : n(size), rows(count_of(amity::rank_me())), values(n * rows) {}
  std::size_t first_of(int p) const {
    return n * static_cast<std::size_t>(p) / static_cast<std::size_t>(amity::rank_n());
  }
  std::size_t count_of(int p) const { return first_of(p + 1) - first_of(p); }
  std::span<complex> row(std::size_t i) { return std::span(values).subspan(i * n, n); }
};

// Each process sends each other one the block of its rows that becomes its columns.
void transpose(matrix& m) {
  int const processes = amity::rank_n();
  std::vector<complex> out(m.values.size()), in(m.values.size());
  std::vector<std::size_t> counts;  // as many go to a process as come from it
  std::size_t at = 0;
  for (int p = 0; p < processes; ++p) {
    for (std::size_t column = m.first_of(p); column < m.first_of(p + 1); ++column)
      for (std::size_t row = 0; row < m.rows; ++row) out[at++] = m.row(row)[column];
    counts.push_back(m.rows * m.count_of(p));
  }
  co::all_to_all_v(co::world(), std::span(out), std::span<const std::size_t>(counts), std::span(in),
                   std::span<const std::size_t>(counts))
      .get();
  at = 0;
  for (int p = 0; p < processes; ++p)
    for (std::size_t row = 0; row < m.rows; ++row)
      for (std::size_t column = m.first_of(p); column < m.first_of(p + 1); ++column) m.row(row)[column] = in[at++];
}

void fft_2d(matrix& m, bool inverse) {
  for (int pass = 0; pass < 2; ++pass) {
    amity::for_loop(amity::execution::par, std::size_t{0}, m.rows, [&](std::size_t i) { fft(m.row(i), inverse); });
    transpose(m);
  }
}

}  // namespace

int main(int argc, char** argv) {
  answer_help(argc, argv, "[rows = 64]");
  std::size_t const n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 64;
  if (n == 0 || (n & (n - 1)) != 0) {
    std::printf("the size %zu is no power of two\n", n);
    return 1;
  }
  // One wave in each direction: two of its values, in a sea of zeros.
  constexpr std::size_t waves_down = 3, waves_across = 5;
  matrix m(n);
  std::size_t const first = m.first_of(amity::rank_me());
  auto const value = [n](std::size_t i, std::size_t j) {
    return std::polar(
        1.0, 2 * std::numbers::pi * static_cast<double>(waves_down * i + waves_across * j) / static_cast<double>(n));
  };
  for (std::size_t i = 0; i < m.rows; ++i)
    for (std::size_t j = 0; j < n; ++j) m.row(i)[j] = value(first + i, j);
  fft_2d(m, false);
  double error = 0;
  for (std::size_t i = 0; i < m.rows; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      bool const is_peak = first + i == waves_down % n && j == waves_across % n;
      error = std::max(error, std::abs(m.row(i)[j] - (is_peak ? static_cast<double>(n * n) : 0.0)));
    }
  fft_2d(m, true);
  double back = 0;
  for (std::size_t i = 0; i < m.rows; ++i)
    for (std::size_t j = 0; j < n; ++j) back = std::max(back, std::abs(m.row(i)[j] - value(first + i, j)));
  double const worst = amity::reduce_all(std::max(error / static_cast<double>(n * n), back), amity::op_max).get();
  if (amity::rank_me() == 0)
    std::printf("%zu x %zu by %d processes: error %.1e, %s\n", n, n, amity::rank_n(), worst,
                worst < 1e-10 ? "right" : "wrong");
  return worst < 1e-10 ? 0 : 1;
}
