#include "amity/sched/idle/stuck.hpp"

#include <gtest/gtest.h>

namespace amity::sched {
namespace {

constexpr std::uint64_t ms = 1'000'000, enough = 4 * ms;

TEST(StuckWatch, AnEventIsProgress) {
  stuck_watch w;
  for (std::uint64_t look = 1; look < 10; ++look) EXPECT_EQ(w.look(look, 100 * look * ms, enough), verdict::goes_on);
}

TEST(StuckWatch, UserCodeThatUsesItsCoreIsStuck) {
  stuck_watch w;
  EXPECT_EQ(w.look(1, 10 * ms, enough), verdict::goes_on);
  EXPECT_EQ(w.look(1, 15 * ms, enough), verdict::stuck);
  EXPECT_EQ(w.look(1, 20 * ms, enough), verdict::stuck);
}

/// The regression: under load a carrier that had no core was taken for one that user code keeps.
TEST(StuckWatch, WhoHasNoCoreIsNotStuck) {
  stuck_watch w;
  EXPECT_EQ(w.look(1, 10 * ms, enough), verdict::goes_on);
  for (int look = 0; look < 100; ++look) EXPECT_EQ(w.look(1, 11 * ms, enough), verdict::no_core);
}

TEST(StuckWatch, TimeAddsUpOverLooksUntilTheNextEvent) {
  stuck_watch w;
  EXPECT_EQ(w.look(1, 10 * ms, enough), verdict::goes_on);
  EXPECT_EQ(w.look(1, 12 * ms, enough), verdict::no_core);
  EXPECT_EQ(w.look(1, 13 * ms, enough), verdict::no_core);
  EXPECT_EQ(w.look(1, 14 * ms, enough), verdict::stuck);
  EXPECT_EQ(w.look(2, 15 * ms, enough), verdict::goes_on);
  EXPECT_EQ(w.look(2, 18 * ms, enough), verdict::no_core);
  EXPECT_EQ(w.look(2, 19 * ms, enough), verdict::stuck);
}

TEST(StuckWatch, TellsWhoHardlyRanBetweenTwoLooks) {
  stuck_watch w;
  static_cast<void>(w.look(1, 10 * ms, enough));
  static_cast<void>(w.look(2, 10 * ms + ms / 10, enough));
  EXPECT_TRUE(w.hardly_ran());
  static_cast<void>(w.look(3, 14 * ms, enough));
  EXPECT_FALSE(w.hardly_ran());
  static_cast<void>(w.look(3, 14 * ms, enough));
  EXPECT_TRUE(w.hardly_ran());
  static_cast<void>(w.look(3, sys::unknown_time, enough));
  EXPECT_FALSE(w.hardly_ran());
  static_cast<void>(w.look(3, 15 * ms, enough));  // the time before is not known
  EXPECT_FALSE(w.hardly_ran());
}

/// The regression: a carrier short of a core that met a page fault was taken for one that sleeps.
TEST(StuckWatch, WhoIsBlockedAtOneLookIsNotStuck) {
  stuck_watch w;
  EXPECT_EQ(w.look(1, 10 * ms, enough), verdict::goes_on);
  for (int look = 0; look < 10; ++look) {
    ASSERT_EQ(w.look(1, 11 * ms, enough), verdict::no_core);
    EXPECT_FALSE(w.stays_blocked(look % 2 == 0));
  }
}

TEST(StuckWatch, WhoIsBlockedAtTwoLooksIsStuckUntilTheNextEvent) {
  stuck_watch w;
  EXPECT_EQ(w.look(1, 10 * ms, enough), verdict::goes_on);
  EXPECT_EQ(w.look(1, 10 * ms, enough), verdict::no_core);
  EXPECT_FALSE(w.stays_blocked(true));
  EXPECT_EQ(w.look(1, 10 * ms, enough), verdict::no_core);
  EXPECT_TRUE(w.stays_blocked(true));
  EXPECT_EQ(w.look(2, 10 * ms, enough), verdict::goes_on);
  EXPECT_EQ(w.look(2, 10 * ms, enough), verdict::no_core);
  EXPECT_FALSE(w.stays_blocked(true));
}

/// The regression: a carrier that yields all the time, on a core that another process uses too, was taken for one
/// without a core.
TEST(StuckWatch, WhoGivesItsCoreAwayIsStuckUntilTheNextEvent) {
  constexpr std::uint64_t moment = 2'000;
  stuck_watch w;
  EXPECT_EQ(w.look(1, 10 * ms, enough), verdict::goes_on);
  std::uint64_t switches = 1'000;
  EXPECT_EQ(w.look(1, 10 * ms, enough), verdict::no_core);
  EXPECT_FALSE(w.gives_its_core_away(switches));
  EXPECT_EQ(w.look(1, 10 * ms + 2 * moment, enough), verdict::no_core);
  EXPECT_FALSE(w.gives_its_core_away(switches += 2));
  EXPECT_EQ(w.look(1, 10 * ms + 4 * moment, enough), verdict::no_core);
  EXPECT_TRUE(w.gives_its_core_away(switches += 2));
  EXPECT_EQ(w.look(2, 11 * ms, enough), verdict::goes_on);
  EXPECT_EQ(w.look(2, 11 * ms, enough), verdict::no_core);
  EXPECT_FALSE(w.gives_its_core_away(switches += 10));
}

/// A carrier that waits for a lock of the runtime's, whose holder has no core, looks like user code that polls.
TEST(StuckWatch, SwitchesThatWereForgottenCountForNothing) {
  stuck_watch w;
  EXPECT_EQ(w.look(1, 10 * ms, enough), verdict::goes_on);
  std::uint64_t switches = 1'000;
  for (int look = 0; look < 10; ++look) {
    EXPECT_EQ(w.look(1, 10 * ms, enough), verdict::no_core);
    w.forget_switches();
    EXPECT_FALSE(w.gives_its_core_away(switches += 10));
  }
  EXPECT_EQ(w.look(1, 10 * ms, enough), verdict::no_core);
  EXPECT_TRUE(w.gives_its_core_away(switches += 10));
}

TEST(StuckWatch, WhoComputesInEverySliceItGetsDoesNotGiveItAway) {
  stuck_watch w;
  EXPECT_EQ(w.look(1, 0, 1000 * ms), verdict::goes_on);
  for (std::uint64_t look = 1; look < 100; ++look) {
    ASSERT_EQ(w.look(1, look * ms, 1000 * ms), verdict::no_core);
    EXPECT_FALSE(w.gives_its_core_away(2 * look));
    EXPECT_FALSE(w.gives_its_core_away(sys::unknown_time));
  }
}

TEST(StuckWatch, WithoutTheKernelsWordTheLooksDecide) {
  stuck_watch w;
  EXPECT_EQ(w.look(1, sys::unknown_time, enough), verdict::goes_on);
  EXPECT_EQ(w.look(1, sys::unknown_time, enough), verdict::stuck);
  EXPECT_EQ(w.look(1, 5 * ms, enough), verdict::stuck);  // and when it comes back
}

}  // namespace
}  // namespace amity::sched
