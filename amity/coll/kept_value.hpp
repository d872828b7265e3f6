#pragma once

/// A value on its way through an operation. A large one lies in memory of its own: it would not fit on the stack of a
/// task, where an operation has several.
///
///     kept<T> v = keep<T>(value);                         // copied or moved once, to where it stays
///     kept<T> w = keep_made<T>([&] { return make(); });   // made there
///     use(inside(v));

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "amity/net/archive.hpp"

namespace amity::collectives::detail {

template <class T>
inline constexpr bool is_large = sizeof(T) > net::detail::most_on_stack;

/// Never empty but when it was moved from. A copy has a value of its own.
template <class T>
class boxed {
 public:
  explicit boxed(std::unique_ptr<T> at) noexcept : at_(std::move(at)) {}
  boxed(const boxed& other) : at_(new T(*other.at_)) {}
  boxed(boxed&&) noexcept = default;
  boxed& operator=(boxed&&) noexcept = default;
  ~boxed() = default;
  [[nodiscard]] T& operator*() noexcept { return *at_; }
  [[nodiscard]] const T& operator*() const noexcept { return *at_; }

 private:
  std::unique_ptr<T> at_;
};

template <class T>
using kept = std::conditional_t<is_large<T>, boxed<T>, T>;

template <class T, class Make>
[[nodiscard]] kept<T> keep_made(Make make) {
  if constexpr (is_large<T>)
    return boxed<T>(std::unique_ptr<T>(new T(make())));
  else
    return make();
}
template <class T, class V>
[[nodiscard]] kept<T> keep(V&& value) {
  return keep_made<T>([&]() -> T { return std::forward<V>(value); });
}

template <class T>
[[nodiscard]] T& inside(T& value) noexcept {
  return value;
}
template <class T>
[[nodiscard]] T& inside(boxed<T>& value) noexcept {
  return *value;
}
template <class T>
[[nodiscard]] const T& inside(const boxed<T>& value) noexcept {
  return *value;
}

/// What an operation gives to its caller, who may have it where it is to lie.
template <class R>
[[nodiscard]] R taken_out(R result) {
  return result;
}
template <class T>
[[nodiscard]] T taken_out(boxed<T> result) {
  return std::move(*result);
}
template <class T>
[[nodiscard]] std::optional<T> taken_out(std::optional<boxed<T>> result) {
  if (!result) return std::nullopt;
  return std::optional<T>(std::move(**result));
}

template <class T>
struct without_box {
  using type = T;
};
template <class T>
struct without_box<boxed<T>> {
  using type = T;
};
template <class T>
struct without_box<std::optional<boxed<T>>> {
  using type = std::optional<T>;
};
/// As what the caller has a result.
template <class R>
using unkept = typename without_box<R>::type;

}  // namespace amity::collectives::detail
