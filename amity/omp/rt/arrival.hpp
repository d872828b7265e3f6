#pragma once

/// How members are counted in at a barrier, for barrier.cpp and cancel.cpp.

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

/// Counts one report at the barrier after which `arrivals` is `due`. How many are missing then; 0: it is over. seq_cst:
/// what all did is published, and Dekker for barrier_parked (wait.hpp).
[[nodiscard]] inline std::uint32_t report_arrival(team& tm, std::uint32_t due) noexcept {
  if (!tm.counts_apart()) return due - (tm.arrivals.fetch_add(1, std::memory_order_seq_cst) + 1);
  auto const all = static_cast<std::uint32_t>(tm.reports);
  if (std::uint32_t const before = tm.arrived_apart.fetch_add(1, std::memory_order_acq_rel); before + 1 != all)
    return all - (before + 1);
  tm.arrived_apart.store(0, std::memory_order_relaxed);
  tm.arrivals.store(due, std::memory_order_seq_cst);
  return 0;
}

/// The team's next barrier, for one member.
class arrival {
 public:
  /// Arrives. `was_last`: the caller was the last one, and has let all others go on.
  [[gnu::always_inline]] arrival(thread& t, team& tm) noexcept
      : team_(tm), due_(tm.first.arrival + ++t.barriers_met * static_cast<std::uint32_t>(tm.reports)) {
    if (t.index != 0 || !tm.leader_apart) {
      arrival_group& g = tm.group[t.group];
      if (!last_of_group(g.arrived, g.arriving)) return;
      group_ = &g;
    }
    missing_ = report_arrival(tm, due_);
    if (missing_ == 0) release(tm, tm.barrier_parked);
  }

  [[nodiscard]] bool was_last() const noexcept { return missing_ == 0; }
  /// The caller was the last one in this process, of a team with members in others.
  [[nodiscard]] bool was_last_here() const noexcept { return missing_ == 1 && team_.outside != 0; }
  /// The caller's group, if it was the last one there.
  [[nodiscard]] arrival_group* completed_group() const noexcept { return group_; }

  /// All have arrived. Pairs with report_arrival.
  [[nodiscard]] bool is_over() const noexcept {
    return static_cast<std::int32_t>(team_.arrivals.load(std::memory_order_seq_cst) - due_) >= 0;
  }

 private:
  team& team_;
  std::uint32_t const due_;  ///< what `arrivals` is at least when this barrier is over; the numbers may wrap around
  arrival_group* group_ = nullptr;
  static constexpr std::uint32_t not_the_groups_last = ~0u;
  std::uint32_t missing_ = not_the_groups_last;  ///< reports, after the caller's
};

}  // namespace amity::omp
