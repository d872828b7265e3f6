// Threads that take cores and give them back: never more than there are, unless one keeps its core and the others would
// wait for ever.
#include "amity/sched/cores/internal/core_limit.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/fiber/fiber.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sched/monitor/internal/report.hpp"
#include "amity/sys/thread_pointer.hpp"

namespace amity::sched {
namespace {

class CoreLimit : public ::testing::Test {
 protected:
  void SetUp() override {
    static_cast<void>(concurrency());  // the pool has started, and won't set it up again
    if (identity_mode() == sys::thread_pointer_mode::fixed) GTEST_SKIP() << "the pool itself takes part";
  }
};

/// Seconds since `before`. Where a machine lets somebody wait for so long, nothing can be said of the limit.
using clock_type = std::chrono::steady_clock;
double seconds_since(clock_type::time_point before) {
  return std::chrono::duration<double>(clock_type::now() - before).count();
}
constexpr double too_long = 0.05;  // half of the patience

struct crowd {
  int most = 0, rounds = 0;
  double longest_wait = 0;
};

/// Seven threads that take a core, some of them giving the processor away with it in hand, and give it back.
crowd run_crowd(int cores) {
  set_up_cores(cores);
  std::atomic<int> inside{0}, most{0}, rounds{0};
  std::atomic<double> longest{0};
  std::vector<carrier> carriers(7);
  std::vector<std::thread> threads;
  for (carrier& c : carriers)
    threads.emplace_back([&] {
      for (int i = 0; i < 300; ++i) {
        auto const before = clock_type::now();
        take_core(c);
        double const waited = seconds_since(before);
        for (double seen = longest; seen < waited && !longest.compare_exchange_weak(seen, waited);) {
        }
        int const now = ++inside;
        for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
        }
        if (i % 16 == 0) std::this_thread::yield();
        ++rounds;
        --inside;
        give_core(c);
      }
    });
  for (std::thread& t : threads) t.join();
  return {most, rounds, longest};
}

TEST_F(CoreLimit, NoMoreThanSoManyAtOnce) {
  for (int cores : {1, 2, 3}) {
    crowd seen = run_crowd(cores);
    for (int again = 0; again < 5 && seen.longest_wait > too_long; ++again) seen = run_crowd(cores);
    EXPECT_EQ(seen.rounds, 7 * 300);
    if (seen.longest_wait > too_long)
      GTEST_SKIP() << "the machine is too busy: a core was had after " << seen.longest_wait << " s";
    EXPECT_LE(seen.most, cores);
  }
}

TEST_F(CoreLimit, WhoFindsOneKeptGoesOnWithoutAfterAWhile) {
  set_up_cores(1);
  std::vector<carrier> c(3);
  take_core(c[0]);
  std::thread others([&] {
    take_core(c[1]);  // would wait for ever
    EXPECT_FALSE(c[1].core.has_core);
    take_core(c[2]);  // not even for a while
    EXPECT_FALSE(c[2].core.has_core);
    give_core(c[1]);
    give_core(c[2]);
  });
  others.join();
  give_core(c[0]);
  EXPECT_FALSE(c[0].core.has_core);
}

TEST_F(CoreLimit, AGuestTakesOneThatComesLater) {
  set_up_cores(1);
  std::vector<carrier> c(3);
  take_core(c[0]);
  take_core_at_once(c[1]);  // two run now
  std::atomic<bool> third{false};
  std::thread later([&] {
    take_core(c[2]);
    third = true;
  });
  give_core(c[0]);  // one runs
  EXPECT_FALSE(third);
  give_core(c[1]);
  later.join();
  EXPECT_TRUE(c[2].core.has_core);
}

TEST_F(CoreLimit, AThreadThatSleepsLosesItsCore) {
  static carrier sleeper, other;  // the list of fibers is for ever
  static fiber its_fiber;
  set_up_cores(1);
  its_fiber.native = &sleeper;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::thread asleep([&] {
    sleeper.thread_id = gettid();
    take_core(sleeper);
    char byte;
    EXPECT_EQ(read(ends[0], &byte, 1), 1);
    regain_core(sleeper);
    give_core(sleeper);
    sleeper.thread_id = 0;
  });
  while (!sleeper.core.has_core) std::this_thread::yield();
  note_fiber(its_fiber);
  auto const before = clock_type::now();
  take_core(other);
  if (seconds_since(before) < too_long) {
    EXPECT_TRUE(other.core.has_core);
    EXPECT_FALSE(sleeper.core.has_core);
  }
  EXPECT_EQ(write(ends[1], "x", 1), 1);
  give_core(other);
  asleep.join();
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace amity::sched
