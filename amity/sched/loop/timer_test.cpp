#include "amity/sched/loop/timer.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "amity/sched/loop/internal/deadline_heap.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sched/tasks/task.hpp"
#include "amity/sys/test_support.hpp"

namespace amity::sched {
namespace {

using std::chrono::microseconds;

void sleep_until(instant deadline) {
  while (now() < deadline) park_until(deadline);
}

/// A task that nobody waits for but by a counter.
template <class F>
void spawn_counted(F work, std::atomic<int>& left, fiber* whom) {
  struct counted : task {
    F work;
    std::atomic<int>* left;
    fiber* whom;
    explicit counted(F f) : work(std::move(f)) {}
  };
  worker& w = this_worker();
  auto* memory = take_task_memory<sizeof(counted)>(w);
  frame_pool* const home = memory->home;
  auto* t = new (memory) counted(std::move(work));
  t->home = home;
  t->size_class = static_cast<std::uint8_t>(class_for_task(sizeof(counted)));
  t->left = &left;
  t->whom = whom;
  t->detached = true;
  t->run = [](task& base, worker& runner, call) noexcept {
    auto& me = static_cast<counted&>(base);
    me.work();
    std::atomic<int>* const count = me.left;
    fiber* const who = me.whom;
    std::destroy_at(&me.work);
    give_task_memory(&me, me.size_class, runner);
    if (count->fetch_sub(1) == 1) unpark(who);
  };
  spawn(*t, w);
}

TEST(deadline_heap, gives_the_first_whatever_is_taken_out) {
  std::minstd_rand random(7);
  for (int round = 0; round < 200; ++round) {
    deadline_heap heap;
    std::vector<timer> all(1 + random() % 40);
    std::vector<timer*> in;
    for (timer& t : all) {
      t = {static_cast<instant>(random() % 50), nullptr};
      heap.add(t);
      in.push_back(&t);
      if (random() % 4 != 0) continue;
      std::swap(in[random() % in.size()], in.back());
      heap.remove(*in.back());
      EXPECT_FALSE(in.back()->queued);
      in.pop_back();
    }
    while (!in.empty()) {
      auto const least =
          std::min_element(in.begin(), in.end(), [](auto* a, auto* b) { return a->deadline < b->deadline; });
      ASSERT_EQ(heap.first()->deadline, (*least)->deadline);
      timer* const out = random() % 2 == 0 ? heap.first() : in[random() % in.size()];
      heap.remove(*out);
      in.erase(std::find(in.begin(), in.end(), out));
    }
    EXPECT_EQ(heap.first(), nullptr);
  }
}

TEST(timer, deadlines_are_counted_as_far_as_they_can_be) {
  EXPECT_EQ(instant_after(std::chrono::hours::max()), never);
  EXPECT_EQ(instant_after(std::chrono::duration<double>(1e300)), never);
  instant const before = now();
  instant const past = instant_after(std::chrono::hours::min());
  EXPECT_LE(before, past);
  EXPECT_LE(past, now());
  EXPECT_EQ(instant_of(std::chrono::steady_clock::time_point::max()), never);
  instant const long_ago = instant_of(std::chrono::steady_clock::time_point::min());
  EXPECT_LE(long_ago, now());
  instant const as_long_ago = instant_of(std::chrono::system_clock::time_point::min());
  EXPECT_LE(as_long_ago, now());
  EXPECT_GT(instant_of(std::chrono::system_clock::now() + std::chrono::hours(1)), now());
}

TEST(timer, returns_when_the_time_has_come) {
  for (int us : {0, 1, 50, 3000}) {
    instant const deadline = instant_after(microseconds(us));
    sleep_until(deadline);
    EXPECT_GE(now(), deadline);
  }
}

TEST(timer, a_permit_ends_it_sooner) {
  unpark(self());
  park_until(instant_after(std::chrono::hours(1)));
  fiber* const me = self();
  std::thread other([me] { unpark(me); });
  park_until(instant_after(std::chrono::hours(1)));
  other.join();
}

TEST(timer, threads_sleep_beside_one_another) {
  std::vector<std::thread> all;
  for (unsigned i = 0; i < 12; ++i)
    all.emplace_back([i] {
      std::minstd_rand random(i + 1);
      for (int round = 0; round < 40; ++round) {
        instant const deadline = instant_after(microseconds(random() % 400));
        sleep_until(deadline);
        EXPECT_GE(now(), deadline);
      }
    });
  for (auto& one : all) one.join();
}

// Far more sleep than there are cores, and each goes on with a stack of its own.
TEST(timer, tasks_sleep_and_leave_the_core_to_others) {
  std::atomic<int> left{48};
  for (unsigned i = 0; i < 48; ++i)
    spawn_counted(
        [i] {
          std::minstd_rand random(i + 1);
          for (int round = 0; round < 6; ++round) sleep_until(instant_after(microseconds(random() % 2000)));
        },
        left, self());
  while (left.load() != 0) park();
}

// All carriers have better to do than to watch the clock: the monitor does.
TEST(timer, goes_off_while_all_cores_compute) {
  int const n = worker_count() + 1;
  std::atomic<bool> slept{false};
  std::atomic<int> left{n + 1};
  spawn_counted(
      [&] {
        sleep_until(instant_after(microseconds(2000)));
        slept = true;
      },
      left, self());
  for (int i = 0; i < n; ++i)
    spawn_counted(
        [&] {
          while (!slept.load()) asm volatile("");
        },
        left, self());
  while (left.load() != 0) park();
}

// Permits and deadlines at about the same time, by threads and tasks; a wake or a deadline that got lost hangs.
TEST(timer, permits_race_with_deadlines) {
  constexpr int pairs = 4, rounds = 1500;
  struct side {
    std::atomic<fiber*> who{nullptr};
    std::atomic<int> given{0};
  };
  std::vector<side> sides(pairs);
  std::vector<std::thread> all;
  for (unsigned p = 0; p < pairs; ++p) {
    side& s = sides[p];
    all.emplace_back([&s, p] {
      s.who = self();
      std::minstd_rand random(p + 1);
      for (int seen = 0; seen < rounds;) {
        instant const deadline = instant_after(microseconds(random() % 60));
        int const target = seen + 1;
        while (s.given.load() < target && now() < deadline) park_until(deadline);
        if (s.given.load() >= target) ++seen;
      }
    });
    all.emplace_back([&s, p] {
      std::minstd_rand random(100 + p);
      while (s.who.load() == nullptr) std::this_thread::yield();
      for (int given = 1; given <= rounds; ++given) {
        instant const deadline = instant_after(microseconds(random() % 60));
        if (random() % 2 == 0) sleep_until(deadline);
        s.given = given;
        unpark(s.who.load());
      }
    });
  }
  for (auto& one : all) one.join();
}

TEST(timer, a_forked_child_sleeps_too) {
  std::thread sleeper([] { sleep_until(instant_after(microseconds(20'000))); });
  pid_t const child = sys::fork_for_test();
  if (child == 0) {
    sleep_until(instant_after(microseconds(1000)));
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  sleeper.join();
}

}  // namespace
}  // namespace amity::sched
