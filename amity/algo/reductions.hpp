#pragma once

/// What for_loop takes between its bounds and its body.
///
///     reduction(sum, 0.0, std::plus<>())   // the body gets a double&, 0.0 at first; sum = sum + all of them
///     reduction_max(largest)               // the operation and its neutral element are known
///     induction(x, 2)                      // the body gets x, x + 2, ...; x is what comes after the last
///
/// Parts of a reduction are put together in the order of the loop.

#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "amity/base/language.hpp"

namespace amity {

namespace algo {

template <class T, class Op>
class reduction_of {
 public:
  reduction_of(T& target, T neutral, Op op) : target_(&target), neutral_(std::move(neutral)), op_(std::move(op)) {}

  struct state {
    T value;
    [[nodiscard]] T& get() noexcept { return value; }
    static void next() noexcept {}
  };
  [[nodiscard]] state begin_at(std::uint64_t) const { return {neutral_}; }
  void add(state& part) { *target_ = op_(std::move(*target_), std::move(part.value)); }
  static void end_at(std::uint64_t) noexcept {}

 private:
  T* target_;
  T neutral_;
  Op op_;
};

template <class T, class Stride>
class induction_of {
 public:
  induction_of(T value, T* target, Stride stride)
      : value_(std::move(value)), target_(target), stride_(std::move(stride)) {}

  struct state {
    T value;
    Stride stride;
    [[nodiscard]] const T& get() const noexcept { return value; }
    void next() { value = static_cast<T>(value + stride); }
  };
  [[nodiscard]] state begin_at(std::uint64_t i) const { return {after(i), stride_}; }
  static void add(state&) noexcept {}
  /// The variable that was given gets the value after n steps.
  void end_at(std::uint64_t n) {
    if (target_ != nullptr) *target_ = after(n);
  }

 private:
  [[nodiscard]] T after(std::uint64_t i) const {
    return static_cast<T>(value_ + static_cast<Stride>(static_cast<Stride>(i) * stride_));
  }
  T value_;
  T* target_;
  Stride stride_;
};

struct smaller {
  template <class T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct larger {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};

}  // namespace algo

/// `op` is associative, and `neutral` changes nothing.
template <class T, class U, class Op>
[[nodiscard]] auto reduction(T& target, const U& neutral, Op op) {
  return algo::reduction_of<T, Op>(target, static_cast<T>(neutral), std::move(op));
}
/// A sum.
template <class T>
[[nodiscard]] auto reduction_plus(T& target, const T& neutral = T()) {
  return reduction(target, neutral, std::plus<>());
}
/// A product.
template <class T>
[[nodiscard]] auto reduction_multiplies(T& target, const T& neutral = T(1)) {
  return reduction(target, neutral, std::multiplies<>());
}
/// The bits that all have.
template <class T>
[[nodiscard]] auto reduction_bit_and(T& target, const T& neutral = static_cast<T>(~T())) {
  return reduction(target, neutral, std::bit_and<>());
}
/// The bits that one has.
template <class T>
[[nodiscard]] auto reduction_bit_or(T& target, const T& neutral = T()) {
  return reduction(target, neutral, std::bit_or<>());
}
/// The bits that an odd number has.
template <class T>
[[nodiscard]] auto reduction_bit_xor(T& target, const T& neutral = T()) {
  return reduction(target, neutral, std::bit_xor<>());
}
/// Each part begins with what the variable is.
template <class T>
[[nodiscard]] auto reduction_min(T& target) {
  return reduction(target, target, algo::smaller());
}
/// Each part begins with `neutral`, which is not smaller than any.
template <class T>
[[nodiscard]] auto reduction_min(T& target, const T& neutral) {
  return reduction(target, neutral, algo::smaller());
}
/// Each part begins with what the variable is.
template <class T>
[[nodiscard]] auto reduction_max(T& target) {
  return reduction(target, target, algo::larger());
}
/// Each part begins with `neutral`, which is not larger than any.
template <class T>
[[nodiscard]] auto reduction_max(T& target, const T& neutral) {
  return reduction(target, neutral, algo::larger());
}

/// A variable is changed at the end; of a value only its course matters. A step of a floating-point type needs a value
/// of one.
template <class T, class Stride = int>
[[nodiscard]] auto induction(T&& value, Stride stride = 1) {
  using plain = std::remove_cvref_t<T>;
  using step = decltype(value - value);
  static_assert(!std::is_floating_point_v<Stride> || !std::is_integral_v<step>,
                "induction: a step that may be a fraction wants a variable that may be one");
  plain* target = nullptr;
  if constexpr (std::is_lvalue_reference_v<T> && !std::is_const_v<std::remove_reference_t<T>>) target = &value;
  return algo::induction_of<plain, step>(value, target, static_cast<step>(stride));
}

}  // namespace amity
