// Random programs of nested finish, futures, coroutines, mutexes and OpenMP regions, each counted beforehand: all must
// end with the right count. The seed is fixed; an argument asks for another.
#include <omp.h>

#include <amity/amity.hpp>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <vector>

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

void leaf(unsigned seed) {
  unsigned const which = seed % 3;
  std::lock_guard guard(locks[which]);
  ++guarded[which];
  if (seed % 7 == 0) amity::async([] {}).get();  // blocks, or runs a task, while it holds the mutex
  done.fetch_add(1, std::memory_order_relaxed);
}

amity::task<long> walk(std::vector<amity::future<long>> all) {
  long sum = 0;
  for (auto& f : all) sum += co_await std::move(f);
  co_return sum;
}

// Runs a random tree; gives the number of its leaves, which depends on the seed alone.
long run(unsigned seed, int depth) {
  node random{seed};
  if (depth == 0) {
    leaf(random.next());
    return 1;
  }
  int const children = 1 + static_cast<int>(random.next() % 4);
  std::vector<unsigned> seeds;
  for (int i = 0; i < children; ++i) seeds.push_back(random.next());
  std::atomic<long> leaves{0};
  switch (random.next() % 6) {
    case 0:
      amity::finish([&] {
        for (unsigned s : seeds) amity::async([&leaves, s, depth] { leaves += run(s, depth - 1); });
      });
      break;
    case 1: {
      std::vector<amity::future<long>> all;
      for (unsigned s : seeds) all.push_back(amity::async([s, depth] { return run(s, depth - 1); }));
      for (auto& f : all) leaves += f.get();
      break;
    }
    case 2: {
      std::vector<amity::future<long>> all;
      for (unsigned s : seeds) all.push_back(amity::async([s, depth] { return run(s, depth - 1); }));
      leaves += amity::sync_wait(walk(std::move(all)));
      break;
    }
    case 3: {
#pragma omp parallel num_threads(children)
      {
#pragma omp for schedule(static, 1)
        for (int i = 0; i < children; ++i) leaves += run(seeds[static_cast<std::size_t>(i)], depth - 1);
#pragma omp barrier
      }
      break;
    }
    case 4: {
      amity::promise<void> go;
      auto gate = go.get_future().share();
      std::vector<amity::future<long>> all;
      for (unsigned s : seeds) all.push_back(amity::async_await(gate, [s, depth] { return run(s, depth - 1); }));
      amity::async([&] { go.set_value(); });
      for (auto& f : amity::when_all(std::move(all)).get()) leaves += f.get();
      break;
    }
    default:
#pragma omp parallel num_threads(2)
#pragma omp single
      for (unsigned s : seeds)
#pragma omp task firstprivate(s)
        amity::finish([&] { amity::async([&leaves, s, depth] { leaves += run(s, depth - 1); }); });
  }
  return leaves;
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
  unsigned const first = argc > 1 ? static_cast<unsigned>(atoi(argv[1])) : 1;
  long expected = 0;
  bool wrong = false;
  for (unsigned seed = first; seed < first + 30; ++seed) {
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
