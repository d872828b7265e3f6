#include "amity/sync/parking.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "amity/sched/loop/park.hpp"
#include "amity/sync/mutex.hpp"
#include "amity/sys/test_support.hpp"

namespace amity::sync {
namespace {

// Each waiter counts itself under the queue's lock, just before it is in the queue.
void wait_for_waiters(std::atomic<int>& arrived, int n) {
  while (arrived.load() < n) std::this_thread::yield();
}

TEST(parking, does_not_park_when_the_condition_is_gone) {
  int word = 0;
  EXPECT_EQ(park_at(&word, [] { return false; }), parked::no);
}

TEST(parking, unpark_of_nobody_wakes_nobody) {
  int word = 0;
  EXPECT_EQ(unpark_all(&word), 0u);
  unpark_one(&word, [](queue_view view) {
    EXPECT_FALSE(view.found);
    return false;
  });
}

// The regression: a fiber that had once been woken before it parked was thought to keep a core from others for ever
// after, so nobody spun for a mutex any more.
TEST(parking, a_wake_that_came_before_the_park_leaves_nobody_ready) {
  sched::unpark(sched::self());
  EXPECT_FALSE(core_is_wanted());  // the fiber's own permit
  sched::park();
  EXPECT_FALSE(core_is_wanted());
}

TEST(parking, addresses_do_not_mix) {
  constexpr int n = 16;
  static std::atomic<bool> go[n][64];
  std::atomic<int> arrived{0};
  std::vector<std::thread> all;
  for (int i = 0; i < n; ++i)
    all.emplace_back([&, i] {
      park_at(&go[i][0], [&] { return ++arrived, true; });
      EXPECT_TRUE(go[i][0].load());
    });
  wait_for_waiters(arrived, n);
  for (int i = n - 1; i >= 0; --i) {
    go[i][0].store(true);
    EXPECT_EQ(unpark_all(&go[i][0]), 1u);
  }
  for (auto& one : all) one.join();
}

TEST(parking, wakes_the_longest_waiter_first) {
  int word = 0;
  std::atomic<int> arrived{0}, woken{0};
  std::vector<std::thread> all;
  for (int i = 0; i < 4; ++i) {
    all.emplace_back([&, i] {
      park_at(&word, [&] { return ++arrived, true; });
      EXPECT_EQ(woken.load(), i);
      ++woken;
    });
    wait_for_waiters(arrived, i + 1);
  }
  for (int i = 0; i < 4; ++i) {
    bool more = false;
    unpark_one(&word, [&](queue_view view) {
      EXPECT_TRUE(view.found);
      more = view.more;
      return false;
    });
    EXPECT_EQ(more, i < 3);
    while (woken.load() <= i) std::this_thread::yield();
  }
  for (auto& one : all) one.join();
}

TEST(parking, tells_who_was_handed_something) {
  int word = 0;
  std::atomic<int> arrived{0};
  std::thread waiter([&] {
    EXPECT_EQ(park_at(&word, [&] { return ++arrived, true; }, {.wants_hand_over = true}), parked::handed_over);
  });
  wait_for_waiters(arrived, 1);
  unpark_one(&word, [](queue_view view) { return view.wants_hand_over; });
  waiter.join();
}

TEST(parking, gives_up_at_the_deadline) {
  int word = 0;
  EXPECT_EQ(park_at(&word, [] { return true; }, {.deadline = sched::instant_after(std::chrono::milliseconds(2))}),
            parked::timed_out);
  EXPECT_EQ(unpark_all(&word), 0u);
}

// A wake at the very moment of the deadline is either taken or left for another: none is lost or counted twice.
TEST(parking, wakes_race_with_deadlines) {
  constexpr int threads = 6, rounds = 400;
  int word = 0;
  std::atomic<int> given{0}, taken{0}, over{0};
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back([&, i] {
      for (int r = 0; r < rounds; ++r) {
        const auto deadline = sched::instant_after(std::chrono::microseconds((i * 37 + r * 11) % 200));
        if (park_at(&word, [] { return true; }, {.deadline = deadline}) == parked::woken) ++taken;
      }
      ++over;
    });
  while (over.load() < threads) {
    given += static_cast<int>(unpark_some(&word, 1));
    std::this_thread::yield();
  }
  for (auto& one : all) one.join();
  EXPECT_EQ(given.load(), taken.load());
}

TEST(parking, a_forked_child_has_empty_queues) {
  mutex m;
  m.lock();
  std::atomic<int> arrived{0};
  std::thread waiter([&] { park_at(&m, [&] { return ++arrived, true; }); });
  wait_for_waiters(arrived, 1);
  pid_t const child = sys::fork_for_test();
  if (child == 0) _exit(unpark_all(&m) == 0 ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(unpark_all(&m), 1u);
  waiter.join();
}

}  // namespace
}  // namespace amity::sync
