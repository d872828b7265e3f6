#include "amity/sched/cores/take_turns.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>

#include "amity/sched/cores/contention.hpp"
#include "amity/sys/thread_activity.hpp"

namespace amity::sched {
namespace {

std::uint64_t us(std::uint64_t n) { return sys::ticks_of_microseconds(n); }

struct Turns : testing::Test {
  void SetUp() override {
    sys::calibrate_ticks();
    sys::probe_current_cpu();
    helper->kind = carrier_kind::helper;
    helper->thread_id = static_cast<int>(gettid());
    if (sys::queue_time_ns(helper->thread_id) == sys::unknown_time) GTEST_SKIP() << "no /proc/self/task/*/schedstat";
  }
  std::unique_ptr<carrier> helper = std::make_unique<carrier>();
};

TEST_F(Turns, WhoRestsCountsAsSharedForAsLongAsOthersMayHaveTheCore) {
  std::uint64_t const now = sys::ticks();
  EXPECT_FALSE(takes_turns(helper->core.turn));
  EXPECT_FALSE(should_rest(helper->core.turn, now));
  begin_turn(*helper, now);
  std::uint64_t const end = helper->core.turn.end.load();
  EXPECT_GT(end, now);
  EXPECT_FALSE(should_rest(helper->core.turn, end - 1));
  EXPECT_FALSE(is_shared(*helper, end - 1));
  EXPECT_TRUE(should_rest(helper->core.turn, end));
  EXPECT_TRUE(is_shared(*helper, end));
  EXPECT_TRUE(any_shared(end));
  std::uint64_t const late = end + us(turns::longest_rest_us);
  EXPECT_TRUE(should_rest(helper->core.turn, late)) << "it has only not come to it";
  EXPECT_FALSE(is_shared(*helper, late)) << "it sleeps: it may be woken";
}

TEST_F(Turns, ARestIsFollowedByTheNextTurn) {
  begin_turn(*helper, sys::ticks() - us(10'000));
  std::uint64_t const over = helper->core.turn.end.load();
  rest(*helper);
  EXPECT_TRUE(takes_turns(helper->core.turn));
  EXPECT_GT(helper->core.turn.end.load(), over);
}

TEST_F(Turns, RestsThatNobodyUsesEndThem) {
  begin_turn(*helper, sys::ticks());
  for (int rests = 0; takes_turns(helper->core.turn); ++rests) {
    ASSERT_LT(rests, 100'000);
    helper->core.turn.stopped = 0;  // by others on this machine
    rest(*helper);
  }
  EXPECT_FALSE(is_shared(*helper, sys::ticks()));
}

/// As if the kernel had stopped the thread since, for so long.
void pretend_a_stop(carrier& c, std::uint64_t stopped_us) {
  c.core.turn.asked.preemptions = preemptions() - 1;
  c.core.turn.asked.queued_ns = sys::queue_time_ns(c.thread_id) - stopped_us * 1000;
}

TEST_F(Turns, WhoIsStoppedInThemAllTheSameGivesUp) {
  for (int turn = 0; turn < 3; ++turn) {
    begin_turn(*helper, sys::ticks());
    pretend_a_stop(*helper, 4000);
    ASSERT_TRUE(takes_turns(helper->core.turn));
    rest(*helper);
  }
  EXPECT_FALSE(takes_turns(helper->core.turn));
  EXPECT_TRUE(is_shared(*helper, sys::ticks()));
}

TEST_F(Turns, WhoFindsNothingToDoGivesUp) {
  std::uint64_t const now = sys::ticks();
  begin_turn(*helper, now);
  trace::count(helper->events);  // it ran something
  end_turns_if_vain(*helper, now);
  EXPECT_TRUE(takes_turns(helper->core.turn));
  EXPECT_FALSE(is_shared(*helper, now));
  begin_turn(*helper, now);
  end_turns_if_vain(*helper, now);
  EXPECT_FALSE(takes_turns(helper->core.turn));
  EXPECT_TRUE(is_shared(*helper, now));
}

TEST_F(Turns, ALongStopCountsIfItWasAMomentAgo) {
  std::uint64_t const now = sys::ticks();
  pretend_a_stop(*helper, 4000);
  EXPECT_FALSE(was_stopped(*helper, now)) << "what was before it began to look says nothing";
  pretend_a_stop(*helper, 4000);
  EXPECT_TRUE(was_stopped(*helper, now + 1));
  pretend_a_stop(*helper, 20);
  EXPECT_FALSE(was_stopped(*helper, now + 2)) << "short";
  pretend_a_stop(*helper, 4000);
  EXPECT_FALSE(was_stopped(*helper, now + us(100'000))) << "it may have been long ago";
}

TEST_F(Turns, WhoWasStoppedBetweenTwoWaitsTakesTurns) {
  if (!sys::current_cpu_is_known) GTEST_SKIP() << "this processor, or this kernel, does not tell the CPU";
  std::uint64_t const now = sys::ticks();
  helper->core.turn.asked.at = now;
  helper->core.turn.looked_at = now;
  pretend_a_stop(*helper, 4000);
  look_back(*helper, now + us(away_limit_us) / 2);
  EXPECT_FALSE(takes_turns(helper->core.turn)) << "there was no time for it: the kernel is not asked";
  look_back(*helper, now + 2 * us(away_limit_us));
  EXPECT_TRUE(takes_turns(helper->core.turn));
}

TEST_F(Turns, NoneAreTakenWithThreadsOfTheProcessItself) {
  std::uint64_t const now = sys::ticks();
  begin_turn(*helper, now);
  note_own_threads(now);
  rest(*helper);
  EXPECT_FALSE(takes_turns(helper->core.turn));
  EXPECT_FALSE(is_shared(*helper, now));
  pretend_a_stop(*helper, 4000);
  EXPECT_FALSE(was_stopped(*helper, now));
  note_absence(*helper, now);
  EXPECT_FALSE(takes_turns(helper->core.turn));
  EXPECT_TRUE(is_shared(*helper, now));
  own_threads_until = 0;
}

TEST_F(Turns, AThreadOfTheProgramTakesNone) {
  helper->kind = carrier_kind::guest;
  std::uint64_t const now = sys::ticks();
  note_absence(*helper, now);
  look_back(*helper, now + us(100'000));
  EXPECT_FALSE(takes_turns(helper->core.turn));
  EXPECT_EQ(helper->core.turn.asked.at, 0u);
}

}  // namespace
}  // namespace amity::sched
