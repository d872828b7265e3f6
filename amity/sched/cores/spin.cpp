#include "amity/sched/cores/spin.hpp"

#include <algorithm>

#include "amity/sched/cores/contention.hpp"
#include "amity/sched/fiber/carrier.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/current_cpu.hpp"

namespace amity::sched {

bool spinner::look() noexcept {
  std::uint64_t now = sys::ticks();
  carrier& c = *fiber_.on;
  if (start_ == 0) {
    start_ = now;
    look_back(c, now);
    if (fiber_.spin_budget == 0) fiber_.spin_budget = patience::of_fiber_at_first();
    budget_ = std::min(fiber_.spin_budget, longest());
  } else if (now - last_ > sys::ticks_of_microseconds(away_limit_us)) {
    note_absence(c, now);
  }
  if (look_for_company(c, now)) now = start_ = sys::ticks();
  last_ = c.core.turn.looked_at = now;
  // Signals of the program's are taken where it parks.
  if (now - start_ < budget_ && !signals_are_due(fiber_) && !is_shared(c, now) && !should_rest(c.core.turn, now))
    return true;
  gave_up_ = true;
  c.busy_since = now;  // nor is the loop to spin for what it did before (idle_time.hpp)
  return false;
}

void spinner::adapt() noexcept {
  // A wait that a longer spin could have covered was worth one: a sleep and a wake of the OS thread cost as much.
  // If waits keep ending soon after the spinning, however long that was, the one waited for needs this very core, and
  // could only go on when we slept. Where it is known who is on which CPU, look_for_company and sleep_apart see that.
  constexpr unsigned suspicious = 3;
  constexpr std::uint64_t soon_us = 50;
  std::uint64_t const now = sys::ticks();
  std::uint64_t const total = now - start_;
  std::uint64_t const most = longest();
  std::uint64_t const least = patience::of_fiber_at_least();
  if (sys::current_cpu_is_known || now - last_ >= sys::ticks_of_microseconds(soon_us))
    fiber_.late_waits = 0;
  else if (++fiber_.late_waits >= suspicious) {
    fiber_.late_waits = 0;
    mark_shared(*fiber_.on, now);
  }
  std::uint64_t const longer = total + total / 2;
  if (total >= most)
    fiber_.spin_budget /= 2;
  else
    fiber_.spin_budget = longer < most ? longer : most;
  if (fiber_.spin_budget < least) fiber_.spin_budget = least;
  fiber_.busy_since = now;
}

}  // namespace amity::sched
