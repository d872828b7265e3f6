// A team with members elsewhere, in one process: a thread that is no OpenMP thread plays these. It is the last at each
// barrier, and joins with the region. Nobody leaves a barrier before it has come, and no region ends.
#include "amity/omp/rt/outside.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <thread>

#include "amity/omp/cluster/spreader.hpp"
#include "amity/omp/rt/cancel.hpp"
#include "amity/omp/rt/members.hpp"
#include "amity/omp/rt/placement.hpp"
#include "amity/omp/rt/test_support.hpp"
#include "amity/sched/loop/monitor_state.hpp"

namespace amity::omp {
namespace {

int const set = setenv("OMP_CANCELLATION", "true", 1);

// By two threads that wait for each other: on a machine that has others to run, each turn may take milliseconds.
int rounds() {
  const char* const asked = getenv("AMITY_TEST_ROUNDS");
  return asked != nullptr ? atoi(asked) : 2'000;
}

constexpr int elsewhere = 3;  ///< members

/// How many members the regions have here; 0: they are of one process.
int here_wanted = 0;
/// Those elsewhere arrive at once, by the member that tells of the last one here.
bool arrives_at_once = false;

std::atomic<team*> begun{nullptr};
std::atomic<int> told{0};           ///< how often all were here
std::atomic<int> arrived{0};        ///< how often those elsewhere were there before
std::atomic<bool> through{false};   ///< all here are at the region's end
std::atomic<int> cancellations{0};  ///< of members here

const cluster::spreader this_test = {
    .team_for = [](thread& t, int, const region_work&) noexcept -> team* {
      if (here_wanted == 0) return nullptr;
      team& tm = hot_team_across(t, here_wanted, proc_bind::false_, true);
      spread(tm, 2, tm.here + elsewhere);
      return &tm;
    },
    .has_begun =
        [](team& tm) noexcept {
          told.store(arrived.load());  // of the region before (O5)
          through.store(false);
          begun.store(&tm);
        },
    .all_are_here =
        [](team& tm) noexcept {
          if (arrives_at_once) {
            arrived.fetch_add(1);
            arrive_from_outside(tm);
          } else {
            told.fetch_add(1);
          }
        },
    .cancels = [](team&, cancel_kind, std::uint32_t, std::uint64_t) noexcept { cancellations.fetch_add(1); },
    .all_are_through = [](team&) noexcept { through.store(true); },
    .part_is_over = [](team&) noexcept {}};

/// Those elsewhere, in regions with as many barriers as they are told of, until a join is asked for.
class others {
 public:
  others() : thread_([this] { run(); }) {}
  ~others() {
    ends_.store(true);
    thread_.join();
  }
  void let_join() noexcept { may_join_.store(true); }
  [[nodiscard]] int joins() const noexcept { return joins_.load(); }

 private:
  void run() {
    while (!ends_.load()) {
      team* const tm = begun.load();
      if (tm == nullptr) {
        std::this_thread::yield();
        continue;
      }
      if (arrived.load() < told.load()) {
        arrived.fetch_add(1);
        arrive_from_outside(*tm);
      } else if (may_join_.load()) {
        leave_and_join(*tm);
      } else {
        std::this_thread::yield();
      }
    }
  }

  /// They are through. In a region that was cancelled, members here may meet further barriers until all of them are.
  void leave_and_join(team& tm) {
    while (is_region_cancelled(tm) && !through.load()) {
      if (arrived.load() < told.load()) {
        arrived.fetch_add(1);
        arrive_from_outside(tm);
      }
      std::this_thread::yield();
    }
    if (is_region_cancelled(tm)) leave_from_outside(tm);
    may_join_.store(false);
    begun.store(nullptr);
    joins_.fetch_add(1);
    join_from_outside(tm);
  }

  std::atomic<bool> ends_{false}, may_join_{false};
  std::atomic<int> joins_{0};
  std::thread thread_;
};

class team_across : public testing::TestWithParam<int> {
 protected:
  int const here = GetParam();

  void SetUp() override {
    static_cast<void>(this_thread());  // the runtime starts, and then its monitor
    EXPECT_TRUE(sched::ensure_monitor());
    cluster::spread_teams_by(this_test);
    here_wanted = here;
    told.store(0);
    arrived.store(0);
    cancellations.store(0);
  }
  void TearDown() override {
    here_wanted = 0;
    arrives_at_once = false;
  }

  /// A team of this process alone, in between: the two are kept apart.
  void expect_whole_local_team() {
    here_wanted = 0;
    std::atomic<int> numbers{0};
    region(3, [&](thread& t) {
      numbers.fetch_add(1 << t.number);
      barrier(t);
      EXPECT_EQ(numbers.load(), 7);
      EXPECT_EQ(t.team->size, 3);
    });
    here_wanted = here;
  }

