#include "amity/sched/park.hpp"

#include <bit>

#include "amity/base/assert.hpp"
#include "amity/base/atomic_shim.hpp"
#include "amity/sched/carrier.hpp"
#include "amity/sched/contention.hpp"
#include "amity/sched/internal/signals.hpp"
#include "amity/sched/internal/switch.hpp"
#include "amity/sched/internal/task_source.hpp"
#include "amity/sched/internal/timers.hpp"
#include "amity/sched/locality.hpp"
#include "amity/sched/pool.hpp"
#include "amity/sched/rescue.hpp"
#include "amity/sched/spin.hpp"
#include "amity/sched/wait_note.hpp"
#include "amity/sched/wake_cost.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/context.hpp"
#include "amity/sys/futex.hpp"
#include "amity/trace/counters.hpp"

namespace amity::sched {

__thread fiber* current_fiber = nullptr;

std::atomic<const task_source*> tasks_of_process{nullptr};
spin_limits spin_setting;
std::atomic<std::uint64_t> wake_cost{0};

namespace {

void publish(ready_group& g, std::uint64_t mask, wake how, carrier* waker) noexcept;

using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

// How long a carrier looks around in its loop before it sleeps, and how long it leaves ready fibers to an awake home
// before it takes them.
constexpr std::uint64_t loop_spin_us = 10;
constexpr std::uint64_t grace_ns = 400;         // it looks for work too, and needs no longer than that to take it
constexpr std::uint64_t busy_grace_ns = 8'000;  // it runs another fiber, and the next one soon; less than loop_spin_us

/// A limit of spin_setting in ticks.
std::uint64_t spin_ticks(std::uint64_t us) noexcept {
  return spin_setting.follows_wakes ? worth_waiting(us) : sys::ticks_of_microseconds(us);
}

[[gnu::always_inline]] AMITY_NO_SANITIZE_THREAD inline void jump(carrier& c, void** save, void* to_sp,
                                                                 std::uintptr_t to_thread_pointer) noexcept {
  if (to_thread_pointer == c.installed) {
    amity_switch(save, to_sp);
    return;
  }
  c.installed = to_thread_pointer;
  if (identity_mode() == sys::thread_pointer_mode::instruction)
    amity_switch_tp(save, to_sp, to_thread_pointer);
  else
    amity_switch_tp_syscall(save, to_sp, to_thread_pointer);
}

[[gnu::always_inline]] inline bool own_permit(const fiber& f) noexcept {
  std::uintptr_t const place = f.place.load(memory_order_relaxed);
  return place != 0 && (group_of(place)->ready.load(memory_order_seq_cst) & mask_of(place)) != 0;
}

/// Gives up a claim that turned out to be for another than the permit's fiber, and the permit back to the place it came
/// from.
[[gnu::cold, gnu::noinline]] void return_claim(carrier& c, ready_group& g, std::uint64_t mask,
                                               fiber* claimed) noexcept {
  if (claimed != nullptr) {
    claimed->claimed.store(0, memory_order_seq_cst);
    std::uintptr_t const place = claimed->place.load(memory_order_seq_cst);
    if (place != 0 && own_permit(*claimed)) publish(*group_of(place), mask_of(place), wake::now, &c);
  }
  g.ready.fetch_or(mask, memory_order_seq_cst);
  publish(g, mask, wake::now, &c);
}

/// Takes the permit `bit` of `g` and the exclusive right to run its fiber. Null if another was faster, or if the
/// fiber's context is not saved yet.
[[gnu::always_inline]] inline fiber* try_claim(carrier& c, ready_group& g, int bit) noexcept {
  std::uint64_t const mask = std::uint64_t{1} << bit;
  fiber* f = g.members[bit].load(memory_order_acquire);  // pairs with assign
  if (f != nullptr && f->claimed.load(memory_order_relaxed) != 0) return nullptr;
  // Acquire: what happened before the unpark. README, step C1.
  if ((g.ready.fetch_and(~mask, memory_order_acquire) & mask) == 0) return nullptr;
  if (f == nullptr) {
    // A late permit of a place that was given up, unless the place has been given to somebody meanwhile.
    if (g.members[bit].load(memory_order_seq_cst) != nullptr) return_claim(c, g, mask, nullptr);
    return nullptr;
  }
  std::uint32_t free = 0;
  // Acquire pairs with land: the saved context. README, step C2.
  if (!f->claimed.compare_exchange_strong(free, 1, memory_order_acquire, memory_order_relaxed)) {
    return_claim(c, g, mask, nullptr);  // it runs again already; the permit is still its own
    return nullptr;
  }
  if (g.members[bit].load(memory_order_seq_cst) != f) [[unlikely]] {
    return_claim(c, g, mask, f);  // the place changed hands between the two steps
    return nullptr;
  }
  f->on = &c;
  return f;
}

/// Takes the next ready fiber after the one taken last, round and round: no member starves while others yield to one
/// another.
[[gnu::always_inline]] inline fiber* claim_from(carrier& c, ready_group& g) noexcept {
  std::uint64_t const ready = g.ready.load(memory_order_relaxed);
  if (ready == 0 || (g.exclusive && g.home != &c)) return nullptr;
  unsigned const start = g.cursor.load(memory_order_relaxed) + 1u;
  for (std::uint64_t rest = std::rotr(ready, static_cast<int>(start % 64)); rest != 0; rest &= rest - 1) {
    unsigned const bit = (start + static_cast<unsigned>(__builtin_ctzll(rest))) % 64;
    if (fiber* f = try_claim(c, g, static_cast<int>(bit))) {
      g.cursor.store(static_cast<std::uint8_t>(bit), memory_order_relaxed);
      return f;
    }
  }
  return nullptr;
}

/// True if some group of the chain still has a permit, claimable or not.
bool chain_ready(const carrier& owner, unsigned index) noexcept {
  for (ready_group* g = owner.chain[index].load(memory_order_acquire); g != nullptr; g = g->next)
    if (g->ready.load(memory_order_seq_cst) != 0) return true;
  return false;
}

/// Looks through the groups at home on `owner` for a fiber that `c` may run.
[[gnu::noinline]] fiber* claim_at(carrier& c, carrier& owner) noexcept {
  for (std::uint64_t rest = owner.summary.load(memory_order_relaxed); rest != 0; rest &= rest - 1) {
    auto const index = static_cast<unsigned>(__builtin_ctzll(rest));
    for (ready_group* g = owner.chain[index].load(memory_order_acquire); g != nullptr; g = g->next)
      if (fiber* f = claim_from(c, *g)) {
        c.recent = g;
        return f;
      }
    if (chain_ready(owner, index)) continue;
    // Nothing here: clear the bit, then look again. Pairs with publish, which sets the permit first and looks at the
    // bit afterwards; both seq_cst, so one of the two sees the other (README, step S1).
    std::uint64_t const bit = std::uint64_t{1} << index;
    owner.summary.fetch_and(~bit, memory_order_seq_cst);
    if (chain_ready(owner, index)) owner.summary.fetch_or(bit, memory_order_seq_cst);
  }
  return nullptr;
}

[[gnu::always_inline]] inline fiber* claim_own(carrier& c) noexcept {
  constexpr std::uint64_t fairness = 64;  // now and then the recent group has no precedence
  if (ready_group* g = c.recent; g != nullptr && g->home == &c && c.events.load(memory_order_relaxed) % fairness != 0)
    if (fiber* f = claim_from(c, *g)) return f;
  return claim_at(c, c);
}

/// Takes a ready fiber from another carrier: at once if that one sleeps or its core is shared, else only after `c` has
/// been idle for a moment, because a fiber is cheapest where it ran last.
fiber* claim_elsewhere(carrier& c, std::uint64_t idle_since, std::uint64_t now) noexcept {
  std::uint64_t const idle = now - idle_since;
  // What it has left lying is its own to run: whoever takes another team's members makes two leaders wait.
  if (c.left != nullptr) {
    const carrier& home = *c.left->home;
    bool const still_left = home.asleep.load(memory_order_relaxed) != 0 && may_run_fibers_of(c, home);
    if (fiber* f = still_left ? claim_from(c, *c.left) : nullptr) {
      trace::count(c.stats.steals);
      return f;
    }
    c.left = nullptr;
  }
  for (carrier* v = first_scheduler(); v != nullptr; v = v->next_scheduler) {
    if (v == &c || v->summary.load(memory_order_relaxed) == 0 || !may_run_fibers_of(c, *v)) continue;
    // `running` is written at every switch: a look at it slows that carrier down, and comes last.
    if (v->asleep.load(memory_order_relaxed) == 0 && !is_shared(*v, now) &&
        (idle < sys::ticks_of_microseconds(grace_ns) / 1000 ||
         (idle < sys::ticks_of_microseconds(busy_grace_ns) / 1000 && v->running.load(memory_order_relaxed) != nullptr)))
      continue;
    if (fiber* f = claim_at(c, *v)) {
      trace::count(c.stats.steals);
      return f;
    }
  }
  return nullptr;
}

bool claimable(const ready_group& g) noexcept {
  for (std::uint64_t rest = g.ready.load(memory_order_seq_cst); rest != 0; rest &= rest - 1) {
    const fiber* f = g.members[__builtin_ctzll(rest)].load(memory_order_acquire);
    if (f != nullptr && f->claimed.load(memory_order_seq_cst) == 0) return true;
  }
  return false;
}

const task_source* source_of_tasks() noexcept {
  return tasks_of_process.load(memory_order_acquire);
}  // with attach_source

/// A fiber that runs tasks, for a carrier that has no other to run; null: there are no tasks, or no such fiber.
fiber* claim_for_tasks(carrier& c) noexcept {
  const task_source* source = source_of_tasks();
  if (source == nullptr) [[likely]]
    return nullptr;
  fiber* f = source->offer(c);
  if (f == nullptr) return nullptr;
  std::uintptr_t const place = f->place.load(memory_order_relaxed);
  ready_group& g = *group_of(place);
  std::uint64_t const mask = mask_of(place);
  g.ready.fetch_or(mask, memory_order_seq_cst);
  fiber* const claimed = try_claim(c, g, __builtin_ctzll(mask));
  if (claimed == nullptr) publish(g, mask, wake::now, &c);  // it has not landed yet
  return claimed;
}

/// A fiber that `c` could run: a carrier that sees one must not go to sleep. One that is ready but still claimed does
/// not count: whoever runs it publishes it again when its context is saved (land).
bool work_in_sight(carrier& c) noexcept {
  bool const reserved = is_reserved(c);
  if (c.kind == carrier_kind::guest && own_permit(*c.native)) return true;
  if (const task_source* source = source_of_tasks(); source != nullptr && source->in_sight(c)) return true;
  for (carrier* v = first_scheduler(); v != nullptr; v = v->next_scheduler) {
    if ((reserved && v != &c) || !may_run_fibers_of(c, *v)) continue;
    for (std::uint64_t rest = v->summary.load(memory_order_seq_cst); rest != 0; rest &= rest - 1)
      for (ready_group* g = v->chain[__builtin_ctzll(rest)].load(memory_order_acquire); g != nullptr; g = g->next)
        if ((!g->exclusive || v == &c) && claimable(*g)) return true;
  }
  return false;
}

[[gnu::always_inline]] inline bool consume_permit(fiber& f) noexcept {
  std::uintptr_t const place = f.place.load(memory_order_acquire);
  if (place == 0) return false;
  ready_group& g = *group_of(place);
  std::uint64_t const mask = mask_of(place);
  if ((g.ready.load(memory_order_relaxed) & mask) == 0) return false;
  return (g.ready.fetch_and(~mask, memory_order_acquire) & mask) != 0;  // pairs with unpark
}

/// Some fiber at home on `c` holds a permit.
bool has_permits(const carrier& c) noexcept {
  for (std::uint64_t rest = c.summary.load(memory_order_seq_cst); rest != 0; rest &= rest - 1)
    if (chain_ready(c, static_cast<unsigned>(__builtin_ctzll(rest)))) return true;
  return false;
}

/// The loop is about to run `f`, which buries the fibers at home on `c` that have become ready since it looked for
/// them. Dekker with publish: it sets the permit and the summary, then reads `running`; this sets `running`, then reads
/// them. All seq_cst (README, step S4).
void bury(carrier& c, fiber& f) noexcept {
  c.running.store(&f, memory_order_seq_cst);
  if (has_permits(c)) arm_rescue();
}

/// Whoever sees a helper asleep takes its native fiber at once. A signal handler that ran on the helper meanwhile would
/// do so with that fiber's TLS: its errno, for one.
void close_ears(carrier& c) noexcept {
  if (c.deaf || identity_mode() == sys::thread_pointer_mode::fixed) return;
  c.open_signals = set_signal_mask(deaf_mask());
  c.deaf = true;
}

/// Signals may come again: the next fiber is `c`'s alone, and a handler may run with its TLS.
AMITY_NO_SANITIZE_THREAD void open_ears(carrier& c, const fiber& next) noexcept {
  if (c.installed != next.thread_pointer) {
    sys::install_thread_pointer(identity_mode(), next.thread_pointer);
    c.installed = next.thread_pointer;
  }
  c.deaf = false;
  set_signal_mask(c.open_signals);
}

/// Runs `f`, whose claim `c` holds, until something switches back to the loop.
AMITY_NO_SANITIZE_THREAD void run(carrier& c, fiber& f) noexcept {
  // seq_cst: after the end of a sleep; pairs with resign_as_keeper (README-timers.md, W3).
  if (timer_keeper.load(memory_order_seq_cst) == &c) [[unlikely]]
    resign_as_keeper(c);
  if (c.deaf) open_ears(c, f);
  bury(c, f);
  trace::count(c.events);
  jump(c, &c.loop_sp, f.sp, f.thread_pointer);
  land(c);
  c.running.store(nullptr, memory_order_relaxed);
  trace::count(c.events);
}

/// The kernel thread's native fiber, if it is to go to its end. Its claim is held by whoever called for that.
fiber* claim_to_end(carrier& c) noexcept {
  if (c.ends.load(memory_order_relaxed) == 0) return nullptr;
  return c.ends.exchange(0, memory_order_acquire) != 0 ? c.native : nullptr;  // pairs with end_shell
}

bool shell_has_work(carrier& c) noexcept {
  if (c.wanted.load(memory_order_seq_cst) != nullptr) return true;
  return identity_mode() == sys::thread_pointer_mode::fixed && own_permit(*c.native) &&
         c.native->claimed.load(memory_order_seq_cst) == 0;
}

/// Sleeps until wake_carrier, unless there is something to do after all.
void sleep(carrier& c) noexcept {
  if (c.kind == carrier_kind::helper) {
    close_ears(c);
    sleep_apart(c, first_scheduler(), sys::ticks());
  }
  // Dekker with publish: it sets the permit and the summary, then reads `asleep`; this sets `asleep`, then reads them.
  // All seq_cst (README, step S2).
  c.asleep.store(1, memory_order_seq_cst);
  bool const busy = (c.kind == carrier_kind::shell ? shell_has_work(c) : work_in_sight(c)) ||
                    c.ends.load(memory_order_seq_cst) != 0;  // pairs with end_shell
  if (busy) {
    c.asleep.store(0, memory_order_seq_cst);  // before the look at the keeper in run (W3)
    base::cpu_relax();
    return;
  }
  trace::count(c.stats.sleeps);
  std::uint64_t const before = sys::ticks();
  c.asleep_since.store(before, memory_order_relaxed);
  if (first_deadline.load(memory_order_relaxed) == never) [[likely]]  // whoever adds one sees to it (W2)
    sys::futex_wait(c.asleep, 1);
  else
    sleep_beside_timers(c);
  c.asleep_since.store(0, memory_order_relaxed);
  trace::count(c.stats.asleep, sys::ticks() - before);
  c.asleep.store(0, memory_order_seq_cst);  // as above
}

/// How long a carrier has found nothing, and whether its core was taken from it meanwhile.
class idle_time {
 public:
  /// Another fruitless look around. True when it is time to sleep.
  [[nodiscard]] bool over(carrier& c, std::uint64_t now) noexcept {
    if (since_ == 0) {
      since_ = now;
      look_back(c, now);
    } else if (now - last_ > sys::ticks_of_microseconds(away_limit_us)) {
      note_absence(c, now);
    }
    if (look_for_company(c, now)) now = since_ = sys::ticks();
    last_ = c.turn.looked_at = now;
    return is_shared(c, now) || now - since_ > (takes_turns(c.turn) ? sys::ticks_of_microseconds(turns::look_us)
                                                                    : worth_looking(loop_spin_us));
  }
  [[nodiscard]] std::uint64_t since(std::uint64_t now) const noexcept { return since_ == 0 ? now : since_; }
  /// Between two looks: the longer it has waited, the less a look is worth, and looks slow those down who work.
  void pause(std::uint64_t now) const noexcept {
    int const pauses = now - since_ < sys::ticks_of_microseconds(1) ? 1 : 4;
    for (int i = 0; i < pauses; ++i) base::cpu_relax();
  }
  void reset() noexcept { since_ = 0; }

