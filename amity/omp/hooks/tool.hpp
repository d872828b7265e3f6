#pragma once

/// The seam between the runtime and OMPT. Without a tool each hook is a look at one word (cold.hpp).
///
///     if (cold::any()) [[unlikely]] ompt::region_begins(t);                   // in rt
///     void GOMP_barrier() {                                                   // in an entry, which the program calls
///       ompt::entered([] { barrier(this_thread()); },                         // its hot half
///                     [] { ompt::barrier_may_close_work(this_thread());       // its cold half
///                          barrier(this_thread()); });
///     }
///
/// Each declaration says what happens where the hook is called. ompt/README.md says how a hook is added.

#include <cstddef>
#include <cstdint>

#include "amity/omp/hooks/cold.hpp"
#include "amity/omp/hooks/tool_records.hpp"

namespace amity::omp {

struct thread;
struct team;
struct task;
struct explicit_task;
struct dependence;
struct loop_state;

namespace ompt {

/// There is a tool, and it runs.
[[nodiscard]] inline bool is_running() noexcept {
  return (cold::word.bits.load(std::memory_order_relaxed) & cold::tool) != 0;
}

// --- start and end

/// Looks for a tool and starts it. Once, at the runtime's start.
[[gnu::cold]] void start() noexcept;
/// Ends the tool, if there is one. Any number of times.
[[gnu::cold]] void finish() noexcept;
/// In the child of a fork: the other threads are gone.
[[gnu::cold]] void forked_child() noexcept;

// --- entries

/// While the program is inside of an entry: where it was called from, and the frame by which its task came in. An entry
/// that another one calls leaves that as it is.
class entry_scope {
 public:
  [[gnu::cold]] entry_scope(const void* code, void* frame_address) noexcept;
  [[gnu::cold]] ~entry_scope();
  entry_scope(const entry_scope&) = delete;
  entry_scope& operator=(const entry_scope&) = delete;

