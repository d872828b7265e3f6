#pragma once

/// An OpenMP thread: one member of one team. A thread that forks an inner team is also member 0 of that one: it has a
/// second `thread` object there, and `enclosing` leads back.

#include <atomic>
#include <cstdint>
#include <optional>

#include "amity/base/config.hpp"
#include "amity/omp/hooks/tool_records.hpp"
#include "amity/omp/rt/doacross_state.hpp"
#include "amity/omp/rt/loop_state.hpp"
#include "amity/omp/rt/task.hpp"
#include "amity/omp/settings/icv.hpp"
#include "amity/sched/fiber/fiber.hpp"

namespace amity::omp {

struct team;
struct included_task;
namespace race {
struct member_words;
}

/// Whether the OS thread of an initial thread is at the place that the thread has. It goes there with the first
/// parallel region: until then the thread may be one that computes nothing.
enum class binding : std::uint8_t { none, due, done };

/// Where a thread is bound, as indices into the list of places.
struct thread_place {
  int number = -1;           ///< its place; -1: it is not bound
  int first = 0, count = 0;  ///< its place partition: what its inner regions may use
  [[nodiscard]] bool operator==(const thread_place&) const noexcept = default;
};

/// num_threads(a, b, c): what the clause says for the regions inside. In use if `next` is not null; with nothing left,
/// the last number holds for all deeper ones.
struct inner_counts {
  const int* next = nullptr;
  int left = 0;
  int* owned = nullptr;  ///< memory to give back at the end of the clause's own region
};

struct alignas(base::cache_line) thread {
  omp::team* team = nullptr;
  int number = 0;                 ///< omp_get_thread_num()
  int index = 0;                  ///< in team::members; 0: it leads the team here
  sched::fiber* fiber = nullptr;  ///< its identity
  thread* enclosing = nullptr;    ///< member 0: the same identity in the team around, or outside of the target region
                                  ///< or league; others: null
  task* current = nullptr;        ///< the task that runs; never null
  included_task* included = nullptr;  ///< the innermost one that it runs inside a final task, if any
  task implicit;                      ///< its implicit task in this team
  task_context tasks;                 ///< its task queue and what belongs to it

  // --- worksharing: counts constructs met so far in this region, so that every member finds the same one
  std::uint64_t loops_met = 0;  ///< loops, sections: index into the team's ring
  std::uint32_t singles_met = 0;
  std::uint32_t barriers_met = 0;
  std::uint32_t arrivals_before = 0;  ///< a leader's: what the arrivals at barriers are at its next region's begin
  loop_state loop;                    ///< the worksharing loop it is in
  doacross_state doacross;            ///< what that loop's depend(source) and depend(sink) need

  // --- clauses that come as a call of their own before the construct (clang)
  int pushed_num_threads = 0;
  int pushed_proc_bind = -1;
  int pushed_severity = 0;  ///< num_threads(strict: ...): what to do if it can't be; 0: not strict
  const char* pushed_message = nullptr;
  inner_counts pushed_inner;
  int pushed_teams = 0;        ///< num_teams of a teams construct
  int pushed_teams_limit = 0;  ///< and its thread_limit

  // --- cancellation
  std::uint32_t points_passed = 0;
  bool copies = false;         ///< is between the copying of a copyprivate and the barrier behind it (gcc)
  bool skips_barrier = false;  ///< has met the next barrier already (clang)

  bool is_agent = false;  ///< runs the team's tasks and is none of its members (free_agent.hpp)

  // --- fork and barrier
  std::uint64_t epoch_seen = 0;  ///< the last fork it answered
  std::uint32_t group = 0;       ///< its arrival group in the team; the leader's: see team::leader_apart

  bool in_league = false;             ///< `region_work::league`, kept after the join; set if somebody observes
  bool reduction_by_atomics = false;  ///< how the reduction under way combines (clang)
  void (*measured_reduction)(void*, void*) = nullptr;  ///< under the lock, in order to see how long it takes
  std::uint64_t reduction_began = 0;                   ///< ticks
  omp::team* hot = nullptr;                            ///< the team that it led last; kept for the next region
  omp::team* serial = nullptr;                         ///< the same for serialised regions
  omp::team* across = nullptr;                         ///< and for those with members in other processes
  omp::team* apart = nullptr;  ///< and the team of one at the root of its target regions and leagues
  int league_size = 1;         ///< omp_get_num_teams()
  int league_number = 0;       ///< omp_get_team_num()
  thread_place place;
  binding bound = binding::none;          ///< initial threads only
  std::uint32_t gtid = 0;                 ///< what clang's code calls the global thread number
  ompt::member_record* traced = nullptr;  ///< for an OMPT tool; null without one
  race::member_words* watched = nullptr;  ///< for a race detector; the same
};

/// The calling OpenMP thread; null before its first OpenMP call.
extern __thread thread* current_thread;

/// Makes an initial thread for a thread that the program created: a team of one, with the ICVs of the environment.
[[gnu::cold]] thread& adopt_thread() noexcept;

/// Some thread has used OpenMP.
[[nodiscard]] bool runtime_started() noexcept;

/// The calling OpenMP thread.
inline thread& this_thread() noexcept {
  if (thread* t = current_thread) [[likely]]
    return *t;
  return adopt_thread();
}

/// ICVs of the current task.
[[nodiscard]] inline const icv_set& icvs(const thread& t) noexcept { return t.current->icv; }

/// A task inside a final one runs as a plain call (task_run.hpp), with the data environment of that one as long as it
/// changes nothing there. Lies on the stack.
struct included_task {
  included_task* around;
  const task* in;                               ///< the final task
  std::optional<icv_set> saved = std::nullopt;  ///< its maker's ICVs, if it has changed its own
};
[[gnu::cold]] inline void save_icvs(thread& t) noexcept {
  included_task& x = *t.included;
  if (x.in == t.current && !x.saved) x.saved = t.current->icv;
}

/// ICVs of the current task, to be changed.
[[nodiscard]] inline icv_set& own_icvs(thread& t) noexcept {
  if (t.included != nullptr) [[unlikely]]
    save_icvs(t);
  return t.current->icv;
}

/// What tells the current task from others.
[[nodiscard]] inline const void* name_of_task(const thread& t) noexcept {
  if (t.included != nullptr && t.included->in == t.current) [[unlikely]]
    return t.included;
  return t.current;
}

}  // namespace amity::omp
