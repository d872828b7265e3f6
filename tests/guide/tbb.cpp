// oneTBB's side of docs/guide.md. The Amity side:
// tbb_amity.cpp.
#include <tbb/blocked_range.h>
#include <tbb/combinable.h>
#include <tbb/concurrent_queue.h>
#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <tbb/spin_mutex.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "guide.hpp"

namespace {

using guide::f;
using guide::n;

std::vector<long> y(n);

long loop() {
  // [parallel_for]
  tbb::parallel_for(
      tbb::blocked_range<int>(0, n), [&](const auto& r) {
        for (int i = r.begin(); i < r.end(); ++i) y[i] = f(i);
      });
  // [end]
  return guide::sum_of(y);
}

long for_each() {
  std::vector<long> x(n, 2);
  // [parallel_for_each]
  tbb::parallel_for_each(x.begin(), x.end(),
                         [](long& e) { e *= 3; });
  // [end]
  return guide::sum_of(x);
}

long reduce() {
  // [parallel_reduce]
  long const sum = tbb::parallel_reduce(
      tbb::blocked_range<int>(0, n), 0L,
      [](const auto& r, long part) {
        for (int i = r.begin(); i < r.end(); ++i)
          part += f(i);
        return part;
      },
      std::plus<>());
  // [end]
  return sum;
}

long scan() {
  std::vector<long> x(n, 3);
  // [parallel_scan]
  tbb::parallel_scan(
      tbb::blocked_range<int>(0, n), 0L,
      [&](const auto& r, long sum, bool is_final) {
        for (int i = r.begin(); i < r.end(); ++i) {
          sum += x[i];
          if (is_final) y[i] = sum;
        }
        return sum;
      },
      std::plus<>());
  // [end]
  return y[n - 1];
}

long sort() {
  std::vector<long> x(n);
  for (int i = 0; i < n; ++i) x[i] = (i * 389L) % n;
  // [parallel_sort]
  tbb::parallel_sort(x.begin(), x.end(), std::greater<>());
  // [end]
  return x[0] * 1000 + x[n - 1];
}

long partitioner() {
  // [partitioner]
  tbb::parallel_for(
      tbb::blocked_range<int>(0, n, 16),
      [&](const auto& r) {
        for (int i = r.begin(); i < r.end(); ++i) y[i] = f(i);
      },
      tbb::simple_partitioner());
  // [end]
  return guide::sum_of(y);
}

long invoke() {
  long a = 0, b = 0, c = 0;
  // [parallel_invoke]
  tbb::parallel_invoke([&] { a = f(1); }, [&] { b = f(2); },
                       [&] { c = f(3); });
  // [end]
  return a * 100 + b * 10 + c;
}

// [task_group]
long fib(int k) {
  if (k < 10) return guide::fib_serial(k);
  long a = 0;
  tbb::task_group group;
  group.run([&] { a = fib(k - 1); });
  long const b = fib(k - 2);
  group.wait();
  return a + b;
}
// [end]
long begin_fib() { return fib(20); }

long canceled() {
  // [cancel]
  tbb::task_group group;
  group.run([&] { group.cancel(); });
  bool const all = group.wait() == tbb::complete;
  // [end]
  return all ? 1 : 0;
}

long graph() {
  long c = 0;
  // [flow_graph]
  using namespace tbb::flow;
  tbb::flow::graph g;
  function_node<int, long> a(g, unlimited, f);
  function_node<int, long> b(g, unlimited, f);
  join_node<std::tuple<long, long>> both(g);
  function_node<std::tuple<long, long>> product(
      g, unlimited, [&](const std::tuple<long, long>& x) {
        c = std::get<0>(x) * std::get<1>(x);
      });
  make_edge(a, input_port<0>(both));
  make_edge(b, input_port<1>(both));
  make_edge(both, product);
  a.try_put(3);
  b.try_put(4);
  g.wait_for_all();
  // [end]
  return c;
}

long pipeline() {
  std::string text;
  // [parallel_pipeline]
  int i = 0;
  using mode = tbb::filter_mode;
  tbb::parallel_pipeline(
      8,
      tbb::make_filter<void, int>(mode::serial_in_order,
                                  [&](tbb::flow_control& fc) {
                                    if (i == 100) fc.stop();
                                    return i == 100 ? 0 : i++;
                                  }) &
          tbb::make_filter<int, long>(
              mode::parallel, [](int k) { return f(k); }) &
          tbb::make_filter<long, void>(
              mode::serial_in_order, [&](long made) {
                text += std::to_string(made);
              }));
  // [end]
  return text.substr(0, 9) == "012345601" ? std::ssize(text)
                                          : -1;
}

long combinable() {
  // [combinable]
  tbb::combinable<long> parts([] { return 0L; });
  tbb::parallel_for(0, n,
                    [&](int i) { parts.local() += f(i); });
  long const all = parts.combine(std::plus<>());
  // [end]
  return all;
}

long arena() {
  // [task_arena]
  tbb::task_arena two(2);
  two.execute([&] {
    tbb::parallel_for(0, n, [&](int i) { y[i] = f(i); });
  });
  // [end]
  return guide::sum_of(y);
}

long mutex() {
  std::vector<int> zeros;
  // [mutex]
  tbb::spin_mutex list;
  tbb::parallel_for(0, n, [&](int i) {
    if (f(i) == 0) {
      tbb::spin_mutex::scoped_lock const guard(list);
      zeros.push_back(i);
    }
  });
  // [end]
  return std::ssize(zeros);
}

long queue() {
  long sum = 0;
  // [queue]
  tbb::concurrent_bounded_queue<long> numbers;
  numbers.set_capacity(16);
  tbb::task_group group;
  group.run([&] {
    for (int i = 0; i < 10; ++i) numbers.push(f(i));
    numbers.push(-1);  // the end
  });
  group.wait();
  for (long x; numbers.pop(x), x >= 0;) sum += x;
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
