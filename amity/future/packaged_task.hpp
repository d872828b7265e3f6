#pragma once

/// Functions whose results go to futures, as in std.
///
///     amity::packaged_task<int(int)> twice([](int x) { return 2 * x; });
///     amity::future<int> f = twice.get_future();
///     twice(21);                        // here and now; f.get() is 42
///
/// Memory ordering: what the call did happens before the return of the future's get() and wait().

#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "amity/future/caught.hpp"
#include "amity/future/future.hpp"

namespace amity {

template <class Signature>
class packaged_task;

/// A function whose result goes to a future. Move-only functions too.
template <class R, class... Args>
class packaged_task<R(Args...)> {
 public:
  packaged_task() noexcept = default;
  /// Will call `f`.
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, packaged_task>) explicit packaged_task(F&& f)
      : function_(std::make_unique<model<std::decay_t<F>>>(std::forward<F>(f))), promise_{std::in_place} {}

  /// It has a function.
  [[nodiscard]] bool valid() const noexcept { return function_ != nullptr; }
  /// Of what the call will return. The second time it throws future_error, future_already_retrieved.
  [[nodiscard]] future<R> get_future() { return checked().get_future(); }

  /// Calls the function here; what it returns or throws goes to the future. The second call throws future_error,
  /// promise_already_satisfied.
  void operator()(Args... args) {
    promise<R>& p = called();
    detail::fulfil(p, [&]() -> R { return function_->call(std::forward<Args>(args)...); });
  }

  /// The same, but the future is not ready before the end of the calling task, or thread: as with
  /// promise::set_value_at_thread_exit.
  void make_ready_at_thread_exit(Args... args) {
    promise<R>& p = called();
    auto error = detail::caught([&] {
      if constexpr (std::is_void_v<R>) {
        function_->call(std::forward<Args>(args)...);
        p.set_value_at_thread_exit();
      } else {
        p.set_value_at_thread_exit(function_->call(std::forward<Args>(args)...));
      }
    });
    if (error != nullptr) p.set_exception_at_thread_exit(std::move(error));
  }

  /// Exchanges functions and futures.
  void swap(packaged_task& other) noexcept {
    std::swap(function_, other.function_);
    std::swap(promise_, other.promise_);
    std::swap(called_, other.called_);
  }

  /// As new, with another future.
  void reset() {
    checked() = promise<R>();
    called_ = false;
  }

 private:
  struct concept_of {
    virtual ~concept_of() = default;
    virtual R call(Args... args) = 0;
  };
  template <class F>
  struct model final : concept_of {
    explicit model(F&& function) : f(std::move(function)) {}
    explicit model(const F& function) : f(function) {}
    R call(Args... args) override {
      if constexpr (std::is_void_v<R>)
        static_cast<void>(std::invoke(f, std::forward<Args>(args)...));
      else
        return std::invoke(f, std::forward<Args>(args)...);
    }
    F f;
  };
  /// It is being called: once only.
  promise<R>& called() {
    promise<R>& p = checked();
    if (std::exchange(called_, true)) detail::throw_future_error(future_errc::promise_already_satisfied);
    return p;
  }
  promise<R>& checked() {
    if (function_ == nullptr) detail::throw_future_error(future_errc::no_state);
    return *promise_;
  }

  std::unique_ptr<concept_of> function_;
  std::optional<promise<R>> promise_;
  bool called_ = false;
};

/// Exchanges functions and futures.
template <class Signature>
void swap(packaged_task<Signature>& a, packaged_task<Signature>& b) noexcept {
  a.swap(b);
}

namespace detail {
/// As what a function object's call operator can be written: R(Args...).
template <class Member>
struct signature_of;
template <class F, class R, class... Args, bool N>
struct signature_of<R (F::*)(Args...) noexcept(N)> : std::type_identity<R(Args...)> {};
template <class F, class R, class... Args, bool N>
struct signature_of<R (F::*)(Args...) const noexcept(N)> : std::type_identity<R(Args...)> {};
template <class F, class R, class... Args, bool N>
struct signature_of<R (F::*)(Args...)& noexcept(N)> : std::type_identity<R(Args...)> {};
template <class F, class R, class... Args, bool N>
struct signature_of<R (F::*)(Args...) const& noexcept(N)> : std::type_identity<R(Args...)> {};
}  // namespace detail

/// Of a function.
template <class R, class... Args>
packaged_task(R (*)(Args...)) -> packaged_task<R(Args...)>;
/// Of an object with one call operator.
template <class F>
packaged_task(F) -> packaged_task<typename detail::signature_of<decltype(&F::operator())>::type>;

}  // namespace amity
