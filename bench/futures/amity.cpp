// Amity's futures, dataflow, coroutines and generator.
#include <amity/future/combine.hpp>
#include <amity/future/coroutine.hpp>
#include <amity/future/generator.hpp>
#include <vector>

#include "common/amity_begin.hpp"
#include "futures/futures.hpp"

namespace {

using amity::future;
using futures::step;

template <amity::launch How>
long chain(int n) {
  amity::promise<long> first;
  future<long> f = first.get_future();
  for (int i = 0; i < n; ++i) f = f.then(How, [](future<long> before) { return step(before.get()); });
  first.set_value(0);
  return f.get();
}

std::vector<future<long>> begin_parts(int n) {
  std::vector<future<long>> parts;
  parts.reserve(static_cast<unsigned>(n));
  for (int i = 0; i < n; ++i) parts.push_back(amity::async([i] { return step(i); }));
  return parts;
}

long fan(int n) {
  long sum = 0;
  for (auto& f : amity::when_all(begin_parts(n)).get()) sum += f.get();
  return sum;
}

long tree(int n) {
  std::vector<future<long>> row = begin_parts(n);
  while (row.size() > 1) {
    std::size_t const pairs = row.size() / 2;
    for (std::size_t i = 0; i < pairs; ++i)
      row[i] = amity::dataflow([](long a, long b) { return a + b; }, std::move(row[2 * i]), std::move(row[2 * i + 1]));
    if (row.size() % 2 != 0) row[pairs] = std::move(row.back());
    row.resize(row.size() - pairs);
  }
  return row[0].get();
}

long ping_pong(int n) {
  std::vector<amity::promise<long>> there(static_cast<unsigned>(n)), back(static_cast<unsigned>(n));
  auto other = amity::async([&] {
    for (int i = 0; i < n; ++i)
      back[static_cast<unsigned>(i)].set_value(step(there[static_cast<unsigned>(i)].get_future().get()));
  });
  long x = 0;
  for (int i = 0; i < n; ++i) {
    there[static_cast<unsigned>(i)].set_value(x);
    x = back[static_cast<unsigned>(i)].get_future().get();
  }
  other.get();
  return x;
}

amity::task<long> await_each(int n) {
  long sum = 0;
  for (int i = 0; i < n; ++i) sum += co_await amity::async([i] { return step(i); });
  co_return sum;
}

// NOLINTNEXTLINE(misc-no-recursion)
amity::task<long> nested(int n) {
  if (n == 0) co_return 0;
  co_return step(co_await nested(n - 1));
}

amity::generator<long> up_to(int n) {
  for (long i = 0; i < n; ++i) co_yield i;
}

long generate(int n) {
  long sum = 0;
  for (long const x : up_to(n)) sum += step(x);
  return sum;
}

}  // namespace

const futures::idiom futures::this_idiom = {.begin = bench::begin_amity,
                                            .chain = chain<amity::launch::async>,
                                            .chain_sync = chain<amity::launch::sync>,
                                            .fan = fan,
                                            .tree = tree,
                                            .ping_pong = ping_pong,
                                            .await = [](int n) { return amity::sync_wait(await_each(n)); },
                                            .nested = [](int n) { return amity::sync_wait(nested(n)); },
                                            .generate = generate};
