/// The fibers that run tasks, and how these find tasks. They are fibers of the pool, each of which any idle carrier may
/// be given. README.md has the protocol; T1 to T6 are its steps.

#include "amity/sched/tasks/internal/engine.hpp"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "amity/base/assert.hpp"
#include "amity/base/private_memory.hpp"
#include "amity/base/processor.hpp"
#include "amity/base/report.hpp"
#include "amity/sched/cores/contention.hpp"
#include "amity/sched/fiber/wait_note.hpp"
#include "amity/sched/idle/patience.hpp"
#include "amity/sched/idle/short_yields.hpp"
#include "amity/sched/loop/internal/own_threads.hpp"
#include "amity/sched/loop/internal/progress.hpp"
#include "amity/sched/loop/internal/shell.hpp"
#include "amity/sched/loop/internal/switch.hpp"
#include "amity/sched/loop/internal/task_source.hpp"
#include "amity/sched/loop/monitor_state.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sched/loop/stack_bounds.hpp"
#include "amity/sched/loop/timer.hpp"
#include "amity/sched/loop/upcalls.hpp"
#include "amity/sched/tasks/internal/common_queues.hpp"
#include "amity/sched/tasks/internal/extra_workers.hpp"
#include "amity/sched/tasks/internal/polls_between_tasks.hpp"
#include "amity/sched/tasks/internal/roster.hpp"
#include "amity/sched/tasks/internal/running_workers.hpp"
#include "amity/sched/tasks/internal/spare_fibers.hpp"
#include "amity/sched/tasks/internal/theft.hpp"
#include "amity/sched/tasks/internal/vain_search.hpp"
#include "amity/sched/tasks/observed.hpp"
#include "amity/sched/tasks/task.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/process_barrier.hpp"
#include "amity/sys/raw_syscall.hpp"

namespace amity::sched {

__thread worker* current_worker __attribute__((tls_model("initial-exec"))) = nullptr;
constinit const task_observer* observer_of_tasks = nullptr;

namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

// Looks that met only what another keeps to itself, before its queue is raided.
constexpr unsigned patience = 24;
const std::byte* const highest_address = reinterpret_cast<const std::byte*>(~std::uintptr_t{0});

/// All that a forked child forgets. Workers are never freed: thieves may look at them at any time.
struct engine_state {
  std::atomic<bool> started{false};  ///< to the end: there are fibers
  int limit = 1;                     ///< fibers of the pool that run at the same time
  spare_fibers spares;
  std::atomic<std::uint64_t> arrivals_taken{0};
  std::atomic<long> unwaited{0};  ///< tasks that have not ended and that nobody waits for; with assertions on
  seats_at_home seats[most_helpers];
};

engine_state state;
sys::spin_lock start_lock;   // guards the start, and the making of the pool's fibers
sys::spin_lock spares_lock;  // guards the list of spare ones
std::atomic<worker*> all_workers{nullptr};

/// Somebody took a task, or went before he had looked everywhere: there may be more, hidden from a mere glance. Nobody
/// sleeps before it is cleared by a thorough look (T4).
std::atomic<bool> unsearched{false};

}  // namespace

constinit running_workers running;
constinit base::lasting<task_queue> high_lasting, low_lasting, arrived_lasting;

worker* first_worker() noexcept { return all_workers.load(memory_order_acquire); }  // pairs with add_worker

namespace {

// --- what there is to do

/// Something there can be had at once.
bool has_public_tasks(const worker& v) noexcept {
  return v.queue.has_public() || v.aside.count.load(memory_order_relaxed) != 0;
}

/// Some task can be had at once.
bool tasks_visible() noexcept {
  return roster.look(0, has_public_tasks) >= 0 || high_tasks.size() != 0 || low_tasks.size() != 0 ||
         arrived_tasks.size() != 0;
}

/// There are tasks, or there may be.
bool worth_a_search() noexcept { return unsearched.load(memory_order_seq_cst) || tasks_visible(); }

/// Where each fiber has an OS thread of its own, one that has a permit runs soon, whoever looks for fibers. So each
/// is asked.
int workers_on_own_threads() noexcept {
  int active = 0;
  for (const worker* v = first_worker(); v != nullptr; v = v->next) {
    if (!v->of_pool || v->bound || !v->spare.taken.load(memory_order_relaxed)) continue;
    const fiber& f = *v->self;
    std::uintptr_t const seat = f.seat.load(memory_order_relaxed);
    bool const ready = seat != 0 && (group_of(seat)->ready.load(memory_order_relaxed) & mask_of(seat)) != 0;
    if (ready || f.claimed.load(memory_order_relaxed) != 0) ++active;
  }
  return active;
}

/// Fibers of the pool that run, or are about to. One that blocks does not count: another takes its place.
int active_workers() noexcept { return fibers_stay() ? workers_on_own_threads() : running.sum(); }

}  // namespace

