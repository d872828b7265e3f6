// Of docs/tutorials/processes.md.
// clang-format off
// [all]
#include <algorithm>
#include <amity/distributed.hpp>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace co = amity::collectives;

int main() {
  int const me = amity::rank_me();
  co::communicator const all = co::world();

  // Values: of any type that can be an argument of rpc.
  int const sum = co::all_reduce(all, me + 1, std::plus<>()).get();
  std::string const title = co::broadcast(all, std::string(me == 0 ? "plate" : "")).get();

  // Arrays, in place. The operation goes on while this process computes.
  std::vector<double> values(1000, me);
  amity::future<void> adding = co::all_reduce(all, std::span(values), std::plus<>());
  double own = 0;
  for (int i = 1; i <= 1000; ++i) own += 1.0 / i;
  adding.get();

  // A part of a communicator: here each row of a grid that is two processes wide.
  co::communicator const row = co::split(all, me / 2, me).get();
  int const last = co::all_reduce(row, me, [](int a, int b) { return std::max(a, b); }).get();

  if (me == 0)
    std::printf("%s: sum %d, elements %g, last rank of row 0: %d\n", title.c_str(), sum, values[999], last);
  return own > 7 ? 0 : 1;
}
// [end]
// clang-format on
