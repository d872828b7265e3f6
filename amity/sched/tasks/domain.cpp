/// Tasks that a policy keeps: which fiber runs them, and under which number. README-policies.md has the rules; D1 to D3
/// are its steps.

#include "amity/sched/tasks/internal/domain.hpp"

#include <stdlib.h>

#include <mutex>
#include <new>
#include <utility>

#include "amity/base/assert.hpp"
#include "amity/base/processor.hpp"
#include "amity/base/report.hpp"
#include "amity/sched/cores/contention.hpp"
#include "amity/sched/cores/locality.hpp"
#include "amity/sched/loop/internal/switch.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sched/tasks/internal/engine.hpp"
#include "amity/sched/tasks/internal/extra_workers.hpp"
#include "amity/sched/tasks/internal/places.hpp"
#include "amity/sched/tasks/internal/vain_search.hpp"
#include "amity/sched/tasks/observed.hpp"
#include "amity/sys/clock.hpp"

namespace amity::sched {
namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

// Localities of our own, away from OpenMP's places.
constexpr int first_locality = 1 << 20;
constexpr std::uint16_t most_domains = 0xffff;

sys::spin_lock domains_lock;  // guards the choice and the making of domains
std::atomic<domain*> all_domains{nullptr};
std::atomic<domain*> of_process{nullptr};
std::uint16_t known_domains = 0;

domain* first_domain() noexcept { return all_domains.load(memory_order_acquire); }  // pairs with new_domain

// --- what there is to do

std::atomic<long>& count_of(domain& d, int assigned) noexcept {
  if (assigned >= 0) return d.slots[assigned].queued;
  if (assigned == domain::anybody) return d.shared;
  return d.places->queued[domain::first_place - assigned];
}

/// Worker `n` may run what is `assigned` so.
bool may_run(const domain& d, int n, int assigned) noexcept {
  if (assigned >= 0) return n == assigned;
  if (assigned == domain::anybody) return true;
  return d.places->serves[n * d.places->count + (domain::first_place - assigned)];
}

bool has_tasks_for(const domain& d, int n) noexcept {
  if (d.slots[n].queued.load(memory_order_relaxed) > 0 || d.shared.load(memory_order_relaxed) > 0) return true;
  if (d.places == nullptr) return false;
  for (int p = 0; p < d.places->count; ++p)
    if (d.places->queued[p].load(memory_order_relaxed) > 0 && d.places->serves[n * d.places->count + p]) return true;
  return false;
}

bool is_wanted(const domain& d, int n) noexcept {
  return !d.slots[n].held.load(memory_order_relaxed) && has_tasks_for(d, n);
}

/// A number that nobody holds and that has tasks, `first` if that is one; no_worker: there is none.
int wanted_number(const domain& d, int first) noexcept {
  for (int i = 0; i < d.workers; ++i) {
    int const n = (first + i) % d.workers;
    if (is_wanted(d, n)) return n;
  }
  return no_worker;
}

// --- numbers and spare fibers

/// Acquire: what the last one under that number did; pairs with give_number.
bool take_number(domain& d, int n) noexcept { return !d.slots[n].held.exchange(true, memory_order_acquire); }

/// seq_cst: afterwards the caller looks for tasks, as a thread that puts one looks for `held` afterwards (D1).
void give_number(domain& d, int n) noexcept { d.slots[n].held.store(false, memory_order_seq_cst); }

spare_fibers& spares_of(domain& d, int n) noexcept { return d.bound ? d.slots[n].spares : d.spares; }

/// A fiber for a number that has tasks and that nobody holds; null: no such fiber, or another was faster.
worker* take_worker(domain& d, int n) noexcept {
  spare_fibers& spares = spares_of(d, n);
  if (spares.is_empty() || !take_number(d, n)) return nullptr;
  if (worker* w = spares.pop(d.lock, [n](worker& taken) noexcept { taken.spare.number = n; })) return w;
  give_number(d, n);  // a fiber that becomes a spare one looks for tasks afterwards (D3)
  return nullptr;
}

/// Where fibers are bound to their OS threads, carriers can't be offered one.
void start_worker(domain& d, int n) noexcept {
  if (!d.bound && !room_for_another()) return;
  if (worker* w = take_worker(d, n)) unpark(w->self);
}

/// Tasks may lie in `d` that nobody is about to run. After they were put, or a number was given up, or a spare fiber
/// was added: Dekker with sleep and with take_number (D1 to D3).
void tell(domain& d, int assigned) noexcept {
  std::atomic_thread_fence(memory_order_seq_cst);
  if (!d.bound) {
    int const n = wanted_number(d, assigned >= 0 ? assigned : 0);
    if (n == no_worker) return;
    if (fibers_stay())
      start_worker(d, n);
    else if (!wake_any_carrier())
      nobody_sleeps();
    return;
  }
  const fiber* const me = current_fiber;
  for (int n = assigned >= 0 ? assigned : 0; n < d.workers; ++n) {
    if (may_run(d, n, assigned) && is_wanted(d, n)) {
      if (fibers_stay()) return start_worker(d, n);
      if (wake_carrier(*d.slots[n].home, me == nullptr ? nullptr : me->on)) return;
    }
    if (assigned >= 0) return;
  }
}

/// The same for whatever worker `n` could run.
void tell_for(domain& d, int n) noexcept {
  if (d.bound) {
    std::atomic_thread_fence(memory_order_seq_cst);
    if (!is_wanted(d, n)) return;
    if (fibers_stay())
      start_worker(d, n);
    else
      wake_carrier(*d.slots[n].home, nullptr);
  } else {
    tell(d, n);
  }
}

// --- running

scheduling_policy& policy_of(const domain& d) noexcept { return *d.policy.load(memory_order_acquire); }

/// It was taken out: no longer counted, and the caller's to run.
task* taken(domain& d, task_ref ref) noexcept {
  task* const t = ref.get();
  if (t == nullptr) return nullptr;
  count_of(d, kept_task::of(*t).assigned).fetch_sub(1, memory_order_relaxed);
  if (!t->detached) {
    std::uint8_t kept = kept_by_policy;  // or 1: it was run where it lay, and this is what is left of it
    t->claimed.compare_exchange_strong(kept, handed_out, memory_order_relaxed);  // a waiter can't be faster
  }
  return t;
}

task* take(domain& d, int n) noexcept {
  if (task* t = taken(d, d.slots[n].bound.oldest())) return t;
  // Null: its last user has left after this fiber was told to run, and there are no tasks (take_policy).
  scheduling_policy* const policy = d.policy.load(memory_order_acquire);
  return policy == nullptr ? nullptr : taken(d, policy->take(n));
}

bool regain_number(worker& w) noexcept {
  if (w.policy.holds_number) return true;
  if (w.policy.number == no_worker || !take_number(*w.policy.of, w.policy.number)) return false;
  w.policy.holds_number = true;
  return true;
}

/// Another number will do if others have taken this one's while it waited, unless fibers belong to numbers.
bool hold_some_number(worker& w) noexcept {
  if (regain_number(w)) return true;
  domain& d = *w.policy.of;
  if (d.bound) return false;
  int const n = wanted_number(d, w.policy.number);
  if (n == no_worker || !take_number(d, n)) return false;
  w.policy.number = n;
  w.policy.holds_number = true;
  return true;
}

/// Runs tasks until there are none for a while, another fiber wants this carrier, or the number is taken.
template <bool Observed>
void run_domain_as(worker& w) noexcept {
  domain& d = *w.policy.of;
  vain_search vain;
  while (hold_some_number(w) && !others_ready(*w.self->on)) {
    if (task* t = take(d, w.policy.number)) {
      w.policy.runs_at = kept_task::of(*t).assigned;
      run_task_as<Observed>(*t, w, call::from_queue);
      vain.found_one();
      continue;
    }
    if (vain.over(*w.self->on, sys::ticks())) return;
    for (int i = 0; i < 4; ++i) base::cpu_relax();
  }
}

/// What they are called in locality.hpp; two domains whose workers share carriers call them the same.
int locality_of(const domain& d, int n) noexcept { return first_locality + d.first_slot + n; }

void make_spare(domain& d, int n) noexcept;

/// A fiber of a domain was given a number, under which it runs tasks.
void serve(worker& w) noexcept {
  domain& d = *w.policy.of;
  w.policy.number = w.spare.number;
  w.policy.holds_number = true;
  // A carrier's loop can't make a fiber: there is always one more than those that run.
  if (spares_of(d, w.policy.number).looks_empty()) make_spare(d, w.policy.number);
  tasks_are_observed() ? run_domain_as<true>(w) : run_domain_as<false>(w);
  w.pool.flush();
  int const n = w.policy.number;
  bool const held = std::exchange(w.policy.holds_number, false);
  spares_of(d, n).push(w, d.lock);  // from here on somebody may give it another number
  if (held) give_number(d, n);
  tell_for(d, n);
}

/// A seat in a group of the carrier where its number is bound, or on the helpers in turn.
void seat(domain& d, int n, worker& w) noexcept {
  if (fibers_stay()) return seat_on_own_thread(w, spare_main<serve>);
  if (!d.bound) n = d.spares.made() % d.workers;
  carrier* home = d.slots[n].home;
  if (!d.bound) {
    int const usual = concurrency();
    home = usual > 1 ? helper(1 + n % (usual - 1)) : nullptr;
    if (home == nullptr) home = group_of(self()->seat.load(memory_order_relaxed))->home;
  }
  d.slots[n].seats.give(w, *home, d.bound, spare_main<serve>);
}

/// Under d.making.
void make_spare_locked(domain& d, int n) noexcept {
  carrier* const home = d.bound ? d.slots[n].home : nullptr;
  worker* const w = make_spare_worker(home != nullptr ? home->slot : 0);
  if (w == nullptr) return;
  w->policy.of = &d;
  w->policy.number = n;
  w->queue.close();
  w->bound = d.bound;
  enlist(*w);
  // Where the monitor or the mode `fixed` runs the fiber on its own OS thread, it stays on the worker's CPUs.
  if (d.bound) confine(*w->self->native, locality_of(d, n), d.slots[n].cpus);
  seat(d, n, *w);
  spares_of(d, n).note_made();
  spares_of(d, n).push(*w, d.lock);
}

void make_spare(domain& d, int n) noexcept {
  {
    std::lock_guard const held(d.making);
    if (!spares_of(d, n).looks_empty()) return;
    make_spare_locked(d, n);
  }
  tell_for(d, n);  // D3
}

/// The carriers of bound workers. False: the system refuses one.
bool find_homes(domain& d) noexcept {
  for (int n = 0; n < d.workers; ++n) {
    worker_slot& slot = d.slots[n];
    if (slot.home == nullptr) slot.home = helper(d.first_slot + n);
    if (slot.home == nullptr) return false;
    if (!confine(*slot.home, locality_of(d, n), slot.cpus)) {
      static std::atomic<bool> warned{false};
      char cpus[256];
      if (!warned.exchange(true, memory_order_relaxed))
        base::warn("the system refuses to bind a worker to CPUs %s; it runs where the system puts it",
                   sys::format_cpus(slot.cpus, cpus, sizeof cpus));
    }
  }
  return true;
}

/// Its policy and its first fibers; anew in the child of a fork.
[[gnu::cold, gnu::noinline]] void start(domain& d) noexcept {
  std::lock_guard const held(d.making);
  if (d.started.load(memory_order_relaxed)) return;
  if (d.policy.load(memory_order_relaxed) == nullptr) d.policy.store(d.make(d.options), memory_order_release);
  if (d.bound && !fibers_stay() && !find_homes(d)) {
    base::warn("the system refuses a thread for each worker; workers are not bound to cores");
    d.bound = false;
  }
  if (d.bound)
    for (int n = 0; n < d.workers; ++n) make_spare_locked(d, n);
  else
    for (int i = 0; i <= d.workers; ++i) make_spare_locked(d, 0);
  d.started.store(true, memory_order_release);
}

// --- domains come and go

/// Nothing is queued, and none of its fibers runs or waits: then nobody but a user of the domain can add tasks. Under
/// the domain's lock.
bool is_idle(const domain& d) noexcept {
  if (d.shared.load(memory_order_relaxed) != 0 || !d.spares.all_are_here()) return false;
  for (int n = 0; n < d.workers; ++n)
    if (d.slots[n].queued.load(memory_order_relaxed) != 0 || (d.bound && !d.slots[n].spares.all_are_here()))
      return false;
  return true;
}

/// Puts another policy, or none, in place of that of an idle domain; false: it isn't idle. A fiber is taken from the
/// spare ones under the same lock: one that was taken before keeps the domain from being idle, one that is taken later
/// finds the new policy. So nobody uses the old one, which is deleted.
bool take_policy(domain& d, scheduling_policy* next) noexcept {
  scheduling_policy* old;
  {
    std::lock_guard const held(d.lock);
    if (!is_idle(d)) return false;
    old = d.policy.exchange(next, std::memory_order_acq_rel);
  }
  delete old;
  return true;
}

/// Under domains_lock.
domain* reuse_domain(scheduling_policy* policy, policy_factory make, const policy_options& options,
                     bool bound) noexcept {
  for (domain* d = first_domain(); d != nullptr; d = d->next) {
    if (d->users != 0 || d->places != nullptr || d->workers != options.workers || d->bound != bound ||
        !take_policy(*d, policy))
      continue;
    d->make = make;
    d->options = options;
    return d;
  }
  return nullptr;
}

}  // namespace