bool room_for_another() noexcept { return active_workers() < state.limit + extra_workers(); }

bool too_many_run() noexcept { return active_workers() > state.limit + extra_workers(); }

namespace {

/// Some task is kept from others, by an owner that may be blocked.
bool tasks_are_hidden() noexcept {
  return roster.look(0, [](const worker& v) noexcept { return v.queue.has_hidden(); }) >= 0;
}

}  // namespace

bool tasks_wait() noexcept {
  return (!are_refused(state.spares) && (tasks_are_hidden() || worth_a_search())) || domains_wait();
}

bool tasks_lack_fibers() noexcept {
  return (are_refused(state.spares) && (tasks_are_hidden() || tasks_visible())) || domains_lack_fibers();
}

namespace {

/// Fibers that see to progress at this moment, or are about to; not those that run a task. Relaxed: a hint.
std::atomic<int> at_progress{0};

/// One may be polling, and another waits for that. If they don't get on, they have no core, or a library keeps them, or
/// a source always has something; a third would do no better.
bool enough_see_to_progress() noexcept {
  constexpr int enough = 2;
  return at_progress.load(memory_order_relaxed) >= enough;
}

worker* pop_spare(bool for_progress = false) noexcept {
  worker* const w =
      state.spares.pop(spares_lock, [for_progress](worker& its) noexcept { its.spare.for_progress = for_progress; });
  if (w != nullptr && for_progress) at_progress.fetch_add(1, memory_order_relaxed);
  return w;
}

// --- the carriers' view: task_source

void start_a_spare() noexcept {
  if (!room_for_another()) return;
  if (worker* w = pop_spare()) unpark(w->self);
}

/// Beyond what there is room for: the carrier that asks is idle, and such a fiber is soon through.
fiber* offer_for_progress() noexcept {
  if (fibers_stay() && enough_see_to_progress()) return nullptr;  // each has an OS thread of its own there
  worker* const w = pop_spare(true);
  if (w == nullptr || !fibers_stay()) return w == nullptr ? nullptr : w->self;
  unpark(w->self);
  return nullptr;
}

fiber* offer(carrier& c) noexcept {
  if (fiber* f = offer_from_domains(c)) return f;
  if (is_reserved(c)) return nullptr;
  if (worth_a_search()) {
    if (fibers_stay()) {
      start_a_spare();
      return nullptr;
    }
    if (room_for_another()) {
      worker* const w = pop_spare();
      return w == nullptr ? nullptr : w->self;
    }
    arm_monitor();  // those who run may all be blocked
  }
  return some_progress() && progress_in_sight() ? offer_for_progress() : nullptr;
}

bool in_sight(const carrier& c) noexcept {
  if (fibers_stay()) return false;
  // After `asleep`; pairs with announce (T2) and spare_fibers::push (T3).
  std::atomic_thread_fence(memory_order_seq_cst);
  if (domains_in_sight(c)) return true;
  if (is_reserved(c) || state.spares.is_empty()) return false;
  return (worth_a_search() && room_for_another()) || (some_progress() && progress_in_sight());
}

void vacant() noexcept {
  announce_domains();
  if (!worth_a_search()) return;
  if (fibers_stay())
    start_a_spare();
  else
    detail::announce();  // it carried a rescued worker: those who found no room for another then may be asleep
}

/// What `w` has queued, or has brought by its polls, is for others.
void publish_for_others(worker& w) noexcept {
  bool const has_own = w.queue.size() != 0;
  if (has_own) w.queue.publish_all();
  if (has_own)
    detail::announce_at(w);
  else if (arrived_tasks.size() != 0)
    detail::announce();
}

void note_wait(const worker& w) noexcept {
  if (w.is_counted) running.add(*w.self->on, -1);
}
void after_wait(worker& w) noexcept {
  if (w.is_counted) running.add(*w.self->on, 1);
}

void before_wait(worker& w) noexcept {
  note_wait(w);
  w.pool.flush();
  set_look_below(w);
  if (w.policy.of == nullptr) return publish_for_others(w);
  before_domain_wait(w);
  if (arrived_tasks.size() != 0) detail::announce();
}

fiber* stand_in(worker& w) noexcept {
  if (w.policy.of != nullptr || fibers_stay()) return nullptr;
  publish_for_others(w);
  if (!tasks_visible()) return nullptr;
  worker* const s = pop_spare();
  return s == nullptr ? nullptr : s->self;
}

constexpr task_source source{offer, in_sight, stand_in, vacant, before_wait, after_wait, let_arrivals_run};

bool any_asleep() noexcept {
  for (const carrier* c = first_scheduler(); c != nullptr; c = c->next_scheduler)
    if (c->asleep.load(memory_order_seq_cst) != 0 && !is_reserved(*c)) return true;
  return fibers_stay() && !state.spares.is_empty();
}

// --- finding tasks

void note_unsearched() noexcept {
  if (unsearched.load(memory_order_relaxed))
    std::atomic_thread_fence(memory_order_seq_cst);
  else
    unsearched.store(true, memory_order_seq_cst);
}

/// After a theft: a carrier that sleeps may take what is left there; one that goes to sleep now sees that there may be
/// more. Dekker with sleep, as T2 (T4).
void share_the_rest(worker& v) noexcept {
  note_unsearched();
  if (!any_asleep()) return arm_monitor();
  if (!v.queue.has_public() && v.aside.count.load(memory_order_relaxed) == 0) {
    static_cast<void>(sys::await_all_stores());
    if (!v.queue.has_hidden() || !v.queue.raid()) return;
  }
  detail::announce_at(v);  // who publishes lists (T6)
}

/// A search has met so many that had nothing: those that went to wait with an empty queue are to be left out.
void weed_after(int vain_looks, std::uint64_t now) noexcept {
  constexpr int usual = 32;
  if (vain_looks <= usual + 4 * state.limit || !roster.weed(now)) return;
  note_unsearched();  // for a carrier that looked in between and is on its way to sleep; what it missed may be hidden
  detail::announce();
}

/// Goes round the others, from the one where there was something the last time. `from`: how it takes from one.
search_result steal(worker& w, theft& from, std::uint64_t now) noexcept {
  search_result r;
  int vain_looks = 0;
  int const found = roster.look(w.theft.victim, [&](worker& v) noexcept {
    if (&v == &w || !from(w, v, r)) {
      ++vain_looks;
      return false;
    }
    share_the_rest(v);
    return true;
  });
  if (found >= 0) w.theft.victim = static_cast<unsigned>(found);
  weed_after(vain_looks, now);
  return r;
}

/// The oldest that has come from outside. Others may take the next.
task* take_arrived() noexcept {
  if (arrived_tasks.size() == 0) [[likely]]
    return nullptr;
  task* const t = arrived_tasks.oldest().get();
  if (t == nullptr) return nullptr;
  state.arrivals_taken.fetch_add(1, memory_order_relaxed);
  if (arrived_tasks.size() != 0) {
    note_unsearched();
    if (any_asleep()) detail::announce();
  }
  return t;
}

task* take_urgent() noexcept { return high_tasks.oldest().get(); }

/// What worker `w` runs next without a search.
task* take_own(worker& w) noexcept {
  if (task* t = take_urgent()) [[unlikely]]
    return t;
  if (w.queue.size() != 0)
    if (task* t = w.queue.pop(w.queue.bottom() - 1)) return t;
  if (task* t = take_aside(w)) return t;
  return take_arrived();
}

/// The same after a poll: it is the turn of what has come from outside.
task* take_own_after_poll(worker& w) noexcept {
  if (task* t = take_urgent()) [[unlikely]]
    return t;
  if (task* t = take_arrived()) return t;
  return take_own(w);
}

/// The look of one who is going to sleep: afterwards, a thread that queues a task says so (T1).
task* look_thoroughly(worker& w) noexcept {
  unsearched.store(false, memory_order_seq_cst);  // before the look: a theft meanwhile sets it again
  static_cast<void>(sys::await_all_stores());
  search_result r = steal(w, steal_from, sys::ticks());
  if (r.found != nullptr) return r.found;
  const auto raids = [&w, &r](worker& v) noexcept {
    if (&v == &w || !v.queue.has_hidden()) return false;
    r.found = raid(w, v);
    if (r.found == nullptr) return false;
    share_the_rest(v);
    return true;
  };
  if (roster.look(0, raids) >= 0) return r.found;
  if (task_ref const urgent = high_tasks.oldest()) return urgent.get();
  if (task* t = take_arrived()) return t;
  return low_tasks.oldest().get();
}

/// Nothing is to be done any more: its carrier may sleep, if sources of progress allow that. False: something has come.
bool may_rest() noexcept { return !some_progress() || (poll_progress() == 0 && arm_progress()); }

/// A search in vain, of a fiber that polls beside it. True when it is time to go.
bool is_over(vain_search& vain, worker& w, std::uint64_t now) noexcept {
  carrier& c = *w.self->on;
  if (!some_progress()) return vain.over(c, now);
  return vain.over(
      c, now,
      std::max(patience::of_search(), patience::of_poll(c.sleeps, processes_share_cores.load(memory_order_relaxed))));
}

/// Of one that pop_spare has counted.
class counted_at_progress {
 public:
  counted_at_progress() noexcept = default;
  counted_at_progress(const counted_at_progress&) = delete;
  counted_at_progress& operator=(const counted_at_progress&) = delete;
  ~counted_at_progress() { at_progress.fetch_sub(1, memory_order_relaxed); }
  /// A task may keep the fiber for as long as it likes.
  void run(task& t, worker& w) noexcept {
    at_progress.fetch_sub(1, memory_order_relaxed);
    run_task(t, w, call::from_queue);
    at_progress.fetch_add(1, memory_order_relaxed);
  }
};

/// Polls sources of progress, runs what has come of that, and arms them again when nothing has come for a while.
void run_progress(worker& w) noexcept {
  vain_search vain;
  counted_at_progress counted;
  for (;;) {
    bool found = poll_progress() != 0;
    while (task* t = take_own(w)) {
      counted.run(*t, w);
      found = true;
      if (others_ready(*w.self->on)) break;
    }
    if (others_ready(*w.self->on)) return;  // it has taken nothing from others, so it leaves nothing hidden (T4)
    if (found) {
      vain.found_one();
      continue;
    }
    carrier& c = *w.self->on;
    std::uint64_t const now = sys::ticks();
    bool const yields =
        processes_share_cores.load(memory_order_relaxed) || (progress_needs_cores() && yields_are_short(now));
    std::uint64_t const longest = patience::of_poll(c.sleeps, yields);
    if ((yields ? vain.over_yielding(now, longest) : vain.over(c, now, longest)) && may_rest()) return;
    if (yields) yield_once(now);  // what it waits for may come from one that needs this core
  }
}

/// An observed_loop without an observer.
struct plain_loop {
  plain_loop() noexcept {}
  void pause() const noexcept {}
  void run(task& t, worker& w) const noexcept { t.run(t, w, call::from_queue); }
};

/// Runs tasks until there are none for a while, or until another fiber wants this carrier; then somebody else has to
/// look for more. But one task first: that fiber may be one that yields again and again, until it was run.
template <class Loop>
void run_tasks(worker& w) noexcept {
  Loop const loop;
  vain_search vain;
  unsigned fruitless = 0;
  bool has_polled = false;
  set_look_below(w);
  for (bool looked = false;; looked = true) {
    const carrier& on = *w.self->on;
    if ((looked && others_ready(on)) || (on.kind == carrier_kind::shell && is_one_too_many())) {
      note_unsearched();
      return;
    }
    if (task* t = has_polled ? take_own_after_poll(w) : take_own(w)) {
      loop.run(*t, w);
      has_polled = poll_between_tasks(w);
      vain.found_one();
      continue;
    }
    loop.pause();
    if (some_progress() && poll_progress() != 0) {
      vain.found_one();
      continue;
    }
    std::uint64_t const now = sys::ticks();
    if (w.theft.began != 0) weigh_theft(w, now);
    if (now >= w.theft.next) {
      search_result r = steal(w, steal_what_stays, now);
      if (r.found == nullptr && r.hiding != nullptr && ++fruitless >= patience) {
        fruitless = 0;
        r.found = raid(w, *r.hiding);
      }
      if (r.found == nullptr && r.hiding == nullptr) r.found = low_tasks.oldest().get();
      if (r.found != nullptr) {
        fruitless = 0;
        run_stolen(w, *r.found);
        vain.found_one();
        continue;
      }
      if (is_over(vain, w, now)) {
        task* const t = look_thoroughly(w);
        if (t == nullptr && may_rest()) return;
        if (t != nullptr) run_stolen(w, *t);
        vain.found_one();
        continue;
      }
    }
    for (int i = 0; i < 4; ++i) base::cpu_relax();
  }
}

// --- the pool's fibers

/// Nobody else sees it before add_worker.
worker* new_worker(fiber& f) noexcept {
  void* memory = base::take_private(sizeof(worker), alignof(worker));
  if (memory == nullptr) base::fatal("out of memory for a thread's queue of tasks (%zu bytes)", sizeof(worker));
  auto* w = new (memory) worker;
  w->self = &f;
  w->wait_turns = state.limit > 1 ? patience::brief_looks : 0;
  if (domain* d = domain_of_process()) {
    w->policy.of = d;
    w->queue.close();
  }
  return w;
}

/// Where half of the stack is left. An unlimited one is as good as a large one.
void set_stack_low(worker& w, const fiber& f) noexcept {
  constexpr std::ptrdiff_t most = 8 << 20;
  stack_bounds stack = stack_of(f);
  if (stack.high - stack.low > most) stack.low = stack.high - most;
  w.stack_low = stack.last(2);
  set_look_below(w);
}

/// Lets everybody see it, with what it was made with.
void add_worker(worker& w) noexcept {
  std::atomic_ref<worker*>(w.self->tasks).store(&w, memory_order_release);  // pairs with worker_of
  worker* head = all_workers.load(memory_order_relaxed);
  do w.next = head;
  while (
      !all_workers.compare_exchange_weak(head, &w, memory_order_release, memory_order_relaxed));  // with first_worker
}

void make_spare() noexcept;

/// A fiber of the pool was given tasks to run.
void serve(worker& w) noexcept {
  // A carrier's loop can't make a fiber: there is always one more than those that run.
  if (state.spares.looks_empty()) make_spare();
  if (w.spare.for_progress)
    run_progress(w);
  else
    tasks_are_observed() ? run_tasks<observed_loop>(w) : run_tasks<plain_loop>(w);
  w.queue.publish_all();
  w.pool.flush();
  state.spares.push(w, spares_lock);
  if (worth_a_search()) detail::announce();  // T3
}

/// A seat for a fiber of the pool: on the helpers in turn; where there is none, with the thread that came first.
void seat(worker& w, int slot) noexcept {
  if (fibers_stay()) return seat_on_own_thread(w, spare_main<serve>);
  carrier* home = slot > 0 ? helper(slot) : nullptr;
  if (home == nullptr) {
    slot = 0;
    home = group_of(self()->seat.load(memory_order_relaxed))->home;  // not the native carrier: that may be a shell's
  }
  state.seats[slot].give(w, *home, false, spare_main<serve>);
}

/// Under start_lock. `slot`: the helper whose native fiber it should be, or 0.
void make_spare_locked(int slot) noexcept {
  worker* const w = make_spare_worker(slot);
  if (w == nullptr) return;
  if (slot == 0 && state.limit > 1) slot = 1 + state.spares.made() % (state.limit - 1);
  state.spares.note_made();
  add_worker(*w);
  seat(*w, slot);
  state.spares.push(*w, spares_lock);
}

void make_spare() noexcept {
  {
    std::lock_guard lock(start_lock);
    if (!state.spares.looks_empty()) return;
    make_spare_locked(0);
  }
  if (worth_a_search()) detail::announce();  // T3: somebody may have looked in vain for a fiber
}

void forked_child() {
  state.~engine_state();
  new (&state) engine_state;
  new (&start_lock) sys::spin_lock;
  new (&spares_lock) sys::spin_lock;
  unsearched.store(false, memory_order_relaxed);
  at_progress.store(0, memory_order_relaxed);
  new (&high_tasks) task_queue;
  new (&low_tasks) task_queue;
  new (&arrived_tasks) task_queue;
  forget_domains();
  forget_refusals();
  forget_extra_workers();
  all_workers.store(nullptr, memory_order_relaxed);
  roster.forget();
  if (current_worker != nullptr) current_worker->is_listed.store(false, memory_order_relaxed);
  running.forget();
  tasks_of_process.store(nullptr, memory_order_relaxed);
  current_worker = nullptr;
}

void start_engine() noexcept {
  // Not under the lock, which may be held for as long as it takes to make a thread.
  if (state.started.load(memory_order_acquire)) return;  // pairs with the store below
  std::lock_guard lock(start_lock);
  if (state.started.load(memory_order_relaxed)) return;
  state.limit = concurrency();
  running.begin(state.limit);
  on_fork_child(forked_child);
  static_cast<void>(ensure_monitor());  // a carrier's loop can't start the monitor, only wake it
  // Before there are fibers: a late permit may make one wait again, by the source. Pairs with source_of_tasks.
  tasks_of_process.store(&source, memory_order_release);
  choose_domain_of_process();
  if (domain_of_process() == nullptr) {
    for (int slot = 1; slot < state.limit; ++slot) make_spare_locked(slot);
    make_spare_locked(0);
  }
  state.started.store(true, memory_order_release);
}

}  // namespace