 private:
  std::uint64_t since_ = 0;
  std::uint64_t last_ = 0;
};

/// A guest waits: its kernel thread runs other fibers, on top of the waiting one's stack, until its own has a permit.
void wait_as_guest(carrier& c, fiber& own) noexcept {
  idle_time idle;
  c.wait_frame = __builtin_frame_address(0);
  while (!consume_permit(own)) {
    fiber* f = claim_own(c);
    std::uint64_t const now = sys::ticks();
    if (f == nullptr) f = claim_elsewhere(c, idle.since(now), now);
    if (f == nullptr) f = claim_for_tasks(c);
    if (f != nullptr) {
      idle.reset();
      run(c, *f);
    } else if (idle.over(c, now)) {
      c.running.store(nullptr, memory_order_relaxed);
      sleep(c);
      idle.reset();
    } else {
      idle.pause(now);
    }
  }
  // As in run.
  if (timer_keeper.load(memory_order_seq_cst) == &c) [[unlikely]]
    resign_as_keeper(c);
  c.running.store(&own, memory_order_relaxed);
  trace::count(c.events);
}

/// A shell's kernel thread runs its own fiber, where fibers are bound to their threads, and whatever the monitor wants.
fiber* claim_as_shell(carrier& c) noexcept {
  if (fiber* f = claim_to_end(c)) return f;
  fiber* wanted = c.wanted.exchange(nullptr, memory_order_acquire);  // pairs with rescue_group
  if (wanted == nullptr && identity_mode() == sys::thread_pointer_mode::fixed && own_permit(*c.native))
    wanted = c.native;
  if (wanted == nullptr) return nullptr;
  std::uintptr_t const place = wanted->place.load(memory_order_relaxed);
  if (place == 0) return nullptr;
  fiber* f = try_claim(c, *group_of(place), __builtin_ctzll(mask_of(place)));
  if (f == wanted || f == nullptr) return f;
  // The place was given to another meanwhile; that one belongs elsewhere.
  std::uintptr_t const its_place = f->place.load(memory_order_relaxed);
  if (its_place != 0)
    return_claim(c, *group_of(its_place), mask_of(its_place), f);
  else
    f->claimed.store(0, memory_order_seq_cst);
  return nullptr;
}

/// Switches from `f`, which runs on `c`, to the next ready fiber or to the loop.
AMITY_NO_SANITIZE_THREAD void switch_away(carrier& c, fiber& f) noexcept {
  trace::count(c.stats.switches);
  // A guest's own fiber goes first, and is resumed by its loop alone; a shell's kernel thread carries nobody else.
  bool const to_loop = c.kind == carrier_kind::shell || (c.kind == carrier_kind::guest && own_permit(*c.native)) ||
                       (takes_turns(c.turn) && should_rest(c.turn, sys::ticks()));
  fiber* const next = to_loop ? nullptr : claim_own(c);
  c.leaving = &f;
  if (next != nullptr) {
    c.running.store(next, memory_order_relaxed);
    trace::count(c.events);
    jump(c, &f.sp, next->sp, next->thread_pointer);
  } else {
    jump(c, &f.sp, c.loop_sp, c.native->thread_pointer);
  }
  land(*f.on);  // perhaps another carrier than before
}

/// Switches from `f` to the loop, where a carrier that has become the keeper of timers looks after them.
AMITY_NO_SANITIZE_THREAD void leave_for_loop(carrier& c, fiber& f) noexcept {
  trace::count(c.stats.switches);
  c.leaving = &f;
  jump(c, &f.sp, c.loop_sp, c.native->thread_pointer);
  land(*f.on);
}

/// What runs on an awake carrier may be waiting, in user code, for a fiber that has just become ready beneath it.
void arm_if_buried(const ready_group& g, std::uint64_t mask) noexcept {
  const fiber* const occupant = g.home->running.load(memory_order_seq_cst);  // pairs with bury (README, step S4)
  if (occupant == nullptr) return;
  bool const only_one = (mask & (mask - 1)) == 0;
  if (only_one && g.members[__builtin_ctzll(mask)].load(memory_order_relaxed) == occupant) return;
  arm_rescue();
}

void publish(ready_group& g, std::uint64_t mask, wake how, carrier* waker) noexcept {
  carrier& home = *g.home;
  std::uint64_t const bit = std::uint64_t{1} << g.index;
  // After the permit; pairs with claim_at (README, step S1).
  if ((home.summary.load(memory_order_seq_cst) & bit) == 0) home.summary.fetch_or(bit, memory_order_seq_cst);
  if (g.while_spinning.end() != 0 && g.while_spinning.covers(sys::ticks())) [[unlikely]]
    send_to_own_threads(g, mask, waker);
  if (home.asleep.load(memory_order_seq_cst) == 0) {  // pairs with sleep (README, step S2)
    if (how == wake::now || how == wake::unless_shared) arm_if_buried(g, mask);
    return;
  }
  bool const may_leave = (how == wake::unless_shared || how == wake::crowd) && !g.exclusive && waker != nullptr &&
                         may_run_fibers_of(*waker, home);
  if (may_leave) {
    std::uint64_t const now = sys::ticks();
    weigh_guests_when_due(now);
    if (is_shared(home, now)) {
      waker->left = &g;
      if (g.left_to.load(memory_order_relaxed) != waker)  // for the monitor, which looks at leisure
        g.left_to.store(waker, memory_order_relaxed);
      return arm_rescue();
    }
  }
  wake_carrier(home, waker);
}

/// The carrier of the calling fiber; never to be called in the loop. Null in a thread without a fiber.
carrier* own_carrier() noexcept {
  const fiber* me = current_fiber;
  return me == nullptr ? nullptr : me->on;
}

/// A single fiber became ready whose home is busy with another: somebody who sleeps may as well take it.
void wake_an_idler(const carrier& home, carrier* waker) noexcept {
  if (home.running.load(memory_order_relaxed) == nullptr) return;
  for (carrier* v = first_scheduler(); v != nullptr; v = v->next_scheduler)
    if (v->kind == carrier_kind::helper && v != &home && !is_reserved(*v) &&
        v->asleep.load(memory_order_relaxed) != 0 && may_run_fibers_of(*v, home)) {
      wake_carrier(*v, waker);
      return;
    }
}

}  // namespace

void land(carrier& c) noexcept {
  fiber* const left = c.leaving;
  if (left == nullptr) return;
  c.leaving = nullptr;
  std::uintptr_t const before = left->place.load(memory_order_relaxed);
  bool const at_home = before != 0 && group_of(before)->home == &c && c.kind != carrier_kind::shell;
  // Pairs with try_claim: the context is saved. From here on somebody else may run the fiber.
  left->claimed.store(0, at_home ? memory_order_release : memory_order_seq_cst);
  if (at_home && left->place.load(memory_order_relaxed) == before) return;
  // Its home may have gone to sleep because the fiber was still claimed here, or it was given a new place meanwhile;
  // whoever gave the permit found the home awake. Dekker with work_in_sight (README, step S3).
  if (at_home) std::atomic_thread_fence(memory_order_seq_cst);
  std::uintptr_t const place = left->place.load(memory_order_seq_cst);
  if (place != 0 && own_permit(*left)) publish(*group_of(place), mask_of(place), wake::now, &c);
}

void attach(ready_group& group) noexcept {
  carrier& home = *group.home;
  group.index = home.groups.fetch_add(1, memory_order_relaxed) % 64;
  auto& head = home.chain[group.index];
  group.next = head.load(memory_order_relaxed);
  while (!head.compare_exchange_weak(group.next, &group, memory_order_release, memory_order_relaxed)) {
  }  // pairs with the walks in claim_at and chain_ready
}

bool wake_carrier(carrier& c, carrier* waker) noexcept {
  if (c.asleep.exchange(0, memory_order_seq_cst) == 0) return false;
  if (waker != nullptr) note_cpu(*waker);
  std::uint64_t const before = sys::ticks();
  sys::futex_wake(c.asleep, 1);
  std::uint64_t const after = sys::ticks();
  if (waker == nullptr) return true;
  // Where the two share a core, the kernel lets the woken thread run here and now: that is no cost of the wake. If it
  // can't be told, a wake which lasts long is taken for it.
  bool const long_away = after - before > sys::ticks_of_microseconds(away_limit_us);
  bool const shared = sys::current_cpu_is_known ? company_on(sys::current_cpu(), *waker) != nullptr : long_away;
  if (!shared)
    note_wake(after - before);
  else if (long_away)
    mark_shared(*waker, after);
  return true;
}

bool spinner::look() noexcept {
  std::uint64_t now = sys::ticks();
  carrier& c = *fiber_.on;
  if (start_ == 0) {
    start_ = now;
    look_back(c, now);
    if (fiber_.spin_budget == 0) fiber_.spin_budget = spin_ticks(spin_setting.first);
  } else if (now - last_ > sys::ticks_of_microseconds(away_limit_us)) {
    note_absence(c, now);
  }
  if (look_for_company(c, now)) now = start_ = sys::ticks();
  last_ = c.turn.looked_at = now;
  if (now - start_ < fiber_.spin_budget && !is_shared(c, now) && !should_rest(c.turn, now)) return true;
  gave_up_ = true;
  return false;
}

void spinner::adapt() noexcept {
  // A wait that a longer spin could have covered was worth one: a sleep and a wake of the kernel thread cost as much.
  // If waits keep ending soon after the spinning, however long that was, the one waited for needs this very core, and
  // could only go on when we slept. Where it is known who is on which CPU, look_for_company and sleep_apart see that.
  constexpr unsigned suspicious = 3;
  constexpr std::uint64_t soon_us = 50;
  std::uint64_t const now = sys::ticks();
  std::uint64_t const total = now - start_;
  std::uint64_t const most = spin_ticks(spin_setting.most);
  std::uint64_t const least = sys::ticks_of_microseconds(spin_setting.least);
  if (sys::current_cpu_is_known || now - last_ >= sys::ticks_of_microseconds(soon_us))
    fiber_.late_waits = 0;
  else if (++fiber_.late_waits >= suspicious) {
    fiber_.late_waits = 0;
    mark_shared(*fiber_.on, now);
  }
  std::uint64_t const longer = total + total / 2;
  if (total >= most)
    fiber_.spin_budget /= 2;
  else
    fiber_.spin_budget = longer < most ? longer : most;
  if (fiber_.spin_budget < least) fiber_.spin_budget = least;
}

constinit std::atomic<const wait_observer*> observer_of_waits{nullptr};

void park() noexcept { park(*self()); }

void park(fiber& f) noexcept {
  if (consume_permit(f)) return;
  if (f.tasks != nullptr) [[unlikely]]
    source_of_tasks()->before_wait(*f.tasks);
  carrier& c = *f.on;
  trace::count(c.stats.waits);
  if (c.native == &f && c.kind == carrier_kind::guest)
    wait_as_guest(c, f);
  else
    switch_away(c, f);
}

void park_until(instant deadline) noexcept {
  if (deadline == never) return park();
  fiber& f = *self();
  if (consume_permit(f)) return;
  if (f.tasks != nullptr) source_of_tasks()->before_wait(*f.tasks);
  timer t{deadline, &f};
  add_timer(t);
  carrier& c = *f.on;
  trace::count(c.stats.waits);
  if (c.native == &f && c.kind == carrier_kind::guest)
    wait_as_guest(c, f);
  else
    leave_for_loop(c, f);
  drop_timer(t);
}

bool others_ready(const carrier& c) noexcept {
  if (c.kind == carrier_kind::guest && c.running.load(memory_order_relaxed) != c.native && own_permit(*c.native))
    return true;
  for (std::uint64_t rest = c.summary.load(memory_order_relaxed); rest != 0; rest &= rest - 1)
    for (ready_group* g = c.chain[__builtin_ctzll(rest)].load(memory_order_acquire); g != nullptr; g = g->next)
      if (g->ready.load(memory_order_relaxed) != 0 && claimable(*g)) return true;
  return false;
}

void park_unplaced() noexcept {
  fiber& f = *current_fiber;
  switch_away(*f.on, f);
}

void yield() noexcept {
  fiber& f = *self();
  std::uintptr_t const place = f.place.load(memory_order_relaxed);
  if (place == 0) return;
  ready_group& g = *group_of(place);
  carrier& c = *f.on;
  if (c.native == &f && c.kind == carrier_kind::guest) {
    if (fiber* next = claim_own(c)) {
      // Our own permit brings us back when that one yields or waits (switch_away), and calls the monitor if it does
      // neither. It stays, as below.
      g.ready.fetch_or(mask_of(place), memory_order_seq_cst);
      arm_rescue();
      run(c, *next);
      c.running.store(&f, memory_order_relaxed);
    }
    return;
  }
  g.ready.fetch_or(mask_of(place), memory_order_seq_cst);
  publish(g, mask_of(place), wake::now, &c);
  switch_away(c, f);
  // The permit that brought us back may have been somebody's wake as well as our own: it stays, for the next park.
  if (f.place.load(memory_order_relaxed) == place) g.ready.fetch_or(mask_of(place), memory_order_seq_cst);
}

namespace {

/// It stands on the stack of a guest whose wait is over.
bool is_on_a_ready_guest(const fiber& f) noexcept {
  const carrier& c = *f.on;
  return c.kind == carrier_kind::guest && c.native != &f && f.place.load(memory_order_relaxed) != 0 &&
         own_permit(*c.native);
}

}  // namespace

void give_way() noexcept {
  fiber* f = current_fiber;
  if (f == nullptr || !is_on_a_ready_guest(*f)) return;
  carrier& c = *f->on;
  std::uintptr_t const place = f->place.load(memory_order_relaxed);
  ready_group& g = *group_of(place);
  g.ready.fetch_or(mask_of(place), memory_order_seq_cst);
  publish(g, mask_of(place), wake::now, &c);
  switch_away(c, *f);
  if (f->place.load(memory_order_relaxed) == place) g.ready.fetch_or(mask_of(place), memory_order_seq_cst);
}

void give_way_if_home_is_free() noexcept {
  const fiber* f = current_fiber;
  if (f == nullptr || !is_on_a_ready_guest(*f)) return;
  const carrier& home = *group_of(f->place.load(memory_order_relaxed))->home;
  if (&home != f->on && !is_shared(home, sys::ticks())) give_way();
}

void unpark(ready_group& group, std::uint64_t mask, wake how) noexcept {
  // Release: what the waker did before; seq_cst for the two Dekker pairs in publish.
  group.ready.fetch_or(mask, memory_order_seq_cst);
  publish(group, mask, how, own_carrier());
}

void unpark_from(carrier* waker, fiber* f, wake how) noexcept {
  std::uintptr_t const place = f->place.load(memory_order_acquire);  // pairs with assign
  if (place == 0) return;
  ready_group& g = *group_of(place);
  // Release: what the waker did before; seq_cst for the two Dekker pairs in publish.
  g.ready.fetch_or(mask_of(place), memory_order_seq_cst);
  publish(g, mask_of(place), how, waker);
  if (!g.exclusive) wake_an_idler(*g.home, waker);
}

void unpark(fiber* f, wake how) noexcept { unpark_from(own_carrier(), f, how); }

void scheduling_loop(carrier& c) noexcept {
  idle_time idle;
  land(c);
  for (;;) {
    if (takes_turns(c.turn) && should_rest(c.turn, sys::ticks())) [[unlikely]] {
      close_ears(c);
      rest(c);
      idle.reset();
    }
    fiber* f;
    if (c.kind == carrier_kind::shell) {
      f = claim_as_shell(c);
      if (f == nullptr) {
        // It may have carried a fiber that ran tasks: whoever goes to sleep leaves a core for those that are left.
        if (const task_source* source = source_of_tasks(); source != nullptr) source->vacant();
        sleep(c);
        continue;
      }
    } else {
      f = claim_own(c);
    }
    std::uint64_t const now = sys::ticks();
    if (f == nullptr && !is_reserved(c)) f = claim_elsewhere(c, idle.since(now), now);
    if (f == nullptr) f = claim_for_tasks(c);
    if (f != nullptr) {
      run(c, *f);
      idle.reset();
    } else if (idle.over(c, now)) {
      if (fiber* ending = claim_to_end(c)) run(c, *ending);  // does not return
      if (takes_turns(c.turn)) [[unlikely]]
        end_turns_if_vain(c, now);
      sleep(c);
      if (takes_turns(c.turn)) [[unlikely]]
        begin_turn(c, sys::ticks());
      idle.reset();
    } else {
      idle.pause(now);
    }
  }
}

}  // namespace amity::sched