 private:
  thread_record* self_ = nullptr;
  const void* code_before_ = nullptr;
};

template <class Body>
[[gnu::noinline, gnu::cold]] auto enter(const void* code, void* frame_address, Body body) {
  entry_scope const scope(code, frame_address);
  return body();
}

/// The body of an exported function: `usual`, or `traced` where there may be a tool. Lambdas capture by value, so that
/// arguments stay in registers.
template <class Usual, class Traced>
[[gnu::always_inline]] inline auto entered(Usual usual, Traced traced) {
  if (cold::any()) [[unlikely]]
    return enter(__builtin_return_address(0), __builtin_dwarf_cfa(), traced);
  return usual();
}
template <class Body>
[[gnu::always_inline]] inline auto entered(Body body) {
  return entered(body, body);
}

template <auto Traced, class... Arguments>
[[gnu::noinline, gnu::cold]] auto enter_with(const void* code, void* frame_address, Arguments... arguments) {
  entry_scope const scope(code, frame_address);
  return Traced(arguments...);
}

/// The same for the hottest entries with many arguments, which a lambda would have to keep in memory:
///
///     ompt::entered_with<make_task, make_traced_task>(fn, data, ...);
template <auto Usual, auto Traced = Usual, class... Arguments>
[[gnu::always_inline]] inline auto entered_with(Arguments... arguments) {
  if (cold::any()) [[unlikely]]
    return enter_with<Traced>(__builtin_return_address(0), __builtin_dwarf_cfa(), arguments...);
  return Usual(arguments...);
}

/// Where the entry under way was called from; null outside of one.
[[nodiscard, gnu::cold]] const void* code() noexcept;

// --- threads and regions

[[gnu::cold]] void initial_thread_begins(thread& t) noexcept;
[[gnu::cold]] void initial_thread_ends(thread& t) noexcept;
[[gnu::cold]] void worker_begins(thread& t) noexcept;
[[gnu::cold]] void worker_leaves(thread& t) noexcept;

/// The threads that the region to come asks for.
[[gnu::cold]] void asks_for(thread& t, int threads) noexcept;
/// The program calls the region's code itself.
[[gnu::cold]] void program_runs_region(thread& t) noexcept;
/// The thread has met a parallel construct; its team is still to be found.
[[gnu::cold]] void region_begins(thread& t) noexcept;
/// This is the team. Where nothing was said of the region yet, it begins.
[[gnu::cold]] void team_forms(thread& t, team& tm) noexcept;
/// After the last member's report. `t`: the thread that met the construct.
[[gnu::cold]] void region_ends(thread& t, team& tm) noexcept;

[[gnu::cold]] void implicit_task_begins(thread& t) noexcept;
/// The barrier at the region's end, and the implicit task with it.
[[gnu::cold]] void join_begins(thread& t) noexcept;
[[gnu::cold]] void join_ends(thread& t) noexcept;
/// A member is about to say that it has done its part: the leader may go on, and what is around the region may be gone.
[[gnu::cold]] void member_reports(thread& t) noexcept;
/// The end of a region of one thread: no barrier.
[[gnu::cold]] void serial_ends(thread& t) noexcept;

/// A league: `t` met the construct. Null without a tool.
[[nodiscard, gnu::cold]] parallel_record* league_begins(thread& t, int teams) noexcept;
[[gnu::cold]] void league_ends(thread& t, parallel_record* league) noexcept;
/// One of its teams, on the thread that leads it.
[[gnu::cold]] void team_begins(thread& initial, parallel_record* league) noexcept;
[[gnu::cold]] void team_ends(thread& initial) noexcept;
/// The initial task of a target region on the host.
[[gnu::cold]] void initial_task_begins(thread& initial) noexcept;
[[gnu::cold]] void initial_task_ends(thread& initial) noexcept;

/// The frame from which the region's code is called; null when it has returned.
[[gnu::cold]] void set_exit_frame(thread& t, void* frame_address) noexcept;
/// The program's own code goes on as a new task: in the frame by which it came in.
[[gnu::cold]] void set_inlined_exit_frame(thread& t) noexcept;
/// Where the caller of the region's code puts it itself; null without a tool.
[[nodiscard, gnu::cold]] void** exit_frame_slot(thread& t) noexcept;

// --- waiting for others

/// What the next barrier of the calling thread is; an entry that says nothing means an explicit one.
[[gnu::cold]] void next_barrier_is(sync_kind kind) noexcept;
[[nodiscard, gnu::cold]] sync_kind barrier_begins(thread& t) noexcept;
[[gnu::cold]] void barrier_ends(thread& t, sync_kind kind) noexcept;

/// A region of synchronisation of the task that runs; `wait_...`: the time that it may have to wait in it.
[[gnu::cold]] void sync_begins(thread& t, sync_kind kind) noexcept;
[[gnu::cold]] void sync_ends(thread& t, sync_kind kind) noexcept;
[[gnu::cold]] void wait_begins(thread& t, sync_kind kind) noexcept;
[[gnu::cold]] void wait_ends(thread& t, sync_kind kind) noexcept;

/// The whole of a taskwait; for the traced half of an entry.
class taskwait_scope {
 public:
  [[gnu::cold]] taskwait_scope() noexcept;
  [[gnu::cold]] ~taskwait_scope();
  taskwait_scope(const taskwait_scope&) = delete;
  taskwait_scope& operator=(const taskwait_scope&) = delete;
};

/// A target construct, on the host; for the traced half of an entry.
class target_scope {
 public:
  [[gnu::cold]] explicit target_scope(target_kind kind, bool nowait = false) noexcept;
  [[gnu::cold]] ~target_scope();
  target_scope(const target_scope&) = delete;
  target_scope& operator=(const target_scope&) = delete;

 private:
  void tell(endpoint at) noexcept;

