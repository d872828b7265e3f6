#include "amity/sched/loop/timer.hpp"

#include <time.h>

#include <mutex>
#include <new>

#include "amity/sched/fiber/identity.hpp"
#include "amity/sched/loop/internal/sleep.hpp"
#include "amity/sched/loop/internal/switch.hpp"
#include "amity/sched/loop/internal/timers.hpp"
#include "amity/sched/loop/monitor_state.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sys/raw_syscall.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::sched {

std::atomic<instant> first_deadline{never};
std::atomic<carrier*> timer_keeper{nullptr};

namespace {

using std::memory_order_relaxed;
using std::memory_order_seq_cst;

/// The clock is never read under the lock: it is read by code that is not the runtime's, where a fiber may be made to
/// leave its OS thread (internal/preempt.hpp).
struct timer_state {
  sys::spin_lock lock;
  deadline_heap heap;
  std::atomic<int> ending_waits{0};  ///< in the heap, but for those that only ask
  instant keeper_due = never;        ///< when the keeper wakes up, at the latest
  instant monitor_due = never;       ///< when the monitor does
};
timer_state timers;

// The functions of this part are called under the lock.

instant first() noexcept {
  timer const* const t = timers.heap.first();
  return t == nullptr ? never : t->deadline;
}

void put(timer& t) noexcept {
  timers.heap.add(t);
  if (!t.only_asks) timers.ending_waits.fetch_add(1, memory_order_relaxed);
}
void take_out(timer& t) noexcept {
  timers.heap.remove(t);
  if (!t.only_asks) timers.ending_waits.fetch_sub(1, memory_order_relaxed);
}

/// `c` wakes up in time from now on.
void appoint(carrier& c) noexcept {
  timers.keeper_due = first();
  timer_keeper.store(&c, memory_order_seq_cst);  // W3
}

void dismiss_keeper() noexcept {
  timers.keeper_due = never;
  timer_keeper.store(nullptr, memory_order_relaxed);
}

/// To be called after every change of the heap. A carrier that finds none waiting sleeps without looking further, so it
/// must not be keeper then.
void note_first() noexcept {
  first_deadline.store(first(), memory_order_relaxed);
  if (first() == never) dismiss_keeper();
}

bool is_keeper(const carrier& c) noexcept { return timer_keeper.load(memory_order_relaxed) == &c; }

/// W1: somebody wakes up in time.
bool is_watched() noexcept {
  instant const due = first();
  return timers.keeper_due <= due || timers.monitor_due <= due;
}

// Not under the lock.

/// Gives the permits that are due at `time`; some at a time, because unpark enters the kernel.
void fire(instant time, carrier* waker) noexcept {
  constexpr int most = 16;
  fiber* due[most];
  for (int n = most; n == most;) {
    n = 0;
    {
      std::lock_guard guard(timers.lock);
      for (timer* t; n < most && (t = timers.heap.first()) != nullptr && t->deadline <= time;) {
        due[n++] = t->who;
        take_out(*t);  // from here on it may vanish
      }
      note_first();
    }
    for (int i = 0; i < n; ++i) unpark_from(waker, due[i]);
  }
}

/// Makes the monitor watch. Without one, the next carrier that goes to sleep does, or one that went to sleep while it
/// seemed that the monitor would: it wakes up and looks again.
void ask_monitor(carrier& asker) noexcept {
  if (ensure_monitor()) {
    arm_monitor();
    return;
  }
  {
    std::lock_guard guard(timers.lock);
    timers.monitor_due = never;
  }
  for (carrier* v = first_scheduler(); v != nullptr; v = v->next_scheduler)
    if (v != &asker && v->asleep.load(memory_order_seq_cst) != 0 && wake_carrier(*v, &asker)) return;
}

}  // namespace

instant now() noexcept {
  timespec time;
  // A race detector, the usual reason why fibers stay, watches the C library's function: it would take what that writes
  // to the stack of a task that waits for the task's own. The kernel's takes longer, but is nobody's business.
  if (fibers_stay()) [[unlikely]]
    sys::raw_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, reinterpret_cast<long>(&time));
  else
    clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * instant{1'000'000'000} + time.tv_nsec;
}

void add_timer(timer& t) noexcept {
  std::lock_guard guard(timers.lock);
  put(t);
  note_first();
  if (!is_watched()) appoint(*t.who->on);  // W2; another keeper wakes up later, and finds that it is none
}

void drop_timer(timer& t) noexcept {
  std::lock_guard guard(timers.lock);
  if (!t.queued) return;
  take_out(t);
  note_first();
}

int waits_with_deadline() noexcept { return timers.ending_waits.load(memory_order_relaxed); }

void sleep_beside_timers(carrier& c) noexcept {
  instant due = never;
  {
    std::lock_guard guard(timers.lock);
    if (is_keeper(c) || !is_watched()) {
      due = first();
      if (due != never) appoint(c);
    }
  }
  wait_until(c, due);
  if (due == never) return;
  instant const woken_at = now();
  if (woken_at < due) return;
  c.asleep.store(0, memory_order_seq_cst);  // or a permit for a fiber at home here would wake us up again
  fire(woken_at, &c);
}

void resign_as_keeper(carrier& c) noexcept {
  carrier* heir = nullptr;
  for (carrier* v = first_scheduler();;) {
    {
      std::lock_guard guard(timers.lock);
      if (!is_keeper(heir == nullptr ? c : *heir)) return;  // the heir was awake after all, and has resigned itself
      dismiss_keeper();
      if (is_watched()) return;
      while (v != nullptr && (v == &c || v->asleep.load(memory_order_relaxed) == 0)) v = v->next_scheduler;
      if (v == nullptr) {
        timers.monitor_due = first();
        break;
      }
      heir = v;
      appoint(*heir);
      v = v->next_scheduler;
    }
    if (wake_carrier(*heir, &c)) return;  // W3: it looks who is keeper before it runs anything
  }
  ask_monitor(c);
}

long time_to_watch(long most) noexcept {
  instant due;
  {
    std::lock_guard guard(timers.lock);
    due = timers.monitor_due;
  }
  if (due == never) return most;
  instant const left = due - now();
  return left <= 0 ? 1 : left < most ? static_cast<long>(left) : most;
}

void fire_as_monitor() noexcept {
  instant due;
  {
    std::lock_guard guard(timers.lock);
    due = timers.monitor_due;
  }
  if (due == never) return;
  instant const time = now();
  if (time < due) return;
  fire(time, nullptr);
  std::lock_guard guard(timers.lock);
  timers.monitor_due = never;
  if (!is_watched()) timers.monitor_due = first();
}

void forget_timers() noexcept {
  new (&timers) timer_state;
  first_deadline.store(never, memory_order_relaxed);
  timer_keeper.store(nullptr, memory_order_relaxed);
}

}  // namespace amity::sched
