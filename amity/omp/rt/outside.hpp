#pragma once

/// A team's members in other processes, as this process sees them: one reporter, which counts for all of them at each
/// barrier and, where the region was forked here, at its end. README-barrier.md, "Members elsewhere".
///
/// The calling thread needs no OpenMP thread and no fiber. Nothing here blocks, takes a lock or allocates memory once
/// the monitor has been started (sched::ensure_monitor).

#include <cstdint>

#include "amity/sched/idle/short_yields.hpp"
#include "amity/sys/clock.hpp"

namespace amity::omp {
struct team;
enum class cancel_kind : std::uint8_t;

/// How a member waits for another process before it parks: it gives its core away again and again, as the thread that
/// takes messages needs one, and has none where each has a member that spins. (A member that spun by itself let it wait
/// for a time slice, 0.2 ms.) True: `done()`. Not for crowded teams.
///
/// While yields take long, members park at once (short_yields.hpp).
template <class Condition>
[[nodiscard]] bool yield_until(const Condition& done) noexcept {
  constexpr std::uint64_t patience_us = 50;
  std::uint64_t const since = sys::ticks();
  for (std::uint64_t now = since; now - since < sys::ticks_of_microseconds(patience_us);) {
    if (done()) return true;
    if (!sched::yields_are_short(now)) return false;
    now = sched::yield_once(now);
  }
  return done();
}

/// All members elsewhere have arrived at the barrier at which all here wait (cluster::all_are_here): these go on. Once
/// for each time that all were here, unless the region was cancelled and all are through before (O5).
void arrive_from_outside(team& tm) noexcept;

/// All members elsewhere are through a region that was forked here. The team may be another one afterwards.
void join_from_outside(team& tm) noexcept;

/// A member elsewhere has cancelled the region, or a loop or sections; the rest is as in note_cancellation
/// (cancel.hpp), which says what is returned, too. Due before members here leave the barrier behind it.
bool cancel_from_outside(team& tm, cancel_kind what, std::uint32_t round, std::uint64_t loop) noexcept;

/// All members elsewhere are at the end of a region that was cancelled, and so are all here (cluster::all_are_through).
/// Due before join_from_outside, and also where the region was not forked here.
void leave_from_outside(team& tm) noexcept;

}  // namespace amity::omp
