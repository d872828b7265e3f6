// The listing of README.md, whose lines are wider.
#include "guide.hpp"

// clang-format off
// [cpp]
#include <amity/amity.hpp>
#include <cmath>
#include <vector>

double norm(const std::vector<double>& x) {
  double sum = 0;
  amity::for_loop(amity::execution::par, 0, std::ssize(x), amity::reduction_plus(sum),
                  [&](auto i, double& part) { part += x[i] * x[i]; });
  return std::sqrt(sum);
}

double norm(const std::vector<double>& x, const std::vector<double>& y) {
  auto a = amity::async([&] { return norm(x); });
  auto b = amity::async([&] { return norm(y); });
  return std::hypot(a.get(), b.get());
}
// [end]
// clang-format on

long hypotenuse() {
  std::vector<double> const x(9, 1.0), y(16, 1.0);
  return std::lround(norm(x, y));
}

int main() { return guide::check({{"cpp", hypotenuse, 5}}); }
