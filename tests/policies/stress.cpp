// Random graphs of tasks under whatever policy the environment asks for: each task's value depends on those of its
// predecessors, and all must be what a loop computes. On the way they lock mutexes, wait for futures that others make,
// run OpenMP regions, and make tasks of every priority, for workers and for places. The seed is fixed; an argument asks
// for another.
#include <omp.h>

#include <algorithm>
#include <amity/amity.hpp>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <vector>

namespace {

constexpr int graphs = 6, tasks = 120, most_inputs = 4;

struct random_numbers {
  unsigned state;
  unsigned next() noexcept {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
  }
};

/// What a task does beside adding up.
enum class deed : unsigned { nothing, lock, region, children, fork, algorithm, future, phases, last };

struct node {
  std::vector<int> inputs;
  deed does;
  unsigned how;  // priority and hint
};

std::vector<node> make_graph(unsigned seed) {
  random_numbers random{seed};
  std::vector<node> graph(tasks);
  for (int i = 0; i < tasks; ++i) {
    node& n = graph[static_cast<std::size_t>(i)];
    for (unsigned k = random.next() % (most_inputs + 1); k != 0 && i != 0; --k)
      n.inputs.push_back(static_cast<int>(random.next()) % i);
    n.does = static_cast<deed>(random.next() % static_cast<unsigned>(deed::last));
    n.how = random.next();
  }
  return graph;
}

long value_of(const node& n, long inputs) { return (inputs * 7 + static_cast<long>(n.how % 1000)) % 1000003; }

amity::mutex lock;
long guarded = 0;  // by it

long do_deed(const node& n) {
  switch (n.does) {
    case deed::lock: {
      std::lock_guard const held(lock);
      ++guarded;
      if (n.how % 3 == 0) amity::async([] {}).get();  // while it holds the mutex
      return 0;
    }
    case deed::region: {
      std::atomic<long> sum{0};
#pragma omp parallel for num_threads(3)
      for (int i = 0; i < 9; ++i) {
        if (i % 3 == 0) amity::async([] {}).get();
        sum += i;
      }
      return sum - 36;
    }
    case deed::children: {
      std::atomic<int> sum{0};
      amity::finish([&] {
        for (int i = 0; i < 5; ++i) amity::post([&sum] { amity::post([&sum] { ++sum; }); });
        amity::post(amity::task_priority::low, [&sum] { ++sum; });
        amity::post(amity::task_priority::high, [&sum] { ++sum; });
      });
      return sum - 7;
    }
    case deed::fork: {
      auto const [a, b] = amity::fork_join([] { return amity::async([] { return 1; }).get(); }, [] { return 2; });
      return a + b - 3;
    }
    case deed::algorithm: {
      std::vector<int> v(300, 1);
      return amity::reduce(amity::execution::par, v.begin(), v.end(), 0L) - 300;
    }
    case deed::future: {
      amity::promise<long> p;
      auto f = p.get_future();
      auto g = f.then([](amity::future<long> x) { return x.get() + 1; });
      amity::post([&p] { p.set_value(41); });
      return g.get() - 42;
    }
    case deed::phases: {
      amity::latch met(2);
      amity::finish([&] {
        amity::post([&met] { met.arrive_and_wait(); });
        met.arrive_and_wait();
      });
      return 0;
    }
    default:
      return 0;
  }
}

amity::scheduling hint_for(unsigned how) {
  amity::scheduling s;
  s.priority = static_cast<amity::task_priority>(how % 4);
  if (how % 5 == 0) s.worker = static_cast<int>(how % 11);
  if (how % 17 == 0) s = amity::at(amity::place::machine());
  return s;
}

bool run_graph(unsigned seed) {
  std::vector<node> const graph = make_graph(seed);
  std::vector<long> expected(tasks);
  for (std::size_t i = 0; i < tasks; ++i) {
    long inputs = 0;
    for (int input : graph[i].inputs) inputs += expected[static_cast<std::size_t>(input)];
    expected[i] = value_of(graph[i], inputs);
  }
  std::vector<amity::shared_future<long>> values(tasks);
  std::atomic<int> runs{0};
  amity::finish([&] {
    for (std::size_t i = 0; i < tasks; ++i) {
      std::vector<amity::shared_future<long>> inputs;
      for (int input : graph[i].inputs) inputs.push_back(values[static_cast<std::size_t>(input)]);
      auto work = [&runs, &n = graph[i]](const std::vector<amity::shared_future<long>>& all) {
        long sum = do_deed(n);
        for (const auto& f : all) sum += f.get();
        ++runs;
        return value_of(n, sum);
      };
      // Half of them begin when their inputs are there; the others wait for them inside.
      if (i % 2 == 0 && !inputs.empty())
        values[i] = amity::when_all(inputs).then([work](auto all) { return work(all.get()); }).share();
      else
        values[i] = amity::async(hint_for(graph[i].how), [work, inputs] { return work(inputs); }).share();
    }
  });
  bool right = runs == tasks;
  for (std::size_t i = 0; i < tasks; ++i) right = right && values[i].get() == expected[i];
  if (!right) std::printf("seed %u: wrong\n", seed);
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  unsigned const first = argc > 1 ? static_cast<unsigned>(atoi(argv[1])) : 1;
  bool right = true;
  for (unsigned seed = first; seed < first + graphs; ++seed) right = run_graph(seed) && right;
  if (const char* wanted = std::getenv("AMITY_SCHEDULER");
      wanted != nullptr && wanted != std::string(amity::scheduler_name())) {
    std::printf("'%s' is in use\n", amity::scheduler_name());
    right = false;
  }
  // The same under a second policy beside the process's.
  amity::execution::policy_executor const other("abp");
  right = amity::async(other, [first] { return run_graph(first); }).get() && right;
  std::puts(right ? "ok" : "failed");
  return right ? 0 : 1;
}
