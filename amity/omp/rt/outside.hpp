#pragma once

/// A team's members in other processes, as this process sees them: one reporter, which counts for all of them at each
/// barrier and, where the region was forked here, at its end. README-barrier.md, "Members elsewhere".
///
/// The calling thread needs no OpenMP thread and no fiber. Nothing here blocks, takes a lock or allocates memory once
/// the monitor has been started (sched::ensure_monitor).

#include <cstdint>

#include "amity/sched/idle/doubling_while.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/raw_syscall.hpp"

namespace amity::omp {
struct team;
enum class cancel_kind : std::uint8_t;

/// A yield of some member here took long, a moment ago: the next ones would, too.
inline sched::doubling_while while_yields_take_long;

/// How a member waits for another process before it parks: it gives its core away again and again, as the thread that
/// takes messages needs one, and has none where each has a member that spins. (A member that spun by itself let it wait
/// for a time slice, 0.2 ms.) True: `done()`. Not for crowded teams.
///
/// Beside programs that compute, a yield lasts until each of them has had its time slice, 10 ms for three on two cores.
/// A thread that sleeps gets a core when it is woken, so after a yield that has taken long members park at once, for a
/// while.
template <class Condition>
[[nodiscard]] bool yield_until(const Condition& done) noexcept {
  constexpr std::uint64_t patience_us = 50, long_us = 300, longest_us = 1'000'000;
  std::uint64_t const since = sys::ticks();
  if (while_yields_take_long.covers(since)) return done();
  std::uint64_t before = since, now = since;
  do {
    if (done()) return true;
    sys::raw_syscall(SYS_sched_yield);
    now = sys::ticks();
    if (now - before > sys::ticks_of_microseconds(long_us)) {
      static_cast<void>(while_yields_take_long.begin(now, longest_us));
      return done();
    }
    before = now;
  } while (now - since < sys::ticks_of_microseconds(patience_us));
  return false;
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