domain* new_domain(scheduling_policy* policy, policy_factory make, const policy_options& options,
                   const place_table* places, const sys::cpu_mask* cpus) noexcept {
  bool const bound = policy->binds_workers();
  std::lock_guard const held(domains_lock);
  if (places == nullptr)
    if (domain* d = reuse_domain(policy, make, options, bound)) return ++d->users, d;
  if (known_domains == most_domains) {
    base::warn("more than %d executors with scheduling policies of their own are in use; one more is not made",
               most_domains);
    delete policy;
    return nullptr;
  }
  auto* const d = new (std::nothrow) domain;
  auto* const slots = new (std::nothrow) worker_slot[static_cast<std::size_t>(options.workers)];
  if (d == nullptr || slots == nullptr) base::fatal("out of memory for the queues of %d workers", options.workers);
  d->policy.store(policy, memory_order_relaxed);
  d->make = make;
  d->options = options;
  d->id = ++known_domains;
  d->workers = options.workers;
  d->bound = bound;
  d->first_slot = places == nullptr ? first_bound_slot : first_bound_slot + domain::most_workers;
  d->users = 1;
  d->slots = slots;
  d->places = places;
  for (int n = 0; bound && n < options.workers; ++n) slots[n].cpus = cpus != nullptr ? cpus[n].copy() : cpus_of_core(n);
  d->next = first_domain();
  all_domains.store(d, memory_order_release);  // pairs with first_domain
  return d;
}

