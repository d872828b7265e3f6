#include "amity/sched/tasks/deque.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace amity::sched {
namespace {

struct job {
  std::atomic<int> taken{0};
};

constexpr auto anything = [](const job&) { return true; };

std::vector<job> jobs(int n) { return std::vector<job>(static_cast<std::size_t>(n)); }

TEST(SplitDeque, OwnerTakesTheNewestFirst) {
  split_deque<job> q;
  auto j = jobs(3);
  EXPECT_TRUE(q.untouched());
  for (job& x : j) ASSERT_TRUE(q.push(&x));
  EXPECT_EQ(q.size(), 3u);
  EXPECT_EQ(q.pop(0), &j[2]);
  EXPECT_EQ(q.pop(0), &j[1]);
  EXPECT_EQ(q.pop(0), &j[0]);
  EXPECT_EQ(q.pop(0), nullptr);
}

TEST(SplitDeque, ThiefTakesTheOldestFirst) {
  split_deque<job> q;
  auto j = jobs(3);
  for (job& x : j) ASSERT_TRUE(q.push(&x));
  q.publish_all();
  for (job& x : j) {
    job* got = nullptr;
    ASSERT_EQ(q.steal(got, anything), haul::taken);
    EXPECT_EQ(got, &x);
  }
  job* got = nullptr;
  EXPECT_EQ(q.steal(got, anything), haul::nothing);
  EXPECT_EQ(q.pop(0), nullptr);
}

TEST(SplitDeque, ALoneEntryHasANumberOfItsOwn) {
  split_deque<job> q;
  auto j = jobs(2);
  EXPECT_EQ(q.alone(), 0u);
  ASSERT_TRUE(q.push(&j[0]));
  std::uint64_t const first = q.alone();
  EXPECT_NE(first, 0u);
  EXPECT_EQ(q.alone(), first);
  ASSERT_TRUE(q.push(&j[1]));  // private, but there
  EXPECT_EQ(q.alone(), 0u);
  EXPECT_EQ(q.pop(0), &j[1]);
  EXPECT_EQ(q.alone(), first);
  EXPECT_EQ(q.pop(0), &j[0]);
  EXPECT_EQ(q.alone(), 0u);
  ASSERT_TRUE(q.push(&j[0]));  // taken by the owner, and back
  std::uint64_t const second = q.alone();
  EXPECT_NE(second, 0u);
  EXPECT_NE(second, first);
  job* got = nullptr;
  ASSERT_EQ(q.steal(got, anything), haul::taken);
  EXPECT_EQ(q.alone(), 0u);
  ASSERT_TRUE(q.push(&j[0]));  // taken by a thief, and back
  EXPECT_NE(q.alone(), 0u);
  EXPECT_NE(q.alone(), second);
  q.publish_all();
  EXPECT_EQ(q.pop(0), &j[0]);
}

TEST(SplitDeque, PopStopsAtTheBase) {
  split_deque<job> q;
  auto j = jobs(4);
  ASSERT_TRUE(q.push(&j[0]));
  ASSERT_TRUE(q.push(&j[1]));
  std::uint32_t const base = q.bottom();
  ASSERT_TRUE(q.push(&j[2]));
  EXPECT_EQ(q.pop(base), &j[2]);
  EXPECT_EQ(q.pop(base), nullptr);
  EXPECT_EQ(q.newest(), &j[1]);
  EXPECT_EQ(q.pop(base - 2), &j[1]);
}

TEST(SplitDeque, ThiefMayRefuse) {
  split_deque<job> q;
  auto j = jobs(1);
  ASSERT_TRUE(q.push(&j[0]));
  job* got = nullptr;
  EXPECT_EQ(q.steal(got, [](const job&) { return false; }), haul::refused);
  EXPECT_EQ(q.pop(0), &j[0]);
}

TEST(SplitDeque, HiddenEntriesComeOutByARaid) {
  split_deque<job> q;
  auto j = jobs(10);
  for (job& x : j) ASSERT_TRUE(q.push(&x));
  job* got = nullptr;
  int stolen = 0;
  while (q.steal(got, anything) == haul::taken) ++stolen;
  EXPECT_LT(stolen, 10);
  EXPECT_EQ(q.steal(got, anything), haul::hidden);
  if (!sys::barrier_on_all_threads()) GTEST_SKIP() << "no membarrier here";
  EXPECT_TRUE(q.raid());
  while (q.steal(got, anything) == haul::taken) ++stolen;
  EXPECT_EQ(stolen, 10);
}

TEST(SplitDeque, GrowsToItsLimitAndSaysWhenItIsFull) {
  split_deque<job> q;
  job one;
  for (std::uint32_t i = 0; i < split_deque<job>::max_capacity; ++i) ASSERT_TRUE(q.push(&one));
  EXPECT_FALSE(q.push(&one));
  for (std::uint32_t i = 0; i < split_deque<job>::max_capacity; ++i) ASSERT_EQ(q.pop(0), &one);
  EXPECT_EQ(q.pop(0), nullptr);
}

TEST(SplitDeque, OwnerTakesBackWhatItKnows) {
  split_deque<job> q;
  auto j = jobs(3);
  for (job& x : j) ASSERT_TRUE(q.push(&x));
  EXPECT_TRUE(q.pop_at(2));
  job* got = nullptr;
  ASSERT_EQ(q.steal(got, anything), haul::taken);
  EXPECT_EQ(got, &j[0]);
  EXPECT_TRUE(q.pop_at(1));
  EXPECT_EQ(q.size(), 0u);
  ASSERT_TRUE(q.push(&j[0]));  // at 1 again, and public
  ASSERT_EQ(q.steal(got, anything), haul::taken);
  EXPECT_FALSE(q.pop_at(1));
  EXPECT_EQ(q.bottom(), 2u);
  EXPECT_EQ(q.size(), 0u);
}

TEST(SplitDeque, AfterARaidTheOwnerAsksForWhatIsPublicNow) {
  if (!sys::barrier_on_all_threads()) GTEST_SKIP() << "no membarrier here";
  split_deque<job> q;
  auto j = jobs(8);
  for (job& x : j) ASSERT_TRUE(q.push(&x));
  ASSERT_TRUE(q.raid());
  job* got = nullptr;
  for (int i = 0; i < 7; ++i) ASSERT_EQ(q.steal(got, anything), haul::taken);
  EXPECT_TRUE(q.pop_at(7));
  EXPECT_EQ(q.steal(got, anything), haul::nothing);
  EXPECT_EQ(q.pop(0), nullptr);
}

TEST(SplitDeque, CountsWhatThievesTookAndNothingElse) {
  split_deque<job> q;
  auto j = jobs(8);
  EXPECT_EQ(q.stolen(), 0);
  for (job& x : j) ASSERT_TRUE(q.push(&x));
  q.publish_all();
  job* got = nullptr;
  ASSERT_EQ(q.steal(got, anything), haul::taken);
  EXPECT_EQ(q.stolen(), 1);
  EXPECT_EQ(q.pop(0), &j[7]);  // public, and the owner's all the same
  EXPECT_EQ(q.stolen(), 1);
  job* loot[8] = {};
  std::uint32_t count = 0;
  ASSERT_EQ(q.steal_half(loot, 8, count), haul::taken);
  EXPECT_EQ(q.stolen(), 1 + count);
  while (q.pop(0) != nullptr) {
  }
  EXPECT_EQ(q.stolen(), 1 + count);
}

TEST(SplitDeque, TellsOfTheFirstPublicEntryOnly) {
  using pushed = split_deque<job>::pushed;
  split_deque<job> q;
  auto j = jobs(3);
  EXPECT_EQ(q.push_and_tell(&j[0]), pushed::published);
  EXPECT_EQ(q.push_and_tell(&j[1]), pushed::quietly);
  job* got = nullptr;
  ASSERT_EQ(q.steal(got, anything), haul::taken);
  EXPECT_EQ(q.push_and_tell(&j[2]), pushed::published);  // the thief had taken the last public one
  EXPECT_EQ(q.pop(0), &j[2]);
  EXPECT_EQ(q.pop(0), &j[1]);
  EXPECT_EQ(q.push_and_tell(&j[1]), pushed::published);  // so had the owner
}

/// An owner that pushes and pops in bursts, thieves that steal and raid: each job is taken once.
void everything_is_taken_once(int thieves, int rounds, int burst, bool raids, bool several = false) {
  split_deque<job> q;
  std::vector<job> j(static_cast<std::size_t>(rounds * burst));
  std::atomic<bool> over{false};
  std::atomic<int> stolen{0};
  std::vector<std::thread> crowd;
  for (int t = 0; t < thieves; ++t)
    crowd.emplace_back([&] {
      while (!over.load(std::memory_order_acquire)) {
        job* got[5] = {};
        std::uint32_t count = 1;
        haul const h = several ? q.steal_half(got, 5, count) : q.steal(got[0], anything);
        if (h == haul::taken) {
          for (std::uint32_t i = 0; i < count; ++i) got[i]->taken.fetch_add(1, std::memory_order_relaxed);
          stolen.fetch_add(static_cast<int>(count), std::memory_order_relaxed);
        } else if (h == haul::hidden && raids) {
          q.raid();
        } else {
          std::this_thread::yield();
        }
      }
    });
  unsigned seed = 1;
  std::size_t next = 0;
  for (int r = 0; r < rounds; ++r) {
    for (int i = 0; i < burst; ++i) ASSERT_TRUE(q.push(&j[next++]));
    seed = seed * 1664525u + 1013904223u;
    for (unsigned pops = (seed >> 16) % static_cast<unsigned>(2 * burst); pops > 0; --pops)
      if (pops % 3 == 0 && q.size() != 0) {
        std::uint32_t const at = q.bottom() - 1;
        job* const x = q.newest();
        if (x != nullptr && q.pop_at(at)) x->taken.fetch_add(1, std::memory_order_relaxed);
      } else if (job* x = q.pop(0))
        x->taken.fetch_add(1, std::memory_order_relaxed);
    if (r % 64 == 0) std::this_thread::yield();
  }
  while (job* x = q.pop(0)) x->taken.fetch_add(1, std::memory_order_relaxed);
  while (q.size() != 0) std::this_thread::yield();
  over.store(true, std::memory_order_release);
  for (auto& t : crowd) t.join();
  for (job& x : j) ASSERT_EQ(x.taken.load(), 1);
}

TEST(SplitDequeStress, OneThief) { everything_is_taken_once(1, 20000, 3, false); }
TEST(SplitDequeStress, ThreeThieves) { everything_is_taken_once(3, 20000, 5, false); }
TEST(SplitDequeStress, ThievesThatRaid) { everything_is_taken_once(2, 5000, 4, true); }
TEST(SplitDequeStress, LongBursts) { everything_is_taken_once(2, 200, 700, true); }
TEST(SplitDequeStress, ThievesThatTakeHalf) { everything_is_taken_once(2, 5000, 9, true, true); }
TEST(SplitDequeStress, HalvesOfLongBursts) { everything_is_taken_once(3, 200, 700, true, true); }

}  // namespace
}  // namespace amity::sched
