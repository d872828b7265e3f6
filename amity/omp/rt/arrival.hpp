#pragma once

/// How members are counted in at a barrier, for team.cpp and cancel.cpp.

#include <atomic>
#include <cstdint>

#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/omp/rt/wait.hpp"

namespace amity::omp {

/// The last one of a group reports for all of it. True for that one. `count`: the group's word for the occasion, for
/// which `all` are expected.
[[nodiscard]] inline bool last_of_group(std::atomic<std::uint32_t>& count, std::uint32_t all) noexcept {
  if (all == 1) return true;
  // acq_rel: the last one publishes what the others of the group did.
  if (count.fetch_add(1, std::memory_order_acq_rel) + 1 != all) return false;
  count.store(0, std::memory_order_relaxed);  // nobody of the group comes here again before the release
  return true;
}

/// Arrives at the barrier. True: the caller was the last one, and has let all others go on.
[[nodiscard]] inline bool arrive(thread& t, team& tm, std::uint32_t round) noexcept {
  if (t.number != 0 || !tm.leader_apart) {
    arrival_group& g = tm.group[t.group];
    if (!last_of_group(g.arrived, g.arriving)) return false;
  }
  std::atomic<std::uint32_t>& arrived = tm.arrived();
  // acq_rel: the last one publishes what all did
  if (static_cast<int>(arrived.fetch_add(1, std::memory_order_acq_rel)) + 1 != tm.reports) return false;
  arrived.store(0, std::memory_order_relaxed);
  tm.round.store(round + 1, std::memory_order_seq_cst);  // pairs with the waits in barrier() and attend()
  notify(tm, tm.barrier_parked);
  return true;
}

}  // namespace amity::omp
