/// Explicit tasks.

#include <alloca.h>

#include <new>

#include "amity/omp/ompt/emit.hpp"
#include "amity/omp/rt/depend.hpp"
#include "amity/omp/rt/taskgroup.hpp"

namespace amity::omp::ompt {

namespace {

/// Which came first, the body's end or the event: bits of task_record::ends.
constexpr std::uint32_t body_over = 1, event_over = 2;

constexpr int most_listed = 1024;  ///< dependences of one task that a tool is told of; they lie on the stack

dependence_type type_of(const omp::dependence& d) noexcept {
  switch (d.kind) {
    case depend_kind::in:
      return dependence_type::in;
    case depend_kind::out:
      return dependence_type::inout;  // the compilers make no difference
    case depend_kind::mutexinoutset:
      return dependence_type::mutexinoutset;
    case depend_kind::inoutset:
      return dependence_type::inoutset;
    case depend_kind::everything:
      return dependence_type::inout_all_memory;
  }
  return dependence_type::inout;
}

void tell_dependences(data* of, const omp::dependence* list, std::size_t count) noexcept {
  auto const f = callback<on_dependences>(event::dependences);
  if (f == nullptr || count == 0) return;
  int const n = count < most_listed ? static_cast<int>(count) : most_listed;
  auto* const all = static_cast<dependence*>(alloca(static_cast<std::size_t>(n) * sizeof(dependence)));
  for (int i = 0; i < n; ++i) {
    all[i].variable.ptr = list[i].address;
    all[i].type = type_of(list[i]);
  }
  f(of, all, n);
}

void switch_to(thread_record& self, task& next, task_status why) noexcept {
  task* const prior = self.running;
  self.running = &next;
  emit<on_task_schedule>(event::task_schedule, data_of(*prior), why, data_of(next));
}

/// The task's innermost group was cancelled.
bool is_cancelled(const explicit_task& x) noexcept {
  const scope* const s = x.outer.load(std::memory_order_relaxed);
  return s != nullptr && s->kind == scope::kind_of::group &&
         static_cast<const taskgroup*>(s)->cancelled.load(std::memory_order_relaxed);
}

task_status end_of_body(thread& t, explicit_task& x) noexcept {
  if ((x.flags & explicit_task::untied) != 0 && t.tasks.next_part_spawned) return task_status::switched;
  if (is_cancelled(x)) return task_status::cancel;
  if ((x.flags & explicit_task::detached) == 0) return task_status::complete;
  // acq_rel: pairs with task_fulfilled. An event that the compiler never asked for counts as fulfilled.
  bool const fulfilled = x.event.load(std::memory_order_acquire) == explicit_task::fulfilled ||
                         (record_of(x).ends.fetch_or(body_over, std::memory_order_acq_rel) & event_over) != 0;
  return fulfilled ? task_status::complete : task_status::detach;
}

void begin_body(thread& t, thread_record& self, explicit_task& x) noexcept {
  task_record& r = record_of(x);
  if (t.is_agent && member_of(t).alone == nullptr) agent_begins(t, self);
  r.scheduled_from = self.running;
  switch_to(self, x, self.yields ? task_status::yield : task_status::switched);
  self.yields = false;
  if (r.chunk.iterations != 0) chunk_begins(t, dispatch_kind::taskloop_chunk, r.chunk.start, r.chunk.iterations);
}

void end_body(thread& t, thread_record& self, explicit_task& x) noexcept {
  task_record& r = record_of(x);
  r.frame = {};
  close_open_work(t, self);
  task& next = *r.scheduled_from;
  switch_to(self, next, end_of_body(t, x));
  if (is_agents_own(t, next)) agent_ends(t, self);
}

}  // namespace

void next_task_is(int flags) noexcept {
  if (is_running()) self_record().task_flags = flags;
}

void task_created(thread& t, explicit_task& x, const omp::dependence* list, std::size_t count) noexcept {
  if (!cold::observed()) return;  // then it has no room for a record (lines_of_observers)
  task_record& r = *new (&record_of(x)) task_record;
  r.data = {};
  r.frame = {};
  if (!is_running()) return;
  thread_record& self = self_record();
  r.flags = task_explicit | self.task_flags;
  r.chunk = self.chunk;
  self.chunk = {0, 0};
  if ((x.flags & explicit_task::undeferred) != 0) r.flags |= task_undeferred;
  if ((x.flags & explicit_task::untied) != 0) r.flags |= task_untied;
  if (x.is_final) r.flags |= task_final;
  task_record& from = record_of(*t.current);
  emit<on_task_create>(event::task_create, &from.data, &from.frame, &r.data, r.flags, count != 0 ? 1 : 0, self.code);
  tell_dependences(&r.data, list, count);
}

void next_task_has(std::uint64_t start, std::uint64_t iterations) noexcept {
  if (is_running()) self_record().chunk = {start, iterations};
}

void run_body(thread& t, explicit_task& x) noexcept {
  thread_record* const self = !is_running() ? nullptr : t.is_agent ? &self_record() : known_self();
  state const before = self != nullptr ? self->state : state::undefined;
  if (self != nullptr) {
    begin_body(t, *self, x);
    frame& f = record_of(x).frame;
    f.exit_frame.ptr = __builtin_frame_address(0);
    f.exit_frame_flags = frame_runtime | frame_pointer;
  }
  {
    const void* const code_before = self != nullptr ? self->code : nullptr;
    if (self != nullptr) self->state = state::work_parallel;
    if (x.is_clang)
      x.code.routine(static_cast<std::int32_t>(t.gtid), x.arguments);
    else
      x.code.plain(x.arguments);
    if (self != nullptr) {
      self->state = before;
      self->code = code_before;
    }
  }
  if (self == nullptr || !is_running()) return;
  if (self->part_over)
    self->part_over = false;
  else
    end_body(t, *self, x);
}

void part_ends(thread& t, explicit_task& x) noexcept {
  if (!is_running()) return;
  thread_record& self = self_record();
  end_body(t, self, x);
  self.part_over = true;
}

void inlined_body_begins(thread& t, explicit_task& x, void* frame_address) noexcept {
  if (!is_running()) return;
  begin_body(t, self_record(), x);
  frame& f = record_of(x).frame;
  f.exit_frame.ptr = frame_address;
  f.exit_frame_flags = frame_application | frame_pointer;
}

void inlined_body_ends(thread& t, explicit_task& x) noexcept {
  if (is_running()) end_body(t, self_record(), x);
}

void task_fulfilled(explicit_task& x) noexcept {
  if (!is_running()) return;
  task_record& r = record_of(x);
  bool const late = (r.ends.fetch_or(event_over, std::memory_order_acq_rel) & body_over) != 0;  // as in end_of_body
  emit<on_task_schedule>(event::task_schedule, &r.data, late ? task_status::late_fulfill : task_status::early_fulfill,
                         static_cast<data*>(nullptr));
}

void yields(bool does) noexcept {
  if (is_running()) self_record().yields = does;
}

// --- dependences

void depend_wait_begins(thread& t, task_record& waiting, const omp::dependence* list, std::size_t count) noexcept {
  waiting.data = {};
  waiting.frame = {};
  waiting.flags = task_taskwait | task_undeferred | task_mergeable;
  if (!is_running()) return;
  thread_record& self = self_record();
  task_record& from = record_of(*t.current);
  emit<on_task_create>(event::task_create, &from.data, &from.frame, &waiting.data, waiting.flags, count != 0 ? 1 : 0,
                       self.code);
  tell_dependences(&waiting.data, list, count);
  self.sink = &waiting.data;
  self.state = state::wait_taskwait;
}

void depend_wait_ends(thread& t, task_record& waiting) noexcept {
  if (!is_running()) return;
  thread_record& self = self_record();
  self.sink = nullptr;
  self.state = work_state(t);
  emit<on_task_schedule>(event::task_schedule, &waiting.data, task_status::taskwait_complete, data_of(*t.current));
}

void task_depends(explicit_task& source, explicit_task* sink) noexcept {
  if (!is_running()) return;
  data* const to = sink != nullptr ? data_of(*sink) : self_record().sink;
  if (to != nullptr) emit<on_task_dependence>(event::task_dependence, data_of(source), to);
}

void iteration_depends(thread& t, dependence_type type, const std::int64_t* vector, std::size_t count) noexcept {
  auto const f = callback<on_dependences>(event::dependences);
  if (!is_running() || f == nullptr || count == 0 || count > most_listed) return;
  auto* const all = static_cast<dependence*>(alloca(count * sizeof(dependence)));
  for (std::size_t i = 0; i < count; ++i) {
    all[i].variable.value = static_cast<std::uint64_t>(vector[i]);
    all[i].type = type;
  }
  f(data_of(*t.current), all, static_cast<int>(count));
}

}  // namespace amity::omp::ompt
