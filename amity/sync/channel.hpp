#pragma once

/// A queue between tasks or threads of any kind, which blocks the fiber, never the core: bounded, unbounded, or a
/// meeting place (capacity 0: a send ends when a receiver is there for it).
///
///     sync::channel<int> numbers(16);                    // channel<int> numbers; without a bound
///     amity::post([&] { for (int i = 0; i < 100; ++i) numbers.send(i); numbers.close(); });
///     for (int x : numbers) sum += x;                    // until it is closed and empty
///
/// Any number of senders and receivers; what one sender sends arrives in its order. After close() nothing more can be
/// sent, and what is there can still be received.
///
/// Memory ordering: what happened before a send happens before the return of the receive that gets its value.

#include <atomic>
#include <cstddef>
#include <deque>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "amity/sync/mutex.hpp"
#include "amity/sync/parking.hpp"

namespace amity::sync {

/// The result of a try or of a timed operation.
enum class channel_status : std::uint8_t {
  success,
  busy,     // full, or empty, or nobody is there to meet
  timeout,  // so until the time came
  closed    // closed; for a receiver: and empty
};

namespace detail {

// One who waits in a channel, on its own stack. All but `state` is guarded by the channel's lock.
struct channel_waiter {
  static constexpr int waiting = -1;
  void* value;  // a sender's T, or a receiver's std::optional<T>
  channel_waiter* next = nullptr;
  std::atomic<int> state{waiting};  // then a channel_status
};

// In the order of arrival.
class channel_queue {
 public:
  [[nodiscard]] channel_waiter* first() const noexcept { return first_; }
  void push(channel_waiter& w) noexcept {
    *end_ = &w;
    end_ = &w.next;
  }
  void remove(channel_waiter& w) noexcept {
    channel_waiter** link = &first_;
    while (*link != &w) link = &(*link)->next;
    *link = w.next;
    if (end_ == &w.next) end_ = link;
  }

 private:
  channel_waiter* first_ = nullptr;
  channel_waiter** end_ = &first_;
};

}  // namespace detail

/// A queue of values between senders and receivers.
template <class T>
class channel {
  static_assert(std::is_nothrow_move_constructible_v<T>, "a value must reach the other side whole");

 public:
  /// What is sent.
  using value_type = T;
  /// The capacity of one that is never full.
  static constexpr std::size_t unbounded = std::numeric_limits<std::size_t>::max();

  /// Holds `capacity` values that nobody has received; 0: a send waits for its receiver.
  explicit channel(std::size_t capacity = unbounded) noexcept(false) : capacity_(capacity) {}
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;

  /// Waits while there is no room. False: it is closed, and `value` was not sent.
  bool send(T value) { return send_by(value, sched::never) == channel_status::success; }

  /// These leave `value` as it is unless they succeed.
  [[nodiscard]] channel_status try_send(T&& value) {
    const channel_status how = send_by(value, at_once);
    return how == channel_status::timeout ? channel_status::busy : how;
  }
  /// The same with a copy.
  [[nodiscard]] channel_status try_send(const T& value) { return try_send(T(value)); }
  /// Waits for room, but not longer than that.
  template <class Rep, class Period>
  [[nodiscard]] channel_status send_for(T&& value, const std::chrono::duration<Rep, Period>& wait) {
    return send_by(value, deadline_after(wait));
  }
  /// Waits for room, but not beyond that time.
  template <class Clock, class Duration>
  [[nodiscard]] channel_status send_until(T&& value, const std::chrono::time_point<Clock, Duration>& time) {
    return by_clock(time, [&](sched::instant deadline) { return send_by(value, deadline); });
  }

  /// Waits while there is nothing. No value: it is closed and empty.
  [[nodiscard]] std::optional<T> receive() {
    std::optional<T> value;
    static_cast<void>(receive_by(value, sched::never));
    return value;
  }
  /// Never waits. Here and below `value` has none unless it succeeds, whatever it had.
  [[nodiscard]] channel_status try_receive(std::optional<T>& value) {
    const channel_status how = receive_by(value, at_once);
    return how == channel_status::timeout ? channel_status::busy : how;
  }
  /// Waits for a value, but not longer than that.
  template <class Rep, class Period>
  [[nodiscard]] channel_status receive_for(std::optional<T>& value, const std::chrono::duration<Rep, Period>& wait) {
    return receive_by(value, deadline_after(wait));
  }
  /// Waits for a value, but not beyond that time.
  template <class Clock, class Duration>
  [[nodiscard]] channel_status receive_until(std::optional<T>& value,
                                             const std::chrono::time_point<Clock, Duration>& time) {
    return by_clock(time, [&](sched::instant deadline) { return receive_by(value, deadline); });
  }

  /// Threads that wait return. Values that senders still hold are not sent.
  void close() noexcept {
    for (;;) {
      detail::channel_waiter* w;
      {
        std::lock_guard guard(lock_);
        closed_ = true;
        detail::channel_queue& queue = senders_.first() != nullptr ? senders_ : receivers_;
        w = queue.first();
        if (w == nullptr) return;
        settle(queue, *w, channel_status::closed);
      }
      unpark_all(w);  // only the address
    }
  }
  /// Nothing more can be sent.
  [[nodiscard]] bool is_closed() const noexcept {
    std::lock_guard guard(lock_);
    return closed_;
  }
  /// Values that were sent and not received.
  [[nodiscard]] std::size_t size() const noexcept {
    std::lock_guard guard(lock_);
    return items_.size();
  }

