#include <gtest/gtest.h>

#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "amity/sync/barrier.hpp"
#include "amity/sync/condition_variable.hpp"
#include "amity/sync/latch.hpp"
#include "amity/sync/mutex.hpp"
#include "amity/sync/semaphore.hpp"
#include "amity/sync/test_support.hpp"
#include "amity/sync/this_task.hpp"

namespace amity::sync {
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;
using std::chrono::steady_clock;
using std::chrono::system_clock;

constexpr int threads = 8;

TEST(this_task, sleeps_as_long_as_it_should) {
  const auto before = steady_clock::now();
  this_task::sleep_for(2ms);
  EXPECT_GE(steady_clock::now() - before, 2ms);
  const auto time = system_clock::now() + 1ms;
  this_task::sleep_until(time);
  EXPECT_GE(system_clock::now(), time);
  this_task::sleep_for(-1h);
  this_task::sleep_until(steady_clock::time_point::min());
  this_task::yield();
}

TEST(this_task, a_stop_ends_the_sleep) {
  std::stop_source source;
  std::thread sleeper([token = source.get_token()] { EXPECT_FALSE(this_task::sleep_for(1h, token)); });
  source.request_stop();
  sleeper.join();
  EXPECT_FALSE(this_task::sleep_until(steady_clock::now() + 1h, source.get_token()));
  EXPECT_TRUE(this_task::sleep_for(1ms, std::stop_token()));
}

TEST(timed_mutex, gives_up_while_it_is_held) {
  timed_mutex m;
  m.lock();
  std::thread([&] {
    EXPECT_FALSE(m.try_lock_for(2ms));
    EXPECT_FALSE(m.try_lock_until(steady_clock::now() - 1s));
    EXPECT_FALSE(m.try_lock_until(system_clock::now() + 1ms));
  }).join();
  m.unlock();
  EXPECT_TRUE(m.try_lock_for(0ms));
  m.unlock();
  EXPECT_TRUE(m.try_lock_until(steady_clock::time_point::max()));
  m.unlock();
}

// A waiter that gives up must not take a wake with it that another one needs.
TEST(timed_mutex, those_who_give_up_leave_the_others_their_wakes) {
  timed_mutex m;
  long sum = 0, locked = 0;
  run_threads(threads, [&](int me) {
    std::minstd_rand random(static_cast<unsigned>(me + 1));
    long mine = 0;
    for (int round = 0; round < 1500; ++round) {
      if (me % 2 == 0)
        m.lock();
      else if (!m.try_lock_for(microseconds(random() % 40)))
        continue;
      ++sum;
      ++mine;
      if (random() % 64 == 0) std::this_thread::yield();  // be found holding it
      m.unlock();
    }
    std::lock_guard guard(m);
    locked += mine;
  });
  EXPECT_EQ(sum, locked);
  EXPECT_FALSE(m.is_locked());
}

TEST(condition_variable, a_wait_may_end_by_the_clock) {
  mutex m;
  condition_variable changed;
  std::unique_lock lock(m);
  EXPECT_EQ(changed.wait_for(lock, 1ms), cv_status::timeout);
  EXPECT_EQ(changed.wait_until(lock, system_clock::now() + 1ms), cv_status::timeout);
  EXPECT_FALSE(changed.wait_for(lock, 1ms, [] { return false; }));
  EXPECT_TRUE(changed.wait_until(lock, steady_clock::now() + 1h, [] { return true; }));
  EXPECT_TRUE(lock.owns_lock());
}

TEST(condition_variable, a_time_long_ago_has_come) {
  mutex m;
  condition_variable_any changed;
  std::unique_lock lock(m);
  EXPECT_EQ(changed.wait_until(lock, std::chrono::steady_clock::time_point::min()), cv_status::timeout);
  EXPECT_FALSE(changed.wait_until(lock, std::chrono::system_clock::time_point::min(), [] { return false; }));
  EXPECT_FALSE(changed.wait_for(lock, std::chrono::hours::min(), [] { return false; }));
}

TEST(condition_variable, what_the_predicate_throws_is_passed_on_with_the_lock_held) {
  mutex m;
  condition_variable_any changed;
  std::unique_lock lock(m);
  const auto fail = []() -> bool { throw 1; };
  EXPECT_THROW(changed.wait(lock, fail), int);
  EXPECT_THROW(changed.wait_for(lock, std::chrono::hours(1), fail), int);
  EXPECT_THROW(changed.wait_until(lock, std::chrono::steady_clock::time_point::max(), fail), int);
  EXPECT_TRUE(m.is_locked());
}

TEST(condition_variable, notifications_race_with_the_clock) {
  mutex m;
  condition_variable changed;
  int tokens = 0, taken = 0;
  run_threads(threads, [&](int me) {
    std::minstd_rand random(static_cast<unsigned>(me + 1));
    for (int round = 0; round < 400; ++round) {
      std::unique_lock lock(m);
      if (me % 2 == 0) {
        ++tokens;
        changed.notify_one();
      } else {
        while (!changed.wait_for(lock, microseconds(random() % 100), [&] { return tokens > 0; })) {
        }
        --tokens;
        ++taken;
      }
    }
  });
  EXPECT_EQ(tokens, 0);
  EXPECT_EQ(taken, threads / 2 * 400);
}

TEST(condition_variable_any, a_stop_ends_the_wait) {
  for (int round = 0; round < 300; ++round) {
    mutex m;
    condition_variable_any changed;
    std::stop_source source;
    std::thread waiter([&] {
      std::unique_lock lock(m);
      EXPECT_FALSE(changed.wait(lock, source.get_token(), [] { return false; }));
    });
    std::thread other([&] {
      std::unique_lock lock(m);
      EXPECT_FALSE(changed.wait_for(lock, source.get_token(), 1h, [] { return false; }));
    });
    source.request_stop();
    waiter.join();
    other.join();
  }
  mutex m;
  condition_variable_any changed;
  std::unique_lock lock(m);
  EXPECT_TRUE(changed.wait(lock, std::stop_token(), [] { return true; }));
  EXPECT_FALSE(changed.wait_until(lock, std::stop_token(), steady_clock::now() + 1ms, [] { return false; }));
}

TEST(semaphore, gives_up_while_there_is_nothing) {
  binary_semaphore empty(0);
  EXPECT_FALSE(empty.try_acquire_for(1ms));
  EXPECT_FALSE(empty.try_acquire_until(system_clock::now() + 1ms));
  empty.release();
  EXPECT_TRUE(empty.try_acquire_for(1h));
  EXPECT_EQ(binary_semaphore::max(), 1);
}

TEST(semaphore, those_who_give_up_leave_the_others_their_releases) {
  counting_semaphore<100> slots(2);
  std::atomic<int> inside{0};
  run_threads(threads, [&](int me) {
    std::minstd_rand random(static_cast<unsigned>(me + 1));
    for (int round = 0; round < 800; ++round) {
      if (me % 2 == 0)
        slots.acquire();
      else if (!slots.try_acquire_for(microseconds(random() % 40)))
        continue;
      EXPECT_LE(inside.fetch_add(1) + 1, 2);
      if (random() % 64 == 0) std::this_thread::yield();
      inside.fetch_sub(1);
      slots.release();
    }
  });
  EXPECT_TRUE(slots.try_acquire());
  EXPECT_TRUE(slots.try_acquire());
  EXPECT_FALSE(slots.try_acquire());
}

}  // namespace
}  // namespace amity::sync
