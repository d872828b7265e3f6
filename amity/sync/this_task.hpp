#pragma once

/// Sleeping, as std::this_thread's, but only the caller sleeps: its core goes on with others. In a task, in an OpenMP
/// thread, in any thread.
///
///     amity::this_task::sleep_for(5ms);
///     if (!amity::this_task::sleep_for(1s, stop)) return;        // asked to stop

#include <stop_token>

#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/timer.hpp"
#include "amity/sync/condition_variable.hpp"
#include "amity/sync/mutex.hpp"

namespace amity::this_task {

namespace detail {
AMITY_API void sleep_until(sched::instant deadline) noexcept;
}

/// Lets other ready fibers of this core run, and one queued task, if there is one. So a loop of `yield` until some task
/// has done its part comes to an end with one core, too.
inline void yield() noexcept { sched::yield_to_tasks(); }

/// Sleeps at least that long; for no time it is a yield.
template <class Rep, class Period>
void sleep_for(const std::chrono::duration<Rep, Period>& time) noexcept {
  detail::sleep_until(sched::instant_after(time));
}
/// Sleeps until that time, by that clock.
template <class Clock, class Duration>
void sleep_until(const std::chrono::time_point<Clock, Duration>& time) noexcept {
  while (Clock::now() < time) detail::sleep_until(sched::instant_of(time));
}

/// False: `stop` was requested first.
template <class Clock, class Duration>
bool sleep_until(const std::chrono::time_point<Clock, Duration>& time, std::stop_token stop) {
  sync::mutex m;
  sync::condition_variable_any stopped;
  m.lock();
  stopped.wait_until(m, stop, time, [] { return false; });
  m.unlock();
  return !stop.stop_requested();
}
/// The same for so long.
template <class Rep, class Period>
bool sleep_for(const std::chrono::duration<Rep, Period>& time, std::stop_token stop) {
  sync::mutex m;
  sync::condition_variable_any stopped;
  m.lock();
  stopped.wait_for(m, stop, time, [] { return false; });
  m.unlock();
  return !stop.stop_requested();
}

}  // namespace amity::this_task
