// Plain calls: what the others would take if nothing but the steps cost time.
#include <vector>

#include "futures/futures.hpp"

namespace {

using futures::step;

[[gnu::noinline]] long call(long x) { return step(x); }

long chain(int n) {
  long x = 0;
  for (int i = 0; i < n; ++i) x = call(x);
  return x;
}

long fan(int n) {
  std::vector<long> parts;
  for (int i = 0; i < n; ++i) parts.push_back(call(i));
  long sum = 0;
  for (long const x : parts) sum += x;
  return sum;
}

long sum_of_steps(int n) {
  long sum = 0;
  for (int i = 0; i < n; ++i) sum += call(i);
  return sum;
}

[[gnu::noinline]] long nested(int n) { return n == 0 ? 0 : step(nested(n - 1)); }

}  // namespace

const futures::idiom futures::this_idiom = {.begin = [](int) {},
                                            .chain = chain,
                                            .chain_sync = chain,
                                            .fan = fan,
                                            .tree = sum_of_steps,
                                            .ping_pong = chain,
                                            .await = sum_of_steps,
                                            .nested = nested,
                                            .generate = sum_of_steps};
