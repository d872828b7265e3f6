#include "amity/sched/tasks/internal/extra_workers.hpp"

#include <atomic>

#include "amity/sched/idle/doubling_while.hpp"
#include "amity/sched/idle/monitor_limits.hpp"
#include "amity/sched/loop/monitor_state.hpp"
#include "amity/sched/tasks/internal/engine.hpp"
#include "amity/sys/clock.hpp"

namespace amity::sched {
namespace {

// Relaxed, all of them: hints. A worker too many or too few is noticed at the next look.
std::atomic<int> extra{0};
std::atomic<bool> crowded{false};
doubling_while while_extra;  // nobody waits for a look of the monitor

}  // namespace

int extra_workers() noexcept { return extra.load(std::memory_order_relaxed); }

bool is_one_too_many() noexcept {
  return crowded.load(std::memory_order_relaxed) && crowded.exchange(false, std::memory_order_relaxed);
}

void nobody_sleeps() noexcept {
  arm_monitor();
  if (while_extra.end() != 0 && while_extra.covers(sys::ticks())) static_cast<void>(start_on_own_thread());
}

void allow_extra_workers(int number, bool too_many) noexcept {
  extra.store(number, std::memory_order_relaxed);
  crowded.store(too_many, std::memory_order_relaxed);
}

void note_extra_worker(std::uint64_t now) noexcept {
  while_extra.begin(now, monitor_limits::extra_for_at_most_us, monitor_limits::extra_for_us);
}

void forget_extra_workers() noexcept {
  allow_extra_workers(0, false);
  while_extra.forget();
}

}  // namespace amity::sched
