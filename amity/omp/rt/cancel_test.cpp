// What programs can't say, or not so that all compilers take it: ordered loops that are cancelled, events of tasks that
// were dropped, what a barrier tells its members.
#include "amity/omp/rt/cancel.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <vector>

#include "amity/omp/rt/doacross.hpp"
#include "amity/omp/rt/loop.hpp"
#include "amity/omp/rt/single.hpp"
#include "amity/omp/rt/task_run.hpp"
#include "amity/omp/rt/taskgroup.hpp"
#include "amity/omp/rt/test_support.hpp"

namespace amity::omp {
namespace {

// The environment is read at the first OpenMP call.
int const set = setenv("OMP_CANCELLATION", "true", 1);

schedule const schedules[] = {{schedule_kind::static_, true, 0}, {schedule_kind::static_, true, 1},
                              {schedule_kind::static_, true, 3}, {schedule_kind::dynamic, true, 1},
                              {schedule_kind::dynamic, true, 4}, {schedule_kind::guided, true, 1}};

/// A team that is out of step, or a loop descriptor in a wrong state, shows here.
void expect_whole_team(int threads) {
  std::atomic<int> arrived{0}, runs{0}, singles{0};
  region(threads, [&](thread& t) {
    arrived.fetch_add(1);
    barrier(t);
    EXPECT_EQ(arrived.load(), threads);
    for (int i = 0; i < 10; ++i) {
      begin_loop(t, {.total = 50, .how = {schedule_kind::dynamic, false, 1}});
      while (next_chunk(t)) runs.fetch_add(static_cast<int>(t.loop.end - t.loop.begin));
      end_loop(t);
    }
    if (is_single(t)) singles.fetch_add(1);
    barrier(t);
  });
  EXPECT_EQ(runs.load(), 500);
  EXPECT_EQ(singles.load(), 1);
}

/// The parameter is the size of the team.
class cancel_in_team : public testing::TestWithParam<int> {
 protected:
  int const threads = GetParam();
};
INSTANTIATE_TEST_SUITE_P(threads, cancel_in_team, testing::Values(1, 2, 5));

TEST_P(cancel_in_team, a_cancelled_ordered_loop_keeps_its_turns) {
  for (int round = 0; round < 60; ++round)
    for (const schedule& how : schedules) {
      auto const stop = static_cast<std::uint64_t>(round);
      std::uint64_t next = 0;  // only whose turn it is changes it
      region(threads, [&](thread& t) {
        begin_loop(t, {.total = 60, .how = how, .ordered = true});
        bool left = false;
        while (!left && next_chunk(t))
          for (std::uint64_t i = t.loop.begin; i < t.loop.end && !left; ++i) {
            ordered_begin(t);
            EXPECT_GE(i, next);
            next = i + 1;
            ordered_end(t);
            left = i == stop ? cancel(t, cancel_kind::loop) : cancellation_point(t, cancel_kind::loop);
          }
        end_loop(t);
        EXPECT_FALSE(cancel_barrier(t));
      });
      EXPECT_GT(next, stop);
      if (round % 20 == 0) expect_whole_team(threads);
    }
}

TEST_P(cancel_in_team, a_cancelled_doacross_loop_lets_all_waits_end) {
  for (int round = 0; round < 60; ++round)
    for (const schedule& how : schedules) {
      region(threads, [&](thread& t) {
        doacross_dimension const dimension{60, 0, 1};
        begin_doacross(t, 1, &dimension);
        begin_loop(t, {.total = 60, .how = how});
        bool left = false;
        while (!left && next_chunk(t))
          for (std::uint64_t i = t.loop.begin; i < t.loop.end && !left; ++i) {
            auto const here = static_cast<std::int64_t>(i), before = here - 1;
            wait_doacross(t, &before);
            left = here == round ? cancel(t, cancel_kind::loop) : cancellation_point(t, cancel_kind::loop);
            if (!left) post_doacross(t, &here);
          }
        end_loop(t);
        EXPECT_FALSE(cancel_barrier(t));
      });
      if (round % 20 == 0) expect_whole_team(threads);
    }
}

// A barrier that all have reached before the cancellation says so to all of them, whoever comes out of it late.
TEST_P(cancel_in_team, all_members_hear_the_same_at_a_barrier) {
  for (int round = 0; round < 300; ++round) {
    std::atomic<int> between{0}, behind{0};
    region(threads, [&](thread& t) {
      for (int i = 0; i < 3; ++i)
        if (cancel_barrier(t)) return;
      between.fetch_add(1);
      if (t.number == round % threads && cancel(t, cancel_kind::region)) return;
      if (cancel_barrier(t)) return;
      behind.fetch_add(1);
    });
    EXPECT_EQ(between.load(), threads);
    EXPECT_EQ(behind.load(), 0);
    if (round % 20 == 0) expect_whole_team(threads);
  }
}

// Members leave at different places; those who stay meet barriers and loops that the others do not.
TEST_P(cancel_in_team, members_that_stay_are_not_left_alone) {
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> stayed{0};
    region(threads, [&](thread& t) {
      std::uint64_t next = 0;
      for (int i = 0; i < 12; ++i) {
        if (t.number != 0 && (t.number + round) % 12 == i && cancel(t, cancel_kind::region)) return;
        begin_loop(t, {.total = 20, .how = schedules[(i + round) % 6], .ordered = true});
        while (next_chunk(t)) {
          ordered_begin(t);
          next = t.loop.end;
          ordered_end(t);
        }
        end_loop(t);
        if (i % 4 == 3) barrier(t);
      }
      static_cast<void>(next);
      if (t.number == 0) stayed.fetch_add(1);
    });
    EXPECT_EQ(stayed.load(), 1);
    if (round % 10 == 0) expect_whole_team(threads);
  }
}

// The event of a task that was dropped may be fulfilled at any time, and must not be taken for a later task's that has
// the same descriptor.
TEST(cancel, a_late_event_of_a_dropped_task_is_nobodys) {
  region(2, [](thread& t) {
    if (t.number != 0) return;
    std::vector<std::uintptr_t> handles;
    std::vector<const explicit_task*> dropped;
    static std::atomic<int> bodies;
    bodies = 0;
    auto const spawn_detached = [&] {
      explicit_task& x = new_task(t, 0, 1);
      x.code.plain = [](void*) { bodies.fetch_add(1); };
      open_event(t, x, 0);
      handles.push_back(event_handle(x));
      const explicit_task* const address = &x;
      spawn(t, x);
      return address;
    };
    begin_taskgroup(t);
    ASSERT_TRUE(cancel(t, cancel_kind::taskgroup));
    for (int i = 0; i < 10; ++i) dropped.push_back(spawn_detached());
    end_taskgroup(t);
    EXPECT_EQ(bodies.load(), 0);
    EXPECT_EQ(t.team->cancelled.load(), 0u);

    begin_taskgroup(t);
    std::vector<std::uintptr_t> const late = handles;
    handles.clear();
    bool reused = false;
    for (int i = 0; i < 10; ++i) {
      const explicit_task* const address = spawn_detached();
      for (const explicit_task* other : dropped) reused = reused || other == address;
    }
    EXPECT_TRUE(reused);
    for (std::uintptr_t handle : late) fulfill(handle);
    scope_wait const all{*t.current->inner, true};
    while (bodies.load() < 10) yield_task(t);
    EXPECT_FALSE(all.done());
    for (std::uintptr_t handle : handles) fulfill(handle);
    end_taskgroup(t);
    EXPECT_EQ(bodies.load(), 10);
    for (std::uintptr_t handle : late) fulfill(handle);
  });
  expect_whole_team(2);
}

TEST_P(cancel_in_team, tasks_of_a_cancelled_region_are_dropped_wherever_they_are_queued) {
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> begun{0}, ended{0};
    struct counters {
      std::atomic<int>*begun, *ended;
    } const both{&begun, &ended};
    region(threads, [&](thread& t) {
      for (int i = 0; i < 40; ++i) {
        explicit_task& x = new_task(t, sizeof both, alignof(counters));
        *static_cast<counters*>(x.arguments) = both;
        x.priority = i % 3 == 0 ? 1 : 0;
        x.code.plain = [](void* arguments) {
          auto const& c = *static_cast<counters*>(arguments);
          c.begun->fetch_add(1);
          c.ended->fetch_add(1);
        };
        spawn(t, x);
      }
      if (t.number == round % threads && cancel(t, cancel_kind::region)) return;
      static_cast<void>(cancel_barrier(t));
    });
    EXPECT_EQ(begun.load(), ended.load());
    EXPECT_LE(begun.load(), 40 * threads);
    if (round % 20 == 0) expect_whole_team(threads);
  }
}

}  // namespace
}  // namespace amity::omp
