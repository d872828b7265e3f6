/// Waiting for others and excluding them: barriers, taskwait, taskgroup, reductions, mutexes; and the small constructs
/// that are events by themselves.

#include "amity/omp/hooks/race.hpp"
#include "amity/omp/ompt/emit.hpp"

namespace amity::omp::ompt {

namespace {

state state_of(sync_kind kind) noexcept {
  switch (kind) {
    case sync_kind::barrier_explicit:
      return state::wait_barrier_explicit;
    case sync_kind::barrier_implementation:
      return state::wait_barrier_implementation;
    case sync_kind::barrier_implicit_workshare:
      return state::wait_barrier_implicit_workshare;
    case sync_kind::barrier_implicit_parallel:
      return state::wait_barrier_implicit_parallel;
    case sync_kind::barrier_teams:
      return state::wait_barrier_teams;
    case sync_kind::taskwait:
      return state::wait_taskwait;
    case sync_kind::taskgroup:
      return state::wait_taskgroup;
    case sync_kind::reduction:
      return state::work_reduction;
  }
  return state::undefined;
}

state state_of(mutex_kind kind) noexcept {
  switch (kind) {
    case mutex_kind::critical:
      return state::wait_critical;
    case mutex_kind::atomic:
      return state::wait_atomic;
    case mutex_kind::ordered:
      return state::wait_ordered;
    default:
      return state::wait_lock;
  }
}

void tell(event e, thread& t, sync_kind kind, endpoint at) noexcept {
  emit<on_sync_region>(e, kind, at, data_of(*t.team), data_of(*t.current), self_record().code);
}

/// The threads that may be told of mutexes: they are OpenMP's, and the tool knows them.
thread_record* known_thread() noexcept { return is_running() && current_thread != nullptr ? known_self() : nullptr; }

wait_id id_of(const void* what) noexcept { return reinterpret_cast<std::uintptr_t>(what); }
constexpr unsigned suspending = 1;  // as ompt_enumerate_mutex_impls has it

}  // namespace

// --- barriers

void next_barrier_is(sync_kind kind) noexcept {
  if (thread_record* const self = known_thread()) self->next_barrier = kind;
}

sync_kind barrier_begins(thread& t) noexcept {
  if (!is_running()) return sync_kind::barrier_explicit;
  thread_record& self = self_record();
  close_open_work(t, self);
  sync_begins(t, self.next_barrier);
  wait_begins(t, self.next_barrier);
  return self.next_barrier;
}

void barrier_ends(thread& t, sync_kind kind) noexcept {
  if (!is_running()) return;
  wait_ends(t, kind);
  sync_ends(t, kind);
}

// --- regions

void sync_begins(thread& t, sync_kind kind) noexcept {
  if (is_running()) tell(event::sync_region, t, kind, endpoint::begin);
}
void sync_ends(thread& t, sync_kind kind) noexcept {
  if (is_running()) tell(event::sync_region, t, kind, endpoint::end);
}
void wait_begins(thread& t, sync_kind kind) noexcept {
  if (!is_running()) return;
  self_record().state = state_of(kind);
  tell(event::sync_region_wait, t, kind, endpoint::begin);
}
void wait_ends(thread& t, sync_kind kind) noexcept {
  if (!is_running()) return;
  tell(event::sync_region_wait, t, kind, endpoint::end);
  self_record().state = work_state(t);
}

taskwait_scope::taskwait_scope() noexcept {
  if (!is_running()) return;
  sync_begins(*current_thread, sync_kind::taskwait);
  wait_begins(*current_thread, sync_kind::taskwait);
}
taskwait_scope::~taskwait_scope() {
  race::children_end(*current_thread);
  if (!is_running()) return;
  wait_ends(*current_thread, sync_kind::taskwait);
  sync_ends(*current_thread, sync_kind::taskwait);
}

target_scope::target_scope(target_kind kind, bool nowait) noexcept
    : kind_(static_cast<int>(kind) | (nowait ? target_nowait : 0)) {
  if (!is_running()) return;
  static std::atomic<std::uint64_t> given{0};  // relaxed: a number that orders nothing
  number_ = given.fetch_add(1, std::memory_order_relaxed) + 1;
  tell(endpoint::begin);
}
target_scope::~target_scope() {
  if (is_running() && number_ != 0) tell(endpoint::end);
}
void target_scope::tell(endpoint at) noexcept {
  constexpr int host = 0;
  thread_record& self = self_record();
  data* const task = data_of(*current_thread->current);
  emit<on_target>(event::target, kind_, at, host, task, number_, self.code);
  emit<on_target_emi>(event::target_emi, kind_, at, host, task, static_cast<data*>(nullptr), &own_, self.code);
}

void reduction_begins(thread& t) noexcept {
  if (!is_running()) return;
  self_record().state = state::work_reduction;
  tell(event::reduction, t, sync_kind::reduction, endpoint::begin);
}
void reduction_ends(thread& t) noexcept {
  if (!is_running()) return;
  tell(event::reduction, t, sync_kind::reduction, endpoint::end);
  self_record().state = work_state(t);
}

// --- mutexes

void mutex_wanted(mutex_kind kind, const void* what, unsigned hint) noexcept {
  thread_record* const self = known_thread();
  if (self == nullptr) return;
  emit<on_mutex_acquire>(event::mutex_acquire, kind, hint, suspending, id_of(what), self->code);
  self->state = state_of(kind);
  self->waits_for = id_of(what);
}

void mutex_held(mutex_kind kind, const void* what) noexcept {
  thread_record* const self = known_thread();
  if (self == nullptr) return;
  mutex_missed();
  emit<on_mutex>(event::mutex_acquired, kind, id_of(what), self->code);
}

void mutex_missed() noexcept {
  thread_record* const self = known_thread();
  if (self == nullptr) return;
  self->state = work_state(*current_thread);
  self->waits_for = 0;
}

void mutex_free(mutex_kind kind, const void* what) noexcept {
  if (thread_record* const self = known_thread()) emit<on_mutex>(event::mutex_released, kind, id_of(what), self->code);
}

void nest_lock(endpoint at, const void* what) noexcept {
  thread_record* const self = known_thread();
  if (self == nullptr) return;
  if (at == endpoint::begin) mutex_missed();
  emit<on_nest_lock>(event::nest_lock, at, id_of(what), self->code);
}

void lock_made(mutex_kind kind, const void* what, unsigned hint) noexcept {
  if (thread_record* const self = known_thread())
    emit<on_mutex_acquire>(event::lock_init, kind, hint, suspending, id_of(what), self->code);
}

void lock_destroyed(mutex_kind kind, const void* what) noexcept {
  if (thread_record* const self = known_thread()) emit<on_mutex>(event::lock_destroy, kind, id_of(what), self->code);
}

// --- events by themselves

void masked(thread& t, endpoint at) noexcept {
  if (is_running()) emit<on_masked>(event::masked, at, data_of(*t.team), data_of(*t.current), self_record().code);
}

void flush(thread&) noexcept {
  if (!is_running()) return;
  thread_record& self = self_record();
  emit<on_flush>(event::flush, &self.data, self.code);
}

void cancel(task& x, int flags) noexcept {
  if (!is_running()) return;
  // A task that is dropped was not met by the program again.
  bool const dropped = (flags & cancel_discarded_task) != 0;
  emit<on_cancel>(event::cancel, data_of(x), flags, dropped ? nullptr : self_record().code);
}

void error(severity how, const char* message, std::size_t length) noexcept {
  if (thread_record* const self = known_thread()) emit<on_error>(event::error, how, message, length, self->code);
}

int control_tool(std::uint64_t command, std::uint64_t modifier, void* argument) noexcept {
  constexpr int no_tool = -2, no_callback = -1;
  thread_record* const self = known_thread();
  if (self == nullptr) return no_tool;
  auto const f = callback<on_control_tool>(event::control_tool);
  return f == nullptr ? no_callback : f(command, modifier, argument, self->code);
}

}  // namespace amity::omp::ompt
