#include "amity/sched/idle/soon_waits.hpp"

#include <gtest/gtest.h>

namespace amity::sched {
namespace {

TEST(SoonWaits, LittleIsExpectedAtFirst) { EXPECT_EQ(soon_waits().look_on_us(), soon_waits::least_us); }

TEST(SoonWaits, AfterAShortSleepTheNextLikeItIsAwaitedAwake) {
  soon_waits waits;
  waits.note(25);
  EXPECT_GT(waits.look_on_us(), soon_waits::least_us + 25);
  waits.note(soon_waits::most_us - waits.look_on_us());
  EXPECT_EQ(waits.look_on_us(), soon_waits::most_us);
}

/// A process that is called once a millisecond is awake without need for little more than the least.
TEST(SoonWaits, LongWaitsAreSleptThrough) {
  soon_waits waits;
  waits.note(50);
  std::uint64_t awake = 0;
  constexpr int calls = 100;
  for (int i = 0; i < calls; ++i) {
    awake += waits.look_on_us();
    waits.note(1000);
  }
  EXPECT_EQ(waits.look_on_us(), soon_waits::least_us);
  EXPECT_LT(awake, (calls + 20) * soon_waits::least_us);
}

}  // namespace
}  // namespace amity::sched
