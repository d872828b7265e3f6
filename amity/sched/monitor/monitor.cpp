/// The monitor: an OS thread that looks now and then after what no carrier can see to. What it looks after stands in
/// `look`, in this file; README.md has the states of its thread.

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>

#include "amity/sched/cores/locality.hpp"
#include "amity/sched/host/internal/last_thread.hpp"
#include "amity/sched/host/internal/program_signals.hpp"
#include "amity/sched/idle/monitor_limits.hpp"
#include "amity/sched/loop/internal/signals.hpp"
#include "amity/sched/loop/internal/timers.hpp"
#include "amity/sched/loop/monitor_state.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sched/loop/upcalls.hpp"
#include "amity/sched/monitor/internal/pace.hpp"
#include "amity/sched/monitor/internal/recorder.hpp"
#include "amity/sched/monitor/internal/report.hpp"
#include "amity/sched/monitor/internal/starved_tasks.hpp"
#include "amity/sched/monitor/internal/stuck_fibers.hpp"
#include "amity/sched/monitor/internal/unattended_progress.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/futex.hpp"

namespace amity::sched {
namespace {

/// True if there is reason to look again: some fiber is ready, tasks or signals wait, or nobody looks after a source of
/// progress.
bool look(pace& looks, unattended_progress& progress, long interval_ns) noexcept {
  bool const fibers = look_for_stuck_fibers(looks, interval_ns);
  bool const tasks = look_after_tasks(looks.is_extra());
  bool const signals = look_after_signals();
  bool const unattended = progress.look();
  return fibers || tasks || signals || unattended;
}

/// When it looks whether nothing can go on any more: before it rests, since then all has been quiet for a moment. A
/// deadline of a fiber that only asks now and then may come just as the rest is over.
class stall_looks {
 public:
  void look_when_due() noexcept {
    std::uint64_t const now = sys::ticks();
    if (at_stall == stall_answer::silence || now - last_ < sys::ticks_of_microseconds(between_us)) return;
    last_ = now;
    stalled_ = look_for_stall(stalled_);
  }

 private:
  static constexpr std::uint64_t between_us = 900'000;
  std::uint64_t last_ = 0;
  bool stalled_ = false;
};

void* monitor_main(void*) {
  note_monitor_thread(gettid());
  begin_to_look_after_tasks();
  recorder::begin();
  pace looks;
  unattended_progress progress;
  int quiet = 0;
  stall_looks stalls;
  for (;;) {
    long const interval_ns = looks.interval_ns();
    progress.sleep(time_to_watch(interval_ns));
    fire_as_monitor();
    looks.begin(interval_ns);
    quiet = look(looks, progress, interval_ns) ? 0 : quiet + 1;
    if (quiet < monitor_limits::quiet_looks) continue;
    // A thread that arms from here on sees `resting` and wakes us; the fibers of one that armed before are in this last
    // look.
    monitor.store(resting, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);  // before the look's loads, which are relaxed
    // The same holds for a carrier that asked it to watch a deadline (loop/README-timers.md, W4).
    looks.again(interval_ns);
    if (!look(looks, progress, interval_ns)) {
      stalls.look_when_due();
      sys::futex_wait_for(
          monitor, resting,
          time_to_watch(awaits_the_last() ? monitor_limits::rest_at_the_end_ns : monitor_limits::rest_ns));
    }
    fire_as_monitor();
    end_if_all_have_gone();
    bool const armed = monitor.exchange(watching, std::memory_order_relaxed) == watching;
    quiet = armed ? 0 : monitor_limits::quiet_looks - 1;
  }
}

}  // namespace

bool start_monitor() noexcept {
  // By the kernel, not by the C library: a signal that has come meanwhile is taken behind this call, in the runtime's
  // code, and put off there.
  std::uint64_t const before = set_signal_mask(deaf_mask());
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  int error = EINVAL;  // the stack is too small for the program's thread-local variables, which lie on it
  for (std::size_t size = 64 * 1024; error == EINVAL && size <= 64 * 1024 * 1024; size *= 4) {
    pthread_attr_setstacksize(&attributes, size);
    error = pthread_create(&thread, &attributes, monitor_main, nullptr);
  }
  bool const started = error == 0;
  if (started) {
    set_free(thread);
    pthread_setname_np(thread, "amity-monitor");
  } else {
    monitor.store(absent, std::memory_order_relaxed);
    note_refusal({"the OS thread that watches over the others", error});
  }
  pthread_attr_destroy(&attributes);
  set_signal_mask(before);
  return started;
}

}  // namespace amity::sched
