#include "amity/omp/profile/profile.hpp"

#include "amity/omp/profile/word.hpp"
#include "amity/sched/profile/rows.hpp"
#include "amity/sched/profile/setting.hpp"
#include "amity/sched/profile/timeline.hpp"

namespace amity::omp::profile {

namespace {

using ompt::data;
using ompt::endpoint;
using ompt::event;
using ompt::mutex_kind;
using ompt::sync_kind;
using ompt::task_status;
using ompt::work_kind;

/// The calling carrier goes on with that task. What is outside of regions may be within a task of C++.
void go_on_in(const data* task) noexcept {
  task_word const w(task == nullptr ? 0 : task->value);
  unsigned const row = w.row();
  turn_to(row == serial_row ? row_around() : row, w.waits() ? column::waiting : column::work);
}

construct construct_of(work_kind kind) noexcept {
  switch (kind) {
    case work_kind::loop_static:
      return construct::loop_static;
    case work_kind::loop_dynamic:
      return construct::loop_dynamic;
    case work_kind::loop_guided:
      return construct::loop_guided;
    case work_kind::loop:
    case work_kind::loop_other:
      return construct::loop;
    case work_kind::sections:
      return construct::sections;
    case work_kind::single_executor:
    case work_kind::single_other:
      return construct::single;
    case work_kind::distribute:
      return construct::distribute;
    case work_kind::taskloop:
      return construct::taskloop;
    case work_kind::workshare:
    case work_kind::scope:
      break;
  }
  return construct::others;
}

construct construct_of(mutex_kind kind) noexcept {
  switch (kind) {
    case mutex_kind::critical:
    case mutex_kind::atomic:
      return construct::critical;
    case mutex_kind::ordered:
      return construct::ordered;
    default:
      return construct::lock;
  }
}

// --- threads and regions

void thread_ended(data*) { turn_to(idle_row, column::work); }

void parallel_began(data*, const ompt::frame*, data* parallel, unsigned, int flags, const void* code) {
  unsigned const row = row_of(code, construct::region);
  parallel->value = row;
  if ((flags & ompt::region_league) == 0) count(row);  // of a league each team is counted
  turn_to(row, column::runtime);
}

void parallel_ended(data*, data* task, int, const void*) { go_on_in(task); }

/// The end of an implicit task: its leader goes on to join the team, the others have nothing to do.
void implicit_task_went(endpoint at, data* parallel, data* task, unsigned, unsigned number, int flags) {
  bool const is_initial = (flags & ompt::task_initial) != 0;
  if (at == endpoint::begin) {
    timeline::name_thread();
    task->value = is_initial && (parallel == nullptr || parallel->value == 0)
                      ? task_word::of(serial_row).bits()
                      : task_word::of(static_cast<unsigned>(parallel->value)).bits();
    go_on_in(task);
  } else if (!is_initial && number == 0) {
    turn_to(task_word(task->value).own(), column::runtime);
  } else {
    turn_to(idle_row, column::work);
  }
}

// --- constructs

void work_went(work_kind kind, endpoint at, data*, data* task, std::uint64_t, const void* code) {
  if (construct_of(kind) == construct::others) return;
  task_word w(task->value);
  if (kind == work_kind::single_other) {
    if (at == endpoint::end) return;
    w.enter(row_of(code, construct::single));  // only to be known at its barrier: there it waits for the one in it
    w.leave();
    task->value = w.bits();
    return;
  }
  if (at == endpoint::begin) {
    unsigned const row = row_of(code, construct_of(kind));
    count(row);
    w.enter(row);
  } else {
    w.leave();
  }
  task->value = w.bits();
  go_on_in(task);
}

/// What a task waits at.
unsigned row_of_wait(sync_kind kind, const task_word& w, const void* code) noexcept {
  switch (kind) {
    case sync_kind::taskwait:
      return row_of(code, construct::taskwait);
    case sync_kind::taskgroup:
      return row_of(code, construct::taskgroup);
    case sync_kind::reduction:
      return row_of(code, construct::reduction);
    case sync_kind::barrier_implicit_parallel:
    case sync_kind::barrier_implicit_workshare:
    case sync_kind::barrier_teams:
      return w.last();
    case sync_kind::barrier_explicit:
    case sync_kind::barrier_implementation:
      break;
  }
  return w.has_construct() ? w.last() : row_of(code, construct::barrier);
}

void waited(sync_kind kind, endpoint at, data*, data* task, const void* code) {
  if (task == nullptr) return;
  task_word w(task->value);
  if (at == endpoint::begin) {
    unsigned const row = row_of_wait(kind, w, code);
    if (row != w.last()) count(row);
    w.wait(row);
  } else {
    w.go_on();
    if (kind != sync_kind::taskwait && kind != sync_kind::taskgroup) w.forget_last();
  }
  task->value = w.bits();
  go_on_in(task);
}

// --- tasks

void task_created(data* by, const ompt::frame*, data* created, int flags, int, const void* code) {
  if ((flags & ompt::task_taskwait) != 0) {  // it waits for some tasks; taskwait_complete is its end
    waited(sync_kind::taskwait, endpoint::begin, nullptr, by, code);
    return;
  }
  unsigned const row = row_of(code, construct::task);
  count(row);
  created->value = task_word::of(row).bits();
}

void task_switched(data*, task_status status, data* next) {
  if (status == task_status::early_fulfill || status == task_status::late_fulfill || next == nullptr) return;
  if (status == task_status::taskwait_complete)
    waited(sync_kind::taskwait, endpoint::end, nullptr, next, nullptr);
  else
    go_on_in(next);
}

// --- mutexes: the task that waits is the one that runs on the thread

int (*task_info)(int level, int* flags, data** task, ompt::frame** frame, data** parallel, int* number) = nullptr;

data* this_task() noexcept {
  data* task = nullptr;
  constexpr int available = 2;
  return task_info(0, nullptr, &task, nullptr, nullptr, nullptr) == available ? task : nullptr;
}

void mutex_wanted(mutex_kind kind, unsigned, unsigned, ompt::wait_id, const void* code) {
  if (kind == mutex_kind::test_lock || kind == mutex_kind::test_nest_lock) return;  // they don't wait
  data* const task = this_task();
  if (task == nullptr) return;
  unsigned const row = row_of(code, construct_of(kind));
  count(row);
  task_word w(task->value);
  w.wait(row);
  task->value = w.bits();
  go_on_in(task);
}

void mutex_held(mutex_kind, ompt::wait_id, const void*) {
  data* const task = this_task();
  if (task == nullptr) return;
  task_word w(task->value);
  w.go_on();
  task->value = w.bits();
  go_on_in(task);
}

/// A lock that its owner takes once more.
void nest_lock_taken(endpoint at, ompt::wait_id id, const void* code) {
  if (at == endpoint::begin) mutex_held(mutex_kind::nest_lock, id, code);
}

/// A target region is an initial task of its own: after it goes on the task that met it.
void target_went(int, endpoint at, int, data* task, std::uint64_t, const void*) {
  if (at == endpoint::end) go_on_in(task);
}

// --- start and end

int start(ompt::lookup_function lookup, int, data*) {
  using set_callback = ompt::set_result (*)(event, ompt::function);
  auto const set = reinterpret_cast<set_callback>(lookup("ompt_set_callback"));
  task_info = reinterpret_cast<decltype(task_info)>(lookup("ompt_get_task_info"));
  if (set == nullptr || task_info == nullptr) return 0;
  auto const want = [set](event e, auto* f) { set(e, reinterpret_cast<ompt::function>(f)); };
  want(event::thread_end, thread_ended);
  want(event::parallel_begin, parallel_began);
  want(event::parallel_end, parallel_ended);
  want(event::implicit_task, implicit_task_went);
  want(event::work, work_went);
  want(event::sync_region_wait, waited);
  want(event::task_create, task_created);
  want(event::task_schedule, task_switched);
  want(event::mutex_acquire, mutex_wanted);
  want(event::mutex_acquired, mutex_held);
  want(event::nest_lock, nest_lock_taken);
  want(event::target, target_went);
  return 1;
}

/// What is left is sched's: the end of the profile (setting.hpp).
void end(data*) {}

ompt::start_result as_tool{start, end, {}};

}  // namespace

ompt::start_result* tool() noexcept { return sched::profile::is_on() ? &as_tool : nullptr; }

}  // namespace amity::omp::profile