namespace {

/// `w`, which was taken, begins on an OS thread of its own.
void begin_on_own_thread(const worker& w) noexcept {
  fiber& f = *w.self;
  if (fibers_stay()) return unpark(&f);
  std::uintptr_t const seat = f.seat.load(memory_order_relaxed);
  ready_group& g = *group_of(seat);
  g.ready.fetch_or(mask_of(seat), memory_order_seq_cst);
  publish(g, mask_of(seat), wake::now, nullptr);  // where it is still about to park, or its home is free after all
  send_to_own_threads(g, mask_of(seat), nullptr);
}

}  // namespace

bool start_on_own_thread() noexcept {
  if (!room_for_another()) return false;
  worker* w = worth_a_search() ? pop_spare() : nullptr;
  if (w == nullptr) w = take_worker_of_domains();
  if (w == nullptr) return false;
  begin_on_own_thread(*w);
  return true;
}

thread_for_progress start_progress_on_own_thread() noexcept {
  if (enough_see_to_progress()) return thread_for_progress::not_needed;
  const worker* const w = pop_spare(true);
  if (w == nullptr) return thread_for_progress::none;
  begin_on_own_thread(*w);
  return thread_for_progress::begun;
}

void enqueue_arrived(task& t) noexcept { arrived_tasks.push(task_ref(&t)); }

