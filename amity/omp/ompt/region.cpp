/// Threads, parallel regions and implicit tasks.

#include <stdlib.h>

#include <new>
#include <utility>

#include "amity/base/private_memory.hpp"
#include "amity/base/report.hpp"
#include "amity/omp/ompt/emit.hpp"

namespace amity::omp::ompt {

namespace {

__thread thread_record* own = nullptr;
std::atomic<thread_record*> threads{nullptr};

template <class T>
T* make() noexcept {
  constexpr std::size_t align = alignof(T) < base::cache_line ? base::cache_line : alignof(T);
  void* const memory = base::take_private(sizeof(T), align);
  if (memory == nullptr) base::fatal("out of memory for an OpenMP tool's records (%zu bytes)", sizeof(T));
  return new (memory) T{};
}

parallel_record& take_region(thread_record& self) noexcept {
  parallel_record* r = self.regions;
  if (r == nullptr) return *make<parallel_record>();
  self.regions = r->next;
  *r = parallel_record{};
  return *r;
}

void give_region(thread_record& self, parallel_record& r) noexcept {
  r.next = self.regions;
  self.regions = &r;
}

void thread_begins(thread_record& self, thread_kind kind) noexcept {
  self.kind = kind;
  self.data = {};
  self.alive = true;
  emit<on_thread_begin>(event::thread_begin, kind, &self.data);
}

task_record& fresh_implicit(thread& t, int flags) noexcept {
  member_record& m = member_of(t);
  m.self = &self_record();
  m.reported = false;
  m.has_open = false;
  m.loop_is_open = false;
  m.implicit.~task_record();
  new (&m.implicit) task_record;
  m.implicit.data = {};
  m.implicit.frame = {};
  m.implicit.flags = flags;
  m.self->running = &t.implicit;
  return m.implicit;
}

/// The end of the implicit task of the thread's part in a region.
void implicit_task_ends(thread& t) noexcept {
  task_record& x = member_of(t).implicit;
  // No parallelism any more (OpenMP 5.2, section 19.5.2.11): the team may be another region's by now. But libomp tells
  // the leader's end with the team's size, and LLVM's tests want it so.
  unsigned const parallelism = t.number == 0 ? static_cast<unsigned>(t.team->size) : 0u;
  emit<on_implicit_task>(event::implicit_task, endpoint::end, static_cast<data*>(nullptr), &x.data, parallelism,
                         static_cast<unsigned>(t.number), int{task_implicit});
}

}  // namespace

thread_record* all_threads() noexcept { return threads.load(std::memory_order_acquire); }  // pairs with self_record

thread_record* known_self() noexcept { return own; }

thread_record& self_record() noexcept {
  if (own != nullptr) return *own;
  own = make<thread_record>();
  thread_record* head = threads.load(std::memory_order_relaxed);
  do own->next = head;
  while (!threads.compare_exchange_weak(head, own, std::memory_order_release,
                                        std::memory_order_relaxed));  // pairs with all_threads
  return *own;
}

member_record& member_of(thread& t) noexcept {
  if (t.traced == nullptr) t.traced = make<member_record>();
  return *t.traced;
}

void thread_ends(thread_record& self) noexcept {
  if (!self.alive) return;
  self.alive = false;
  emit<on_thread_end>(event::thread_end, &self.data);
}

// --- threads

void initial_thread_begins(thread& t) noexcept {
  start();
  if (!is_running()) return;
  thread_record& self = self_record();
  thread_ends(self);  // a worker's stack, or an agent's, that runs a C++ task by now, which uses OpenMP by itself
  thread_begins(self, thread_kind::initial);
  self.state = state::work_serial;
  t.team->traced = &take_region(self);
  t.team->traced->data = {};
  task_record& x = fresh_implicit(t, task_initial);
  emit<on_implicit_task>(event::implicit_task, endpoint::begin, data_of(*t.team), &x.data, 1u, 1u, int{task_initial});
}

void initial_thread_ends(thread& t) noexcept {
  if (!is_running() || t.traced == nullptr || !self_record().alive) return;
  thread_record& self = self_record();
  close_open_work(t, self);
  emit<on_implicit_task>(event::implicit_task, endpoint::end, static_cast<data*>(nullptr), &t.traced->implicit.data, 0u,
                         1u, int{task_initial});
  thread_ends(self);
  if (t.team->traced != nullptr) give_region(self, *t.team->traced);
  t.team->traced = nullptr;
}

void worker_begins(thread& t) noexcept {
  if (!is_running()) return;
  thread_record& self = self_record();
  if (!self.alive) thread_begins(self, thread_kind::worker);
  self.serves = true;
  self.state = state::idle;
  self.code = nullptr;
  member_of(t).self = &self;
}

void worker_leaves(thread&) noexcept {
  if (!is_running()) return;
  thread_record& self = self_record();
  self.serves = false;
  if (is_finishing()) thread_ends(self);
}

void agent_begins(thread& t, thread_record& self) noexcept {
  if (!self.alive && !is_finishing()) {
    thread_begins(self, thread_kind::worker);
    self.state = state::idle;
    self.code = nullptr;
  }
  task* const next = std::exchange(t.current, &t.implicit);
  task* const before = self.running;
  member_record& m = member_of(t);
  m.alone = &take_region(self);
  self.state = state::overhead;
  task_record& x = fresh_implicit(t, task_initial);
  x.scheduled_from = before;
  m.served = std::exchange(self.serves, true);
  emit<on_implicit_task>(event::implicit_task, endpoint::begin, &m.alone->data, &x.data, 1u, 1u, int{task_initial});
  t.current = next;
}

void agent_ends(thread& t, thread_record& self) noexcept {
  task* const last = std::exchange(t.current, &t.implicit);
  member_record& m = member_of(t);
  {
    state_scope const scope(self, state::overhead);
    emit<on_implicit_task>(event::implicit_task, endpoint::end, static_cast<data*>(nullptr), &m.implicit.data, 0u, 1u,
                           int{task_initial});
  }
  give_region(self, *m.alone);
  m.alone = nullptr;
  self.running = m.implicit.scheduled_from;
  self.serves = m.served;
  t.current = last;
  if (is_finishing() && self.kind == thread_kind::worker && !self.serves) thread_ends(self);
}

void forked_child() noexcept {
  for (thread_record* r = all_threads(); r != nullptr; r = r->next)
    if (r != own) r->alive = false;
}

// --- regions

void asks_for(thread& t, int number) noexcept {
  if (!is_running()) return;
  self_record().requested = static_cast<unsigned>(number > 0 ? number : icvs(t).num_threads);
}

void program_runs_region(thread&) noexcept {
  if (is_running()) self_record().region_flags = invoked_by_program;
}

void region_begins(thread& t) noexcept {
  if (!is_running()) return;
  thread_record& self = self_record();
  close_open_work(t, self);
  parallel_record& r = take_region(self);
  r.data = {};
  r.code = self.code;
  r.flags = region_team | (self.region_flags != 0 ? self.region_flags : invoked_by_runtime);
  r.requested = self.requested;
  self.region_flags = 0;
  self.state = state::overhead;
  task_record& from = record_of(*t.current);
  emit<on_parallel_begin>(event::parallel_begin, &from.data, &from.frame, &r.data, r.requested, r.flags, r.code);
  self.pending = &r;
}

void team_forms(thread& t, team& tm) noexcept {
  if (!is_running()) return;
  thread_record& self = self_record();
  if (self.pending == nullptr) region_begins(t);
  tm.traced = self.pending;
  self.pending = nullptr;
}

void region_ends(thread& t, team& tm) noexcept {
  if (tm.traced == nullptr || !is_running()) return;
  thread_record& self = self_record();
  parallel_record& r = *tm.traced;
  tm.traced = nullptr;
  self.running = t.current;
  emit<on_parallel_end>(event::parallel_end, &r.data, data_of(*t.current), r.flags, r.code);
  self.state = work_state(t);
  give_region(self, r);
}

void implicit_task_begins(thread& t) noexcept {
  if (!is_running()) return;
  team& tm = *t.team;
  task_record& x = fresh_implicit(t, task_implicit | (tm.size == 1 ? int{task_undeferred} : 0));
  thread_record& self = self_record();
  self.state = state::work_parallel;
  self.code = tm.traced != nullptr ? tm.traced->code : nullptr;
  emit<on_implicit_task>(event::implicit_task, endpoint::begin, data_of(tm), &x.data, static_cast<unsigned>(tm.size),
                         static_cast<unsigned>(t.number), int{task_implicit});
}

void join_begins(thread& t) noexcept {
  if (!is_running() || t.traced == nullptr) return;
  thread_record& self = self_record();
  close_open_work(t, self);
  task_record& x = record_of(t.implicit);
  x.frame = {};
  const team& tm = *t.team;
  self.code = t.number == 0 && tm.traced != nullptr ? tm.traced->code : nullptr;
  self.state = state::wait_barrier_implicit_parallel;
  constexpr sync_kind kind = sync_kind::barrier_implicit_parallel;
  emit<on_sync_region>(event::sync_region, kind, endpoint::begin, data_of(tm), &x.data, self.code);
  emit<on_sync_region>(event::sync_region_wait, kind, endpoint::begin, data_of(tm), &x.data, self.code);
}

void member_reports(thread& t) noexcept {
  if (t.traced != nullptr) t.traced->reported = true;
}

void join_ends(thread& t) noexcept {
  if (!is_running() || t.traced == nullptr) return;
  thread_record& self = self_record();
  task_record& x = record_of(t.implicit);
  constexpr sync_kind kind = sync_kind::barrier_implicit_parallel;
  data* const over = nullptr;
  emit<on_sync_region>(event::sync_region_wait, kind, endpoint::end, over, &x.data, self.code);
  emit<on_sync_region>(event::sync_region, kind, endpoint::end, over, &x.data, self.code);
  implicit_task_ends(t);
  self.state = t.number == 0 ? state::overhead : state::idle;
}

void serial_ends(thread& t) noexcept {
  if (!is_running() || t.traced == nullptr) return;
  close_open_work(t, self_record());
  record_of(t.implicit).frame = {};
  implicit_task_ends(t);
}

// --- leagues and target regions

parallel_record* league_begins(thread& t, int teams) noexcept {
  if (!is_running()) return nullptr;
  thread_record& self = self_record();
  parallel_record& r = take_region(self);
  r.data = {};
  r.code = self.code;
  r.flags = region_league | invoked_by_runtime;
  r.requested = static_cast<unsigned>(teams);
  task_record& from = record_of(*t.current);
  emit<on_parallel_begin>(event::parallel_begin, &from.data, &from.frame, &r.data, r.requested, r.flags, r.code);
  return &r;
}

void league_ends(thread& t, parallel_record* league) noexcept {
  if (league == nullptr || !is_running()) return;
  thread_record& self = self_record();
  self.running = t.current;
  self.code = league->code;
  emit<on_parallel_end>(event::parallel_end, &league->data, data_of(*t.current), league->flags, league->code);
  self.state = work_state(t);
  give_region(self, *league);
}

namespace {

/// What a team of a league begins with, beside its initial task: tools know leagues from LLVM's runtime, where each
/// team is a parallel region of its own within that task.
void team_region_begins(thread& initial, thread_record& self) noexcept {
  member_record& m = member_of(initial);
  parallel_record& r = take_region(self);
  r.data = {};
  r.code = self.code;
  r.flags = region_team | invoked_by_runtime;
  r.requested = 1;
  emit<on_parallel_begin>(event::parallel_begin, &m.initial.data, &m.initial.frame, &r.data, r.requested, r.flags,
                          r.code);
  m.league = initial.team->traced;
  initial.team->traced = &r;
  implicit_task_begins(initial);
}

void team_region_ends(thread& initial, thread_record& self) noexcept {
  member_record& m = member_of(initial);
  implicit_task_ends(initial);
  parallel_record& r = *initial.team->traced;
  initial.team->traced = m.league;
  m.league = nullptr;
  emit<on_parallel_end>(event::parallel_end, &r.data, &m.initial.data, r.flags, r.code);
  give_region(self, r);
}

/// The end of the league, where its teams wait for one another: what waits is the construct.
void meet_other_teams(thread& initial, thread_record& self) noexcept {
  constexpr sync_kind kind = sync_kind::barrier_teams;
  data* const task = &member_of(initial).initial.data;
  data* const league = data_of(*initial.team);
  data* const over = nullptr;
  self.state = state::wait_barrier_teams;
  emit<on_sync_region>(event::sync_region, kind, endpoint::begin, league, task, self.code);
  emit<on_sync_region>(event::sync_region_wait, kind, endpoint::begin, league, task, self.code);
  emit<on_sync_region>(event::sync_region_wait, kind, endpoint::end, over, task, self.code);
  emit<on_sync_region>(event::sync_region, kind, endpoint::end, over, task, self.code);
}

}  // namespace

void team_begins(thread& initial, parallel_record* league) noexcept {
  if (!is_running() || league == nullptr) return;
  thread_record& self = self_record();
  self.state = state::work_serial;
  self.code = league->code;
  initial.team->traced = league;
  task_record& x = member_of(initial).initial;
  x.data = {};
  x.frame = {};
  x.flags = task_initial;
  emit<on_implicit_task>(event::implicit_task, endpoint::begin, data_of(*initial.team), &x.data,
                         static_cast<unsigned>(initial.league_size), static_cast<unsigned>(initial.league_number),
                         int{task_initial});
  team_region_begins(initial, self);
}

void team_ends(thread& initial) noexcept {
  if (!is_running() || initial.team->traced == nullptr) return;
  thread_record& self = self_record();
  close_open_work(initial, self);
  record_of(initial.implicit).frame = {};
  team_region_ends(initial, self);
  meet_other_teams(initial, self);
  data* const over = nullptr;
  emit<on_implicit_task>(event::implicit_task, endpoint::end, over, &member_of(initial).initial.data, 0u,
                         static_cast<unsigned>(initial.league_number), int{task_initial});
  initial.team->traced = nullptr;
  self.state = self.serves ? state::idle : state::overhead;
}

void initial_task_begins(thread& initial) noexcept {
  if (!is_running()) return;
  thread_record& self = self_record();
  self.state = state::work_serial;
  initial.team->traced = &take_region(self);
  initial.team->traced->data = {};
  task_record& x = fresh_implicit(initial, task_initial);
  emit<on_implicit_task>(event::implicit_task, endpoint::begin, data_of(*initial.team), &x.data, 1u, 1u,
                         int{task_initial});
}

void initial_task_ends(thread& initial) noexcept {
  if (!is_running() || initial.team->traced == nullptr) return;
  thread_record& self = self_record();
  close_open_work(initial, self);
  record_of(initial.implicit).frame = {};
  data* const over = nullptr;
  emit<on_implicit_task>(event::implicit_task, endpoint::end, over, data_of(initial.implicit), 0u, 1u,
                         int{task_initial});
  if (initial.enclosing != nullptr) self.running = initial.enclosing->current;
  give_region(self, *initial.team->traced);
  initial.team->traced = nullptr;
}

// --- frames

void set_exit_frame(thread& t, void* frame_address) noexcept {
  if (!is_running()) return;
  task_record& x = record_of(*t.current);
  x.frame.exit_frame.ptr = frame_address;
  x.frame.exit_frame_flags = frame_address == nullptr ? 0 : frame_runtime | frame_pointer;
}

void set_inlined_exit_frame(thread& t) noexcept {
  task& x = *t.current;
  if (!is_running() || x.parent == nullptr) return;
  const frame& around = record_of(*x.parent).frame;
  frame& own_frame = record_of(x).frame;
  own_frame.exit_frame = around.enter_frame;
  own_frame.exit_frame_flags = frame_application | frame_cfa;
}

void** exit_frame_slot(thread& t) noexcept {
  if (!is_running()) return nullptr;
  task_record& x = record_of(*t.current);
  x.frame.exit_frame_flags = frame_runtime | frame_pointer;
  return &x.frame.exit_frame.ptr;
}

}  // namespace amity::omp::ompt
