// Conjugate gradients for the heat of a plate: each process has some of its rows, and puts its outermost ones into its
// neighbours' memory.
//
//   amity run -n 4 build/examples/conjugate_gradients 200
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include "../usage.hpp"
#include "amity/amity.hpp"

namespace {

// Rows of a square plate, with one more at either end that shows what the neighbour has.
class rows {
 public:
  rows(std::size_t n, std::size_t count) : n_(n), count_(count), values_(amity::new_array<double>((count + 2) * n)) {
    amity::dist_object<amity::global_ptr<double>> all(values_);
    int const me = amity::rank_me();
    if (me > 0) above_ = all.fetch(me - 1).get();
    if (me + 1 < amity::rank_n()) below_ = all.fetch(me + 1).get();
    amity::barrier_all();
  }
  ~rows() { amity::deallocate(values_); }
  rows(const rows&) = delete;
  rows& operator=(const rows&) = delete;

  double* operator[](std::size_t i) const { return values_.local() + (i + 1) * n_; }  // of own rows, from 0
  double* begin() const { return (*this)[0]; }
  double* end() const { return (*this)[count_]; }

  // Shows the outermost rows to the neighbours, whose number of rows above is `above_count`.
  void show(std::size_t above_count) const {
    std::vector<amity::future<void>> done;
    auto const n = static_cast<std::ptrdiff_t>(n_);
    if (above_) done.push_back(amity::rput((*this)[0], above_ + static_cast<std::ptrdiff_t>(above_count + 1) * n, n_));
    if (below_) done.push_back(amity::rput((*this)[count_ - 1], below_, n_));
    for (auto& f : done) f.get();
    amity::barrier_all();
  }

 private:
  std::size_t n_, count_;
  amity::global_ptr<double> values_, above_, below_;
};

double dot(const rows& a, const rows& b) {
  double sum = 0;
  for (const double *x = a.begin(), *y = b.begin(); x != a.end(); ++x, ++y) sum += *x * *y;
  return amity::reduce_all(sum, amity::op_fast_add).get();
}

}  // namespace

int main(int argc, char** argv) {
  answer_help(argc, argv, "[rows of the plate = 60]");
  std::size_t const n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 60;
  auto const me = static_cast<std::size_t>(amity::rank_me()), processes = static_cast<std::size_t>(amity::rank_n());
  auto const first_of = [&](std::size_t r) { return n * r / processes; };
  std::size_t const count = first_of(me + 1) - first_of(me), above = me > 0 ? first_of(me) - first_of(me - 1) : 0;
  if (n < processes) return std::puts("fewer rows than processes: nothing to do"), 0;

  rows x(n, count), r(n, count), p(n, count), ap(n, count);
  // The five-point Laplacian; the plate's edge is cold, its inside is heated evenly.
  auto const apply = [&](const rows& from, const rows& to) {
    from.show(above);
    amity::for_loop(amity::execution::par, std::size_t{0}, count, [&](std::size_t i) {
      const double *up = from[i] - n, *here = from[i], *down = from[i] + n;
      for (std::size_t j = 0; j < n; ++j)
        to[i][j] = 4 * here[j] - up[j] - down[j] - (j > 0 ? here[j - 1] : 0) - (j + 1 < n ? here[j + 1] : 0);
    });
  };
  for (double& v : r) v = 1;
  std::copy(r.begin(), r.end(), p.begin());
  auto const began = std::chrono::steady_clock::now();
  double rr = dot(r, r);
  double const start = rr;
  std::size_t steps = 0;
  for (; rr > 1e-20 * start && steps < 10 * n; ++steps) {
    apply(p, ap);
    double const alpha = rr / dot(p, ap);
    for (std::size_t i = 0; i < count * n; ++i) {
      x.begin()[i] += alpha * p.begin()[i];
      r.begin()[i] -= alpha * ap.begin()[i];
    }
    double const before = rr;
    rr = dot(r, r);
    for (std::size_t i = 0; i < count * n; ++i) p.begin()[i] = r.begin()[i] + rr / before * p.begin()[i];
  }
  double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  apply(x, ap);  // what is left, computed anew
  double worst = 0;
  for (double v : std::span(ap.begin(), ap.end())) worst = std::max(worst, std::abs(v - 1));
  worst = amity::reduce_all(worst, amity::op_max).get();
  if (amity::rank_me() == 0)
    std::printf("%zu x %zu by %zu processes: %zu steps in %.3f s, residual %.1e, %s\n", n, n, processes, steps, seconds,
                worst, worst < 1e-6 ? "right" : "wrong");
  amity::barrier_all();
  return worst < 1e-6 ? 0 : 1;
}
