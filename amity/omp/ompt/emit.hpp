#pragma once

/// For the files of this folder: the table of callbacks, and the records of what there is.

#include <atomic>

#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/rt/task.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/sched/tasks/frame_pool.hpp"

namespace amity::omp::ompt {

/// By event; null: nobody wants it. Relaxed: a tool that registers late gets what follows, sooner or later.
extern std::atomic<function> callbacks[events];

/// The tool's function for `e`, or null.
template <class Callback>
[[nodiscard]] Callback callback(event e) noexcept {
  return reinterpret_cast<Callback>(callbacks[static_cast<int>(e)].load(std::memory_order_relaxed));
}

/// Calls it, if there is one and the tool still runs.
template <class Callback, class... Arguments>
void emit(event e, Arguments... arguments) noexcept {
  if (!is_running()) return;
  if (auto const f = callback<Callback>(e)) f(arguments...);
}

/// The calling thread's record, made at its first use.
[[nodiscard]] thread_record& self_record() noexcept;
/// The same, or null.
[[nodiscard]] thread_record* known_self() noexcept;
/// The thread's record in its team.
[[nodiscard]] member_record& member_of(thread& t) noexcept;

/// Where an explicit task's record stands.
[[nodiscard]] inline task_record& record_of(explicit_task& x) noexcept {
  std::size_t const size = sched::frame_pool::size_of_class[x.size_class];
  return *reinterpret_cast<task_record*>(reinterpret_cast<char*>(&x) + size - base::cache_line);
}
[[nodiscard]] inline task_record& record_of(task& x) noexcept {
  if (!x.is_implicit) return record_of(static_cast<explicit_task&>(x));
  return member_of(*x.owner.load(std::memory_order_relaxed)).implicit;
}

[[nodiscard]] inline ompt::data* data_of(task& x) noexcept { return &record_of(x).data; }
/// The region's, or null when it is over.
[[nodiscard]] inline ompt::data* data_of(const team& tm) noexcept {
  return tm.traced == nullptr ? nullptr : &tm.traced->data;
}

/// A thread's state for the time of a block.
class state_scope {
 public:
  state_scope(thread_record& self, ompt::state now, wait_id id = 0) noexcept
      : self_(self), before_(self.state), id_before_(self.waits_for) {
    self.state = now;
    self.waits_for = id;
  }
  ~state_scope() {
    self_.state = before_;
    self_.waits_for = id_before_;
  }
  state_scope(const state_scope&) = delete;
  state_scope& operator=(const state_scope&) = delete;

 private:
  thread_record& self_;
  ompt::state before_;
  wait_id id_before_;
};

/// What threads of the team do between events.
[[nodiscard]] inline ompt::state work_state(const thread& t) noexcept {
  return t.team->level == 0 ? state::work_serial : state::work_parallel;
}

/// Ends what gcc's code began and does not end: a single or a scope of the task that runs.
void close_open_work(thread& t, thread_record& self) noexcept;

/// A free agent (rt/free_agent.hpp) is about to run a task, or has run it: a thread with an initial task of its own,
/// for as long as that takes. So whatever the agent does between two tasks, the tool knows of nothing that is still to
/// end.
void agent_begins(thread& t, thread_record& self) noexcept;
void agent_ends(thread& t, thread_record& self) noexcept;
/// The thread is an agent, and `x` the initial task of its own.
[[nodiscard]] inline bool is_agents_own(const thread& t, const task& x) noexcept {
  return t.is_agent && &x == &t.implicit;
}

/// All threads that OMPT knows, linked by `next`.
[[nodiscard]] thread_record* all_threads() noexcept;
/// True while finish() is at work: workers that leave their team end for good.
[[nodiscard]] bool is_finishing() noexcept;
void thread_ends(thread_record& self) noexcept;
/// Whom ompt_get_thread_data() takes the caller for; null: for itself.
void impersonate(thread_record* other) noexcept;

/// The tool's way to the runtime.
[[nodiscard]] function lookup(const char* name) noexcept;

}  // namespace amity::omp::ompt
