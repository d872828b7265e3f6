#pragma once

/// Tasks: the data environment that runs (implicit or explicit), the tree that they form, and a thread's and a team's
/// part in running them. README-tasks.md has the states, the accounting and why it is right; task_run.hpp the ways of a
/// task.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/omp/rt/task_queue.hpp"
#include "amity/omp/rt/task_reduction.hpp"
#include "amity/omp/settings/icv.hpp"
#include "amity/sched/loop/stack_bounds.hpp"
#include "amity/sched/tasks/deque.hpp"
#include "amity/sched/tasks/frame_pool.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/spin_lock.hpp"
#include "amity/trace/counters.hpp"

namespace amity::omp {

struct thread;
struct team;
struct task;
struct explicit_task;
struct depend_node;
struct free_agent;
struct depend_table;
struct loop_pattern;

/// What tasks are counted in: a task (for its children) or a taskgroup (for the children that its task makes
/// meanwhile). Scopes form a tree by `outer`. A *subtree* is complete when the task and everything below it is.
///
/// Counts are packed: children whose body has not ended in units of `body`, subtrees that are not complete in units of
/// `subtree`. What is outstanding is local - remote: `local` counts up at creation and down at completions on the
/// owner's own thread, without atomics; `remote` counts completions elsewhere. Only the difference means anything, so
/// both may wrap.
struct scope : sched::frame {
  static constexpr std::uint64_t parked = 1;      ///< in remote: the owner waits in park()
  static constexpr std::uint64_t body = 1u << 1;  ///< 31 bits
  static constexpr std::uint64_t subtree = std::uint64_t{1} << 32;
  static constexpr std::uint64_t whole = body + subtree;

  enum class kind_of : std::uint8_t { implicit, task, group };

  // --- fixed at creation; thieves may read them late, after the memory was used again
  std::atomic<scope*> outer{nullptr};
  std::atomic<std::uint32_t> depth{0};
  kind_of kind = kind_of::implicit;

  bool is_implicit = true;  ///< of the task; false for groups
  bool is_final = false;
  std::uint8_t size_class = 0;

  // --- the owner's
  std::atomic<thread*> owner{nullptr};  ///< who may use `local`; null: nobody, all completions are remote
  std::uint64_t local = 0;

  // --- everybody's
  std::atomic<std::uint64_t> remote{0};
  std::atomic<std::uint64_t> awaited{
      0};  ///< `local` when the owner parked; bit 0: it waits for subtrees, not for bodies
};

/// What runs: OpenMP's task region.
struct task : scope {
  scope* inner = this;     ///< where new children are counted: the innermost open taskgroup, or this
  task* parent = nullptr;  ///< the task that made it; for an implicit one that which met the parallel construct
  depend_table* siblings = nullptr;  ///< what its children's depend clauses named
  icv_set icv;
};

struct explicit_task : task {
  /// Bits of `flags`; 0 on the fast path.
  enum : std::uint8_t {
    depends = 1,      ///< has a depend_node
    detached = 2,     ///< complete only when its event is fulfilled too
    untied = 4,       ///< clang's: the body comes in parts, and enqueues its own next one
    destroys = 8,     ///< clang's: private variables with destructors
    range = 16,       ///< a share of a taskloop, no task by itself
    undeferred = 32,  ///< its parent's thread waits for it, and it is not counted unless children outlive it
    outside = 64,     ///< arguments in memory of their own
    watched = 128,    ///< a race detector knows it: it has words of its own (race/words.hpp)
  };
  /// Bits of `event`; its upper half tells one event from others that had the same descriptor.
  enum : std::uint32_t { body_ended = 1, fulfilled = 2, dropped = 4, event_bits = 7 };

  union {
    void (*plain)(void*);                          ///< gcc's
    std::int32_t (*routine)(std::int32_t, void*);  ///< clang's
    loop_pattern* pattern;                         ///< a range's
  } code{nullptr};
  void* arguments = nullptr;
  depend_node* node = nullptr;
  std::int32_t priority = 0;
  std::atomic<std::uint32_t> event{0};
  std::atomic<std::uint32_t> parts{0};  ///< untied: enqueued parts, and the one that runs
  std::uint32_t base_before = 0;        ///< undeferred: the thread's base, to be restored
  std::uint8_t flags = 0;
  bool is_clang = false;
  bool started = false;  ///< or holds what only its body can destroy (gcc's copies of objects): it has to run
  std::uint32_t argument_bytes = 0;
  /// The word before the arguments, so that the task is found from them, wherever they are.
  explicit_task* self = this;
};
static_assert(sizeof(explicit_task) == 3 * base::cache_line);  // and no padding behind `self`

/// A thread that has so many tasks queued runs new ones at once; one that has fewer than the lesser for each core does
/// not.
inline constexpr std::uint32_t longest_queue = 256, shortest_queue = 2;
/// It looks at so many that it has run at a time: with fewer queued it may do so, too (weigh_tasks).
inline constexpr std::uint64_t tasks_weighed = 256;

/// Per thread.
struct task_context : sched::frame_pool {
  // --- the owner's
  std::uint32_t base = 0;           ///< queue entries below are no descendants of the task that runs
  std::uint32_t nested_inline = 0;  ///< tasks that run inside their creation because the queue is long
  std::uint32_t fruitless = 0;      ///< searches that met private entries only
  std::uint32_t wake_cursor = 0;
  trace::counter ran{0};  ///< tasks since the counters were told
  std::uint64_t stolen = 0;
  task_context* victim = nullptr;             ///< the last with something to steal
  std::uint64_t stole_at = 0;                 ///< the clock when it last got something; 0: weighed already
  std::uint64_t stolen_bodies = 0;            ///< ticks that the bodies of its tasks took; 0: not known yet
  std::uint32_t foreign_before = 0;           ///< frames given elsewhere, then
  const explicit_task* weighs = nullptr;      ///< the next of them, until it runs
  std::uint64_t steal_pause = 0;              ///< ticks that it lets pass between thefts, since they brought too little
  std::uint64_t steal_credit = 0;             ///< ticks by which earlier thefts brought more than they cost
  std::uint64_t next_theft = 0;               ///< not before that
  std::uint64_t victims_progress = 0;         ///< when its last theft was weighed
  std::uint32_t queue_limit = longest_queue;  ///< with so many queued it runs new ones at once
  std::uint64_t next_weighing = tasks_weighed;  ///< when `ran` gets there the limit is set anew
  std::uint64_t weighed_at = 0;                 ///< the clock, then; 0: not since the last barrier
  std::uint16_t lost_to_thieves = 0;            ///< queue.stolen(), then
  thread* self = nullptr;
  scope* deferring = nullptr;  ///< of another thread: it is told only later of what completes here (execute_foreign)
  std::uint64_t deferred = 0;  ///< that
  bool next_part_spawned = false;  ///< the untied task that runs has enqueued its next part
  std::uint64_t commons_met = 0;   ///< constructs of the region in team_tasks::commons
  std::uint16_t events_made = 0;
  sched::stack_bounds stack;          ///< where it was when last asked for
  void* region_reductions = nullptr;  ///< of `parallel reduction(task, ...)` by gcc; outlives the implicit task's body
  sched::split_deque<explicit_task> queue;

