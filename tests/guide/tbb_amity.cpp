// Amity's side of docs/guide.md, from oneTBB. The other:
// tbb.cpp.
#include <amity/amity.hpp>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "guide.hpp"

namespace {

using guide::f;
using guide::n;

using amity::execution::par;

std::vector<long> y(n);

long loop() {
  // [parallel_for]
  amity::for_loop(par, 0, n, [&](int i) { y[i] = f(i); });
  // [end]
  return guide::sum_of(y);
}

long for_each() {
  std::vector<long> x(n, 2);
  // [parallel_for_each]
  amity::for_each(par, x.begin(), x.end(),
                  [](long& e) { e *= 3; });
  // [end]
  return guide::sum_of(x);
}

long reduce() {
  // [parallel_reduce]
  long sum = 0;
  amity::for_loop(par, 0, n, amity::reduction_plus(sum),
                  [](int i, long& part) { part += f(i); });
  // [end]
  return sum;
}

long scan() {
  std::vector<long> x(n, 3);
  // [parallel_scan]
  amity::inclusive_scan(par, x.begin(), x.end(), y.begin());
  // [end]
  return y[n - 1];
}

long sort() {
  std::vector<long> x(n);
  for (int i = 0; i < n; ++i) x[i] = (i * 389L) % n;
  // [parallel_sort]
  amity::sort(par, x.begin(), x.end(), std::greater<>());
  // [end]
  return x[0] * 1000 + x[n - 1];
}

long partitioner() {
  // [partitioner]
  namespace ex = amity::execution;
  amity::for_loop(par.with(ex::static_chunk_size(16)), 0, n,
                  [&](int i) { y[i] = f(i); });
  // [end]
  return guide::sum_of(y);
}

long invoke() {
  long a = 0, b = 0, c = 0;
  // [parallel_invoke]
  amity::parallel_invoke([&] { a = f(1); }, [&] { b = f(2); },
                         [&] { c = f(3); });
  // [end]
  return a * 100 + b * 10 + c;
}

// [task_group]
long fib(int k) {
  if (k < 10) return guide::fib_serial(k);
  long a = 0;
  amity::task_group group;
  group.run([&] { a = fib(k - 1); });
  long const b = fib(k - 2);
  group.wait();
  return a + b;
}
// [end]
long begin_fib() { return fib(20); }

long canceled() {
  // [cancel]
  amity::task_group group;
  group.run([&] { group.cancel(); });
  bool const all =
      group.wait() == amity::task_group_status::complete;
  // [end]
  return all ? 1 : 0;
}

long graph() {
  // [flow_graph]
  amity::future<long> a = amity::async(f, 3);
  amity::future<long> b = amity::async(f, 4);
  amity::future<long> product =
      amity::dataflow([](long x, long z) { return x * z; },
                      std::move(a), std::move(b));
  long const c = product.get();
  // [end]
  return c;
}

long pipeline() {
  std::string text;
  // [parallel_pipeline]
  amity::channel<amity::future<long>> stages(8);
  amity::finish([&] {
    amity::post([&] {
      for (int i = 0; i < 100; ++i)
        stages.send(amity::async(f, i));
      stages.close();
    });
    for (amity::future<long>& made : stages)
      text += std::to_string(made.get());
  });
  // [end]
  return text.substr(0, 9) == "012345601" ? std::ssize(text)
                                          : -1;
}

long combinable() {
  // [combinable]
  amity::accumulator<long> parts;
  amity::for_loop(par, 0, n, [&](int i) { parts.put(f(i)); });
  long const all = parts.get();
  // [end]
  return all;
}

long arena() {
  // [task_arena]
  namespace ex = amity::execution;
  ex::limiting_executor const two(ex::parallel_executor(), 2);
  amity::for_loop(par.on(two), 0, n,
                  [&](int i) { y[i] = f(i); });
  // [end]
  return guide::sum_of(y);
}

long mutex() {
  std::vector<int> zeros;
  // [mutex]
  amity::mutex list;
  amity::for_loop(par, 0, n, [&](int i) {
    if (f(i) == 0) {
      std::lock_guard const guard(list);
      zeros.push_back(i);
    }
  });
  // [end]
  return std::ssize(zeros);
}

long queue() {
  long sum = 0;
  // [queue]
  amity::channel<long> numbers(16);
  amity::post([&] {
    for (int i = 0; i < 10; ++i) numbers.send(f(i));
    numbers.close();
  });
  for (long const x : numbers) sum += x;
  // [end]
  return sum;
}

}  // namespace

int main() {
  return guide::check({{"parallel_for", loop, 2997},
                       {"parallel_for_each", for_each, 6000},
                       {"parallel_reduce", reduce, 2997},
                       {"parallel_scan", scan, 3000},
                       {"parallel_sort", sort, 999000},
                       {"partitioner", partitioner, 2997},
                       {"parallel_invoke", invoke, 123},
                       {"task_group", begin_fib, 6765},
                       {"cancel", canceled, 0},
                       {"flow_graph", graph, 12},
                       {"parallel_pipeline", pipeline, 100},
                       {"combinable", combinable, 2997},
                       {"task_arena", arena, 2997},
                       {"mutex", mutex, 143},
                       {"queue", queue, 24}});
}