void let_arrivals_run() noexcept {
  set_look_below(this_worker());
  if (arrived_tasks.size() != 0) yield_to_tasks();
}

std::uint64_t arrivals_taken() noexcept { return state.arrivals_taken.load(memory_order_relaxed); }

void have_fiber_for_progress() noexcept {
  static_cast<void>(this_worker());
  if (state.spares.looks_empty()) make_spare();
}

worker& new_pool_worker(fiber& f) noexcept {
  worker* const w = new_worker(f);
  w->of_pool = true;
  w->spare.taken.store(false, memory_order_relaxed);  // a late permit of its place must not make it begin
  set_stack_low(*w, f);
  return *w;
}

bool engine_has_started() noexcept {
  std::lock_guard lock(start_lock);
  return state.started.load(memory_order_relaxed);
}

std::uint64_t tasks_in_common_queues() noexcept {
  return std::uint64_t{high_tasks.size()} + low_tasks.size() + arrived_tasks.size();
}

void enlist(worker& w) noexcept { add_worker(w); }

worker& attach_worker() noexcept {
  fiber& f = *self();
  start_engine();
  worker* w = f.tasks;
  bool const known = w != nullptr;  // of a thread that had this fiber before
  if (!known) w = new_worker(f);
  set_stack_low(*w, f);
  w->current = nullptr;
  if (!known) add_worker(*w);
  current_worker = w;
  if (tasks_are_observed()) observer_of_tasks->attached();
  return *w;
}

