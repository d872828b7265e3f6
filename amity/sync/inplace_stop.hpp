#pragma once

/// Requests to stop that need no memory of their own, as C++26's: the source lies in an object, and callbacks are
/// linked where they lie.
///
///     amity::inplace_stop_source source;
///     amity::inplace_stop_callback const abort(source.get_token(), [&] { socket.close(); });
///     ... source.request_stop();          // calls close(); by another thread or task
///
/// A token refers to its source: the source outlives its tokens and callbacks.
///
/// Memory ordering: what happened before the request_stop() that returns true happens before each callback's call, and
/// before the return of a stop_requested() that says so. What a callback did happens before the return of its
/// destructor.

#include <atomic>
#include <concepts>
#include <mutex>
#include <type_traits>
#include <utility>

#include "amity/sched/fiber/fiber.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sync/parking.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity {

class inplace_stop_source;
class inplace_stop_token;
template <class F>
class inplace_stop_callback;

namespace detail {

/// A callback as its source knows it.
class stop_registration {
 public:
  stop_registration(const stop_registration&) = delete;
  stop_registration& operator=(const stop_registration&) = delete;

 protected:
  explicit stop_registration(void (*call)(stop_registration&) noexcept) noexcept : call_(call) {}
  ~stop_registration() = default;
  /// Calls it now where the request came before.
  inline void enter(const inplace_stop_source* of) noexcept;
  /// Afterwards nobody calls it. Blocks the fiber while another one is in the call.
  inline void leave() noexcept;

 private:
  friend inplace_stop_source;
  void (*const call_)(stop_registration&) noexcept;
  const inplace_stop_source* of_ = nullptr;                ///< null: it was never in a list
  stop_registration *next_ = nullptr, *before_ = nullptr;  ///< under the source's lock, as the next one
  bool is_linked_ = false;
};

}  // namespace detail

/// As std::inplace_stop_source: what is asked to stop, once.
class inplace_stop_source {
 public:
  constexpr inplace_stop_source() noexcept = default;
  inplace_stop_source(const inplace_stop_source&) = delete;
  inplace_stop_source& operator=(const inplace_stop_source&) = delete;

  /// A token that refers to this source.
  [[nodiscard]] constexpr inplace_stop_token get_token() const noexcept;
  /// It always is.
  [[nodiscard]] static constexpr bool stop_possible() noexcept { return true; }
  /// request_stop was called.
  [[nodiscard]] bool stop_requested() const noexcept {
    return requested_.load(std::memory_order_acquire);  // pairs with request_stop
  }
  /// Calls all callbacks, one after the other, in the caller's fiber. False: another call came first, and may still be
  /// calling them.
  bool request_stop() noexcept {
    std::unique_lock held(lock_);
    if (requested_.load(std::memory_order_relaxed)) return false;
    requested_.store(true, std::memory_order_release);  // pairs with stop_requested
    caller_ = sched::self();
    while (detail::stop_registration* const each = first_) {
      unlink(*each);
      called_.store(each, std::memory_order_relaxed);
      held.unlock();
      each->call_(*each);  // which may destroy it
      held.lock();
      // Release: what the call did, for leave(), which pairs.
      called_.store(nullptr, std::memory_order_release);
      held.unlock();
      sync::unpark_all(this);
      held.lock();
    }
    return true;
  }

 private:
  friend class detail::stop_registration;

  void unlink(detail::stop_registration& r) const noexcept {
    (r.before_ != nullptr ? r.before_->next_ : first_) = r.next_;
    if (r.next_ != nullptr) r.next_->before_ = r.before_;
    r.is_linked_ = false;
  }

  mutable sys::spin_lock lock_;
  std::atomic<bool> requested_{false};
  mutable detail::stop_registration* first_ = nullptr;             ///< under the lock
  sched::fiber* caller_ = nullptr;                                 ///< of the request; under the lock
  std::atomic<const detail::stop_registration*> called_{nullptr};  ///< stored under the lock
};

/// As std::inplace_stop_token: asks a source whether it was asked to stop.
class inplace_stop_token {
 public:
  /// What calls an F at the request.
  template <class F>
  using callback_type = inplace_stop_callback<F>;

  /// Refers to no source: it is never asked to stop.
  constexpr inplace_stop_token() noexcept = default;

  /// It refers to a source that was asked to stop.
  [[nodiscard]] bool stop_requested() const noexcept { return of_ != nullptr && of_->stop_requested(); }
  /// It refers to a source.
  [[nodiscard]] bool stop_possible() const noexcept { return of_ != nullptr; }
  /// Exchanges the sources.
  void swap(inplace_stop_token& other) noexcept { std::swap(of_, other.of_); }
  /// Both refer to the same source, or to none.
  friend bool operator==(const inplace_stop_token&, const inplace_stop_token&) noexcept = default;

 private:
  friend inplace_stop_source;
  template <class F>
  friend class inplace_stop_callback;
  explicit constexpr inplace_stop_token(const inplace_stop_source* of) noexcept : of_(of) {}

  const inplace_stop_source* of_ = nullptr;
};

constexpr inplace_stop_token inplace_stop_source::get_token() const noexcept { return inplace_stop_token(this); }

/// As std::inplace_stop_callback: a function that is called once, when the token's source is asked to stop; at once if
/// it was before.
template <class F>
class inplace_stop_callback : detail::stop_registration {
 public:
  /// The function's type.
  using callback_type = F;

  /// Throws what making the function from `f` throws.
  template <class Init>
  requires std::constructible_from<F, Init>
  explicit inplace_stop_callback(inplace_stop_token token, Init&& f) noexcept(std::is_nothrow_constructible_v<F, Init>)
      : stop_registration(
            [](stop_registration& r) noexcept { std::forward<F>(static_cast<inplace_stop_callback&>(r).f_)(); }),
        f_(std::forward<Init>(f)) {
    enter(token.of_);
  }
  /// Afterwards the function is not called any more. If another fiber is in the call, blocks until that is over; the
  /// call itself may destroy this.
  ~inplace_stop_callback() { leave(); }

 private:
  F f_;
};
/// Of a copy of the function.
template <class F>
inplace_stop_callback(inplace_stop_token, F) -> inplace_stop_callback<F>;

namespace detail {

inline void stop_registration::enter(const inplace_stop_source* of) noexcept {
  if (of == nullptr) return;
  {
    std::lock_guard const held(of->lock_);
    if (!of->requested_.load(std::memory_order_relaxed)) {
      of_ = of;
      is_linked_ = true;
      next_ = of->first_;
      if (next_ != nullptr) next_->before_ = this;
      of->first_ = this;
      return;
    }
  }
  static_cast<void>(of->stop_requested());  // acquires
  call_(*this);
}

inline void stop_registration::leave() noexcept {
  if (of_ == nullptr) return;
  {
    std::lock_guard const held(of_->lock_);
    if (is_linked_) return of_->unlink(*this);
    if (of_->called_.load(std::memory_order_relaxed) != this || of_->caller_ == sched::self()) return;
  }
  while (of_->called_.load(std::memory_order_acquire) == this)  // pairs with request_stop
    sync::park_at(of_, [this] { return of_->called_.load(std::memory_order_relaxed) == this; });
}

}  // namespace detail

}  // namespace amity