  void expect_barriers_to_hold(others& far, int barriers) {
    int const before = arrived.load();
    std::atomic<int> early{0}, came{0};
    region(here + elsewhere, [&](thread& t) {
      EXPECT_EQ(t.team->size, here + elsewhere);
      EXPECT_EQ(t.number, 2 + t.index);
      for (int i = 1; i <= barriers; ++i) {
        came.fetch_add(1);
        barrier(t);
        if (arrived.load() < before + i || came.load() < i * here) early.fetch_add(1);
      }
      if (t.index == 0) far.let_join();
    });
    EXPECT_EQ(early.load(), 0);
    EXPECT_EQ(arrived.load(), before + barriers);
  }
};
INSTANTIATE_TEST_SUITE_P(members_here, team_across, testing::Values(1, 2, 3, 4, 6));

TEST_P(team_across, leaves_no_barrier_before_the_others_have_come) {
  others far;
  expect_barriers_to_hold(far, rounds());
}

TEST_P(team_across, leaves_no_barrier_before_the_others_have_come_where_they_were_there_before) {
  arrives_at_once = true;
  others far;
  expect_barriers_to_hold(far, 20 * rounds());
}

TEST_P(team_across, ends_no_region_before_the_others_have_joined) {
  others far;
  for (int round = 1; round <= rounds(); ++round) {
    std::atomic<int> runs{0};
    region(here + elsewhere, [&](thread& t) {
      runs.fetch_add(1);
      if (t.index == round % here) far.let_join();  // before the last one here, or after
    });
    ASSERT_EQ(far.joins(), round);
    ASSERT_EQ(runs.load(), here);
    if (round % 100 == 0) expect_whole_local_team();
  }
}

TEST_P(team_across, meets_barriers_of_cancelled_regions_with_the_others) {
  others far;
  for (int round = 1; round <= rounds() / 4; ++round) {
    std::atomic<int> left{0};
    region(here + elsewhere, [&](thread& t) {
      for (int i = 0; i < 4; ++i) {
        if (t.index == round % here && i == round % 4 && cancel(t, cancel_kind::region)) {
          left.fetch_add(1);
          far.let_join();
          return;
        }
        barrier(t);  // no cancellation point: those who stay meet barriers that the others do not
      }
    });
    ASSERT_EQ(left.load(), 1);
    ASSERT_EQ(cancellations.load(), round);
    if (round % 50 == 0) expect_barriers_to_hold(far, 20);
    if (round % 50 == 1) expect_whole_local_team();
  }
}

// Those elsewhere cancel the region: members here see it at the next cancellation point, or at a barrier that is.
TEST_P(team_across, leaves_regions_that_the_others_cancel) {
  others far;
  for (int round = 1; round <= rounds() / 4; ++round) {
    std::atomic<int> left{0};
    region(here + elsewhere, [&](thread& t) {
      if (t.index == 0) {
        EXPECT_TRUE(cancel_from_outside(*t.team, cancel_kind::region, t.barriers_met, 0));
        EXPECT_FALSE(cancel_from_outside(*t.team, cancel_kind::region, t.barriers_met, 0));
        far.let_join();
      }
      while (!cancellation_point(t, cancel_kind::region)) sched::yield();
      left.fetch_add(1);
    });
    ASSERT_EQ(left.load(), here);
    if (round % 50 == 0) expect_barriers_to_hold(far, 20);
  }
  EXPECT_EQ(cancellations.load(), 0);  // they know
}

// A dynamic loop of calls, whose number in the region they name; the loop after it goes on.
TEST_P(team_across, leaves_the_loop_that_the_others_cancel_and_no_other) {
  others far;
  for (int round = 1; round <= rounds() / 4; ++round) {
    std::atomic<int> points{0};
    region(here + elsewhere, [&](thread& t) {
      for (std::uint64_t loop = 0; loop < 3; ++loop) {
        begin_loop(t, {.total = 0, .how = {schedule_kind::static_, false, 1}});
        if (loop == 1) {
          if (t.index == 0) {
            EXPECT_TRUE(cancel_from_outside(*t.team, cancel_kind::loop, t.barriers_met, loop + 1));
          }
          while (!cancellation_point(t, cancel_kind::loop)) sched::yield();
        }
        if (cancellation_point(t, cancel_kind::loop)) points.fetch_add(loop == 1 ? 1 : 1000);
        end_loop(t);
        if (loop > 0) barrier(t);
      }
      if (t.index == 0) far.let_join();
    });
    ASSERT_EQ(points.load(), here);
  }
}

// Beside programs that compute, a yield may last 10 ms: then nobody yields for a while, and each looks once.
TEST(OutsideTest, NobodyYieldsWhileThatTakesLong) {
  int looks = 0;
  auto const is_done = [&looks] { return ++looks == 1'000'000'000; };
  static_cast<void>(sched::detail::while_yields_take_long.begin(sys::ticks(), 10'000'000, 10'000'000));
  EXPECT_FALSE(yield_until(is_done));
  EXPECT_EQ(looks, 1);
  looks = 999'999'999;
  EXPECT_TRUE(yield_until(is_done));
  sched::detail::while_yields_take_long.forget();
}

}  // namespace
}  // namespace amity::omp
