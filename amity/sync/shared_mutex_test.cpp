#include "amity/sync/shared_mutex.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <random>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "amity/sync/barrier.hpp"
#include "amity/sync/latch.hpp"
#include "amity/sync/test_support.hpp"
#include "amity/sync/this_task.hpp"

namespace amity::sync {
namespace {

using namespace std::chrono_literals;

TEST(shared_mutex, readers_share_and_writers_do_not) {
  shared_mutex m;
  m.lock_shared();
  EXPECT_TRUE(m.try_lock_shared());
  EXPECT_FALSE(m.try_lock());
  m.unlock_shared();
  m.unlock_shared();
  EXPECT_TRUE(m.try_lock());
  EXPECT_FALSE(m.try_lock_shared());
  EXPECT_FALSE(m.try_lock());
  m.unlock();
  EXPECT_TRUE(m.try_lock_shared());
  m.unlock_shared();
}

TEST(shared_mutex, excludes_whom_it_should) {
  shared_mutex m;
  long a = 0, b = 0;
  std::atomic<int> readers{0};
  run_threads(8, [&](int me) {
    std::chrono::nanoseconds aim{0};
    std::minstd_rand random(static_cast<unsigned>(me + 1));
    for (int round = 0; round < 2000; ++round) {
      if (random() % 4 == 0) {
        std::lock_guard writing(m);
        EXPECT_EQ(readers.load(), 0);
        ++a;
        if (random() % 64 == 0) std::this_thread::yield();
        ++b;
      } else {
        std::shared_lock reading(m);
        ++readers;
        EXPECT_EQ(a, b);
        if (random() % 64 == 0) std::this_thread::yield();
        --readers;
      }
    }
  });
  EXPECT_TRUE(m.try_lock());
}

// Readers that always overlap keep no writer out, and writers that come in a row no reader.
TEST(shared_mutex, nobody_starves) {
  for (const bool writers : {true, false}) {
    shared_mutex m;
    std::atomic<int> through{0};
    run_threads(4, [&](int me) {
      if (me == 3) {  // the one of its kind
        for (int round = 0; round < 50; ++round) {
          if (writers) {
            std::shared_lock one(m);
          } else {
            std::lock_guard one(m);
          }
        }
        through = 1;
        return;
      }
      while (through.load() == 0) {
        if (writers) {
          std::lock_guard crowd(m);
        } else {
          std::shared_lock crowd(m);
          for (int i = 0; i < 1000; ++i) asm volatile("");
        }
      }
    });
  }
}

TEST(shared_mutex, gives_up_at_the_deadline) {
  shared_mutex m;
  m.lock_shared();
  std::thread([&] {
    EXPECT_FALSE(m.try_lock_for(1ms));
    EXPECT_FALSE(m.try_lock_until(std::chrono::system_clock::now() + 1ms));
    EXPECT_TRUE(m.try_lock_shared_for(1ms));
    m.unlock_shared();
  }).join();
  m.unlock_shared();
  m.lock();
  std::thread([&] {
    EXPECT_FALSE(m.try_lock_shared_for(1ms));
    EXPECT_FALSE(m.try_lock_shared_until(std::chrono::steady_clock::now() - 1s));
  }).join();
  m.unlock();
  EXPECT_TRUE(m.try_lock_for(0s));
}

// A writer that gives up lets the readers go on that stood behind it.
TEST(shared_mutex, readers_pass_a_writer_that_gave_up) {
  shared_mutex m;
  m.lock_shared();
  latch queued(1);
  std::thread writer([&] {
    queued.count_down();
    EXPECT_FALSE(m.try_lock_for(20ms));
  });
  queued.wait();
  std::thread reader([&] { m.lock_shared(); });  // hangs if it is forgotten
  writer.join();
  reader.join();
  m.unlock_shared();
  m.unlock_shared();
  EXPECT_TRUE(m.try_lock());
}

TEST(shared_mutex, deadlines_race_with_unlocks) {
  shared_mutex m;
  long value = 0, written = 0;
  std::mutex sums;
  run_threads(8, [&](int me) {
    std::chrono::nanoseconds aim{0};
    std::minstd_rand random(static_cast<unsigned>(me + 1));
    long mine = 0;
    for (int round = 0; round < 1500; ++round) {
      const auto wait = std::chrono::microseconds(random() % 40);
      switch (random() % 4) {
        case 0:
          if (!m.try_lock_for(wait)) continue;
          ++value;
          ++mine;
          if (random() % 64 == 0) std::this_thread::yield();
          m.unlock();
          break;
        case 1:
          m.lock();
          ++value;
          ++mine;
          m.unlock();
          break;
        case 2:
          if (!m.try_lock_shared_for(wait)) continue;
          if (random() % 64 == 0) std::this_thread::yield();
          m.unlock_shared();
          break;
        default:
          m.lock_shared();
          m.unlock_shared();
      }
    }
    std::lock_guard guard(sums);
    written += mine;
  });
  EXPECT_EQ(value, written);
  EXPECT_TRUE(m.try_lock());
}

TEST(shared_mutex, may_be_destroyed_by_who_held_it_last) {
  for (int round = 0; round < 500; ++round) {
    auto* m = new shared_mutex;
    m->lock();
    std::thread other([m] {
      m->lock();
      m->unlock();
      delete m;  // the first holder's unlock may not have returned
    });
    m->unlock();
    other.join();
  }
}

// The regression: an unlock that met the queue just after the last one there had timed out gave the mutex up under the
// queue's lock, and then released that.
TEST(shared_mutex, may_be_destroyed_when_the_last_waiter_has_timed_out) {
  using clock = std::chrono::steady_clock;
  constexpr std::byte gone{0xab};
  alignas(shared_mutex) std::array<std::byte, sizeof(shared_mutex)> place;
  auto* const m = reinterpret_cast<shared_mutex*>(place.data());
  std::atomic<int> held{0}, gave_up{0};
  std::atomic<clock::time_point> deadline{};
  // Where other programs want the cores, too, a round may take milliseconds.
  std::atomic<int> rounds{20000};
  auto const enough = clock::now() + 5s;
  int touched = 0;
  barrier round_ends(2);
  run_threads(2, [&](int me) {
    std::chrono::nanoseconds aim{0};
    std::minstd_rand random(static_cast<unsigned>(me) + 1);
    for (int round = 1; round <= rounds; ++round) {
      if (me == 0) {  // holds it, and unlocks about when the other gives up
        ::new (m) shared_mutex;
        if (round % 2 != 0)
          m->lock();
        else
          m->lock_shared();
        deadline = clock::now() + 20us;
        if (clock::now() > enough) rounds = round;
        held = round;
      }
      while (held != round) this_task::yield();
      clock::time_point const end = deadline;
      if (me == 0) {
        auto const when = end + aim + std::chrono::nanoseconds(random() % 1000);
        while (clock::now() < when) {
        }
        aim += gave_up == round ? -200ns : 200ns;  // follows the time at which the other is done
        if (round % 2 != 0)
          m->unlock();
        else
          m->unlock_shared();
      } else {  // gives up, and is the last to hold it all the same
        bool const in_time = m->try_lock_until(end);
        gave_up = round;
        while (!in_time && !m->try_lock()) {
        }
        m->unlock();
        std::destroy_at(m);
        place.fill(gone);
      }
      round_ends.arrive_and_wait();
      if (me == 0 && !std::ranges::all_of(place, [&](std::byte b) { return b == gone; })) ++touched;
    }
  });
  EXPECT_EQ(touched, 0);
}

}  // namespace
}  // namespace amity::sync
