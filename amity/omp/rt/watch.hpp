#pragma once

/// How a crowded team goes on: the last member of a group to arrive looks out for the others for a moment, and then
/// gives its own group the permits. So the thread that makes a condition true touches what all look at and nothing of
/// the groups: their lines stay with the carriers that run them. Only a group whose last one has gone to sleep is told
/// from outside.
///
/// `watched` says which: it is the group's promise that its last one will see the condition by itself. It stays set
/// from one wait to the next, until a look-out fails. README-barrier.md has the rules, W1 to W5. Dekker: the last one
/// of a group, about to park, clears it and looks at the condition once more; the thread that makes the condition true
/// does so, then looks at `watched` (release_team). Every last one of a group has to come here, however little it looks
/// out: where the flag is set, others count on it. A group that is told twice finds permits that make a later park
/// return without cause.

#include <atomic>
#include <cstdint>

#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/sched/fiber/fiber.hpp"
#include "amity/sched/loop/lookout.hpp"

namespace amity::omp {

/// True if `done()` became true: the caller sees to it that those go on for whom it looked out. False: it is told, like
/// them. `stop()`: it is to end early.
template <class Condition, class Stop>
[[nodiscard]] bool look_out(const sched::fiber& me, std::atomic<std::uint32_t>& watched, const Condition& done,
                            const Stop& stop) noexcept {
  for (sched::lookout out(me); !done();) {
    if (!stop() && out.once()) continue;
    // Relaxed: the group's last ones alone write it, and each has arrived after the one before.
    if (watched.load(std::memory_order_relaxed) == 0) return false;
    watched.store(0, std::memory_order_seq_cst);
    return done();
  }
  return true;
}

/// From now on the last one to arrive here looks out. Relaxed: others see it with the caller's next arrival, and until
/// then tell the group as well.
inline void keep_watch(std::atomic<std::uint32_t>& watched) noexcept {
  if (watched.load(std::memory_order_relaxed) == 0) watched.store(1, std::memory_order_relaxed);
}

/// After a look-out for the group of `t`, in which all members may go on: lets those of the group do so.
void go_on(thread& t, team& tm) noexcept;

}  // namespace amity::omp
