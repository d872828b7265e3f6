#pragma once

/// What a carrier does while fibers are ready there that it does not come to.
///
///     switch (what_keeps(judged, watch, spinning, since, [&] { return waits_in_kernel(c); })) ...

#include <cstdint>

#include "amity/sched/idle/spin_evidence.hpp"
#include "amity/sched/idle/stuck.hpp"

namespace amity::sched {

enum class stuck_by : std::uint8_t { nothing, keeping_its_core, waiting };

/// Since when they are ready, and how much the carrier must have used of its core since then.
struct ready_since {
  std::uint64_t cpu_ns;     ///< the carrier's time on a core when some were first seen ready; sys::unknown_time
  std::uint64_t enough_ns;  ///< most of the time between two looks
  int passed;               ///< as spin_evidence::leave_alone wants it
};

/// Does it wait in the kernel, or has it used so much of its core since then, and is not left alone to see whether it
/// computes? What it did before they were ready, as making threads for them, says nothing. `judged` is what `watch`
/// said at this look; `spinning` is the group's, about this carrier. `waits_in_kernel()` is asked where the answer
/// counts.
template <class Ask>
[[nodiscard]] stuck_by what_keeps(verdict judged, const stuck_watch& watch, spin_evidence& spinning,
                                  const ready_since& since, Ask waits_in_kernel) noexcept {
  if (judged == verdict::goes_on) return stuck_by::nothing;
  if (judged != verdict::stuck || !watch.has_used(since.enough_ns, since.cpu_ns))
    return waits_in_kernel() ? stuck_by::waiting : stuck_by::nothing;
  return spinning.leave_alone(since.passed) ? stuck_by::nothing : stuck_by::keeping_its_core;
}

}  // namespace amity::sched
