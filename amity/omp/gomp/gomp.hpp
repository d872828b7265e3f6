#pragma once

/// What the files of gcc's ABI share: how the compiler's numbers become the runtime's.

#include <cstdint>

#include "amity/omp/rt/loop.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"

namespace amity::omp::gomp {

/// Iterations of `for (i = start; i < end; i += incr)` or `>`; computed without overflow over the whole range of the
/// type.
constexpr std::uint64_t trip_count(long start, long end, long incr) noexcept {
  auto const s = static_cast<std::uint64_t>(start), e = static_cast<std::uint64_t>(end);
  if (incr > 0) return start < end ? (e - s - 1) / static_cast<std::uint64_t>(incr) + 1 : 0;
  return start > end ? (s - e - 1) / (std::uint64_t{0} - static_cast<std::uint64_t>(incr)) + 1 : 0;
}

/// The unsigned form: `up` tells the direction, and a downward increment comes as its two's complement.
constexpr std::uint64_t trip_count_ull(bool up, std::uint64_t start, std::uint64_t end, std::uint64_t incr) noexcept {
  if (up) return start < end ? (end - start - 1) / incr + 1 : 0;
  return start > end ? (start - end - 1) / (std::uint64_t{0} - incr) + 1 : 0;
}

/// A schedule as GOMP_loop_start and the schedule(runtime) entries have it: kind in the low bits, monotonic in the top
/// one.
[[nodiscard]] schedule schedule_from(thread& t, long sched, std::int64_t chunk) noexcept;

/// The proc_bind clause in the flags of GOMP_parallel*; -1: there is none.
constexpr int bind_clause(unsigned flags) noexcept {
  unsigned const bind = flags & 7;
  return bind == 0 ? -1 : static_cast<int>(bind);
}

/// Runs a region with, perhaps, a loop that begins with it. `num_threads` as the compiler passes it: 0 for no clause.
void run_parallel(void (*fn)(void*), void* data, unsigned num_threads, unsigned flags,
                  const loop_request& loop) noexcept;
/// The old form: returns inside the region, for the leader's part.
void start_parallel(void (*fn)(void*), void* data, unsigned num_threads, const loop_request& loop) noexcept;

/// Task reductions of a worksharing construct; `reductions` is the descriptor that gcc lays out.
void begin_construct_reductions(thread& t, std::uintptr_t* reductions) noexcept;

}  // namespace amity::omp::gomp
