#pragma once

/// The members of a team: how a thread finds them, gives them places and lets them go, and what each does at the begin
/// and at the end of its part. For team.cpp, which forks and joins regions.

#include <atomic>
#include <cstdint>

#include "amity/omp/hooks/race.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/rt/initial.hpp"
#include "amity/omp/rt/task_run.hpp"
#include "amity/omp/rt/team.hpp"

namespace amity::omp {

// --- the dock's word

// The epoch's low half: how many members the team has in this process (`here`), and whether the epoch only dismisses
// those who are beyond that.
inline constexpr std::uint32_t dismissal = 0x80000000u;
constexpr std::uint64_t epoch_of(std::uint64_t number, int size, std::uint32_t flags = 0) noexcept {
  return number << 32 | static_cast<std::uint32_t>(size) | flags;
}
constexpr int size_in(std::uint64_t epoch) noexcept { return static_cast<int>(epoch & (dismissal - 1)); }
constexpr bool is_dismissal(std::uint64_t epoch) noexcept { return (epoch & dismissal) != 0; }
inline std::uint64_t next_epoch_number(const team& tm) noexcept {
  return (tm.epoch.load(std::memory_order_relaxed) >> 32) + 1;
}

// --- each member's part

/// Of the region that `tm` begins, on the fiber of `t`.
inline void begin_region(thread& t, team& tm) noexcept {
  t.loops_met = tm.first.loop;
  t.singles_met = tm.first.single;
  t.barriers_met = 0;
  begin_implicit(t, tm.leader_outside->current, tm.icv);
  if (cold::any()) [[unlikely]] {
    race::region_begins(t);
    t.in_league = tm.work.league;
    if (!t.in_league) ompt::implicit_task_begins(t);
  }
  if (displays_affinity) [[unlikely]]
    if (!tm.work.league) display_if_changed(t);
}

/// What each member does before it reports that its part of the region is over, where somebody observes.
[[gnu::cold, gnu::noinline]] void complete_observed(thread& t) noexcept;
inline void complete_region(thread& t) noexcept {
  if (cold::any()) [[unlikely]]
    complete_observed(t);
  else
    complete_descendants(t);
}

/// Those in other processes are through their parts, of a region that waits for them.
[[gnu::cold]] void report_join_from_outside(team& tm) noexcept;

// --- who they are

/// A team of its leader alone. In it, a new thread stands for `outside`, the thread that is to fork.
[[nodiscard, gnu::cold]] team* make_team_of_one(thread& outside) noexcept;

/// The hot team of `leader`, with `size` members or as many as there can be.
[[nodiscard]] team& hot_team(thread& leader, int size, proc_bind policy) noexcept;

/// The same for a team that has members in other processes as well, and is another one: `here` in this one, or as many
/// as there can be. `forks`: the region is forked here, and waits at its end for those outside, too. spread() is due
/// before it is used: how many there are is known only when all processes have formed their parts.
[[nodiscard, gnu::cold]] team& hot_team_across(thread& leader, int here, proc_bind policy, bool forks) noexcept;

/// Its members are `size`, those here numbered from `from`. No region of it runs.
[[gnu::cold]] void spread(team& tm, int from, int size) noexcept;

}  // namespace amity::omp
