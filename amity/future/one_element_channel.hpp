#pragma once

/// A channel with room for one value, whose ends are futures. As HPX's local one_element_channel: neighbours of a
/// stencil hand each other their edges by it, a step ahead at the most.
///
///     amity::one_element_channel<std::vector<double>> right;
///     right.set(edge);                                       // waits while the one before has not been taken
///     amity::future<std::vector<double>> from_left = left.get();
///     auto next = amity::dataflow(update, std::move(mine), std::move(from_left));
///
/// Any number of senders and receivers. Values are received in the order in which they were set, by those that asked
/// first. Copies are handles of one channel.
/// After close() nothing can be set; what was set before can still be got.
///
/// Memory ordering: what happened before a set() happens before its value can be had of a get().

#include <cstddef>
#include <deque>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "amity/future/future.hpp"
#include "amity/sync/mutex.hpp"

namespace amity {

namespace detail {

/// What a one_element_channel's handles share.
template <class T>
class element_channel {
 public:
  using element = stored<T>;
  static_assert(std::is_nothrow_move_constructible_v<element>, "a value must reach the other side whole");

  /// Is ready when the value is in the channel, or was received.
  future<void> set(element value) {
    std::unique_lock guard(lock_);
    if (closed_) return cancelled<void>();
    if (!getters_.empty()) {
      promise<T> to = std::move(getters_.front());
      getters_.pop_front();
      guard.unlock();  // what follows the future may use the channel
      put(to, std::move(value));
      return make_ready_future();
    }
    if (!value_.has_value()) {
      value_.emplace(std::move(value));
      return make_ready_future();
    }
    setters_.emplace_back(std::move(value));
    return setters_.back().in.get_future();
  }

  future<T> get() {
    std::unique_lock guard(lock_);
    if (!value_.has_value()) {
      if (closed_) return cancelled<T>();
      getters_.emplace_back();
      return getters_.back().get_future();
    }
    promise<T> to;
    future<T> result = to.get_future();
    put(to, std::move(*value_));  // nobody has its future yet
    value_.reset();
    if (setters_.empty()) return result;
    promise<void> in = std::move(setters_.front().in);
    value_.emplace(std::move(setters_.front().value));
    setters_.pop_front();
    guard.unlock();
    in.set_value();
    return result;
  }

  std::size_t close() {
    std::unique_lock guard(lock_);
    closed_ = true;
    std::deque<promise<T>> getters = std::exchange(getters_, {});
    guard.unlock();
    for (promise<T>& to : getters) to.set_exception(std::make_exception_ptr(future_error(future_errc::cancelled)));
    return getters.size();
  }

  [[nodiscard]] bool is_closed() const {
    std::lock_guard guard(lock_);
    return closed_;
  }

 private:
  struct setter {
    element value;
    promise<void> in;
    explicit setter(element&& v) : value(std::move(v)) {}
  };

  static void put(promise<T>& to, element&& value) {
    if constexpr (std::is_void_v<T>)
      to.set_value();
    else if constexpr (std::is_reference_v<T>)
      to.set_value(*value);
    else
      to.set_value(std::move(value));
  }
  template <class X>
  [[nodiscard]] static future<X> cancelled() {
    return make_exceptional_future<X>(future_error(future_errc::cancelled));
  }

  mutable sync::mutex lock_;
  bool closed_ = false;
  std::optional<element> value_;
  std::deque<setter> setters_;      // there is a value
  std::deque<promise<T>> getters_;  // there is none
};

}  // namespace detail

/// Room for one value of T, or of nothing for void, or for a reference.
template <class T>
class one_element_channel {
  using argument = std::conditional_t<std::is_void_v<T>, detail::unit, T>;

 public:
  /// What is handed over.
  using value_type = T;

  /// A channel of its own.
  one_element_channel() : shared_(std::make_shared<detail::element_channel<T>>()) {}

  /// Waits while there is a value that was not received. Throws future_error, cancelled, if it is closed.
  void set(argument value) requires(!std::is_void_v<T>) { set(launch::async, std::forward<argument>(value)).get(); }
  /// Never waits. The future is ready when the value is in the channel, in the order of the calls; with launch::sync,
  /// at the return, and then it waits. It holds future_error, cancelled, if the channel is closed.
  future<void> set(launch how, argument value) requires(!std::is_void_v<T>) {
    if constexpr (std::is_reference_v<T>)
      return waited_for(how, shared_->set(std::addressof(value)));
    else
      return waited_for(how, shared_->set(std::move(value)));
  }
  /// The same of nothing.
  void set() requires std::is_void_v<T> { set(launch::async).get(); }
  /// The same of nothing.
  future<void> set(launch how) requires std::is_void_v<T> { return waited_for(how, shared_->set({})); }

  /// A future of the next value. Never waits. It holds future_error, cancelled, if the channel is closed and empty.
  [[nodiscard]] future<T> get() { return shared_->get(); }

  /// Nothing can be set any more, and those that wait for a value get future_error, cancelled; the result is how many
  /// do. Those that wait for room have set already.
  std::size_t close() { return shared_->close(); }
  /// It was closed.
  [[nodiscard]] bool is_closed() const { return shared_->is_closed(); }

  /// Values one after the other, each waited for, until the channel is closed and empty.
  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    /// Of the end.
    iterator() noexcept = default;
    [[nodiscard]] T& operator*() noexcept { return *value_; }
    [[nodiscard]] T* operator->() noexcept { return std::addressof(*value_); }
    iterator& operator++() {
      take();
      return *this;
    }
    void operator++(int) { take(); }
    [[nodiscard]] bool operator==(std::default_sentinel_t) const noexcept { return !value_.has_value(); }

   private:
    friend one_element_channel;
    explicit iterator(one_element_channel& from) : from_(&from) { take(); }
    void take() {
      value_.reset();
      try {
        value_.emplace(from_->get().get());
      } catch (const future_error& e) {
        if (e.code() != future_errc::cancelled) throw;
      }
    }
    one_element_channel* from_ = nullptr;
    std::optional<T> value_;
  };
  /// Waits for the first value.
  [[nodiscard]] iterator begin() requires std::is_object_v<T> { return iterator(*this); }
  /// What is reached when the channel is closed and empty.
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

 private:
  [[nodiscard]] static future<void> waited_for(launch how, future<void> in) {
    if (detail::earliest(how) == launch::sync) in.wait();
    return in;
  }

  std::shared_ptr<detail::element_channel<T>> shared_;
};

}  // namespace amity
