// Random programs of nested finish, futures, coroutines, phasers, channels, mutexes and condition variables, OpenMP
// regions, tasks and futures of those, each counted beforehand: all must end with the right count.
//
//   fuzz [FIRST_SEED [TREES]]
#include <omp.h>

#include <amity/amity.hpp>
#include <amity/omp/future.hpp>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "watchdog.hpp"

namespace {

struct node {
  unsigned state;
  unsigned next() noexcept {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
  }
};

std::atomic<long> done{0};
amity::mutex locks[3];
long guarded[3] = {};

amity::shared_mutex shared_lock;
amity::counting_semaphore<> two(2);

void leaf(unsigned seed) {
  unsigned const which = seed % 3;
  {
    std::lock_guard guard(locks[which]);
    ++guarded[which];
    if (seed % 7 == 0) amity::async([] {}).get();  // blocks, or runs a task, while it holds the mutex
  }
  if (seed % 11 == 0) {
    std::shared_lock reader(shared_lock);
    amity::async([] {}).get();
  } else if (seed % 11 == 1) {
    std::unique_lock writer(shared_lock);
  } else if (seed % 11 == 2) {
    two.acquire();
    amity::async([] {}).get();
    two.release();
  } else if (seed % 11 == 3) {
#pragma omp critical(leaves)
    amity::async([] {}).get();
  }
  done.fetch_add(1, std::memory_order_relaxed);
}

amity::task<long> walk(std::vector<amity::future<long>> all) {
  long sum = 0;
  for (auto& f : all) sum += co_await std::move(f);
  co_return sum;
}

long run(unsigned seed, int depth);

using seeds = std::vector<unsigned>;

long by_finish(const seeds& children, int depth) {
  std::atomic<long> leaves{0};
  amity::finish([&] {
    for (unsigned s : children) amity::async([&leaves, s, depth] { leaves += run(s, depth); });
  });
  return leaves;
}

std::vector<amity::future<long>> futures_of(const seeds& children, int depth) {
  std::vector<amity::future<long>> all;
  for (unsigned s : children) all.push_back(amity::async([s, depth] { return run(s, depth); }));
  return all;
}

long by_futures(const seeds& children, int depth) {
  long leaves = 0;
  for (auto& f : futures_of(children, depth)) leaves += f.get();
  return leaves;
}

long by_coroutine(const seeds& children, int depth) { return amity::sync_wait(walk(futures_of(children, depth))); }

long by_region(const seeds& children, int depth) {
  std::atomic<long> leaves{0};
  int const n = static_cast<int>(children.size());
#pragma omp parallel num_threads(n)
  {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < n; ++i) leaves += run(children[static_cast<std::size_t>(i)], depth);
#pragma omp barrier
  }
  return leaves;
}

long by_gate(const seeds& children, int depth) {
  amity::promise<void> go;
  auto gate = go.get_future().share();
  std::vector<amity::future<long>> all;
  for (unsigned s : children) all.push_back(amity::async_await(gate, [s, depth] { return run(s, depth); }));
  amity::async([&] { go.set_value(); });
  long leaves = 0;
  for (auto& f : amity::when_all(std::move(all)).get()) leaves += f.get();
  return leaves;
}

long by_tasks(const seeds& children, int depth) {
  std::atomic<long> leaves{0};
#pragma omp parallel num_threads(2)
#pragma omp single
  for (unsigned s : children)
#pragma omp task firstprivate(s)
    amity::finish([&] { amity::async([&leaves, s, depth] { leaves += run(s, depth); }); });
  return leaves;
}

/// Every thread waits for what its own queued tasks bring.
long by_promises_of_tasks(const seeds& children, int depth) {
  std::atomic<long> leaves{0};
  std::atomic<std::size_t> next{0};
#pragma omp parallel num_threads(2)
  for (std::size_t i; (i = next.fetch_add(1)) < children.size();) {
    unsigned const s = children[i];
    auto p = std::make_shared<amity::promise<long>>();
#pragma omp task firstprivate(p, s)
    p->set_value(run(s, depth));
    leaves += p->get_future().get();
  }
  return leaves;
}

/// OpenMP tasks one after another by a dependence, behind a future.
long by_dependences(const seeds& children, int depth) {
  long leaves = 0;
  auto before = amity::async([] {});
  amity::omp_depend_out(before, &leaves);
  amity::future<void> all;
#pragma omp taskgroup
  {
    for (unsigned s : children)
      static_cast<void>(amity::omp_task({.inout = {&leaves}}, [&leaves, s, depth] { leaves += run(s, depth); }));
    all = amity::omp_depend_in(&leaves);
    if (children.size() % 2 == 0) all.wait();
  }
  all.get();
  return leaves;
}

long by_taskloop(const seeds& children, int depth) {
  std::atomic<long> leaves{0};
#pragma omp taskloop grainsize(1) shared(leaves)
  for (std::size_t i = 0; i < children.size(); ++i) leaves += run(children[i], depth);
  return leaves;
}

long by_channel(const seeds& children, int depth) {
  // Without room for values the two sides meet. A sender may be in there when all has been received.
  auto results = std::make_shared<amity::channel<long>>(children.size() % 2);
  for (unsigned s : children) amity::post([results, s, depth] { results->send(run(s, depth)); });
  long leaves = 0;
  for (std::size_t i = 0; i < children.size(); ++i) leaves += results->receive().value();
  return leaves;
}

