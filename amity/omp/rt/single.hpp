#pragma once

/// single: the first thread that comes to the construct runs it.

#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"

namespace amity::omp {

/// True for one thread of the team at each single construct. The n-th single of the region is taken by moving the
/// team's counter from n to n + 1; a thread that comes later finds it past n.
inline bool is_single(thread& t) noexcept {
  std::uint32_t const mine = t.singles_met++;
  if (t.team->size == 1) return true;
  std::uint32_t expected = mine;
  // A look first spares a large or crowded team the fight for the line; in a small one it would only fetch the line
  // twice.
  // Relaxed: the construct's own barrier, or none with nowait, orders the data.
  team& tm = *t.team;
  if ((tm.counts_apart() || tm.crowded) && tm.single_taken.load(std::memory_order_relaxed) != mine) return false;
  return tm.single_taken.compare_exchange_strong(expected, mine + 1, std::memory_order_relaxed);
}

/// The same for cold halves, also in a team with members in other processes.
[[nodiscard]] bool is_single_anywhere(thread& t) noexcept;

/// copyprivate: the thread that ran the block hands `data` to all others, and leaves when they have copied.
void hand_over_copy(thread& t, void* data) noexcept;
/// The others' side: waits for the data. The caller copies, then meets the construct's closing barrier.
[[nodiscard]] void* await_copy(thread& t) noexcept;

}  // namespace amity::omp
