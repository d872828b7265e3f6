// How many tasks a thread queues before it runs new ones at once. Time and thieves are made up here: what tasks of a
// given length do is seen in bench/tasks.
#include <gtest/gtest.h>

#include <algorithm>

#include "amity/omp/rt/task_run.hpp"
#include "amity/omp/rt/test_support.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sys/clock.hpp"

namespace amity::omp {
namespace {

/// 256 more tasks were run, within no time.
void weigh_short_tasks(thread& t) {
  t.tasks.weighed_at = sys::ticks();
  weigh_tasks(t);
}

/// The limit after that many of them. The kernel may stop this thread in between, which makes them long: tried again.
std::uint32_t limit_after(thread& t, int times) {
  std::uint32_t limit = longest_queue;
  for (int tries = 0; tries < 1000 && limit == longest_queue; ++tries) {
    t.tasks.queue_limit = longest_queue;
    for (int i = 0; i < times; ++i) weigh_short_tasks(t);
    limit = t.tasks.queue_limit;
  }
  return limit;
}

/// The parameter is the size of the team.
class queue_limit : public testing::TestWithParam<int> {
 protected:
  /// On the leader.
  template <class F>
  void in_team(F f) {
    region(GetParam(), [&](thread& t) {
      if (t.number == 0) f(t);
    });
  }
};
INSTANTIATE_TEST_SUITE_P(threads, queue_limit, testing::Values(2, 3, 40, 400));

TEST_P(queue_limit, falls_by_halves_while_tasks_are_short) {
  int const threads = GetParam();
  auto const least = std::min(
      longest_queue, static_cast<std::uint32_t>(std::max(threads, 2 * std::min(threads, sched::concurrency()))));
  in_team([&](thread& t) {
    EXPECT_EQ(t.tasks.queue_limit, longest_queue);
    EXPECT_EQ(limit_after(t, 1), std::max(longest_queue / 2, least));
    EXPECT_EQ(limit_after(t, 20), least);
  });
}

TEST_P(queue_limit, is_the_longest_again_for_long_tasks) {
  in_team([&](thread& t) {
    (void)limit_after(t, 3);
    t.tasks.weighed_at = sys::ticks() - sys::ticks_of_microseconds(2 * tasks_weighed);
    weigh_tasks(t);
    EXPECT_EQ(t.tasks.queue_limit, longest_queue);
  });
}

TEST_P(queue_limit, is_the_longest_again_when_thieves_come_for_each_task) {
  in_team([&](thread& t) {
    (void)limit_after(t, 3);
    t.tasks.lost_to_thieves = static_cast<std::uint16_t>(t.tasks.lost_to_thieves - 100);
    weigh_short_tasks(t);
    EXPECT_EQ(t.tasks.queue_limit, longest_queue);
  });
}

TEST_P(queue_limit, is_the_longest_again_for_who_takes_mutexes) {
  in_team([&](thread& t) {
    (void)limit_after(t, 3);
    note_mutex();
    weigh_short_tasks(t);
    EXPECT_EQ(t.tasks.queue_limit, longest_queue);
    EXPECT_FALSE(has_taken_mutex);  // asked anew each time
  });
}

TEST_P(queue_limit, is_the_longest_after_a_barrier) {
  in_team([&](thread& t) {
    (void)limit_after(t, 3);
    trace::count(t.tasks.ran);
  });
  in_team([&](thread& t) { EXPECT_EQ(t.tasks.queue_limit, longest_queue); });
}

}  // namespace
}  // namespace amity::omp
