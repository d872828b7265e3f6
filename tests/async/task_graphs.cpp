// Random graphs of tasks against a serial oracle. Each node makes its value from those of earlier nodes, in whatever
// way the C++ interface has: async, dataflow, then, when_all, async_await, a coroutine, fork_join, a finish, a task
// group, a promise kept elsewhere. Some nodes fail, and their failure goes to those that come after them, as the oracle
// has it.
//
//   task_graphs [FIRST_SEED [GRAPHS]]
#include <amity/amity.hpp>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "watchdog.hpp"

namespace {

constexpr long prime = 1000003;
constexpr unsigned ways = 10;

struct numbers {
  unsigned state;
  unsigned next(unsigned below) noexcept {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
  }
};

struct failure : std::runtime_error {
  failure() : std::runtime_error("planted") {}
};

struct node {
  unsigned way = 0;
  bool fails = false;
  std::vector<std::size_t> before;
};

struct graph {
  std::vector<node> nodes;

  explicit graph(unsigned seed) {
    numbers random{seed};
    std::size_t const n = 1 + random.next(200);
    unsigned const most = 1 + random.next(5);
    for (std::size_t i = 0; i < n; ++i) {
      node x;
      x.way = random.next(ways);
      x.fails = random.next(40) == 0;
      for (unsigned k = i == 0 ? 0 : random.next(most + 1); k > 0; --k)
        x.before.push_back(random.next(static_cast<unsigned>(i)));
      nodes.push_back(std::move(x));
    }
  }
};

long mix(std::size_t i, long sum) noexcept { return (sum * 31 + static_cast<long>(i) + 1) % prime; }

/// The value of each node; -1: it failed, or something before it.
std::vector<long> serially(const graph& g) {
  std::vector<long> values;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    long sum = 0;
    bool failed = g.nodes[i].fails;
    for (std::size_t p : g.nodes[i].before) {
      failed |= values[p] < 0;
      sum = (sum + values[p]) % prime;
    }
    values.push_back(failed ? -1 : mix(i, sum));
  }
  return values;
}

using input = amity::shared_future<long>;
using inputs = std::vector<input>;

/// The work of a node whose inputs can be had; waits for those that are not ready.
long work(const node& x, std::size_t i, const inputs& in) {
  long sum = 0;
  for (const input& f : in) sum = (sum + f.get()) % prime;
  if (x.fails) throw failure();
  return mix(i, sum);
}

amity::task<long> by_coroutine(const node& x, std::size_t i, inputs in) {
  long sum = 0;
  for (input& f : in) sum = (sum + co_await f) % prime;
  if (x.fails) throw failure();
  co_return mix(i, sum);
}

/// Half of the inputs on each side.
long by_halves(const node& x, std::size_t i, const inputs& in, std::size_t first, std::size_t last) {
  if (last - first <= 1) return first == last ? 0 : in[first].get();
  std::size_t const middle = first + (last - first) / 2;
  auto [a, b] = amity::fork_join([&] { return by_halves(x, i, in, first, middle); },
                                 [&] { return by_halves(x, i, in, middle, last); });
  return (a + b) % prime;
}

long by_finish(const node& x, std::size_t i, const inputs& in) {
  std::atomic<long> sum{0};
  amity::finish([&] {
    for (const input& f : in)
      amity::async([&sum, &f] { amity::async([&sum, &f] { sum.fetch_add(f.get(), std::memory_order_relaxed); }); });
  });
  if (x.fails) throw failure();
  return mix(i, sum % prime);
}

long by_group(const node& x, std::size_t i, const inputs& in) {
  std::atomic<long> sum{0};
  amity::task_group group;
  for (const input& f : in) group.run([&sum, &f] { sum.fetch_add(f.get(), std::memory_order_relaxed); });
  group.wait();
  if (x.fails) throw failure();
  return mix(i, sum % prime);
}

