#include "amity/sync/mutex.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

#include "amity/sync/nest_mutex.hpp"
#include "amity/sync/test_support.hpp"

namespace amity::sync {
namespace {

TEST(mutex, try_lock_fails_while_held) {
  mutex m;
  EXPECT_TRUE(m.try_lock());
  EXPECT_FALSE(m.try_lock());
  m.unlock();
  EXPECT_TRUE(m.try_lock());
  m.unlock();
  EXPECT_FALSE(m.is_locked());
}

TEST(mutex, may_be_unlocked_by_another_thread) {
  mutex m;
  m.lock();
  std::thread([&] { m.unlock(); }).join();
  EXPECT_FALSE(m.is_locked());
}

TEST(mutex, excludes_more_threads_than_cores) {
  constexpr int threads = 8, rounds = 5000;
  mutex m;
  long sum = 0;
  run_threads(threads, [&](int) {
    for (int r = 0; r < rounds; ++r) {
      std::lock_guard guard(m);
      ++sum;
    }
  });
  EXPECT_EQ(sum, long{threads} * rounds);
  EXPECT_FALSE(m.is_locked());
}

// Its holder has a word to say before anybody else gets it.
TEST(mutex, a_marked_mutex_is_given_up_in_two_halves) {
  mutex m;
  m.lock();
  EXPECT_TRUE(m.unlock_unless_marked());
  EXPECT_FALSE(m.is_locked());
  m.lock();
  m.mark();
  EXPECT_FALSE(m.unlock_unless_marked());
  EXPECT_FALSE(m.try_lock());
  m.unlock_marked();
  EXPECT_TRUE(m.try_lock());
  m.unlock();
}

// Between the halves others come to wait, and are found by the second.
TEST(mutex, marked_by_each_it_excludes_more_threads_than_cores) {
  constexpr int threads = 8, rounds = 3000;
  mutex m;
  long sum = 0;
  run_threads(threads, [&](int i) {
    for (int r = 0; r < rounds; ++r) {
      m.lock();
      if ((i + r) % 3 != 0) m.mark();
      ++sum;
      if (!m.unlock_unless_marked()) m.unlock_marked();
    }
  });
  EXPECT_EQ(sum, long{threads} * rounds);
  EXPECT_FALSE(m.is_locked());
}

// One thread that hardly ever lets go must not keep the others out.
TEST(mutex, a_greedy_thread_starves_nobody) {
  mutex m;
  std::atomic<int> through{0};
  std::thread greedy([&] {
    while (through.load() < 3) {
      std::lock_guard guard(m);
      for (int i = 0; i < 1000; ++i) asm volatile("");
    }
  });
  std::vector<std::thread> modest;
  for (int i = 0; i < 3; ++i)
    modest.emplace_back([&] {
      for (int r = 0; r < 50; ++r) std::lock_guard guard(m);
      ++through;
    });
  for (auto& one : modest) one.join();
  greedy.join();
}

TEST(nest_mutex, counts_its_depth) {
  nest_mutex m;
  alignas(8) int me = 0;
  alignas(8) int other = 0;
  EXPECT_EQ(m.lock(&me), 1);
  EXPECT_EQ(m.lock(&me), 2);
  EXPECT_EQ(m.try_lock(&me), 3);
  EXPECT_EQ(m.try_lock(&other), 0);
  EXPECT_EQ(m.unlock(), 2);
  EXPECT_EQ(m.unlock(), 1);
  EXPECT_EQ(m.try_lock(&other), 0);
  EXPECT_EQ(m.unlock(), 0);
  EXPECT_EQ(m.try_lock(&other), 1);
  EXPECT_EQ(m.unlock(), 0);
}

TEST(nest_mutex, excludes_more_threads_than_cores) {
  constexpr int threads = 8, rounds = 3000;
  nest_mutex m;
  long sum = 0;
  run_threads(threads, [&](int) {
    alignas(8) int me;
    for (int r = 0; r < rounds; ++r) {
      ASSERT_EQ(m.lock(&me), 1);
      ASSERT_EQ(m.lock(&me), 2);
      ++sum;
      ASSERT_EQ(m.unlock(), 1);
      ASSERT_EQ(m.unlock(), 0);
    }
  });
  EXPECT_EQ(sum, long{threads} * rounds);
  EXPECT_FALSE(m.is_locked());
}

}  // namespace
}  // namespace amity::sync
