// [all]
#include <amity/amity.hpp>
#include <cstdio>
#include <functional>
#include <vector>

using amity::execution::par;
using amity::execution::task;

int main() {
  int const n = 1000000;
  std::vector<double> x(n), y(n);
  amity::for_loop(par, 0, n, [&](int i) {
    x[i] = i % 10;
    y[i] = 2;
  });

  double dot = 0;
  amity::for_loop(
      par, 0, n, amity::reduction_plus(dot),
      [&](int i, double& part) { part += x[i] * y[i]; });

  double const same = amity::transform_reduce(
      par, x.begin(), x.end(), y.begin(), 0.0);

  amity::future<void> sorted =
      amity::sort(par(task), x.begin(), x.end());
  amity::future<void> filled = amity::for_loop(
      par(task), 0, n, [&](int i) { y[i] = i; });
  amity::wait_all(sorted, filled);
  std::printf("%.0f, %.0f, %.0f to %.0f\n", dot, same, x[0],
              x[n - 1]);
}
// [end]
