// The monitor's rest. It costs nothing while nobody waits for it, also when permits are left over.

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/loop/monitor_state.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sys/thread_activity.hpp"

namespace amity::sched {
namespace {

/// How often the monitor had a core while this thread slept for half a second: a hundred times if it is awake, else
/// once or never.
int looks_in_half_a_second() {
  arm_monitor();
  usleep(200'000);  // from here on it rests, if it ever does
  std::uint64_t const before = sys::slices(monitor_thread());
  usleep(500'000);
  return static_cast<int>(sys::slices(monitor_thread()) - before);
}

class MonitorRests : public testing::Test {
 protected:
  void SetUp() override {
    static_cast<void>(self());  // a guest
    arm_monitor();
    while (monitor_thread() == 0) usleep(1000);
    if (sys::slices(monitor_thread()) == sys::unknown_time) GTEST_SKIP() << "the kernel does not count slices";
  }
  static constexpr int a_few = 20;
};

TEST_F(MonitorRests, WhenNobodyWaits) { EXPECT_LT(looks_in_half_a_second(), a_few); }

TEST_F(MonitorRests, ThoughAGuestThatRunsHoldsAPermit) {
  unpark(self());
  EXPECT_LT(looks_in_half_a_second(), a_few);
  park();  // does not wait
}

TEST_F(MonitorRests, ThoughAGuestThatHasEndedHoldsAPermit) {
  std::thread([] { unpark(self()); }).join();
  EXPECT_LT(looks_in_half_a_second(), a_few);
}

TEST_F(MonitorRests, ThoughAGuestWasGivenAPermitAfterItsEnd) {
  fiber* ended = nullptr;
  std::thread([&] { ended = self(); }).join();
  unpark(ended);
  EXPECT_LT(looks_in_half_a_second(), a_few);
}

}  // namespace
}  // namespace amity::sched
