#pragma once

/// What an operation on a variable gives: the future of its result, or, as HPX has it, the result in the variable.
///
///     text = co::broadcast(c, text).get();       // as a future: the variable stays as it is
///     co::broadcast(c, text);                    // the future is dropped: the call waits, and `text` is the result
///     co::reduce(c, sum, std::plus<>());         // the same; elsewhere than at the root `sum` stays

#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "amity/coll/kept_value.hpp"
#include "amity/future/future.hpp"

namespace amity::collectives {

/// The result of an operation on a variable: a future<Result>, as that of any operation. If it was not taken out (by
/// get, then, share or a move) when it is destroyed, the destructor waits for the result and writes it to the variable.
/// So a call whose result is dropped, `co::broadcast(c, text);`, blocks the fiber, and throws what the operation fails
/// with.
template <class Result, class T>
class of_variable : public future<Result> {
 public:
  /// For the operations: the result of `f`, for `variable`.
  /// Requires: the variable stays as long as this object.
  of_variable(future<Result> f, T& variable)
      : future<Result>(std::move(f)), variable_(&variable), exceptions_(std::uncaught_exceptions()) {}
  of_variable(of_variable&&) noexcept = default;
  of_variable& operator=(of_variable&&) = delete;
  /// Waits, and writes to the variable, if the future was not taken out, and no exception is under way.
  ~of_variable() noexcept(false) {
    if (!this->valid() || std::uncaught_exceptions() > exceptions_) return;
    if constexpr (detail::is_large<T>) {  // not on the stack of the caller
      std::unique_ptr<Result> const result(new Result(this->get()));
      write(*result);
    } else {
      Result result = this->get();
      write(result);
    }
  }

 private:
  void write(Result& result) {
    if constexpr (std::is_same_v<Result, T>)
      *variable_ = std::move(result);
    else if (result)
      *variable_ = std::move(*result);
  }

  T* variable_;
  int exceptions_;
};

namespace detail {

/// What `V` stands for: what was said, or its own type.
template <class T, class V>
using value_of = std::conditional_t<std::is_void_v<T>, std::decay_t<V>, T>;
/// `V`, as a forwarding reference has it, is a variable that may get the result.
template <class T, class V>
concept variable_of =
    std::is_lvalue_reference_v<V> && std::is_same_v<std::remove_reference_t<V>, T> && std::is_move_assignable_v<T>;

}  // namespace detail
}  // namespace amity::collectives

namespace amity::detail {

template <class Result, class T>
struct is_future<collectives::of_variable<Result, T>> : std::true_type {};

}  // namespace amity::detail
