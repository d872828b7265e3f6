#include "amity/sched/spin_trial.hpp"

#include <gtest/gtest.h>

namespace amity::sched {
namespace {

/// One look at a carrier that keeps its core. True: those who wait there are to be sent away.
bool rescues(spin_trial& t, std::uint64_t events) {
  static_cast<void>(t.went_on_alone(events));
  if (t.leave_alone()) return false;
  t.note_rescue();
  return true;
}

/// How many looks it takes until they are sent away.
int looks_until_rescue(spin_trial& t, std::uint64_t events) {
  int n = 1;
  while (!rescues(t, events)) ++n;
  return n;
}

constexpr int in_a_trial = spin_trial::looks + 1;

/// Brings it to where the next look at a carrier that keeps its core begins a trial. Returns the events so far.
std::uint64_t until_due(spin_trial& t) {
  std::uint64_t events = 0;
  for (int i = 0; i < spin_trial::rescues_until; ++i) EXPECT_EQ(looks_until_rescue(t, ++events), 1);
  return events;
}

TEST(SpinTrial, WhoSpinsIsRescuedAtOnceButForATrialNowAndThen) {
  spin_trial t;
  std::uint64_t events = 0;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < spin_trial::rescues_until; ++i) EXPECT_EQ(looks_until_rescue(t, ++events), 1);
    EXPECT_EQ(looks_until_rescue(t, ++events), in_a_trial);
  }
}

TEST(SpinTrial, WhoGoesOnInATrialIsNotRescuedAgain) {
  spin_trial t;
  std::uint64_t events = until_due(t);
  for (int step = 0; step < 100; ++step) {
    ++events;
    for (int look = 0; look < spin_trial::looks; ++look) EXPECT_FALSE(rescues(t, events));
    EXPECT_TRUE(t.went_on_alone(events + 1));
  }
}

TEST(SpinTrial, ThatItWentOnIsSaidOncePerTrial) {
  spin_trial t;
  std::uint64_t const events = until_due(t);
  EXPECT_FALSE(t.went_on_alone(events + 1));  // it had been rescued before
  EXPECT_FALSE(rescues(t, events + 1));
  EXPECT_TRUE(t.went_on_alone(events + 2));
  EXPECT_FALSE(t.went_on_alone(events + 2));
  EXPECT_FALSE(t.went_on_alone(events + 3));
}

TEST(SpinTrial, WhoComputedAndSpinsNowIsFoundOutAfterOneTrial) {
  spin_trial t;
  std::uint64_t events = until_due(t);
  EXPECT_FALSE(rescues(t, ++events));
  EXPECT_EQ(looks_until_rescue(t, ++events), in_a_trial);
  EXPECT_EQ(looks_until_rescue(t, ++events), 1);
}

TEST(SpinTrial, WhatIsSeenAfterARescueSaysNothing) {
  spin_trial t;
  std::uint64_t events = until_due(t);
  EXPECT_EQ(looks_until_rescue(t, ++events), in_a_trial);
  EXPECT_FALSE(t.went_on_alone(++events));
}

}  // namespace
}  // namespace amity::sched