domain* domain_of_process() noexcept { return of_process.load(memory_order_acquire); }
void set_domain_of_process(domain* d) noexcept { of_process.store(d, memory_order_release); }

void use_domain(domain* d) noexcept {
  std::lock_guard const held(domains_lock);
  ++d->users;
}

void leave_domain(domain* d) noexcept {
  std::lock_guard const held(domains_lock);
  if (--d->users == 0)
    take_policy(*d, nullptr);  // if it is idle; else what runs goes on, and the next domain made takes over
}

void forget_domains() noexcept {
  // The fibers are gone, and what was queued with them. A policy may be in any state: it is left lying.
  for (domain* d = first_domain(); d != nullptr; d = d->next) {
    new (&d->lock) sys::spin_lock;
    new (&d->making) sys::spin_lock;
    d->spares.forget();
    d->shared.store(0, memory_order_relaxed);
    d->started.store(false, memory_order_relaxed);
    d->policy.store(nullptr, memory_order_relaxed);
    for (int n = 0; n < d->workers; ++n) {
      worker_slot& s = d->slots[n];
      s.held.store(false, memory_order_relaxed);
      s.queued.store(0, memory_order_relaxed);
      new (&s.bound) task_queue;
      s.home = nullptr;
      s.spares.forget();
      s.seats = {};
    }
    for (int p = 0; d->places != nullptr && p < d->places->count; ++p)
      d->places->queued[p].store(0, memory_order_relaxed);
  }
  of_process.store(nullptr, memory_order_relaxed);
  new (&domains_lock) sys::spin_lock;
}

