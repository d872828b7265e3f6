#pragma once

/// A program's own events, without a thread that waits for them: a function that runs as a task whenever a file
/// descriptor is readable. A socket, a pipe, a timerfd, the descriptor of a library (an MPI's, a message queue's), or
/// an epoll with thousands of others.
///
///     amity::attendance events = amity::attend(socket, [&] { answer(socket); });
///     ...                                              // anything: waiting and computing go on meanwhile
///     events.stop();                                   // or at the end of its life
///
/// While the workers sleep, one of them sleeps on the descriptor. If all of them compute, the call gets a thread of its
/// own within some milliseconds.

#include <exception>
#include <memory>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include "amity/base/config.hpp"

namespace amity {

namespace detail {

struct attended_fd;

/// What is called when it is readable.
struct attended_call {
  attended_call() = default;
  attended_call(const attended_call&) = delete;
  attended_call& operator=(const attended_call&) = delete;
  virtual ~attended_call() = default;
  virtual void call() = 0;
};

template <class F>
struct attended_call_of final : attended_call {
  F f;
  template <class G>
  explicit attended_call_of(G&& g) : f(std::forward<G>(g)) {}
  void call() override { static_cast<void>(f()); }
};

/// Throws std::system_error if the system refuses.
/// Null: `error` is the system's.
[[nodiscard]] AMITY_API attended_fd* attend_fd(int fd, std::unique_ptr<attended_call> call, int& error) noexcept;
AMITY_API void leave_fd(attended_fd& a) noexcept;

}  // namespace detail

/// The owner's side of attend(): as long as it lives, the function is called. Can be moved.
class [[nodiscard]] attendance {
 public:
  /// Attends nothing.
  attendance() noexcept = default;
  attendance(attendance&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
  attendance& operator=(attendance&& other) noexcept {
    stop();
    of_ = std::exchange(other.of_, nullptr);
    return *this;
  }
  /// As stop().
  ~attendance() { stop(); }

  /// The function is not called any more when this returns: waits for a call that runs, and the core goes to others
  /// meanwhile. Within the function itself it does not wait: that call is the last one. The descriptor stays open.
  void stop() noexcept {
    if (detail::attended_fd* const a = std::exchange(of_, nullptr)) detail::leave_fd(*a);
  }
  /// Whether it attends something.
  [[nodiscard]] explicit operator bool() const noexcept { return of_ != nullptr; }

 private:
  template <class F>
  friend attendance attend(int fd, F&& f);
  explicit attendance(detail::attended_fd* a) noexcept : of_(a) {}

  detail::attended_fd* of_ = nullptr;
};

/// Calls `f()` as a task whenever `fd` is readable, at its end, or has an error: one call at a time, and again as long
/// as it is readable. So `f` reads; what it leaves is there at the next call. It may wait by Amity's means. What it
/// throws ends the program, since no task waits for it. `fd` stays the caller's, must be one that poll(2) can wait for,
/// and is open until stop(); a descriptor can be attended once at a time. Throws std::system_error, with the system's
/// error, if the system refuses; std::bad_alloc. A child made by fork(2) attends nothing.
template <class F>
[[nodiscard]] attendance attend(int fd, F&& f) {
  static_assert(std::is_invocable_v<std::decay_t<F>&>,
                "attend: the function can't be called without arguments: [&] {...}");
  int error = 0;
  auto call = std::make_unique<detail::attended_call_of<std::decay_t<F>>>(std::forward<F>(f));
  detail::attended_fd* const made = detail::attend_fd(fd, std::move(call), error);
  if (made == nullptr)
    throw std::system_error(error, std::generic_category(), "amity::attend: descriptor " + std::to_string(fd));
  return attendance(made);
}

}  // namespace amity
