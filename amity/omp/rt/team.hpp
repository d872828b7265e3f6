#pragma once

/// A team: the threads of one parallel region, and what they share. Teams are kept after their region (hot teams) by
/// the thread that led them, and used again when it forks the same number of threads.
///
/// Life of a region: fork() fills in `work`, then opens `dock`, on which members 1.. wait between regions. Everybody,
/// the leader as member 0 included, runs the work and arrives at `join`. amity/omp/README.md has the protocol.

#include <atomic>
#include <cstdint>
#include <optional>

#include "amity/base/config.hpp"
#include "amity/omp/rt/cancel_state.hpp"
#include "amity/omp/rt/loop.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/omp/settings/icv.hpp"
#include "amity/sched/fiber/ready_group.hpp"

namespace amity::omp {

struct region_work;

/// What every member runs.
struct region_call {
  void (*run)(thread& t, const region_work& work) = nullptr;  ///< of the ABI that forked
  void (*function)() = nullptr;                               ///< the outlined function, cast by `run`
  void* data = nullptr;
  int argc = 0;
  bool league = false;  ///< the members lead the teams of a league; no tool is told of a region (league.cpp)
};

static_assert(2 * sizeof(region_call) == base::cache_line);  // the second half of the dock's line (team::work)

/// What is the same in most regions, one after the other.
struct region_terms {
  void** argv = nullptr;
  int bind = -1;    ///< proc_bind clause as omp_proc_bind_t, where it changes the ICV (gcc); -1: none
  int policy = -1;  ///< the proc_bind clause; -1: none
  std::optional<std::uint64_t> float_control;  ///< the leader's, for all members (clang); none: theirs are their own
  std::uint32_t short_reductions = 0;          ///< how many are known to be short (clang): its members must agree
  loop_request loop;  ///< a worksharing loop that begins with the region (gcc's combined constructs), if `loop.given`
  [[nodiscard]] bool operator==(const region_terms&) const noexcept = default;
};

/// How a region is forked.
struct region_work : region_call, region_terms {};

/// KMP_INHERIT_FP_CONTROL; false: clang's regions have no `float_control`. Written at the start.
inline bool inherit_float_control = true;

/// What the places of a team's members follow from, apart from its size.
struct team_placement {
  proc_bind policy = proc_bind::false_;
  thread_place leader;  ///< outside of the region
};

/// Members that the same carrier runs arrive here first; only the last of them touches what all members share.
struct alignas(base::cache_line) arrival_group {
  sched::ready_group* permits = nullptr;
  std::uint64_t mask = 0;  ///< its members' bits in `permits`
  std::uint32_t members = 0;
  std::uint32_t arriving = 0;  ///< at the barrier: its members, and the leader where that shares their carrier
  /// Of a crowded team's: the last one to arrive here sees to it that the group goes on (watch.hpp). 0: the thread that
  /// lets the team go on does.
  std::atomic<std::uint32_t> watched{0};

  // Apart from what others read to release the group.
  alignas(base::cache_line) std::atomic<std::uint32_t> arrived{0};  ///< at the barrier
  std::atomic<std::uint32_t> joined{0};  ///< at the region's end; `arrived` may be in use then (cancel.cpp: attend)
};

/// Something that the leader may change while members that have reported are on their way to the dock, or to the leader
/// to wake it, and read it: they get on with either value. Relaxed: nothing depends on which.
template <class T>
class read_late {
 public:
  operator T() const noexcept { return value_.load(std::memory_order_relaxed); }
  read_late& operator=(T value) noexcept {
    value_.store(value, std::memory_order_relaxed);
    return *this;
  }

 private:
  std::atomic<T> value_{};
};

struct alignas(base::cache_line) team {
  // --- constant while a region runs
  int size = 1;   ///< members, wherever they are: omp_get_num_threads()
  int level = 0;  ///< parallel regions around, this one included, active or not
  int active_level = 0;
  read_late<bool> crowded;   ///< more threads than carriers: members give the core to one another instead of spinning
  bool resets = false;       ///< its leader is bound inside the region only (KMP_AFFINITY=reset)
  bool cancellable = false;  ///< OMP_CANCELLATION; if not, nothing of cancel.hpp happens
  thread* leader_outside = nullptr;  ///< the thread that forks it; null: the team of an initial thread
  int groups = 0;
  int reports = 0;  ///< what the barrier waits for: its groups, the leader where that is in none, and `outside`
  bool leader_apart = true;  ///< the leader is in none
  int capacity = 0;          ///< entries of `members`
  int joins = 0;             ///< what the region's end waits for: its groups, and the outside if it joins
  int here = 1;              ///< members in this process, the leader here among them
  read_late<thread**> members;
  arrival_group* group = nullptr;
  struct outgrown {
    outgrown* next;
    const void* array;
  };
  outgrown* old_arrays = nullptr;   ///< earlier `members` and `group`: somebody may still look there
  int group_capacity = 0;           ///< entries of `group`
  std::uint64_t float_control = 0;  ///< its leader's when it took members in; they begin with the same
  team_placement placed;
  unsigned placements = 0;  ///< how often `placed` became another one
  /// 1: it has members in other processes, who report here as one, by a thread that is no member (outside.hpp).
  int outside = 0;
  /// With members elsewhere: what work.run would be, were it not for `outside` (rt/lower.hpp).
  void (*run_of_abi)(thread& t, const region_work& work) = nullptr;
  bool outside_joins = false;  ///< they do so at the region's end, too: it was forked here
  int numbered_from = 0;       ///< the number of member 0 here: how many are in processes before this one
  inner_counts inner;          ///< num_threads for the regions that its members fork
  int from_group = 0;          ///< members counted in the contention group (take_from_group); 0 without a thread limit
  int refused = 0;             ///< more threads than it has, which the system refused
  std::uint64_t refused_at = 0;             ///< ticks
  ompt::parallel_record* traced = nullptr;  ///< the region's, for an OMPT tool; null without one

