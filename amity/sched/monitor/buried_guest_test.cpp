// A guest that goes on with its own fiber buries one at home on its carrier that became ready together with it. In a
// program of its own: nobody has called the monitor before, so nobody else comes to see to it.

#include <gtest/gtest.h>

#include <atomic>

#include "amity/base/processor.hpp"
#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sys/thread_activity.hpp"

namespace amity::sched {
namespace {

struct burial {
  fiber* const guest = self();
  ready_group* const here = acquire_group(*guest->on);
  std::atomic<bool> helper_taken{false}, released{false}, neighbour_ran{false};
  std::atomic<int> left{2};

  static burial& of(void* b) { return *static_cast<burial*>(b); }

  void await_neighbour() const {  // as user code does that knows nothing of fibers
    while (!neighbour_ran) base::cpu_relax();
  }
  // On the other carrier, which it keeps.
  void release_both() {
    helper_taken = true;
    while (!sys::is_blocked(guest->on->thread_id)) base::cpu_relax();
    released = true;
    guest->on->solo.ready.fetch_or(1);  // an unpark that has come no further than its first step
    unpark(*here, 1, wake::now);        // the guest wakes up and finds both
    await_neighbour();
  }
  void leave() {
    fiber* const me = self();
    withdraw(*me);
    release_shell(me);
    if (left.fetch_sub(1) == 1) unpark(guest);
  }

  void run() {
    ready_group* const there = acquire_group(*helper(1));
    fiber* const neighbour = acquire_shell(-1);
    fiber* const releaser = acquire_shell(-1);
    auto const first = [](void* b) { of(b).neighbour_ran = true, of(b).leave(); };
    auto const second = [](void* b) { of(b).release_both(), of(b).leave(); };
    bool const leaving = assign(*neighbour, *here, 0, first, this);
    if (assign(*releaser, *there, 0, second, this) || leaving) await_landings();
    unpark(*there, 1, wake::now);
    while (!helper_taken) base::cpu_relax();  // not a wait: the guest would take that one
    while (!released) park();
    await_neighbour();
    while (left != 0) park();
    release_group(here);
    release_group(there);
  }
};

TEST(BuriedGuest, CallsTheMonitorForWhoeverIsBeneath) {
  if (concurrency() < 2 || identity_mode() == sys::thread_pointer_mode::fixed)
    GTEST_SKIP() << "nobody lies beneath a guest here";
  burial b;
  b.run();
  EXPECT_TRUE(b.neighbour_ran);
}

}  // namespace
}  // namespace amity::sched