// --- the carriers' view

fiber* offer_from_domains(carrier& c) noexcept {
  for (domain* d = first_domain(); d != nullptr; d = d->next) {
    if (is_reserved(c)) {
      int const n = c.slot - d->first_slot;
      if (d->bound && n >= 0 && n < d->workers && is_wanted(*d, n))
        if (worker* w = take_worker(*d, n)) return w->self;
      continue;
    }
    if (d->bound && !fibers_stay()) continue;
    int const n = wanted_number(*d, c.slot > 0 && c.slot < d->workers ? c.slot : 0);
    if (n == no_worker) continue;
    if (fibers_stay()) {
      start_worker(*d, n);
      continue;
    }
    if (!room_for_another()) return nullptr;
    if (worker* w = take_worker(*d, n)) return w->self;
  }
  return nullptr;
}

bool domains_in_sight(const carrier& c) noexcept {
  // After the fence of in_sight, which follows `asleep`; pairs with tell (D2).
  for (domain* d = first_domain(); d != nullptr; d = d->next) {
    if (is_reserved(c)) {
      int const n = c.slot - d->first_slot;
      if (d->bound && n >= 0 && n < d->workers && !d->slots[n].spares.is_empty() && is_wanted(*d, n)) return true;
    } else if (!d->bound && !d->spares.is_empty() && wanted_number(*d, 0) != no_worker && room_for_another()) {
      return true;
    }
  }
  return false;
}

