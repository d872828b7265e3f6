#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "amity/sync/latch.hpp"
#include "amity/sync/test_support.hpp"
#include "amity/sync/this_task.hpp"
#include "amity/sync/upgrade_lock.hpp"

namespace amity::sync {
namespace {

using namespace std::chrono_literals;

TEST(upgrade, reads_beside_readers_but_not_beside_another) {
  shared_mutex m;
  m.lock_upgrade();
  EXPECT_TRUE(m.try_lock_shared());
  EXPECT_FALSE(m.try_lock_upgrade());
  EXPECT_FALSE(m.try_lock_upgrade_for(1ms));
  EXPECT_FALSE(m.try_lock());
  m.unlock_shared();
  EXPECT_FALSE(m.try_lock());
  m.unlock_upgrade();
  EXPECT_TRUE(m.try_lock());
  EXPECT_FALSE(m.try_lock_upgrade());
  m.unlock();
}

TEST(upgrade, writes_when_the_other_readers_have_gone) {
  shared_mutex m;
  m.lock_upgrade();
  m.lock_shared();
  EXPECT_FALSE(m.try_unlock_upgrade_and_lock());
  EXPECT_FALSE(m.try_unlock_upgrade_and_lock_for(1ms));
  EXPECT_FALSE(m.try_unlock_upgrade_and_lock_until(std::chrono::system_clock::now() + 1ms));
  EXPECT_TRUE(m.try_lock_shared());  // the upgrader that gave up is in nobody's way
  m.unlock_shared();
  std::atomic<bool> writes{false};
  std::thread upgrader([&] {
    m.unlock_upgrade_and_lock();
    writes = true;
    EXPECT_FALSE(m.try_lock_shared());
    m.unlock();
  });
  while (m.try_lock_shared()) {  // until it waits: then no reader comes in any more
    m.unlock_shared();
    this_task::yield();
  }
  EXPECT_FALSE(writes);
  m.unlock_shared();
  upgrader.join();
  EXPECT_TRUE(m.try_lock());
}

// A writer that has come first waits for the upgrader's share, so the upgrader may not wait behind it.
TEST(upgrade, goes_before_writers_that_wait) {
  shared_mutex m;
  int value = 0;
  m.lock_upgrade();
  std::thread writer([&] {
    std::lock_guard writing(m);
    EXPECT_EQ(value, 1);
    value = 2;
  });
  while (m.try_lock_shared()) {
    m.unlock_shared();
    this_task::yield();
  }
  m.unlock_upgrade_and_lock();  // by the queue's lock, since somebody is in there
  value = 1;
  m.unlock();
  writer.join();
  EXPECT_EQ(value, 2);
}

TEST(upgrade, a_writer_may_step_back) {
  shared_mutex m;
  m.lock();
  m.unlock_and_lock_upgrade();
  EXPECT_TRUE(m.try_lock_shared());
  EXPECT_FALSE(m.try_lock_upgrade());
  m.unlock_shared();
  EXPECT_TRUE(m.try_unlock_upgrade_and_lock());
  m.unlock_and_lock_shared();
  EXPECT_TRUE(m.try_unlock_shared_and_lock_upgrade());
  m.unlock_upgrade_and_lock_shared();
  EXPECT_TRUE(m.try_lock_shared());
  EXPECT_FALSE(m.try_unlock_shared_and_lock());
  m.unlock_shared();
  EXPECT_TRUE(m.try_unlock_shared_and_lock());
  m.unlock();
  EXPECT_TRUE(m.try_lock());
}

TEST(upgrade, who_steps_back_lets_waiting_readers_in) {
  for (const bool to_reader : {true, false}) {
    shared_mutex m;
    m.lock();
    latch in(2);
    std::vector<std::thread> readers;
    for (int i = 0; i < 2; ++i)
      readers.emplace_back([&] {
        std::shared_lock reading(m);
        in.count_down();
      });
    to_reader ? m.unlock_and_lock_shared() : m.unlock_and_lock_upgrade();
    in.wait();
    to_reader ? m.unlock_shared() : m.unlock_upgrade();
    for (auto& one : readers) one.join();
  }
}

TEST(upgrade, locks_go_over_into_one_another) {
  shared_mutex m;
  upgrade_lock reading(m);
  EXPECT_TRUE(reading.owns_lock());
  EXPECT_THROW(reading.lock(), std::system_error);
  {
    upgrade_to_unique_lock writing(reading);
    EXPECT_TRUE(writing.owns_lock());
    EXPECT_FALSE(reading.owns_lock());
    EXPECT_FALSE(m.try_lock_shared());
  }
  EXPECT_TRUE(reading);
  EXPECT_EQ(reading.mutex(), &m);
  std::unique_lock<shared_mutex> writing(std::move(reading));
  EXPECT_TRUE(writing.owns_lock());
  EXPECT_EQ(reading.mutex(), nullptr);  // NOLINT(bugprone-use-after-move): what the test is about
  EXPECT_THROW(reading.lock(), std::system_error);
  upgrade_lock<shared_mutex> again(std::move(writing));
  EXPECT_TRUE(m.try_lock_shared());
  m.unlock_shared();
  std::shared_lock<shared_mutex> shared(std::move(again));
  EXPECT_TRUE(m.try_lock_upgrade());
  m.unlock_upgrade();
  shared.unlock();
  upgrade_lock later(m, std::defer_lock);
  EXPECT_FALSE(later.owns_lock());
  EXPECT_THROW(later.unlock(), std::system_error);
  EXPECT_TRUE(later.try_lock());
  EXPECT_FALSE(upgrade_lock(m, std::try_to_lock).owns_lock());
  EXPECT_FALSE(upgrade_lock(m, 1ms).owns_lock());
}

// All transitions at random, against what each of them allows.
TEST(upgrade, excludes_whom_it_should) {
  shared_mutex m;
  long a = 0, b = 0;
  std::atomic<int> readers{0}, upgraders{0}, writers{0};
  auto write = [&] {
    EXPECT_EQ(writers.fetch_add(1), 0);
    EXPECT_EQ(readers.load(), 0);
    EXPECT_EQ(upgraders.load(), 0);
    ++a;
    ++b;
    writers.fetch_sub(1);
  };
  auto read = [&](std::atomic<int>& count, int others) {
    EXPECT_LE(count.fetch_add(1), others);
    EXPECT_EQ(writers.load(), 0);
    EXPECT_EQ(a, b);
    count.fetch_sub(1);
  };
  run_threads(6, [&](int me) {
    std::minstd_rand random(static_cast<unsigned>(me + 1));
    for (int round = 0; round < 3000; ++round) {
      switch (random() % 6) {
        case 0: {
          std::lock_guard writing(m);
          write();
          break;
        }
        case 1: {
          m.lock_upgrade();
          read(upgraders, 0);
          const long before = a;
          const bool at_once = random() % 4 != 0;
          if (!(at_once ? m.try_unlock_upgrade_and_lock() : m.try_unlock_upgrade_and_lock_for(10us)))
            m.unlock_upgrade_and_lock();
          EXPECT_EQ(a, before);
          write();
          m.unlock_and_lock_upgrade();
          read(upgraders, 0);
          m.unlock_upgrade();
          break;
        }
        case 2: {
          upgrade_lock reading(m);
          read(upgraders, 0);
          std::shared_lock<shared_mutex> shared(std::move(reading));
          read(readers, 5);
          break;
        }
        case 3: {
          m.lock();
          write();
          m.unlock_and_lock_shared();
          read(readers, 5);
          m.unlock_shared();
          break;
        }
        case 4: {
          if (!m.try_lock_shared_for(10us)) break;
          read(readers, 5);
          if (m.try_unlock_shared_and_lock()) {
            write();
            m.unlock();
          } else if (m.try_unlock_shared_and_lock_upgrade()) {
            read(upgraders, 0);
            m.unlock_upgrade();
          } else {
            m.unlock_shared();
          }
          break;
        }
        default: {
          std::shared_lock reading(m);
          read(readers, 5);
        }
      }
    }
  });
  EXPECT_TRUE(m.try_lock());
}

}  // namespace
}  // namespace amity::sync