  /// Not 0: tasks may have to be dropped (cancel.hpp). It stands here because whoever runs a task has this line at
  /// hand.
  std::atomic<std::uint32_t> cancelled{0};

  // --- dock: opened by the leader, waited on by members 1..
  // What the leader writes before each region is on the same line, so that a member that sees the dock open has it at
  // hand: else it would wait for a line once more. What follows is written only if it is another than before.
  /// High half: one more with each region and each dismissal. Low half: `here`, and whether it is a dismissal
  /// (members.hpp). A member whose `index` is not below that `here` leaves the team.
  alignas(base::cache_line) std::atomic<std::uint64_t> epoch{0};
  std::atomic<std::uint32_t> dock_parked{0};
  struct {
    std::uint32_t arrival = 0;  ///< of `arrivals`
    std::uint32_t single = 0;
    std::uint64_t loop = 0;
  } first;                                        ///< where the members' counts are at the region's begin
  alignas(sizeof(region_call)) region_work work;  ///< its region_call fills the line
  icv_set icv;                                    ///< of the implicit tasks

  // --- join: the leader waits until all groups have arrived
  alignas(base::cache_line) std::atomic<std::uint32_t> joined{0};
  std::atomic<std::uint32_t> leader_parked{0};
  std::atomic<std::uint32_t> leader_watched{0};  ///< as arrival_group::watched: the last to join of its carrier's group
  std::atomic<std::uint32_t> leaving{0};         ///< members on their way out of the team
  std::atomic<std::uint64_t> closed{0};          ///< for an OMPT tool: the epoch of the last region that is over

  // --- barrier inside the region
  // In a small team the last arrival itself releases the others: a word that only grows, which they wait for to have
  // counted all. Two words, one to count and one to release, take a line between two cores twice as often: 0.23 us
  // instead of 0.1, with far cores. In a large team the arrivals would have to take the line from all those who wait,
  // one after another. There they are counted apart. What a single needs stands apart, too: those who wait at its
  // barrier would take the line away from the thread that still runs the block.
  static constexpr int small = 4;  ///< groups
  /// Reports at barriers, in all regions of the team; it grows by `reports` with each barrier.
  alignas(base::cache_line) std::atomic<std::uint32_t> arrivals{0};
  std::atomic<std::uint32_t> barrier_parked{0};
  alignas(base::cache_line) std::atomic<std::uint32_t> arrived_apart{0};
  std::atomic<std::uint32_t> single_taken{0};
  void* copyprivate = nullptr;
  [[nodiscard]] bool counts_apart() const noexcept { return groups > small; }

  // --- worksharing
  alignas(base::cache_line) std::atomic<std::uint32_t> loop_parked{
      0};  ///< waits for a loop descriptor or for an ordered turn
  loop_ring loops;

  team_tasks tasks;  ///< what the members' tasks share
  cancel_state cancel;
};

/// Runs `work` on a team of (at most) `threads` threads led by `t`; returns when all of them have finished. One thread:
/// a serialised region, one level deeper but not active.
void fork(thread& t, int threads, const region_work& work) noexcept;

/// The same for the leaders of a league: up to `leaders` of them, whatever the limits on regions say. False, and
/// nothing has happened, if there can be no second one.
[[nodiscard, gnu::cold]] bool fork_league(thread& t, int leaders, const region_work& work) noexcept;

/// Runs this process's part of a region that was forked in another one, on the members of `tm`; returns when it is over
/// here. `icv`: of the implicit tasks.
[[gnu::cold]] void run_part(thread& t, team& tm, const region_work& work, const icv_set& icv) noexcept;

/// The two halves of fork(), for ABIs whose compiler calls the leader's part itself. In between the leader is
/// current_thread.
thread& open_region(thread& t, int threads, const region_work& work) noexcept;
void close_region(thread& leader) noexcept;

/// A serialised region by itself.
thread& begin_serial(thread& t, int bind = -1) noexcept;
void end_serial(thread& inner) noexcept;

/// OMP_DISPLAY_AFFINITY. Written at the start.
inline bool displays_affinity = false;
/// Says where the calling thread runs, unless the region that it was in before had the same level, size and number.
[[gnu::cold, gnu::noinline]] void display_if_changed(const thread& t) noexcept;

/// How many threads a region gets: `requested` (0: the num_threads ICV) cut by limits and levels.
[[nodiscard]] int choose_threads(thread& t, int requested, bool if_clause) noexcept;

/// A barrier of the team; tasks created before it are complete afterwards. Memory ordering: everything before it in any
/// member happens before everything after it in every member.
void barrier(thread& t) noexcept;

}  // namespace amity::omp