int worker_count() noexcept { return concurrency(); }

std::uint64_t cost_of_help() noexcept {
  const fiber* const me = current_fiber;
  bool some_sleep = false;
  for (const carrier* c = first_scheduler(); c != nullptr; c = c->next_scheduler) {
    if (is_reserved(*c) || has_gone(*c) || (me != nullptr && c == me->on)) continue;
    if (c->asleep.load(memory_order_relaxed) != 0)
      some_sleep = true;
    else if (c->running.load(memory_order_relaxed) == nullptr)
      return 0;
  }
  return some_sleep ? wake_cost.load(memory_order_relaxed) : 0;
}

void set_look_below(worker& w) noexcept {
  bool const always = w.extras != nullptr || high_tasks.size() != 0 || some_progress() || tasks_are_observed();
  w.look_below = always ? highest_address : w.stack_low;
}

void set_extras(worker& w, task_extras* extras) noexcept {
  w.extras = extras;
  set_look_below(w);
}

void note_unwaited([[maybe_unused]] int change) noexcept {
#if AMITY_ASSERT_ACTIVE
  state.unwaited.fetch_add(change, memory_order_relaxed);  // says nothing of what the tasks did
#endif
}

#if AMITY_ASSERT_ACTIVE
namespace {

/// What was posted and has told somebody that it is done may still be about to end.
[[gnu::destructor]] void tell_of_unwaited() {
  constexpr int patience_ms = 20;
  for (int ms = 0; ms < patience_ms && state.unwaited.load(memory_order_relaxed) > 0; ++ms) poll(nullptr, 0, 1);
  long const left = state.unwaited.load(memory_order_relaxed);
  if (left > 0)
    base::warn(
        "%ld task(s) of amity::post had not ended when the program did, and what they were to do is lost. Nobody "
        "waited for them: amity::finish does, or a future",
        left);
}

}  // namespace
#endif

