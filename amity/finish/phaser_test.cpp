#include "amity/finish/phaser.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "amity/finish/accumulator.hpp"
#include "amity/finish/finish.hpp"
#include "amity/finish/forasync.hpp"

namespace amity {
namespace {

TEST(phaser, nobody_leaves_a_phase_early) {
  constexpr int parties = 8, phases = 20;
  std::atomic<int> arrived[phases] = {};
  std::atomic<bool> early{false};
  finish([&] {
    phaser p;
    for (int i = 0; i < parties; ++i)
      async_phased({{p, phaser_mode::signal_wait}}, [&, p]() mutable {
        for (int phase = 0; phase < phases; ++phase) {
          ++arrived[phase];
          p.next();
          if (arrived[phase] != parties) early = true;
        }
      });
    p.drop();
  });
  EXPECT_FALSE(early);
}

TEST(phaser, a_producer_runs_ahead_of_consumers) {
  constexpr int phases = 50;
  std::atomic<int> made{0};
  std::atomic<bool> wrong{false};
  finish([&] {
    phaser p;
    for (int i = 0; i < 3; ++i)
      async_phased({{p, phaser_mode::wait_only}}, [&, p]() mutable {
        for (int phase = 1; phase <= phases; ++phase) {
          p.next();
          if (made < phase) wrong = true;
        }
      });
    async_phased({{p, phaser_mode::signal_only}}, [&, p]() mutable {
      for (int phase = 0; phase < phases; ++phase) {
        ++made;
        p.next();
      }
    });
    p.drop();
  });
  EXPECT_FALSE(wrong);
}

TEST(phaser, neighbours_whose_number_is_known_at_run_time) {
  constexpr int tasks = 6, phases = 30;
  std::atomic<int> done[tasks] = {};
  std::atomic<bool> wrong{false};
  std::vector<phaser> steps(tasks);
  finish([&] {
    for (int i = 0; i < tasks; ++i) {
      std::vector<phased_with> parts = {{steps[i], phaser_mode::signal_only}};
      if (i > 0) parts.push_back({steps[i - 1], phaser_mode::wait_only});
      if (i + 1 < tasks) parts.push_back({steps[i + 1], phaser_mode::wait_only});
      async_phased(parts, [&, i] {
        for (int phase = 1; phase <= phases; ++phase) {
          done[i] = phase;
          steps[i].signal();
          for (int const j : {i - 1, i + 1}) {
            if (j < 0 || j >= tasks) continue;
            steps[j].next();
            if (done[j] < phase) wrong = true;
          }
        }
      });
    }
    for (phaser& p : steps) p.drop();
  });
  EXPECT_FALSE(wrong);
}

TEST(phaser, tasks_join_and_leave_at_any_phase) {
  std::atomic<int> ended{0};
  finish([&] {
    phaser p;
    for (int i = 1; i <= 10; ++i) {
      async_phased([] {});  // the creator's part is not inherited without being named
      async_phased({{p, phaser_mode::signal_wait}}, [&, p, i]() mutable {
        for (int k = 0; k < i; ++k) p.next();
        async_phased([&, p]() mutable {
          p.next();
          ++ended;
        });
      });
      p.next();
    }
    p.drop();
  });
  EXPECT_EQ(ended, 10);
}

TEST(phaser, misuse_is_refused) {
  phaser p;
  finish([&] {
    async_phased({{p, phaser_mode::wait_only}}, [p]() mutable {
      EXPECT_THROW(p.signal(), phaser_error);
      EXPECT_THROW(async_phased({{p, phaser_mode::signal_wait}}, [] {}), phaser_error);
      p.drop();
      EXPECT_THROW(p.next(), phaser_error);
    });
  });
  phaser const copy = p;
  EXPECT_THROW(phaser(copy).next(), phaser_error);
}

TEST(accumulator, sums) {
  accumulator<long, std::plus<>> sum(0);
  finish([&] {
    for (long i = 1; i <= 1000; ++i) async([&, i] { sum.put(i); });
  });
  EXPECT_EQ(sum.get(), 500'500);
  auto larger = [](int a, int b) { return a > b ? a : b; };
  accumulator<int, decltype(larger)> most(0, larger);
  finish([&] {
    for (int i = 0; i < 100; ++i) async([&, i] { most.put(i); });
  });
  EXPECT_EQ(most.get(), 99);
}

template <class Range, class Style>
int covered(Range r, Style style, std::vector<int>& hits, auto index) {
  finish([&] { forasync(r, style, index); });
  int wrong = 0;
  for (int& h : hits) {
    wrong += h != 1;
    h = 0;
  }
  return wrong;
}

TEST(forasync, covers_once) {
  std::vector<int> hits(30 * 40 * 5);
  auto one = [&](long i) { ++hits[static_cast<std::size_t>(i)]; };
  auto three = [&](long i, long j, long k) { ++hits[static_cast<std::size_t>((i * 40 + j) * 5 + k)]; };
  range const all(0, 30 * 40 * 5);
  EXPECT_EQ(covered(all, chunked{}, hits, one), 0);
  EXPECT_EQ(covered(all, chunked{.tile = {7}}, hits, one), 0);
  EXPECT_EQ(covered(all, recursive{}, hits, one), 0);
  EXPECT_EQ(covered(all, recursive{.tile = {11}}, hits, one), 0);
  range3d const cube({0, 30}, {0, 40}, {0, 5});
  EXPECT_EQ(covered(cube, chunked{.tile = {7, 9, 2}}, hits, three), 0);
  EXPECT_EQ(covered(cube, recursive{.tile = {7, 9}}, hits, three), 0);
  int none = 0;
  finish([&] { forasync(range(5, 5), [&](long) { ++none; }); });
  EXPECT_EQ(none, 0);
}

}  // namespace
}  // namespace amity