long by_condition(const seeds& children, int depth) {
  struct shared_state {
    amity::mutex lock;
    amity::condition_variable changed;
    std::size_t ended = 0;
    long leaves = 0;
  };
  auto all = std::make_shared<shared_state>();
  for (unsigned s : children)
    amity::post([all, s, depth] {
      long const one = run(s, depth);
      std::lock_guard guard(all->lock);
      all->leaves += one;
      ++all->ended;
      all->changed.notify_all();
    });
  std::unique_lock guard(all->lock);
  all->changed.wait(guard, [&] { return all->ended == children.size(); });
  return all->leaves;
}

long by_latch(const seeds& children, int depth) {
  struct shared_state {
    explicit shared_state(std::ptrdiff_t n) : ended(n) {}
    amity::latch ended;
    std::atomic<long> leaves{0};
  };
  auto all = std::make_shared<shared_state>(static_cast<std::ptrdiff_t>(children.size()));
  for (unsigned s : children)
    amity::post([all, s, depth] {
      all->leaves += run(s, depth);
      all->ended.count_down();
    });
  all->ended.wait();
  return all->leaves;
}

long by_phaser(const seeds& children, int depth) {
  std::atomic<long> leaves{0};
  amity::finish([&] {
    amity::phaser p;
    for (unsigned s : children)
      amity::async_phased({{p, amity::phaser_mode::signal_wait}}, [&leaves, p, s, depth]() mutable {
        p.next();
        leaves += run(s, depth);
        p.next();
      });
    p.drop();
  });
  return leaves;
}

long by_fork_join(const seeds& children, int depth, std::size_t first, std::size_t last) {
  if (last - first == 1) return run(children[first], depth);
  std::size_t const middle = first + (last - first) / 2;
  auto [a, b] = amity::fork_join([&] { return by_fork_join(children, depth, first, middle); },
                                 [&] { return by_fork_join(children, depth, middle, last); });
  return a + b;
}

long by_algorithm(const seeds& children, int depth) {
  long leaves = 0;
  amity::for_loop(amity::execution::par.with(amity::execution::static_chunk_size(1)), std::size_t{0}, children.size(),
                  amity::reduction(leaves, 0L, std::plus<>{}),
                  [&](std::size_t i, long& sum) { sum += run(children[i], depth); });
  return leaves;
}

long by_group(const seeds& children, int depth) {
  std::atomic<long> leaves{0};
  amity::task_group group;
  for (unsigned s : children) group.run([&leaves, s, depth] { leaves += run(s, depth); });
  group.wait();
  return leaves;
}

// Runs a random tree; gives the number of its leaves, which depends on the seed alone.
long run(unsigned seed, int depth) {
  node random{seed};
  if (depth == 0) {
    leaf(random.next());
    return 1;
  }
  seeds children(1 + random.next() % 4);
  for (unsigned& s : children) s = random.next();
  switch (unsigned const way = random.next() % 16; way) {
    case 0:
      return by_finish(children, depth - 1);
    case 1:
      return by_futures(children, depth - 1);
    case 2:
      return by_coroutine(children, depth - 1);
    case 3:
      return by_region(children, depth - 1);
    case 4:
      return by_gate(children, depth - 1);
    case 5:
      return by_promises_of_tasks(children, depth - 1);
    case 6:
      return by_dependences(children, depth - 1);
    case 7:
      return by_taskloop(children, depth - 1);
    case 8:
      return by_channel(children, depth - 1);
    case 9:
      return by_condition(children, depth - 1);
    case 10:
      return by_latch(children, depth - 1);
    case 11:
      return by_phaser(children, depth - 1);
    case 12:
      return by_fork_join(children, depth - 1, 0, children.size());
    case 13:
      return by_algorithm(children, depth - 1);
    case 14:
      return by_group(children, depth - 1);
    default:
      return by_tasks(children, depth - 1);
  }
}

// The same, serially and without any leaf being run.
long count(unsigned seed, int depth) {
  node random{seed};
  if (depth == 0) return 1;
  int const children = 1 + static_cast<int>(random.next() % 4);
  long leaves = 0;
  for (int i = 0; i < children; ++i) leaves += count(random.next(), depth - 1);
  return leaves;
}

}  // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  omp_set_max_active_levels(100);  // on this thread; elsewhere inner regions have one thread
  unsigned const first = argc > 1 ? static_cast<unsigned>(std::atol(argv[1])) : 1;
  unsigned const trees = argc > 2 ? static_cast<unsigned>(std::atol(argv[2])) : 60;
  watchdog dog(argv[0]);
  long expected = 0;
  bool wrong = false;
  for (unsigned seed = first; seed < first + trees; ++seed) {
    dog.at(seed);
    long const leaves = count(seed, 4);
    expected += leaves;
    if (long const got = run(seed, 4); got != leaves) {
      std::printf("seed %u: %ld leaves, not %ld\n", seed, got, leaves);
      wrong = true;
    }
  }
  wrong |= done != expected || guarded[0] + guarded[1] + guarded[2] != expected;
  std::puts(wrong ? "failed" : "ok");
  return wrong;
}
