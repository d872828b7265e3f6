// What docs/guide.md says of programs that come from HPX.
#include <amity/amity.hpp>
#include <tuple>
#include <vector>

#include "guide.hpp"

namespace {

using amity::execution::par;
using guide::f;
using guide::n;

long strided() {
  std::vector<long> y(n, 1);
  // [strided]
  amity::for_loop_strided(par, 0, n, 3,
                          [&](int i) { y[i] = 0; });
  amity::for_loop_n_strided(par, 0, (n + 2) / 3, 3,
                            [&](int i) { y[i] += 2; });
  // [end]
  return guide::sum_of(y);
}

long sequenced() {
  int calls = 0;
  // [sequenced]
  amity::execution::sequenced_executor const here;
  amity::future<void> a =
      amity::async(here, [&] { ++calls; });
  int const before = calls;  // 1; with HPX 0
  amity::future<void> b =
      amity::async(amity::launch::deferred, [&] { ++calls; });
  int const between = calls;  // still 1
  b.get();
  // [end]
  a.get();
  return 100 * before + 10 * between + calls;
}

long deterministic() {
  std::vector<double> const x = {1e17, 1, -1e17};
  std::vector<double> const z = {1e17, -1e17, 1};
  namespace ex = amity::experimental;
  // [deterministic]
  double const a =
      ex::reduce_deterministic(par, x.begin(), x.end(), 0.0);
  double const b =
      ex::reduce_deterministic(par, z.begin(), z.end(), 0.0);
  // [end]
  return static_cast<long>(10 * a + b);
}

long tuples() {
  // [unwrapping]
  auto pair =
      std::tuple(amity::async(f, 3), amity::async(f, 4));
  auto product =
      amity::unwrapping([](long a, long b) { return a * b; });
  long const c = std::apply(
      [&](auto&... each) { return product(each...); }, pair);
  // [end]
  return c;
}

}  // namespace

int main() {
  return guide::check({{"strided", strided, 1334},
                       {"sequenced", sequenced, 112},
                       {"deterministic", deterministic, 1},
                       {"unwrapping", tuples, 12}});
}
