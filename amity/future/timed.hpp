#pragma once

/// Futures that are ready at a time. HPX's names.
///
///     amity::future<int> f = amity::make_ready_future_after(10ms, 5);
///     amity::make_ready_future_at(deadline).then([](amity::future<void>) { ... });
///
/// Each is a task that sleeps: it keeps no core meanwhile.

#include <type_traits>
#include <utility>

#include "amity/base/chrono.hpp"
#include "amity/future/async.hpp"
#include "amity/sync/this_task.hpp"

namespace amity {

/// A future that is ready at `time`, by that clock; of a std::reference_wrapper, one of a reference. Does not wait.
template <int = 0, class Clock, class Duration, class T>
[[nodiscard]] future<std::unwrap_ref_decay_t<T>> make_ready_future_at(
    const std::chrono::time_point<Clock, Duration>& time, T&& value) {
  using kept = std::decay_t<T>;
  return async([time, value = kept(std::forward<T>(value))]() mutable -> std::unwrap_ref_decay_t<T> {
    this_task::sleep_until(time);
    return std::move(value);
  });
}
/// The same without a value.
template <int = 0, class Clock, class Duration>
[[nodiscard]] future<void> make_ready_future_at(const std::chrono::time_point<Clock, Duration>& time) {
  return async([time] { this_task::sleep_until(time); });
}
/// The same of a T made of `args`, at once; without any for void.
template <class T, class Clock, class Duration, class... Args>
requires(!std::is_reference_v<T>)
    [[nodiscard]] future<T> make_ready_future_at(const std::chrono::time_point<Clock, Duration>& time, Args&&... args) {
  if constexpr (std::is_void_v<T>)
    return make_ready_future_at(time);
  else
    return async([time, value = T(std::forward<Args>(args)...)]() mutable -> T {
      this_task::sleep_until(time);
      return std::move(value);
    });
}

/// A future that is ready when so much time is over; of a std::reference_wrapper, one of a reference. Does not wait.
template <int = 0, class Rep, class Period, class T>
[[nodiscard]] future<std::unwrap_ref_decay_t<T>> make_ready_future_after(const std::chrono::duration<Rep, Period>& time,
                                                                         T&& value) {
  return make_ready_future_at(std::chrono::steady_clock::now() + time, std::forward<T>(value));
}
/// The same without a value.
template <int = 0, class Rep, class Period>
[[nodiscard]] future<void> make_ready_future_after(const std::chrono::duration<Rep, Period>& time) {
  return make_ready_future_at(std::chrono::steady_clock::now() + time);
}
/// The same of a T made of `args`, at once; without any for void.
template <class T, class Rep, class Period, class... Args>
requires(!std::is_reference_v<T>)
    [[nodiscard]] future<T> make_ready_future_after(const std::chrono::duration<Rep, Period>& time, Args&&... args) {
  return make_ready_future_at<T>(std::chrono::steady_clock::now() + time, std::forward<Args>(args)...);
}

}  // namespace amity
