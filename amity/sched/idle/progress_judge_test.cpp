#include "amity/sched/idle/progress_judge.hpp"

#include <gtest/gtest.h>

namespace amity::sched {
namespace {

using act = progress_judge::act;

TEST(ProgressJudge, RestsWhereNothingIsWantedOrACarrierAttends) {
  progress_judge j;
  EXPECT_EQ(j.look({}), act::rest);
  EXPECT_EQ(j.look({.wanted = true, .armed = true, .attended = true, .some_sleep = true}), act::rest);
}

TEST(ProgressJudge, WakesWhoSleepsWhereNobodyAttends) {
  progress_judge j;
  EXPECT_EQ(j.look({.wanted = true, .armed = true, .some_sleep = true}), act::wake);
}

TEST(ProgressJudge, WakesTheAttendantOfWhatIsNotArmed) {
  progress_judge j;
  EXPECT_EQ(j.look({.wanted = true, .attended = true, .some_sleep = true}), act::wake);
}

TEST(ProgressJudge, LeavesThoseAloneWhoPoll) {
  progress_judge j;
  EXPECT_EQ(j.look({.wanted = true, .some_sleep = true, .polls = 1}), act::look);
  EXPECT_EQ(j.look({.wanted = true, .some_sleep = true, .polls = 2}), act::look);
  EXPECT_EQ(j.look({.wanted = true, .some_sleep = true, .polls = 2}), act::wake);
}

TEST(ProgressJudge, WhereAllComputeItAttendsItselfOnceAllIsArmed) {
  progress_judge j;
  EXPECT_EQ(j.look({.wanted = true}), act::send);
  EXPECT_EQ(j.look({.wanted = true, .armed = true, .polls = 1}), act::look);
  EXPECT_EQ(j.look({.wanted = true, .armed = true, .polls = 1}), act::attend);
}

TEST(ProgressJudge, SomebodyRunsWhatHasComeHoweverOftenOthersPoll) {
  progress_judge j;
  EXPECT_EQ(j.look({.wanted = true, .some_sleep = true, .polls = 1, .arrivals_wait = true}), act::look);
  EXPECT_EQ(j.look({.wanted = true, .some_sleep = true, .polls = 2, .arrivals_wait = true}), act::wake);
  EXPECT_EQ(j.look({.wanted = true, .polls = 3, .arrivals_wait = true}), act::send);
  EXPECT_EQ(j.look({.armed = true, .attended = true, .some_sleep = true, .polls = 3, .arrivals_wait = true}),
            act::wake);
}

TEST(ProgressJudge, LeavesThoseAloneWhoTakeWhatHasCome) {
  progress_judge j;
  EXPECT_EQ(j.look({.wanted = true, .polls = 1, .arrivals_wait = true}), act::look);
  EXPECT_EQ(j.look({.wanted = true, .polls = 2, .arrivals_wait = true, .arrivals_taken = 1}), act::look);
  EXPECT_EQ(j.look({.wanted = true, .polls = 3, .arrivals_taken = 2}), act::look);
  EXPECT_EQ(j.look({.wanted = true, .polls = 4, .arrivals_wait = true, .arrivals_taken = 2}), act::look);
}

}  // namespace
}  // namespace amity::sched