frame* take_large(std::size_t bytes) noexcept {
  void* memory = aligned_alloc(base::cache_line, (bytes + base::cache_line - 1) / base::cache_line * base::cache_line);
  return memory == nullptr ? nullptr : new (memory) frame;
}

void give_large(frame* f) noexcept { free(f); }

bool wake_any_carrier() noexcept {
  const fiber* const me = current_fiber;
  for (carrier* c = first_scheduler(); c != nullptr; c = c->next_scheduler)
    if (c->asleep.load(memory_order_seq_cst) != 0 && !is_reserved(*c)) {
      wake_carrier(*c, me == nullptr ? nullptr : me->on);
      return true;
    }
  return false;
}

void enqueue_as(task& t, worker& w, const scheduling& how) noexcept {
  if (how.where != nullptr) return put_in_domain(*how.where, t, w, how);
  if (how.place >= 0) return put_in_domain(domain_of_places(), t, w, how);
  if (w.policy.of != nullptr) return put_in_domain(*w.policy.of, t, w, how);
  // Queues of threads have no numbers: a task that asks for a worker gets one that is bound to a core.
  if (how.worker != no_worker || how.priority == task_priority::bound)
    return put_in_domain(domain_of_places(), t, w, how);
  if (how.priority == task_priority::normal) return enqueue(t, w);
  bool const high = how.priority == task_priority::high;
  (high ? high_tasks : low_tasks).push(task_ref(&t));
  if (high) w.look_below = highest_address;
  detail::announce();
}

namespace detail {

void announce_at(worker& w) noexcept {
  roster.list(w);
  announce();
}

void announce() noexcept {
  std::atomic_thread_fence(memory_order_seq_cst);  // after what was published; pairs with in_sight (T2)
  if (fibers_stay()) {
    if (!state.spares.is_empty()) start_a_spare();
    return arm_monitor();
  }
  if (!wake_any_carrier()) nobody_sleeps();
}

void put_aside(task& t, worker& w) noexcept {
  if (w.policy.of != nullptr) return put_in_domain(*w.policy.of, t, w, {});
  std::lock_guard lock(w.aside.lock);
  t.next = nullptr;
  if (w.aside.last == nullptr)
    w.aside.first = &t;
  else
    w.aside.last->next = &t;
  w.aside.last = &t;
  w.aside.count.fetch_add(1, memory_order_seq_cst);  // before the look whether `w` is listed, as a push
  roster.list(w);
}

}  // namespace detail

}  // namespace amity::sched