amity::future<long> make(const node& x, std::size_t i, inputs in) {
  switch (x.way) {
    case 0:
      return amity::async([&x, i, in = std::move(in)] { return work(x, i, in); });
    case 1:  // the vector of ready futures
      return amity::dataflow([&x, i](const inputs& all) { return work(x, i, all); }, std::move(in));
    case 2:  // when_all, and on the thread that made the last one
      return amity::when_all(std::move(in)).then(amity::launch::sync, [&x, i](amity::future<inputs> all) {
        return work(x, i, all.get());
      });
    case 3: {
      inputs kept = in;
      return amity::async_await(std::move(in), [&x, i, kept = std::move(kept)] { return work(x, i, kept); });
    }
    case 4:
      return amity::start(by_coroutine(x, i, std::move(in)));
    case 5:
      return amity::async([&x, i, in = std::move(in)] {
        long const sum = by_halves(x, i, in, 0, in.size());
        if (x.fails) throw failure();
        return mix(i, sum);
      });
    case 6:
      return amity::async([&x, i, in = std::move(in)] { return by_finish(x, i, in); });
    case 7:
      return amity::async([&x, i, in = std::move(in)] { return by_group(x, i, in); });
    case 8: {  // kept by somebody else
      auto p = std::make_shared<amity::promise<long>>();
      auto f = p->get_future();
      amity::post([p, &x, i, in = std::move(in)] {
        try {
          p->set_value(work(x, i, in));
        } catch (...) {
          p->set_exception(std::current_exception());
        }
      });
      return f;
    }
    default:  // a chain from the first input on; the others are waited for at its end
      if (in.empty()) return amity::async(amity::launch::deferred, [&x, i] { return work(x, i, {}); });
      return in[0]
          .then([](const input& first) { return first.get(); })
          .then(amity::launch::sync, [&x, i, in](amity::future<long> first) {
            static_cast<void>(first.get());
            return work(x, i, in);
          });
  }
}

bool agrees(const graph& g, const std::vector<input>& made, const std::vector<long>& right, unsigned seed) {
  for (std::size_t i = 0; i < made.size(); ++i) {
    long got = -1;
    try {
      got = made[i].get();
    } catch (const failure&) {
    }
    if (got == right[i]) continue;
    std::printf("seed %u, node %zu, way %u: %ld, not %ld\n", seed, i, g.nodes[i].way, got, right[i]);
    return false;
  }
  return true;
}

std::vector<input> make_all(const graph& g) {
  std::vector<input> made;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    inputs in;
    for (std::size_t p : g.nodes[i].before) in.push_back(made[p]);
    made.push_back(make(g.nodes[i], i, std::move(in)).share());
  }
  return made;
}

bool run(unsigned seed) {
  graph const g(seed);
  auto const right = serially(g);
  if (seed % 3 != 0) return agrees(g, make_all(g), right, seed);
  // Within a finish, which throws what any of its tasks threw, and only then.
  bool fails = false, thrown = false;
  for (long v : right) fails |= v < 0;
  std::vector<input> made;
  try {
    amity::finish([&] { made = make_all(g); });
  } catch (const failure&) {
    thrown = true;
  }
  for (const input& f : made)  // deferred ones, and what a promise brought, are nobody's
    f.wait();
  if (thrown && !fails) {
    std::printf("seed %u: a finish threw what no task had thrown\n", seed);
    return false;
  }
  return agrees(g, made, right, seed);
}

}  // namespace

int main(int argc, char** argv) {
  unsigned const first = argc > 1 ? static_cast<unsigned>(std::atol(argv[1])) : 1;
  unsigned const count = argc > 2 ? static_cast<unsigned>(std::atol(argv[2])) : 60;
  watchdog dog(argv[0]);
  bool right = true;
  for (unsigned seed = first; seed < first + count; ++seed) {
    dog.at(seed);
    right &= run(seed);
  }
  // Many at a time, made by tasks.
  dog.at(first);
  std::vector<amity::future<bool>> all;
  for (unsigned seed = first; seed < first + count / 2; ++seed)
    all.push_back(amity::async([seed] { return run(seed + 500000); }));
  for (auto& f : all) right &= f.get();
  std::puts(right ? "ok" : "failed");
  return !right;
}