  /// There are tasks, but too short to be worth a theft; soon it will look again, so it is too early to park.
  [[nodiscard]] bool is_pausing() const noexcept { return next_theft != 0 && sys::ticks() < next_theft; }

  // --- others'
  task_context* next = nullptr;    ///< in team_tasks::queues
  std::atomic<bool> waits{false};  ///< parked in a taskwait or the like: takes descendants only
  std::atomic<bool> idle{false};   ///< runs no task of the team's, and parks or is about to
};

/// Per team.
struct team_tasks {
  /// What members that wait look at now and then.
  enum : std::uint32_t {
    none = 0,      ///< the thread that looked last found all queues empty, behind a barrier on all threads
    unproven = 1,  ///< it found them empty, but a push that saw `told` may not be visible yet: who parks looks again
    told = 2,      ///< tasks are queued, and somebody was told who tells the next one
    doubtful = 3,  ///< there may be some, but the thread that knew is busy or parks: the next push tells
  };
  /// A thread that spins has reason to look into the queues. (One that is going to park has, unless `hint` is `none`.)
  [[nodiscard]] static bool invites(std::uint32_t hint) noexcept { return hint >= told; }
  std::atomic<std::uint32_t> queued{none};
  std::atomic<std::uint32_t> waiting{0};   ///< members parked in a taskwait or the like
  std::atomic<bool> used{false};           ///< a task was queued once; from then on threads that park say so (idle)
  std::atomic<std::uint32_t> watchers{0};  ///< members of a crowded team that sleep, and will look for tasks soon
  /// Threads that ever queued a task; never shrinks.
  std::atomic<task_context*> queues{nullptr};
  task_queue shared;

  common_reductions commons;

  // --- who stands in for members that wait outside of OpenMP (free_agent.hpp)
  std::atomic<std::uint32_t> absent{0};  ///< those; agents that wait are among them
  std::atomic<std::uint32_t> agents{0};  ///< called and not gone
  std::atomic<int> last_absent{0};       ///< the index that the next agent gets
  sys::spin_lock agents_lock;
  free_agent* spare_agents = nullptr;
};

/// Tasks with priority > 0 are treated as such up to this (max-task-priority-var).
[[nodiscard]] int max_task_priority() noexcept;

// --- for the team

/// Prepares a thread's implicit task for a region. `parent`: the task that met the parallel construct.
void begin_implicit(thread& t, task* parent, const icv_set& icv) noexcept;

/// complete_descendants (task_run.hpp) of an implicit task that has made or run some.
void complete_made_descendants(thread& t) noexcept;

/// A thread that spins looks now and then, and leaves others alone whose tasks are too short to be worth a theft; so
/// does one that is going to sleep until its pause is over (watch_tasks). One that would park otherwise takes what
/// there is.
enum class search : std::uint8_t { now_and_then, unless_pausing, thorough };
/// What a thread that waits may run: anything, or descendants of its current task; and of those, which it must find,
/// for nobody else may come to them: all, or the children, whose own descendants others wait for.
enum class reach : std::uint8_t { anything, descendants, children };

/// Runs one queued task of the team, if there is one. For members that wait in a barrier.
bool run_queued_task(thread& t, search how) noexcept;

/// Parks until the pause of is_pausing() is over.
void park_for_pause(thread& t) noexcept;

// --- for the ABIs; task_run.hpp has more

/// An untied task enqueues its next part, from within the one that runs.
void spawn_next_part(thread& t, explicit_task& x) noexcept;

/// taskyield: runs a task, or lets another thread have the core.
void yield_task(thread& t) noexcept;

/// A task with a detach clause gets an event; `bits` as in explicit_task::event.
void open_event(thread& t, explicit_task& x, std::uint32_t bits) noexcept;
/// What the program knows it by: the task, and which of its events.
[[nodiscard]] std::uintptr_t event_handle(const explicit_task& x) noexcept;

/// Ends the other half of a detached task's life. Any thread.
void fulfill(std::uintptr_t handle) noexcept;

}  // namespace amity::omp