  int kind_;
  data own_{0};
  std::uint64_t number_ = 0;
};

[[gnu::cold]] void reduction_begins(thread& t) noexcept;
[[gnu::cold]] void reduction_ends(thread& t) noexcept;

// --- mutual exclusion; `what`: the lock or what stands for it

[[gnu::cold]] void mutex_wanted(mutex_kind kind, const void* what, unsigned hint = 0) noexcept;
[[gnu::cold]] void mutex_held(mutex_kind kind, const void* what) noexcept;
/// A test that failed.
[[gnu::cold]] void mutex_missed() noexcept;
[[gnu::cold]] void mutex_free(mutex_kind kind, const void* what) noexcept;
/// A nestable lock that its owner takes once more, or gives up but once.
[[gnu::cold]] void nest_lock(endpoint at, const void* what) noexcept;
[[gnu::cold]] void lock_made(mutex_kind kind, const void* what, unsigned hint = 0) noexcept;
[[gnu::cold]] void lock_destroyed(mutex_kind kind, const void* what) noexcept;

// --- worksharing

[[gnu::cold]] void work_begins(thread& t, work_kind kind, std::uint64_t count) noexcept;
[[gnu::cold]] void work_ends(thread& t, work_kind kind, std::uint64_t count) noexcept;
/// gcc's code doesn't say where it ends: it does with the thread's next construct or barrier.
[[gnu::cold]] void open_work_begins(thread& t, work_kind kind) noexcept;
[[gnu::cold]] void open_work_ends(thread& t) noexcept;
/// gcc's code has the same call for a barrier directive and for the barrier at the end of a construct. Where the thread
/// is in, or comes straight from, a single or a scope, the next barrier is taken for that construct's.
[[gnu::cold]] void barrier_may_close_work(thread& t) noexcept;
/// By this very call of the program's; said by work_is_elsewhere, too.
[[gnu::cold]] void single_is_left() noexcept;
/// Both at once: a single that another thread runs.
[[gnu::cold]] void work_is_elsewhere(thread& t) noexcept;

/// Logical iterations that the thread is about to run.
[[gnu::cold]] void chunk_begins(thread& t, dispatch_kind kind, std::uint64_t start, std::uint64_t iterations) noexcept;
/// A section; it is known by the address that the program called from.
[[gnu::cold]] void section_begins(thread& t) noexcept;
/// Loops and sections that are dealt out by calls, and the chunk in hand. What a loop is said to be at its begin it is
/// at its end: the threads may have had different schedules in mind.
[[gnu::cold]] void loop_begins(thread& t, const loop_state& loop) noexcept;
[[gnu::cold]] void loop_ends(thread& t, const loop_state& loop) noexcept;
/// clang's code leaves what was cancelled without a word of its loop, if it is in one.
[[gnu::cold]] void loop_is_left(thread& t, const loop_state& loop) noexcept;
[[gnu::cold]] void chunk_begins(thread& t, const loop_state& loop) noexcept;
/// A construct whose iterations clang's code deals out by itself; `own`: those of the thread, from `start` on.
[[gnu::cold]] void static_work_begins(thread& t, work_kind kind, std::uint64_t total, dispatch_chunk own) noexcept;
[[gnu::cold]] void static_work_ends(thread& t) noexcept;

[[gnu::cold]] void masked(thread& t, endpoint at) noexcept;
[[gnu::cold]] void flush(thread& t) noexcept;
/// `flags`: of cancel_flag.
[[gnu::cold]] void cancel(task& x, int flags) noexcept;
[[gnu::cold]] void error(severity how, const char* message, std::size_t length) noexcept;
[[nodiscard, gnu::cold]] int control_tool(std::uint64_t command, std::uint64_t modifier, void* argument) noexcept;

// --- tasks

/// What the compiler said of the task to come: task_untied, task_mergeable.
[[gnu::cold]] void next_task_is(int flags) noexcept;
/// The iterations that it gets from a taskloop.
[[gnu::cold]] void next_task_has(std::uint64_t start, std::uint64_t iterations) noexcept;
/// Before a task is handed over or run in place. `list`: its dependences.
[[gnu::cold]] void task_created(thread& t, explicit_task& x, const omp::dependence* list, std::size_t count) noexcept;
inline void task_created(thread& t, explicit_task& x) noexcept { task_created(t, x, nullptr, 0); }
/// The body of a task, called from here.
[[gnu::cold]] void run_body(thread& t, explicit_task& x) noexcept;
/// Before an untied task's next part is queued, from within the one that runs: this part is over.
[[gnu::cold]] void part_ends(thread& t, explicit_task& x) noexcept;
/// The body of an undeferred task that the program calls itself; `frame_address`: the program's.
[[gnu::cold]] void inlined_body_begins(thread& t, explicit_task& x, void* frame_address) noexcept;
[[gnu::cold]] void inlined_body_ends(thread& t, explicit_task& x) noexcept;
/// Before the event of a detached task is fulfilled.
[[gnu::cold]] void task_fulfilled(explicit_task& x) noexcept;
/// Whatever the thread runs before false is said, it runs because of a taskyield.
[[gnu::cold]] void yields(bool does) noexcept;

/// taskwait with dependences: a task of its own.
[[gnu::cold]] void depend_wait_begins(thread& t, task_record& waiting, const omp::dependence* list,
                                      std::size_t count) noexcept;
[[gnu::cold]] void depend_wait_ends(thread& t, task_record& waiting) noexcept;
/// `sink` null: the thread's taskwait.
[[gnu::cold]] void task_depends(explicit_task& source, explicit_task* sink) noexcept;
/// A doacross vector of `count` numbers.
[[gnu::cold]] void iteration_depends(thread& t, dependence_type type, const std::int64_t* vector,
                                     std::size_t count) noexcept;

}  // namespace ompt
}  // namespace amity::omp