  /// Receives until it is closed and empty. Several loops share the values.
  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = T*;
    using reference = T&;

    iterator() noexcept = default;
    explicit iterator(channel& from) : from_(&from) { ++*this; }
    [[nodiscard]] T& operator*() const noexcept { return *value_; }
    [[nodiscard]] T* operator->() const noexcept { return std::addressof(*value_); }
    iterator& operator++() {
      value_.reset();
      static_cast<void>(from_->receive_by(value_, sched::never));
      return *this;
    }
    void operator++(int) { ++*this; }
    [[nodiscard]] bool operator==(std::default_sentinel_t) const noexcept { return !value_.has_value(); }

   private:
    channel* from_ = nullptr;
    mutable std::optional<T> value_;
  };
  /// Receives the first value, as receive(); ++ receives the next one.
  [[nodiscard]] iterator begin() { return iterator(*this); }
  /// What is reached when it is closed and empty.
  [[nodiscard]] static std::default_sentinel_t end() noexcept { return {}; }

 private:
  static constexpr sched::instant at_once = std::numeric_limits<sched::instant>::min();
  using waiter = detail::channel_waiter;

  template <class Rep, class Period>
  static sched::instant deadline_after(const std::chrono::duration<Rep, Period>& wait) {
    return wait <= wait.zero() ? at_once : sched::instant_after(wait);
  }
  template <class Clock, class Duration, class Operation>
  static channel_status by_clock(const std::chrono::time_point<Clock, Duration>& time, Operation operation) {
    channel_status how = channel_status::timeout;
    sched::wait_by_clock(
        time, [&](sched::instant deadline) { return (how = operation(deadline)) != channel_status::timeout; });
    return how;
  }

  // `w` has got what it waits for. Under the lock; the caller wakes it afterwards, by its address alone: it may be gone
  // as soon as the state is stored.
  static void settle(detail::channel_queue& queue, waiter& w, channel_status how) noexcept {
    queue.remove(w);
    w.state.store(static_cast<int>(how), std::memory_order_release);  // pairs with wait_in
  }

  channel_status send_by(T& value, sched::instant deadline) {
    waiter me{std::addressof(value)};
    {
      std::unique_lock guard(lock_);
      if (closed_) return channel_status::closed;
      if (waiter* const r = receivers_.first()) {
        static_cast<std::optional<T>*>(r->value)->emplace(std::move(value));
        settle(receivers_, *r, channel_status::success);
        guard.unlock();
        unpark_all(r);
        return channel_status::success;
      }
      if (items_.size() < capacity_) {
        items_.push_back(std::move(value));
        return channel_status::success;
      }
      if (deadline == at_once) return channel_status::timeout;
      senders_.push(me);
    }
    return wait_in(senders_, me, deadline);
  }

  channel_status receive_by(std::optional<T>& value, sched::instant deadline) {
    value.reset();
    waiter me{std::addressof(value)};
    {
      std::unique_lock guard(lock_);
      waiter* const s = senders_.first();
      if (!items_.empty()) {
        // First what can fail: room for the value of the sender that waits longest.
        if (s != nullptr) items_.push_back(std::move(*static_cast<T*>(s->value)));
        value.emplace(std::move(items_.front()));
        items_.pop_front();
      } else if (s != nullptr) {
        value.emplace(std::move(*static_cast<T*>(s->value)));
      } else {
        if (closed_) return channel_status::closed;
        if (deadline == at_once) return channel_status::timeout;
        receivers_.push(me);
        guard.unlock();
        return wait_in(receivers_, me, deadline);
      }
      if (s != nullptr) settle(senders_, *s, channel_status::success);
      guard.unlock();
      if (s != nullptr) unpark_all(s);
    }
    return channel_status::success;
  }

  channel_status wait_in(detail::channel_queue& queue, waiter& me, sched::instant deadline) noexcept {
    for (;;) {
      const int state = me.state.load(std::memory_order_acquire);  // pairs with settle
      if (state != waiter::waiting) return static_cast<channel_status>(state);
      const parked how = park_at(&me, [&me] { return me.state.load(std::memory_order_relaxed) == waiter::waiting; },
                                 {.deadline = deadline, .kind = sched::wait_kind::channel});
      if (how != parked::timed_out) continue;
      std::lock_guard guard(lock_);
      if (me.state.load(std::memory_order_relaxed) != waiter::waiting) continue;
      queue.remove(me);
      return channel_status::timeout;
    }
  }

  mutable mutex lock_;
  bool closed_ = false;
  const std::size_t capacity_;
  std::deque<T> items_;
  detail::channel_queue senders_;    // there is no room; only then somebody waits here
  detail::channel_queue receivers_;  // there is nothing
};

}  // namespace amity::sync
