#include "amity/sched/loop/monitor_state.hpp"

#include "amity/sched/loop/upcalls.hpp"
#include "amity/sys/futex.hpp"

namespace amity::sched {

using std::memory_order_relaxed;
using std::memory_order_seq_cst;

std::atomic<std::uint32_t> monitor{absent};
stall_answer at_stall = stall_answer::report;

namespace {

std::atomic<int> monitor_number{0};

}  // namespace

void arm_monitor() noexcept {
  // seq_cst: after the permit that somebody may have to see to; pairs with the store of `resting` (monitor_main).
  std::uint32_t seen = monitor.load(memory_order_seq_cst);
  if (seen == watching) [[likely]]
    return;
  if ((seen == absent || seen == owed) && monitor.compare_exchange_strong(seen, watching, memory_order_relaxed)) {
    start_monitor();
  } else if (seen = resting; monitor.compare_exchange_strong(seen, watching, memory_order_seq_cst)) {
    sys::futex_wake(monitor, 1);
  }
}

void ask_for_monitor() noexcept {
  std::uint32_t seen = absent;
  // seq_cst: as arm_monitor.
  if (monitor.compare_exchange_strong(seen, owed, memory_order_seq_cst) || seen == owed) return;
  arm_monitor();  // there is one: it is at most to be woken
}

bool monitor_is_owed() noexcept { return monitor.load(memory_order_relaxed) == owed; }

bool ensure_monitor() noexcept {
  std::uint32_t seen = monitor.load(memory_order_relaxed);
  do {
    if (seen != absent && seen != owed) return true;
  } while (!monitor.compare_exchange_weak(seen, watching, memory_order_relaxed));
  return start_monitor();
}

void watch_for_stalls() noexcept {
  if (monitor.load(memory_order_relaxed) == absent && at_stall != stall_answer::silence)
    static_cast<void>(ensure_monitor());
}

void watch_for_stalls_of_mutexes() noexcept {
  if (at_stall == stall_answer::abort) watch_for_stalls();
}

int monitor_thread() noexcept { return monitor_number.load(memory_order_relaxed); }
void note_monitor_thread(int thread) noexcept { monitor_number.store(thread, memory_order_relaxed); }

void forget_monitor() noexcept {
  monitor_number.store(0, memory_order_relaxed);
  monitor.store(absent, memory_order_relaxed);
}

}  // namespace amity::sched
