#pragma once

/// A helper that takes turns with whatever else uses its core.
///
/// Where another process wants the core too, the kernel deals it out in slices of some milliseconds, and at the end of
/// one it stops the helper wherever it is: mostly in the middle of a region, whose other threads then wait for the
/// others' slice. What the half of a core brought is lost by that. So the helper goes before: when it has been there
/// for a millisecond, at the next point where nobody waits for it (between two fibers, or while its fiber waits in a
/// barrier), it gives up its fiber and rests for the shortest time that the kernel knows. The other one runs, for as
/// long as the kernel finds fair; meanwhile the helper counts as shared, and those who have a core do all of the work.
///
/// A rest that ends at once says that nobody else was there: after some of them it is an ordinary helper again. One
/// that is stopped in its turns all the same, or finds nothing to do in them, is left alone for a while instead
/// (mark_shared). With threads of the process's own, which run while code that spins is being rescued, it takes none.

#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/sys/clock.hpp"

namespace amity::sched {

/// What the kernel has done with a thread so far.
struct kernel_account {
  std::uint64_t at = 0;         ///< ticks; 0: not asked yet
  long preemptions = 0;         ///< how often it took the core from it for another one
  std::uint64_t queued_ns = 0;  ///< for how long it let it wait for a core (sys::unknown_time)
};

struct turns {
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  /// The others' slice; a helper that has rested for longer needs a wake like everybody else, and may get one.
  static constexpr std::uint64_t longest_rest_us = 5'000;

  /// Ticks; when the present turn is over. `none`: it does not take turns. Relaxed: a hint for the others.
  std::atomic<std::uint64_t> end{none};

  // --- the owner's
  kernel_account asked;           ///< when the turn began, or when it looked back
  std::uint64_t looked_at = 0;    ///< ticks; when it last looked at the clock, spinning or idle
  std::uint64_t events = 0;       ///< of the carrier, when the turn began
  std::uint32_t quick_rests = 0;  ///< in a row
  std::uint32_t stopped = 0;      ///< turns that ended within, less those that did not
};

/// For the helper itself: it should rest at the next opportunity.
[[nodiscard]] inline bool should_rest(const turns& t, std::uint64_t now) noexcept {
  return now >= t.end.load(std::memory_order_relaxed);
}

/// For the others: its turn is over, and the rest that follows probably not.
[[nodiscard]] inline bool is_resting(const turns& t, std::uint64_t now) noexcept {
  std::uint64_t const end = t.end.load(std::memory_order_relaxed);
  return now >= end && now - end < sys::ticks_of_microseconds(turns::longest_rest_us);
}

[[nodiscard]] inline bool takes_turns(const turns& t) noexcept {
  return t.end.load(std::memory_order_relaxed) != turns::none;
}

}  // namespace amity::sched
