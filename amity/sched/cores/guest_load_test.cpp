#include "amity/sched/cores/guest_load.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/thread_activity.hpp"

namespace amity::sched {
namespace {

constexpr std::uint64_t window = 1000;

TEST(GuestLoad, OneGuestIsWhatThePoolCountsOn) {
  for (int const cores : {1, 2, 8}) {
    EXPECT_EQ(helpers_with_a_core(cores, 0, window), cores - 1);
    EXPECT_EQ(helpers_with_a_core(cores, window, window), cores - 1);
  }
}

TEST(GuestLoad, EachMoreTakesAHelpersCore) {
  EXPECT_EQ(helpers_with_a_core(4, 2 * window, window), 2);
  EXPECT_EQ(helpers_with_a_core(4, 3 * window, window), 1);
  EXPECT_EQ(helpers_with_a_core(4, 4 * window, window), 0);
  EXPECT_EQ(helpers_with_a_core(4, 100 * window, window), 0);
  EXPECT_EQ(helpers_with_a_core(2, 2 * window, window), 0);
}

TEST(GuestLoad, WhoHardlyComputesTakesNone) {
  EXPECT_EQ(helpers_with_a_core(2, window + window / 2, window), 1);
  EXPECT_EQ(helpers_with_a_core(2, window + window * 4 / 5, window), 0);
}

TEST(GuestLoad, NothingIsKnownOfNoTime) { EXPECT_EQ(helpers_with_a_core(4, 5, 0), 3); }

/// Threads that are guests and compute until it goes.
class busy_guests {
 public:
  explicit busy_guests(int n) {
    for (int i = 0; i < n; ++i)
      threads_.emplace_back([this] {
        static_cast<void>(self());
        while (!over_) {
        }
      });
  }
  ~busy_guests() {
    over_ = true;
    for (std::thread& t : threads_) t.join();
  }
  busy_guests(const busy_guests&) = delete;
  busy_guests& operator=(const busy_guests&) = delete;

 private:
  std::atomic<bool> over_{false};
  std::vector<std::thread> threads_;
};

/// Ends, because the kernel's account goes on; a hang is the test's time limit.
void weigh_until(const carrier& helper, bool spare) {
  while (helper.core.is_spare.load() != spare) {
    weigh_guests_when_due(sys::ticks());
    std::this_thread::yield();
  }
}

TEST(GuestLoad, AHelperIsSpareAsLongAsGuestsKeepAllCoresBusy) {
  if (sys::queue_time_ns(gettid()) == sys::unknown_time)
    GTEST_SKIP() << "this kernel does not say who waits for a core";
  setting.carriers = 2;
  static_cast<void>(self());
  const carrier& helper = *sched::helper(1);
  EXPECT_FALSE(helper.core.is_spare.load());
  {
    busy_guests const two(2);
    weigh_until(helper, true);
  }
  weigh_until(helper, false);
  // Until somebody comes it costs nothing.
  while (next_weighing.load() != ~std::uint64_t{0}) weigh_guests_when_due(sys::ticks());
  busy_guests const one(1);
  EXPECT_FALSE(helper.core.is_spare.load());
}

}  // namespace
}  // namespace amity::sched
