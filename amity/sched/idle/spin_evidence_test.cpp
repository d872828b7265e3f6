#include "amity/sched/idle/spin_evidence.hpp"

#include <gtest/gtest.h>

namespace amity::sched {
namespace {

using finding = spin_evidence::finding;
constexpr std::uint64_t look_us = 1000;
constexpr int in_a_trial = spin_evidence::trial_looks + 1;
constexpr int calm = 5;  // looks, in the time between two while nobody has been rescued

/// One group, beside others that may have members rescued, too.
struct monitored : spin_evidence {
  finding look(std::uint64_t events) { return spin_evidence::look(events, now_us += look_us, helped_until_us); }
  void rescue_others() { helped_until_us = helps_until_us(now_us, 1); }
  void note_rescue() {
    rescue_others();
    spin_evidence::note_rescue(now_us, 1);
  }
  std::uint64_t now_us = 1;
  std::uint64_t helped_until_us = 0;
};

/// Code that keeps its core without an event, after `events`: looks until others are sent away. Each comes `apart`
/// times as late after the one before as looks do soon after a rescue.
int looks_until_rescue(monitored& e, std::uint64_t events, int apart = 1) {
  static_cast<void>(e.look(events));
  int looks = 1;
  while (e.leave_alone(apart)) {
    EXPECT_EQ(e.look(events), finding::none);
    ++looks;
  }
  e.note_rescue();
  return looks;
}

/// Spins `times` times, and goes on at the look after each rescue. Returns the events so far.
std::uint64_t spin(monitored& e, int times, std::uint64_t events = 0) {
  for (int i = 0; i < times; ++i) {
    static_cast<void>(looks_until_rescue(e, events));
    static_cast<void>(e.look(++events));
  }
  return events;
}

TEST(SpinEvidence, WhoGoesOnSoonAfterRescuesSpins) {
  monitored e;
  EXPECT_EQ(looks_until_rescue(e, 1), in_a_trial);
  EXPECT_EQ(e.look(2), finding::none);  // by chance, perhaps
  EXPECT_EQ(looks_until_rescue(e, 3), 1);
  EXPECT_EQ(e.look(3), finding::none);
  EXPECT_EQ(e.look(4), finding::spins);
}

TEST(SpinEvidence, WhoSpinsIsRescuedAtOnceButForATrialNowAndThen) {
  monitored e;
  std::uint64_t events = spin(e, 1);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < spin_evidence::rescues_in_a_row; ++i) {
      EXPECT_EQ(looks_until_rescue(e, events), 1);
      static_cast<void>(e.look(++events));
    }
    EXPECT_EQ(looks_until_rescue(e, events), in_a_trial);
    static_cast<void>(e.look(++events));
  }
}

TEST(SpinEvidence, WhoGoesOnByItselfIsNotRescued) {
  monitored e;
  std::uint64_t events = 1;
  EXPECT_EQ(e.look(events), finding::none);
  for (int part = 0; part < 100; ++part) {
    for (int look = 0; look < spin_evidence::trial_looks; ++look) {
      EXPECT_EQ(e.look(events), finding::none);  // what was said before is said once
      EXPECT_TRUE(e.leave_alone(1));
    }
    EXPECT_EQ(e.look(++events), finding::computes);
  }
}

/// The regression: after a long part, which was rescued, short ones were taken for code that spins.
TEST(SpinEvidence, WhoDoesNotGoOnSoonAfterARescueDoesNotSpin) {
  monitored e;
  std::uint64_t events = spin(e, 1);
  for (int part = 0; part < 100; ++part) {
    static_cast<void>(looks_until_rescue(e, events));
    for (int look = 0; look < 10; ++look) EXPECT_EQ(e.look(events), finding::none);
    ++events;
  }
  EXPECT_EQ(looks_until_rescue(e, events), spin_evidence::most_looks + 1);
}

/// The regression: parts of 25 ms were rescued, each of them.
TEST(SpinEvidence, WhoIsNotHelpedByARescueIsLeftAloneForLongerAtCalmLooksToo) {
  monitored e;
  std::uint64_t events = 1;
  for (int looks : {1, 1 + 6 / calm, 1 + 12 / calm, 1 + 24 / calm, 1 + 48 / calm, 1 + 48 / calm}) {
    EXPECT_EQ(looks_until_rescue(e, events, calm), looks);
    for (int look = 0; look < 10; ++look) EXPECT_EQ(e.look(events), finding::none);
    ++events;
  }
  static_cast<void>(e.look(events));
  for (int part = 0; part < 100; ++part) {
    for (int look = 0; look < 48 / calm; ++look) {
      EXPECT_EQ(e.look(events), finding::none);
      EXPECT_TRUE(e.leave_alone(calm));
    }
    EXPECT_EQ(e.look(++events), finding::computes);
  }
}