bool domains_wait() noexcept {
  for (const domain* d = first_domain(); d != nullptr; d = d->next)
    if (!d->bound && !are_refused(d->spares) && wanted_number(*d, 0) != no_worker) return true;
  return false;
}

bool domains_lack_fibers() noexcept {
  for (domain* d = first_domain(); d != nullptr; d = d->next)
    for (int n = 0; n < d->workers; ++n)
      if (is_wanted(*d, n) && are_refused(spares_of(*d, n))) return true;
  return false;
}

worker* take_worker_of_domains() noexcept {
  for (domain* d = first_domain(); d != nullptr; d = d->next) {
    int const n = d->bound ? no_worker : wanted_number(*d, 0);
    if (n == no_worker) continue;
    if (worker* w = take_worker(*d, n)) return w;
  }
  return nullptr;
}

void announce_domains() noexcept {
  for (domain* d = first_domain(); d != nullptr; d = d->next)
    if (!d->bound || fibers_stay()) tell(*d, domain::anybody);
}

void before_domain_wait(worker& w) noexcept {
  if (!w.policy.holds_number) return;
  w.policy.holds_number = false;
  give_number(*w.policy.of, w.policy.number);
  tell_for(*w.policy.of, w.policy.number);  // D1
}

// --- tasks come

namespace {

/// A task without a place has that of the task that makes it; from outside, the whole machine.
int place_for(const domain& d, const worker& w, const scheduling& how, const placement& p) noexcept {
  if (how.place >= 0) return how.place;
  if (p.hint != no_worker) return d.places->leaf[p.hint];
  if (w.policy.of != &d) return 0;
  return w.policy.runs_at <= domain::first_place ? domain::first_place - w.policy.runs_at
                                                 : d.places->leaf[w.policy.number];
}

}  // namespace

