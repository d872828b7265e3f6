#pragma once

/// Queues of fixed capacity that never wait: a value goes in if there is room and comes out if there is one. HPX's
/// channel_mpmc, channel_mpsc and channel_spsc. For one that waits see channel.hpp.
///
///     amity::channel_spsc<int> numbers(16);
///     bool const sent = numbers.set(42);          // by the one sender; false: it is full, or closed
///     int x;
///     if (numbers.get(&x)) use(x);                // by the one receiver; false: it is empty, or closed
///
/// Memory ordering: what happened before a set happens before the return of the get that gets its value.

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>

#include "amity/base/config.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::sync {

namespace detail {

/// Room for values that come and go.
template <class T>
class slots {
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T> &&
                    std::is_nothrow_destructible_v<T>,
                "a value must reach the other side whole");

 public:
  explicit slots(std::size_t count) : count_(count), all_(std::allocator<T>().allocate(count)) {}
  slots(const slots&) = delete;
  slots& operator=(const slots&) = delete;
  ~slots() { std::allocator<T>().deallocate(all_, count_); }

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  void put(std::size_t at, T&& value) noexcept { ::new (static_cast<void*>(all_ + at)) T(std::move(value)); }
  /// Null: the value is dropped.
  void take(std::size_t at, T* to) noexcept {
    T* const from = std::launder(all_ + at);
    if (to != nullptr) *to = std::move(*from);
    std::destroy_at(from);
  }

 private:
  std::size_t count_;
  T* all_;
};

}  // namespace detail

/// Any number of senders and receivers.
template <class T>
class channel_mpmc {
 public:
  /// What is sent.
  using value_type = T;

  /// Holds at most `capacity` values; 0 counts as 1. Throws std::bad_alloc.
  explicit channel_mpmc(std::size_t capacity) : slots_(capacity == 0 ? 1 : capacity) {}
  channel_mpmc(const channel_mpmc&) = delete;
  channel_mpmc& operator=(const channel_mpmc&) = delete;
  ~channel_mpmc() {
    while (size_ != 0) take(nullptr);
  }

  /// False: it is full or closed, and `value` is as it was. Never waits for a receiver.
  bool set(T&& value) noexcept {
    std::lock_guard const held(lock_);
    if (closed_ || size_ == slots_.count()) return false;
    slots_.put((first_ + size_++) % slots_.count(), std::move(value));
    return true;
  }
  /// False: it is empty or closed, and `*value` is as it was. Null: the value is dropped. Never waits for a sender.
  bool get(T* value = nullptr) noexcept {
    std::lock_guard const held(lock_);
    if (closed_ || size_ == 0) return false;
    take(value);
    return true;
  }
  /// From now on nothing goes in or comes out. What lies there is given back with it: how many values that are.
  std::size_t close() noexcept {
    std::lock_guard const held(lock_);
    closed_ = true;
    return size_;
  }

 private:
  void take(T* value) noexcept {
    slots_.take(first_, value);
    first_ = (first_ + 1) % slots_.count();
    --size_;
  }

  sys::spin_lock lock_;
  bool closed_ = false;
  std::size_t first_ = 0, size_ = 0;
  detail::slots<T> slots_;
};

/// Any number of senders, one receiver.
template <class T>
using channel_mpsc = channel_mpmc<T>;

/// One sender and one receiver, neither of which waits for the other: Lamport's ring ("Proving the correctness of
/// multiprocess programs", 1977), in which each side also remembers where it has last seen the other one.
template <class T>
class channel_spsc {
 public:
  /// What is sent.
  using value_type = T;

  /// Holds at most `capacity` values; 0 counts as 1. Throws std::bad_alloc.
  explicit channel_spsc(std::size_t capacity) : slots_((capacity == 0 ? 1 : capacity) + 1) {}
  channel_spsc(const channel_spsc&) = delete;
  channel_spsc& operator=(const channel_spsc&) = delete;
  ~channel_spsc() {
    std::size_t const end = sender_.at.load(std::memory_order_relaxed);  // nobody else is left
    for (std::size_t at = receiver_.at.load(std::memory_order_relaxed); at != end; at = after(at))
      slots_.take(at, nullptr);
  }

  /// The sender's. False: it is full or closed, and `value` is as it was.
  bool set(T&& value) noexcept {
    if (closed_.load(std::memory_order_relaxed)) return false;  // relaxed: it may just have been closed in any case
    std::size_t const at = sender_.at.load(std::memory_order_relaxed);  // its own
    std::size_t const next = after(at);
    if (next == sender_.other) {
      sender_.other = receiver_.at.load(std::memory_order_acquire);  // pairs with get: the slot is empty
      if (next == sender_.other) return false;
    }
    slots_.put(at, std::move(value));
    sender_.at.store(next, std::memory_order_release);  // pairs with get: the value
    return true;
  }
  /// The receiver's. False: it is empty or closed, and `*value` is as it was. Null: the value is dropped.
  bool get(T* value = nullptr) noexcept {
    if (closed_.load(std::memory_order_relaxed)) return false;            // as in set
    std::size_t const at = receiver_.at.load(std::memory_order_relaxed);  // its own
    if (at == receiver_.other) {
      receiver_.other = sender_.at.load(std::memory_order_acquire);  // pairs with set: the value
      if (at == receiver_.other) return false;
    }
    slots_.take(at, value);
    receiver_.at.store(after(at), std::memory_order_release);  // pairs with set: the slot is empty
    return true;
  }
  /// From now on nothing goes in or comes out; a set or a get that is under way may still succeed. By anybody. Gives
  /// how many values lie there, as far as can be seen.
  std::size_t close() noexcept {
    closed_.store(true, std::memory_order_relaxed);
    std::size_t const end = sender_.at.load(std::memory_order_relaxed);
    std::size_t const begin = receiver_.at.load(std::memory_order_relaxed);
    return (end + slots_.count() - begin) % slots_.count();
  }

 private:
  [[nodiscard]] std::size_t after(std::size_t at) const noexcept { return at + 1 == slots_.count() ? 0 : at + 1; }

  /// A cache line for each: what a side writes for itself takes no line from the other.
  struct alignas(base::cache_line) side {
    std::atomic<std::size_t> at{0};  ///< the next slot that it uses
    std::size_t other = 0;           ///< where the other one was last seen
  };
  side sender_, receiver_;
  alignas(base::cache_line) std::atomic<bool> closed_{false};
  detail::slots<T> slots_;
};

}  // namespace amity::sync

namespace amity {
using sync::channel_mpmc;
using sync::channel_mpsc;
using sync::channel_spsc;

/// HPX's names for them.
namespace lcos::local {
using sync::channel_mpmc;
using sync::channel_mpsc;
using sync::channel_spsc;
}  // namespace lcos::local
namespace experimental {
using sync::channel_mpmc;
using sync::channel_mpsc;
using sync::channel_spsc;
}  // namespace experimental
}  // namespace amity
