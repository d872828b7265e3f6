#include "amity/sched/monitor/internal/unattended_progress.hpp"

#include <algorithm>

#include "amity/sched/fiber/registry.hpp"
#include "amity/sched/idle/monitor_limits.hpp"
#include "amity/sched/loop/internal/progress.hpp"
#include "amity/sched/monitor/internal/shown_acts.hpp"
#include "amity/sched/tasks/internal/common_queues.hpp"
#include "amity/sched/tasks/internal/engine.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/futex.hpp"

namespace amity::sched {
namespace {

bool some_sleep() noexcept {
  for (const carrier* c = first_scheduler(); c != nullptr; c = c->next_scheduler)
    if (c->asleep.load(std::memory_order_relaxed) != 0 && !is_reserved(*c)) return true;
  return false;
}

/// A fiber that polls, to an OS thread of its own. False: none is left.
bool send_a_fiber() noexcept {
  thread_for_progress const made = start_progress_on_own_thread();
  if (made == thread_for_progress::begun) show_act("progress: a thread polls, as all workers have other things to do");
  return made != thread_for_progress::none;
}

}  // namespace

bool unattended_progress::act_on(progress_judge::act what) noexcept {
  switch (what) {
    case progress_judge::act::rest:
      return false;
    case progress_judge::act::look:
      break;
    case progress_judge::act::wake:
      if (wake_for_progress()) show_act("progress: wakes a worker, as nobody polls");
      break;
    case progress_judge::act::send:
      send_a_fiber();
      break;
    case progress_judge::act::attend:
      attends_ = true;
      break;
  }
  return true;
}

bool unattended_progress::look() noexcept {
  attends_ = is_unattended_ = false;
  if (!some_progress()) return false;
  progress_state const s = state_of_progress();
  is_unattended_ = act_on(
      judge_.look({s.wanted, s.armed, s.attended, some_sleep(), s.polls, arrived_tasks.size() != 0, arrivals_taken()}));
  return is_unattended_;
}

void unattended_progress::sleep(long ns) noexcept {
  static std::atomic<std::uint32_t> no_word{0};
  std::uint64_t const end = sys::monotonic_ns() + static_cast<std::uint64_t>(ns);
  for (std::uint64_t now = sys::monotonic_ns(); now < end; now = sys::monotonic_ns()) {
    auto const left = static_cast<long>(end - now);
    if (attends_) {
      // Once: what the fiber arms again is looked after from the next look on.
      if (watch_progress(left)) attends_ = !send_a_fiber();
    } else {
      sys::futex_wait_for(no_word, 0, is_unattended_ ? std::min(left, monitor_limits::look_for_attendant_ns) : left);
      if (is_unattended_) static_cast<void>(look());
    }
  }
}

}  // namespace amity::sched
