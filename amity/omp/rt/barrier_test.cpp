// The barrier of a team: nobody leaves it before all are there, whatever the team was before and wherever its count of
// arrivals stands.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "amity/omp/rt/cancel.hpp"
#include "amity/omp/rt/task_run.hpp"
#include "amity/omp/rt/test_support.hpp"

namespace amity::omp {
namespace {

void expect_barriers_to_hold(int threads, int barriers) {
  std::atomic<int> arrived{0};
  std::atomic<int> early{0};
  region(threads, [&](thread& t) {
    for (int i = 1; i <= barriers; ++i) {
      arrived.fetch_add(1);
      barrier(t);
      if (arrived.load() < i * threads) early.fetch_add(1);
    }
  });
  EXPECT_EQ(arrived.load(), barriers * threads);
  EXPECT_EQ(early.load(), 0) << threads;
}

/// In a small team, one of more groups than such a one has, and a crowded one.
class barrier_of_team : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(threads, barrier_of_team, testing::Values(2, 3, 4, 5, 16));

TEST_P(barrier_of_team, holds_where_the_count_wraps_around) {
  int const threads = GetParam();
  for (std::uint32_t before = 0; before < 40; ++before) {
    expect_barriers_to_hold(threads, 1);
    team& tm = *this_thread().hot;
    // As after 2^32 arrivals, nearly.
    std::uint32_t const almost_all = 0u - before;
    tm.members[0]->arrivals_before = almost_all;
    tm.arrivals.store(almost_all, std::memory_order_relaxed);
    expect_barriers_to_hold(threads, 50);
  }
}

/// Up to `most_ns` of work; another amount each time.
void work_a_while(std::minstd_rand& random, unsigned most_ns) {
  auto const end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(random() % most_ns);
  while (std::chrono::steady_clock::now() < end) {
  }
}

/// Members that look out for their groups see some of the others come, and give up before others do.
TEST_P(barrier_of_team, holds_whether_the_others_come_soon_or_late) {
  int const threads = GetParam();
  for (unsigned const most_ns : {100u, 2'000u, 20'000u}) {
    std::atomic<int> arrived{0};
    std::atomic<int> early{0};
    constexpr int regions = 20, barriers = 20;
    for (int r = 0; r < regions; ++r)
      region(threads, [&](thread& t) {
        std::minstd_rand random(static_cast<unsigned>(r * threads + t.number + 1));
        for (int i = 1; i <= barriers; ++i) {
          work_a_while(random, most_ns);
          arrived.fetch_add(1);
          barrier(t);
          if (arrived.load() < (r * barriers + i) * threads) early.fetch_add(1);
        }
      });
    EXPECT_EQ(arrived.load(), regions * barriers * threads);
    EXPECT_EQ(early.load(), 0);
  }
}

TEST_P(barrier_of_team, holds_in_several_teams_at_once) {
  int const threads = GetParam();
  std::vector<std::thread> leaders;
  for (int i = 0; i < 3; ++i)
    leaders.emplace_back([threads] {
      for (int r = 0; r < 20; ++r) expect_barriers_to_hold(threads, 20);
    });
  for (auto& l : leaders) l.join();
}

/// A member of the team as it was before, which looked out for the leader's sake, may set the flag late.
TEST(join, wakes_the_leader_of_a_team_in_which_nobody_looks_out) {
  auto const leader_waits = [](thread& t) {
    if (t.number != 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
  region(2, leader_waits);
  this_thread().hot->leader_watched.store(1, std::memory_order_relaxed);
  for (int i = 0; i < 3; ++i) region(2, leader_waits);
}

TEST(barrier, holds_in_teams_that_change) {
  for (int round = 0; round < 30; ++round)
    for (int threads : {2, 16, 3, 1, 5, 2, 4}) expect_barriers_to_hold(threads, round % 4);
}

}  // namespace
}  // namespace amity::omp
