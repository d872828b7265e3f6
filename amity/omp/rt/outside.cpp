#include "amity/omp/rt/outside.hpp"

#include <atomic>
#include <cstdint>

#include "amity/omp/rt/cancel.hpp"
#include "amity/omp/rt/members.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/wait.hpp"

namespace amity::omp {

using std::memory_order_relaxed;
using std::memory_order_seq_cst;

void arrive_from_outside(team& tm) noexcept {
  // It is the last report, and nobody else touches the words. seq_cst as in report_arrival.
  if (tm.counts_apart()) {
    tm.arrived_apart.store(0, memory_order_relaxed);
    tm.arrivals.fetch_add(static_cast<std::uint32_t>(tm.reports), memory_order_seq_cst);
  } else {
    tm.arrivals.fetch_add(1, memory_order_seq_cst);
  }
  release(tm, tm.barrier_parked);
}

void join_from_outside(team& tm) noexcept { report_join_from_outside(tm); }

bool cancel_from_outside(team& tm, cancel_kind what, std::uint32_t round, std::uint64_t loop) noexcept {
  return note_cancellation(tm, what, round, loop);
}

void leave_from_outside(team& tm) noexcept { count_through(tm); }

}  // namespace amity::omp