void put_in_domain(domain& d, task& t, worker& w, const scheduling& how) noexcept {
  if (!d.started.load(memory_order_acquire)) [[unlikely]]  // pairs with start
    start(d);
  placement p;
  p.priority = how.priority == task_priority::bound ? task_priority::normal : how.priority;
  if (how.worker >= 0) p.hint = how.worker % d.workers;
  if (w.policy.of == &d && regain_number(w)) p.from = w.policy.number;
  bool const is_bound = how.priority == task_priority::bound;
  int assigned;
  if (is_bound)
    assigned =
        p.hint != no_worker ? p.hint
        : p.from != no_worker
            ? p.from
            : static_cast<int>(d.next_worker.fetch_add(1, memory_order_relaxed) % static_cast<unsigned>(d.workers));
  else if (d.places != nullptr)
    assigned = domain::first_place - (p.owner = place_for(d, w, how, p));
  else
    assigned = p.owner = policy_of(d).owner_of(p);
  AMITY_ASSERT(assigned < d.workers);
  kept_task::write(t, assigned, d.id);
  if (!t.detached) {
    // The fiber that waits for it must not run it where it lies, but where the policy wants it. If somebody has begun
    // it, it stays in the queue as all such do. Release: what was written above; pairs with may_be_run_by.
    std::uint8_t before = 0;
    if (!t.claimed.compare_exchange_strong(before, kept_by_policy, memory_order_release, memory_order_relaxed) &&
        before == not_ready)  // it is the caller's
      t.claimed.store(kept_by_policy, memory_order_release);
  }
  if (is_bound)
    d.slots[assigned].bound.push(task_ref(&t));
  else
    policy_of(d).put(task_ref(&t), p);
  // `t` may be gone. The count may be below 0 for a moment: a worker that was that fast has subtracted already.
  count_of(d, assigned).fetch_add(1, memory_order_relaxed);
  tell(d, assigned);
}

void run_within_domain(worker& w, const scope& s) noexcept {
  domain& d = *w.policy.of;
  while (!is_empty(s) && !stack_is_low(w) && regain_number(w)) {
    task* t = taken(d, d.slots[w.policy.number].bound.within(s, order::fifo));
    if (t == nullptr) t = taken(d, policy_of(d).take_within(w.policy.number, s));
    if (t == nullptr) return;
    int const outer = std::exchange(w.policy.runs_at, int{kept_task::of(*t).assigned});
    run_task(*t, w, call::from_queue);
    w.policy.runs_at = outer;
  }
}

bool may_be_run_by(task& t, worker& w) noexcept {
  // Acquire: what is said of it there; pairs with put_in_domain.
  if (t.claimed.load(memory_order_acquire) != kept_by_policy) return false;
  kept_task const kept = kept_task::of(t);
  if (w.policy.of == nullptr || w.policy.of->id != kept.in || !regain_number(w) ||
      !may_run(*w.policy.of, w.policy.number, kept.assigned))
    return false;
  std::uint8_t before = kept_by_policy;
  return t.claimed.compare_exchange_strong(before, 0, memory_order_relaxed);  // and now anybody may claim it
}

std::uint64_t tasks_in_domains() noexcept {
  long sum = 0;
  for (domain* d = first_domain(); d != nullptr; d = d->next) {
    sum += d->shared.load(memory_order_relaxed);
    for (int n = 0; n < d->workers; ++n) sum += d->slots[n].queued.load(memory_order_relaxed);
    for (int p = 0; d->places != nullptr && p < d->places->count; ++p)
      sum += d->places->queued[p].load(memory_order_relaxed);
  }
  return sum > 0 ? static_cast<std::uint64_t>(sum) : 0;
}

}  // namespace amity::sched
