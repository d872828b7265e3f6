#include "amity/sched/idle/awake_credit.hpp"

#include <gtest/gtest.h>

namespace amity::sched {
namespace {

using credit = awake_credit<3, 4>;

TEST(AwakeCredit, WorkEarnsItsShare) {
  EXPECT_EQ(credit::earned(1000, 1000), 0u);
  EXPECT_EQ(credit::earned(1000, 1400), 300u);
  EXPECT_EQ((awake_credit<1, 4>::earned(1000, 1400)), 100u);
}

TEST(AwakeCredit, WhoNeverWorkedHasNone) {
  std::uint64_t busy_since = 0;
  EXPECT_EQ(credit::earned(busy_since, 1'000'000), 0u);
  credit::spend(busy_since, 300);
  EXPECT_EQ(credit::earned(busy_since, 1'000'000), 0u);
}

TEST(AwakeCredit, WhatIsSpentIsGone) {
  std::uint64_t busy_since = 1000;
  std::uint64_t now = 1400;
  std::uint64_t const earned = credit::earned(busy_since, now);
  now += earned;
  credit::spend(busy_since, earned);
  EXPECT_EQ(credit::earned(busy_since, now), 0u);
  EXPECT_EQ(credit::earned(busy_since, now + 400), 300u);
}

TEST(AwakeCredit, WhatIsNotSpentIsKept) {
  std::uint64_t busy_since = 1000;
  credit::spend(busy_since, 150);
  EXPECT_EQ(credit::earned(busy_since, 1400 + 150), 150u);
}

/// A core that waits again and again after a little work is awake for no more than its share in all.
TEST(AwakeCredit, ManyWaitsSpendNoMoreThanOne) {
  std::uint64_t busy_since = 1000;
  std::uint64_t now = 1000;
  std::uint64_t worked = 0;
  std::uint64_t awake = 0;
  for (int wait = 0; wait < 1000; ++wait) {
    now += 40;
    worked += 40;
    std::uint64_t const most = credit::earned(busy_since, now);
    std::uint64_t const spent = wait % 3 == 0 ? most : most / 2;
    now += spent;
    awake += spent;
    credit::spend(busy_since, spent);
  }
  EXPECT_LE(awake, worked / 4 * 3 + 3 * 1000);  // a rest that does not divide is the spender's, each time
  EXPECT_GE(awake, worked / 2);
}

/// Somebody else may have written a later time than this one read.
TEST(AwakeCredit, ATimeThatIsYetToComeEarnsNothing) { EXPECT_EQ(credit::earned(2000, 1999), 0u); }

}  // namespace
}  // namespace amity::sched
