#include "amity/sync/event.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "amity/sync/latch.hpp"
#include "amity/sync/mutex.hpp"
#include "amity/sync/sliding_semaphore.hpp"
#include "amity/sync/this_task.hpp"

namespace amity::sync {
namespace {

using namespace std::chrono_literals;

TEST(event, is_waited_for_until_it_is_set) {
  event e;
  EXPECT_FALSE(e.occurred());
  EXPECT_FALSE(e.wait_for(1ms));
  EXPECT_FALSE(e.wait_until(std::chrono::system_clock::now() + 1ms));
  int value = 0;
  std::thread other([&] {
    value = 1;
    e.set();
  });
  e.wait();
  EXPECT_EQ(value, 1);
  EXPECT_TRUE(e.occurred());
  other.join();
  e.set();
  e.wait();
  e.reset();
  e.reset();
  EXPECT_FALSE(e.occurred());
  EXPECT_FALSE(e.wait_for(0s));
}

// A waiter that looks for the event only when it runs again would miss it.
TEST(event, a_set_ends_the_waits_though_a_reset_follows) {
  event e;
  std::atomic<int> through{0};
  std::vector<std::thread> all;
  for (int i = 0; i < 4; ++i)
    all.emplace_back([&] {
      e.wait();
      ++through;
    });
  while (through != 4) {
    e.set();
    e.reset();
    this_task::yield();
  }
  for (auto& one : all) one.join();
}

TEST(event, may_go_when_it_was_waited_for) {
  for (int round = 0; round < 500; ++round) {
    auto e = std::make_unique<event>();
    std::thread other([raw = e.get()] { raw->set(); });
    e->wait();
    e.reset();
    other.join();
  }
}

TEST(sliding_semaphore, lets_pass_what_is_within_the_window) {
  sliding_semaphore s(2);
  EXPECT_TRUE(s.try_wait());
  EXPECT_TRUE(s.try_wait(2));
  EXPECT_FALSE(s.try_wait(3));
  EXPECT_FALSE(s.try_wait_for(3, 1ms));
  EXPECT_FALSE(s.try_wait_until(3, std::chrono::system_clock::now() + 1ms));
  s.signal(1);
  s.wait(3);
  s.signal(0);  // lower: changes nothing
  EXPECT_TRUE(s.try_wait(3));
  EXPECT_FALSE(s.try_wait(4));
  EXPECT_EQ(s.signal_all(), 1);
  s.set_max_difference(10, 5);
  s.wait(15);
  EXPECT_FALSE(s.try_wait(16));
  EXPECT_FALSE(sliding_semaphore(1, -3).try_wait(-1));
}

TEST(sliding_semaphore, keeps_who_is_ahead) {
  constexpr int steps = 2000, window = 5;
  sliding_semaphore ahead(window, -1);
  std::atomic<int> done{-1};
  std::thread behind([&] {
    for (int step = 0; step < steps; ++step) {
      done = step;
      ahead.signal(step);
    }
  });
  for (int step = 0; step < steps; ++step) {
    ahead.wait(step);
    EXPECT_LE(step - done, window);
  }
  behind.join();
}

TEST(sliding_semaphore, a_wider_window_wakes) {
  sliding_semaphore s(1);
  latch begun(2);
  std::vector<std::thread> all;
  for (int upper : {2, 3})
    all.emplace_back([&, upper] {
      begun.count_down();
      s.wait(upper);
    });
  begun.wait();
  s.set_max_difference(3);
  for (auto& one : all) one.join();
}

// More threads than cores, the holder among those that don't run: nobody spins until its turn comes.
TEST(spinlock, is_lockable_and_waits_where_spinning_does_not_help) {
  spinlock lock;
  EXPECT_TRUE(lock.try_lock());
  EXPECT_FALSE(lock.try_lock());
  lock.unlock();
  long count = 0;
  std::vector<std::thread> all;
  for (int i = 0; i < 16; ++i)
    all.emplace_back([&] {
      for (int round = 0; round < 500; ++round) {
        std::lock_guard guard(lock);
        ++count;
        if (round % 100 == 0) this_task::sleep_for(100us);
      }
    });
  for (auto& one : all) one.join();
  EXPECT_EQ(count, 16 * 500);
}

}  // namespace
}  // namespace amity::sync
