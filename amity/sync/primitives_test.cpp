#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "amity/sync/barrier.hpp"
#include "amity/sync/condition_variable.hpp"
#include "amity/sync/latch.hpp"
#include "amity/sync/mutex.hpp"
#include "amity/sync/once.hpp"
#include "amity/sync/recursive_mutex.hpp"
#include "amity/sync/semaphore.hpp"
#include "amity/sync/test_support.hpp"

namespace amity::sync {
namespace {

constexpr int threads = 8;

TEST(condition_variable, passes_a_token_round) {
  mutex m;
  condition_variable changed;
  int turn = 0;
  run_threads(threads, [&](int me) {
    for (int round = 0; round < 200; ++round) {
      std::unique_lock lock(m);
      changed.wait(lock, [&] { return turn % threads == me; });
      ++turn;
      changed.notify_all();
    }
  });
  EXPECT_EQ(turn, threads * 200);
}

TEST(condition_variable, notify_one_serves_a_queue) {
  mutex m;
  condition_variable filled;
  int queue = 0, eaten = 0;
  run_threads(threads, [&](int me) {
    for (int round = 0; round < 500; ++round) {
      std::unique_lock lock(m);
      if (me % 2 == 0) {
        ++queue;
        filled.notify_one();
      } else {
        filled.wait(lock, [&] { return queue > 0; });
        --queue;
        ++eaten;
      }
    }
  });
  EXPECT_EQ(queue, 0);
  EXPECT_EQ(eaten, threads / 2 * 500);
}

// The regression: a wait used the condition variable after it had been woken.
TEST(condition_variable, may_go_when_all_who_wait_are_notified) {
  using namespace std::chrono_literals;
  mutex m;
  std::unique_ptr<condition_variable_any> gone;
  int waiting = 0;
  std::stop_source stop;
  barrier round_over(threads);
  run_threads(threads, [&](int me) {
    for (int round = 0; round < 200; ++round) {
      {
        std::unique_lock lock(m);
        if (gone == nullptr) gone = std::make_unique<condition_variable_any>();
        if (++waiting == threads) {
          gone->notify_all();
          gone.reset();
          waiting = 0;
        } else if (me % 3 == 0) {
          gone->wait(lock);
        } else if (me % 3 == 1) {
          gone->wait_for(lock, 1h);
        } else {
          bool woken = false;
          gone->wait(lock, stop.get_token(), [&] { return std::exchange(woken, true); });
        }
      }
      round_over.arrive_and_wait();
    }
  });
}

TEST(condition_variable, the_lock_may_block_while_it_is_unlocked) {
  struct slow_lock {
    mutex& m;
    void lock() { m.lock(); }
    void unlock() {
      m.unlock();
      std::atomic<bool> never{false};
      park_at(&never, [] { return true; }, {.deadline = sched::instant_after(std::chrono::milliseconds(1))});
    }
  };
  mutex m;
  condition_variable changed;
  int turn = 0;
  run_threads(threads, [&](int me) {
    slow_lock lock{m};
    for (int round = 0; round < 5; ++round) {
      m.lock();
      changed.wait(lock, [&] { return turn % threads == me; });
      ++turn;
      changed.notify_all();
      m.unlock();
    }
  });
  EXPECT_EQ(turn, threads * 5);
}

static constinit latch first_latch(1);
static constinit semaphore first_semaphore(1);
static constinit counting_semaphore<5> first_counting_semaphore(2);
static constinit barrier<> first_barrier(1);

TEST(primitives, are_there_before_main) {
  first_latch.arrive_and_wait();
  EXPECT_TRUE(first_semaphore.try_acquire());
  EXPECT_TRUE(first_counting_semaphore.try_acquire());
  first_barrier.arrive_and_wait();
}

TEST(primitives, misuse_is_named) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(latch(-1), "amity: latch\\(-1\\): allowed are 0 to ");
  EXPECT_DEATH(latch(1).count_down(2), "amity: latch::count_down\\(2\\): allowed are 0 to 1");
  EXPECT_DEATH(latch(1).count_down(-2), "amity: latch::count_down\\(-2\\): allowed are 0 to 1");
  EXPECT_DEATH(semaphore(-1), "amity: semaphore\\(-1\\): allowed are 0 to 1099511627775");
  EXPECT_DEATH(semaphore(0).release(-1), "amity: semaphore::release\\(-1\\): allowed are 0 to 1099511627775");
  EXPECT_DEATH(semaphore(semaphore::max()).release(), "amity: semaphore::release\\(1\\): allowed are 0 to 0");
  EXPECT_DEATH(barrier(-1), "amity: barrier\\(-1\\): allowed are 0 to ");
  EXPECT_DEATH(static_cast<void>(barrier(2).arrive(3)), "amity: barrier::arrive\\(3\\): allowed are 1 to 2");
  EXPECT_DEATH(static_cast<void>(barrier(2).arrive(0)), "amity: barrier::arrive\\(0\\): allowed are 1 to 2");
  EXPECT_DEATH(static_cast<void>(barrier(0).arrive()), "amity: barrier::arrive\\(1\\): nothing is allowed there");
}

TEST(latch, is_counted_up_and_used_again) {
  latch l(1);
  l.count_up(2);
  l.count_down(2);
  EXPECT_FALSE(l.try_wait());
  l.arrive_and_wait();
  EXPECT_TRUE(l.try_wait());
  l.reset(1);
  EXPECT_FALSE(l.try_wait());
  l.count_down();
  l.wait();
  EXPECT_DEATH(latch(1).count_up(-1), "amity: latch::count_up\\(-1\\): allowed are 0 to ");
  EXPECT_DEATH(latch(1).reset(-1), "amity: latch::reset\\(-1\\): allowed are 0 to ");
}

TEST(latch, opens_at_zero) {
  latch done(threads);
  EXPECT_FALSE(done.try_wait());
  int written[threads] = {};
  std::thread waiter([&] {
    done.wait();
    for (int value : written) EXPECT_EQ(value, 1);
  });
  run_threads(threads, [&](int me) {
    written[me] = 1;
    done.count_down();
  });
  waiter.join();
  EXPECT_TRUE(done.try_wait());
}

TEST(barrier, completes_once_in_each_phase) {
  int completions = 0;
  barrier all(threads, [&]() noexcept { ++completions; });
  run_threads(threads, [&](int) {
    for (int phase = 1; phase <= 300; ++phase) {
      all.arrive_and_wait();
      EXPECT_GE(completions, phase);
      all.arrive_and_wait();
    }
  });
  EXPECT_EQ(completions, 600);
}

TEST(barrier, goes_on_without_those_who_drop) {
  barrier all(threads);
  run_threads(threads, [&](int me) {
    for (int phase = 0; phase < 10 * (me + 1); ++phase) all.arrive_and_wait();
    all.arrive_and_drop();
  });
}

TEST(barrier, may_be_for_nobody) {
  [[maybe_unused]] barrier nobody(0);
  int completions = 0;
  barrier left_by_all(2, [&]() noexcept { ++completions; });
  left_by_all.arrive_and_drop();
  left_by_all.arrive_and_drop();
  EXPECT_EQ(completions, 1);
}

TEST(semaphore, lets_in_no_more_than_it_has) {
  semaphore slots(3);
  std::atomic<int> inside{0};
  run_threads(threads, [&](int) {
    for (int round = 0; round < 1000; ++round) {
      slots.acquire();
      EXPECT_LE(inside.fetch_add(1) + 1, 3);
      inside.fetch_sub(1);
      slots.release();
    }
  });
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(slots.try_acquire());
  EXPECT_FALSE(slots.try_acquire());
}

// The regression: release looked whether somebody waits after it had given the slot away.
TEST(semaphore, may_go_when_its_slot_was_acquired) {
  for (int round = 0; round < 300; ++round) {
    auto done = std::make_unique<binary_semaphore>(0);
    std::thread other([&at = *done] { at.release(); });
    if (round % 2 == 0)
      done->acquire();
    else
      while (!done->try_acquire()) std::this_thread::yield();
    done.reset();
    other.join();
  }
}

TEST(semaphore, has_room_for_many_slots) {
  counting_semaphore<> s(0);
  s.release(s.max() - 1);
  EXPECT_TRUE(s.try_acquire());
  s.release(2);
  EXPECT_TRUE(s.try_acquire());
  EXPECT_EQ(counting_semaphore<std::numeric_limits<std::ptrdiff_t>::max()>(1).max(), semaphore::max());
}

TEST(recursive_mutex, its_holder_comes_in_again) {
  recursive_timed_mutex m;
  std::lock_guard outer(m);
  {
    std::lock_guard inner(m);
    EXPECT_TRUE(m.try_lock());
    m.unlock();
  }
  std::thread([&] {
    EXPECT_FALSE(m.try_lock());
    EXPECT_FALSE(m.try_lock_for(std::chrono::milliseconds(1)));
    EXPECT_FALSE(m.try_lock_until(std::chrono::steady_clock::now()));
  }).join();
}

TEST(recursive_mutex, excludes_the_others) {
  recursive_mutex m;
  long sum = 0;
  run_threads(threads, [&](int) {
    for (int round = 0; round < 2000; ++round) {
      std::lock_guard outer(m);
      std::lock_guard inner(m);
      ++sum;
    }
  });
  EXPECT_EQ(sum, threads * 2000);
}

TEST(once, the_first_one_calls_and_all_wait) {
  for (int round = 0; round < 200; ++round) {
    once_flag flag;
    int calls = 0;
    run_threads(threads, [&](int) {
      call_once(
          flag,
          [&](int by) {
            std::this_thread::yield();
            calls += by;
          },
          1);
      EXPECT_EQ(calls, 1);
    });
  }
}

TEST(once, after_an_exception_the_next_one_tries) {
  once_flag flag;
  std::atomic<int> tries{0}, caught{0};
  run_threads(threads, [&](int) {
    try {
      call_once(flag, [&] {
        if (++tries < 4) throw 1;
      });
    } catch (int) {
      ++caught;
    }
  });
  EXPECT_EQ(tries.load(), 4);
  EXPECT_EQ(caught.load(), 3);
}

}  // namespace
}  // namespace amity::sync
