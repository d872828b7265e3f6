// Amity's side of docs/guide.md, from OpenMP. The other:
// openmp.cpp.
#include <algorithm>
#include <amity/amity.hpp>
#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "guide.hpp"

namespace {

using guide::f;
using guide::n;
using guide::rare;

// [names]
using amity::execution::par;
// [end]

std::vector<long> y(n);

long loop() {
  // [loop]
  amity::for_loop(par, 0, n, [&](int i) { y[i] = f(i); });
  // [end]
  return guide::sum_of(y);
}

long private_variable() {
  // [private]
  amity::for_loop(par, 0, n, [&](int i) {
    long x = f(i);
    y[i] = x * x;
  });
  // [end]
  return guide::sum_of(y);
}

long shared_variable() {
  // [shared]
  std::atomic<long> hits = 0;
  amity::for_loop(par, 0, n, [&](int i) {
    if (f(i) == 0) ++hits;
  });
  // [end]
  return hits;
}

long reduction() {
  // [reduction]
  long sum = 0, most = 0;
  amity::for_loop(par, 0, n, amity::reduction_plus(sum),
                  amity::reduction_max(most),
                  [&](int i, long& s, long& m) {
                    s += f(i);
                    m = std::max(m, f(i));
                  });
  // [end]
  return sum * 10 + most;
}

long linear() {
  // [linear]
  long j = 1;
  amity::for_loop(par, 0, n, amity::induction(j, 3),
                  [&](int i, long now) { y[i] = now; });
  // [end]
  return j == 1 + 3 * n ? guide::sum_of(y) : -1;
}

long schedule() {
  // [schedule]
  namespace ex = amity::execution;
  amity::for_loop(
      par.with(ex::dynamic_chunk_size(16), ex::num_cores(2)),
      0, n, [&](int i) { y[i] = f(i); });
  // [end]
  return guide::sum_of(y);
}

long collapse() {
  std::vector<long> a(30 * 40);
  // [collapse]
  amity::finish([&] {
    amity::forasync(
        amity::range2d({0, 30}, {0, 40}),
        [&](long i, long j) { a[i * 40 + j] = i + j; });
  });
  // [end]
  return guide::sum_of(a);
}

long scan() {
  std::vector<long> x(n, 3);
  // [scan]
  amity::inclusive_scan(par, x.begin(), x.end(), y.begin());
  // [end]
  return y[n - 1];
}

long nowait() {
  std::vector<long> a(n), b(n);
  // [nowait]
  auto const later = par(amity::execution::task);
  amity::wait_all(
      amity::for_loop(later, 0, n,
                      [&](int i) { a[i] = f(i); }),
      amity::for_loop(later, 0, n, [&](int i) { b[i] = i; }));
  // [end]
  return guide::sum_of(a) + guide::sum_of(b);
}

long ordered() {
  // [ordered]
  std::vector<amity::future<long>> made;
  for (int i = 0; i < 100; ++i)
    made.push_back(amity::async(f, i));

  std::string text;
  for (auto& m : made) text += std::to_string(m.get());
  // [end]
  return text.substr(0, 9) == "012345601" ? std::ssize(text)
                                          : -1;
}

long cancel() {
  auto const all = std::views::iota(0, n);
  // [cancel]
  auto const at =
      amity::find_if(par, all.begin(), all.end(), rare);
  int const found = at != all.end() ? *at : -1;
  // [end]
  return found;
}

long sections() {
  long a = 0, b = 0, c = 0;
  // [sections]
  amity::parallel_invoke([&] { a = f(1); }, [&] { b = f(2); },
                         [&] { c = f(3); });
  // [end]
  return a * 100 + b * 10 + c;
}

long region() {
  long a[4], b[4];
  // [region]
  amity::barrier all(4);
  amity::finish([&] {
    for (int t = 0; t < 4; ++t)
      amity::post([&, t] {
        a[t] = f(t);
        all.arrive_and_wait();
        b[t] = a[(t + 1) % 4];
      });
  });
  // [end]
  return b[0] * 1000 + b[1] * 100 + b[2] * 10 + b[3];
}

long critical() {
  std::vector<int> zeros;
  // [critical]
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

// [threadprivate]
long count_all() {
  amity::accumulator<long> all;
  amity::for_loop(par, 0, n, [&](int i) { all.put(f(i)); });
  return all.get();
}
// [end]

// [task]
long fib(int k) {
  if (k < 10) return guide::fib_serial(k);
  auto [a, b] = amity::fork_join([k] { return fib(k - 1); },
                                 [k] { return fib(k - 2); });
  return a + b;
}

long begin_fib() { return fib(20); }
// [end]

// [taskgroup]
void visit(int depth, std::atomic<long>& leaves) {
  if (depth == 0) {
    ++leaves;
    return;
  }
  for (int i = 0; i < 2; ++i)
    amity::post([=, &leaves] { visit(depth - 1, leaves); });
}

long count_leaves() {
  std::atomic<long> leaves = 0;
  amity::finish([&] { visit(6, leaves); });
  return leaves;
}
// [end]

long taskloop() {
  // [taskloop]
  amity::finish([&] {
    amity::forasync(amity::range(0, n),
                    amity::recursive{.tile = {50}},
                    [&](long i) { y[i] = f(i); });
  });
  // [end]
  return guide::sum_of(y);
}

long depend() {
  // [depend]
  amity::future<long> a = amity::async(f, 3);
  amity::future<long> b = amity::async(f, 4);
  amity::future<long> c =
      amity::dataflow([](long x, long z) { return x * z; },
                      std::move(a), std::move(b));
  // [end]
  return c.get();
}

}  // namespace

int main() {
  return guide::check({{"loop", loop, 2997},
                       {"private", private_variable, 12977},
                       {"shared", shared_variable, 143},
                       {"reduction", reduction, 29976},
                       {"linear", linear, 1499500},
                       {"schedule", schedule, 2997},
                       {"collapse", collapse, 40800},
                       {"scan", scan, 3000},
                       {"nowait", nowait, 502497},
                       {"ordered", ordered, 100},
                       {"cancel", cancel, 777},
                       {"sections", sections, 123},
                       {"region", region, 1230},
                       {"critical", critical, 143},
                       {"threadprivate", count_all, 2997},
                       {"task", begin_fib, 6765},
                       {"taskgroup", count_leaves, 64},
                       {"taskloop", taskloop, 2997},
                       {"depend", depend, 12}});
}
