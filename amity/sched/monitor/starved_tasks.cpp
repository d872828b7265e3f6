#include "amity/sched/monitor/internal/starved_tasks.hpp"

#include <atomic>
#include <utility>

#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/fiber/registry.hpp"
#include "amity/sched/idle/monitor_limits.hpp"
#include "amity/sched/idle/starvation_judge.hpp"
#include "amity/sched/loop/internal/claim.hpp"
#include "amity/sched/loop/internal/task_source.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sched/monitor/internal/recorder.hpp"
#include "amity/sched/monitor/internal/shown_acts.hpp"
#include "amity/sched/tasks/internal/engine.hpp"
#include "amity/sched/tasks/internal/extra_workers.hpp"
#include "amity/sched/tasks/task.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/thread_activity.hpp"

namespace amity::sched {
namespace {

/// The monitor's own.
starvation_judge judge;
bool waited = false;  ///< tasks did at the last look

std::uint64_t microseconds(std::uint64_t ticks) noexcept { return ticks / sys::ticks_of_microseconds(1); }

/// The worker that a carrier's fiber is, if it has tasks. Acquire: what it was made with; pairs with add_worker
/// (engine.cpp).
worker* worker_of(const fiber& f) noexcept {
  return std::atomic_ref<worker*>(const_cast<fiber&>(f).tasks).load(std::memory_order_acquire);
}

/// It has made, taken or ended tasks since the last look. A queue may come back to the same length, not again and
/// again.
bool has_got_on(worker& w) noexcept {
  std::uint64_t const ended = ended_by(w);
  std::uint32_t const bottom = w.queue.bottom();
  bool const got_on = ended != w.seen.ended || bottom != w.seen.bottom;
  w.seen.ended = ended;
  w.seen.bottom = bottom;
  return got_on;
}

/// How long the thread of `c` has been on a core since the last look at it.
std::uint64_t ran_us(carrier& c) noexcept {
  std::uint64_t const now = time_on_a_core(c);
  std::uint64_t const before = std::exchange(c.seen.cpu_ns, now);
  bool const known = now != sys::unknown_time && before != sys::unknown_time && now >= before;
  return known ? (now - before) / 1000 : task_census::not_known;
}

/// Blocked in the kernel, now and at the look before. The kernel is asked again only if the thread was on a core.
bool stays_blocked(carrier& c, bool rested) noexcept {
  if (rested && c.seen.blocked_looks >= monitor_limits::blocked_looks) return true;
  if (!sys::is_blocked(c.thread_id.load(std::memory_order_relaxed))) {
    c.seen.blocked_looks = 0;
    return false;
  }
  return ++c.seen.blocked_looks >= monitor_limits::blocked_looks;
}

/// It has found nothing to run so far, and takes the next that it finds. If it has no core it will when it has one, and
/// so will the carrier that was woken: one more thread would have no core either.
bool looks_for_fibers(const carrier& c) noexcept {
  return c.kind == carrier_kind::shell ? shell_has_work(c) : !is_reserved(c);
}

task_census take_census() noexcept {
  task_census all;
  all.cores = concurrency();
  all.ran_us = 0;
  for (const fiber* f = first_known(); f != nullptr; f = f->next_known) {
    carrier& c = *f->native;
    if (!c.is_there.load(std::memory_order_relaxed)) continue;
    // Acquire: what it was made with; pairs with run and switch_to (park.cpp). It is never freed.
    const fiber* const occupant = c.running.load(std::memory_order_acquire);
    if (c.asleep.load(std::memory_order_relaxed) != 0 || (occupant == nullptr && !looks_for_fibers(c))) {
      c.seen.blocked_looks = 0;
      continue;
    }
    // Null: it looks for fibers, or runs a thread of OpenMP's, or of the program's, without tasks.
    worker* const w = occupant == nullptr ? nullptr : worker_of(*occupant);
    if (w != nullptr && w->bound) continue;
    bool const of_pool = w != nullptr && w->of_pool;
    bool const sent = of_pool && c.kind == carrier_kind::shell;
    bool const got_on = w != nullptr && has_got_on(*w);
    (sent ? all.sent_got_on : all.others_got_on) |= got_on;
    all.sent_run |= sent;
    std::uint64_t const ran = ran_us(c);
    if (got_on) c.seen.blocked_looks = 0;
    if (got_on || !stays_blocked(c, ran == 0)) {
      ++all.computing;
      bool const known = all.ran_us != task_census::not_known && ran != task_census::not_known;
      all.ran_us = known ? all.ran_us + ran : task_census::not_known;
    } else if (of_pool) {
      ++all.blocked;
    }
  }
  return all;
}

}  // namespace

bool look_after_tasks(bool hurried) noexcept {
  if (hurried || source_of_tasks() == nullptr) return waited;
  std::uint64_t const now = sys::ticks();
  bool const wait = tasks_wait();
  bool const waited_before = std::exchange(waited, wait);
  if (!wait && !waited_before) return false;
  task_census const seen = take_census();
  if (!wait) {
    judge.end(seen.sent_run, microseconds(now));
    if (recorder::is_on) recorder::write("x %d %llu\n", seen.sent_run, 1ULL * microseconds(now));
    return false;
  }
  if (!waited_before) {
    judge.begin(microseconds(now));
    if (recorder::is_on) recorder::write("b %llu\n", 1ULL * microseconds(now));
    return true;
  }
  starvation_judge::decision const to_do = judge.look(seen, microseconds(now));
  if (recorder::is_on)
    recorder::write("t %d %d %llu %d %d %d %d %llu %d %d\n", seen.cores, seen.computing, 1ULL * seen.ran_us,
                    seen.blocked, seen.sent_run, seen.sent_got_on, seen.others_got_on, 1ULL * microseconds(now),
                    to_do.extra, to_do.send);
  allow_extra_workers(to_do.extra, !to_do.send && too_many_run());
  // Somebody sleeps beside tasks: the worker that has them was about to wake it, and lost its core.
  if (to_do.send && wake_any_carrier()) return true;
  if (to_do.send && start_on_own_thread()) {
    note_extra_worker(now);
    show_act("a worker more: tasks wait, and workers are blocked");
  }
  return true;
}

void begin_to_look_after_tasks() noexcept {
  judge = starvation_judge();
  waited = false;
}

}  // namespace amity::sched
