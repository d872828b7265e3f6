#include "amity/sched/profile/tasks.hpp"

#include <utility>

#include "amity/sched/fiber/wait_note.hpp"
#include "amity/sched/loop/upcalls.hpp"
#include "amity/sched/monitor/internal/shown_acts.hpp"
#include "amity/sched/profile/beside.hpp"
#include "amity/sched/profile/rows.hpp"
#include "amity/sched/tasks/observed.hpp"

namespace amity::sched {

namespace profile {

namespace {

const void* address_of(task::function f) noexcept { return reinterpret_cast<const void*>(f); }

void go_on_in(turn t) noexcept { turn_to(t.row, t.in); }

/// It has been run where it lay; only its memory is given back. Relaxed: a hint, nothing is read by it.
bool is_over(const task& t) noexcept { return !t.detached && t.claimed.load(std::memory_order_relaxed) == 1; }

/// What the calling fiber has run last, and its row.
__thread task::function last_function = nullptr;
__thread unsigned last_row = others_row;

unsigned row_for(task::function f) noexcept {
  if (f != last_function) {
    last_function = f;
    last_row = row_of(address_of(f), construct::cpp_task);
  }
  return last_row;
}

/// A task on top of another, or of a wait, is a turn of its own; then the carrier is where it was. `t` may be gone
/// after its run, and the fiber on another carrier.
void run_counted(task& t, worker& w, call how) noexcept {
  if (is_over(t) || how == call::discard) return t.run(t, w, how);
  unsigned const row = row_for(t.run);
  turn const before = last_turn();
  begin_in(row, column::work);
  unsigned const around = set_row_around(row);
  t.run(t, w, how);
  set_row_around(around);
  go_on_in(before);
}

/// Where the carrier is to be when the loop of the calling fiber does not run another task.
__thread turn put_off{idle_row, column::work};
__thread bool is_put_off = false;

void settle() noexcept {
  if (std::exchange(is_put_off, false)) go_on_in(put_off);
}

/// As run_counted, but the turn at the end is put off to the next task's begin, or to settle(): one look at the clock
/// for both. What is run within the task sees nothing put off.
void run_next(task& t, worker& w) noexcept {
  if (is_over(t)) {
    settle();
    return t.run(t, w, call::from_queue);
  }
  turn const before = std::exchange(is_put_off, false) ? put_off : last_turn();
  begin_in(row_for(t.run), column::work);
  unsigned const around = set_row_around(last_row);
  t.run(t, w, call::from_queue);
  set_row_around(around);
  put_off = before;
  is_put_off = true;
}

/// The program's own thread begins to have tasks: until now its carrier counted as idle.
void attached() noexcept {
  if (!has_turned()) turn_to(serial_row, column::work);
}

/// The turn that the calling fiber's wait has interrupted; row idle_row: none.
__thread turn interrupted{idle_row, column::work};

/// Where OpenMP waits it has said so itself (omp/profile), and a fiber of the pool that waits for tasks is idle.
void wait_begins(wait_kind kind) noexcept {
  turn const now = last_turn();
  if (kind == wait_kind::tasks || now.in != column::work || now.row == idle_row) return;
  interrupted = now;
  turn_to(now.row, column::waiting);
}

void wait_ends() noexcept {
  if (interrupted.row == idle_row) return;
  go_on_in(interrupted);
  interrupted.row = idle_row;
}

void went_on() noexcept {
  if (has_turned()) go_on_in(last_turn());
}

constexpr task_observer of_tasks{run_counted, run_next, settle, attached};
constexpr wait_profiler of_waits{wait_begins, wait_ends, went_on};

}  // namespace

void watch_tasks() noexcept {
  observer_of_tasks = &of_tasks;
  profiler_of_waits.store(&of_waits, std::memory_order_relaxed);
  shown_acts_go_to.store(note_instant, std::memory_order_relaxed);
}

in_function::in_function(const void* code, construct what) noexcept {
  turn const before = last_turn();
  row_ = before.row;
  column_ = static_cast<unsigned>(before.in);
  unsigned const row = row_of(code, what);
  begin_in(row, column::work);
  around_ = set_row_around(row);
}

in_function::~in_function() {
  set_row_around(around_);
  turn_to(row_, static_cast<column>(column_));
}

}  // namespace profile

void note_end_of_guest() noexcept {
  if (profile::has_turned()) profile::turn_to(profile::idle_row, profile::column::work);
}

}  // namespace amity::sched
