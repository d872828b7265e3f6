#pragma once

/// Coroutines that give values one after the other, as std::generator of C++23.
///
///     amity::generator<int> up_to(int n) { for (int i = 0; i < n; ++i) co_yield i; }
///     for (int x : up_to(5)) sum += x;
///
/// It runs on the stack of the caller that asks for the next value, and may wait like any function. What it throws
/// comes out of begin() or ++. co_yield gives a reference to what was yielded, which lives until the next value is
/// asked for.

// clang-format off: first, because <coroutine> has words of its own for older compilers
#include "amity/base/language.hpp"
// clang-format on

#include <coroutine>
#include <exception>
#include <iterator>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>

namespace amity {

/// A range of what is yielded, to be gone through once: a view, as std's. Move-only.
template <class T>
class [[nodiscard]] generator : public std::ranges::view_interface<generator<T>> {
  using value = std::remove_cvref_t<T>;
  using reference = std::conditional_t<std::is_reference_v<T>, T, const T&>;
  using pointer = std::add_pointer_t<reference>;

 public:
  struct promise_type {
    pointer current = nullptr;
    std::exception_ptr error;

    [[nodiscard]] generator get_return_object() noexcept {
      return generator(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    [[nodiscard]] static std::suspend_always initial_suspend() noexcept { return {}; }
    [[nodiscard]] static std::suspend_always final_suspend() noexcept { return {}; }
    // What is yielded lives as long as the full expression: until the coroutine goes on.
    std::suspend_always yield_value(reference x) noexcept {
      current = std::addressof(x);
      return {};
    }
    static void return_void() noexcept {}
    void unhandled_exception() noexcept { error = std::current_exception(); }
    // It gives values; it awaits nothing.
    void await_transform() = delete;
  };

  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = value;
    using difference_type = std::ptrdiff_t;
    using reference = generator::reference;
    using pointer = generator::pointer;

    iterator() noexcept = default;
    [[nodiscard]] reference operator*() const noexcept { return static_cast<reference>(*handle_.promise().current); }
    [[nodiscard]] pointer operator->() const noexcept { return handle_.promise().current; }
    iterator& operator++() {
      advance(handle_);
      return *this;
    }
    void operator++(int) { ++*this; }
    [[nodiscard]] bool operator==(std::default_sentinel_t) const noexcept { return !handle_ || handle_.done(); }

   private:
    friend generator;
    explicit iterator(std::coroutine_handle<promise_type> h) noexcept : handle_(h) {}
    std::coroutine_handle<promise_type> handle_;
  };

  generator(generator&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  generator& operator=(generator&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~generator() {
    if (handle_) handle_.destroy();
  }

  /// Requires: called once.
  [[nodiscard]] iterator begin() {
    if (handle_) advance(handle_);
    return iterator(handle_);
  }
  /// What is reached when the coroutine returns.
  [[nodiscard]] static std::default_sentinel_t end() noexcept { return {}; }

 private:
  explicit generator(std::coroutine_handle<promise_type> h) noexcept : handle_(h) {}

  static void advance(std::coroutine_handle<promise_type> h) {
    h.resume();
    if (auto& error = h.promise().error; error != nullptr) std::rethrow_exception(std::exchange(error, nullptr));
  }

  std::coroutine_handle<promise_type> handle_;
};

}  // namespace amity