TEST(SpinEvidence, WhoComputedForLongAndSpinsNowIsFoundOut) {
  monitored e;
  std::uint64_t events = 1;
  for (int part = 0; part < 10; ++part) {
    static_cast<void>(looks_until_rescue(e, events, calm));
    for (int look = 0; look < 10; ++look) EXPECT_EQ(e.look(events), finding::none);
    ++events;
  }
  EXPECT_EQ(looks_until_rescue(e, events, calm), 1 + 48 / calm);
  EXPECT_EQ(e.look(++events), finding::none);
  EXPECT_EQ(looks_until_rescue(e, events, calm), 1);  // once is enough to be left alone no longer
  EXPECT_EQ(e.look(++events), finding::spins);
}

/// Code that spins for members of several groups goes on only when all of them could run.
TEST(SpinEvidence, WhoGoesOnAfterOthersWereRescuedIsNotLeftAloneForLonger) {
  monitored e;
  std::uint64_t events = 1;
  for (int round = 0; round < 10; ++round) {
    EXPECT_EQ(looks_until_rescue(e, events), in_a_trial);
    for (int look = 0; look < 10; ++look) EXPECT_EQ(e.look(events), finding::none);
    e.rescue_others();
    EXPECT_EQ(e.look(++events), finding::none);
  }
}

TEST(SpinEvidence, WhatAnotherCarrierDidAfterARescueSaysNothingOfThisOne) {
  monitored e;
  static_cast<void>(looks_until_rescue(e, 1));
  e.restart(100);
  e.now_us += 10 * spin_evidence::soon_us;
  EXPECT_EQ(e.look(101), finding::none);
  EXPECT_EQ(looks_until_rescue(e, 101), in_a_trial);
}

/// The monitor sleeps while nobody waits, and may find out late that it has gone on.
TEST(SpinEvidence, WhoIsSeenToHaveGoneOnLateDoesNotSpin) {
  monitored e;
  std::uint64_t events = 1;
  for (int looks = spin_evidence::trial_looks; looks <= spin_evidence::most_looks; looks *= 2) {
    EXPECT_EQ(looks_until_rescue(e, events), looks + 1);
    e.now_us += 3 * spin_evidence::soon_us;
    EXPECT_EQ(e.look(++events), finding::none);
  }
}

TEST(SpinEvidence, WhoSpunAndComputesNowIsFoundOut) {
  monitored e;
  std::uint64_t events = spin(e, 1 + spin_evidence::rescues_in_a_row);
  static_cast<void>(e.look(events));
  EXPECT_TRUE(e.leave_alone(1));
  EXPECT_EQ(e.look(++events), finding::computes);
  for (int part = 0; part < 100; ++part) {
    EXPECT_TRUE(e.leave_alone(1));
    EXPECT_EQ(e.look(++events), finding::computes);
  }
}

TEST(SpinEvidence, WhoComputedAndSpinsNowIsFoundOut) {
  monitored e;
  static_cast<void>(e.look(1));
  EXPECT_TRUE(e.leave_alone(1));
  EXPECT_EQ(e.look(2), finding::computes);
  EXPECT_EQ(looks_until_rescue(e, 2), in_a_trial);
  EXPECT_EQ(e.look(3), finding::none);
  EXPECT_EQ(looks_until_rescue(e, 3), 1);
  EXPECT_EQ(e.look(4), finding::spins);
}

TEST(SpinEvidence, WhoWaitsInTheKernelNeedsTheOthersToo) {
  monitored e;
  EXPECT_EQ(e.note_wait(), finding::none);
  EXPECT_EQ(e.note_wait(), finding::spins);
  EXPECT_EQ(looks_until_rescue(e, 1), 1);
}

TEST(SpinEvidence, WhatAnotherCarrierDidSaysNothingOfThisOne) {
  monitored e;
  static_cast<void>(e.look(1));
  EXPECT_TRUE(e.leave_alone(1));
  e.restart(100);
  EXPECT_EQ(e.look(101), finding::none);
  EXPECT_EQ(looks_until_rescue(e, 101), in_a_trial);
  e.restart(1);
  EXPECT_EQ(e.look(2), finding::none);
  EXPECT_EQ(looks_until_rescue(e, 2), in_a_trial);
}

}  // namespace
}  // namespace amity::sched
