#pragma once

/// HClib's functions for accumulators. New programs take amity::accumulator, whose rules hold.
///
///     accum_t* sum = accum_create_int(ACCUM_OP_PLUS, ACCUM_MODE_LAZY, 0);
///     finish([=] { for (int i = 0; i < 1000; ++i) async([=] { accum_put_int(sum, 1); }); });
///     accum_get_int(sum);                     // 1000
///     accum_destroy(sum);
///
/// These are templates of nothing (base/README.md, I1).

#include <stdexcept>

#include "amity/finish/accumulator.hpp"

namespace amity::habanero {

/// What is done with what is put.
enum accum_op_t : int {
  ACCUM_OP_NONE,  ///< no accumulator can be made with it
  ACCUM_OP_PLUS,  ///< the sum
  ACCUM_OP_PROD,  ///< the product
  ACCUM_OP_MIN,   ///< the least
  ACCUM_OP_MAX    ///< the largest
};
/// How: `LAZY` and `REC` as accumulate::mode::lazy, `SEQ` as eager.
enum accum_mode_t : int { ACCUM_MODE_SEQ, ACCUM_MODE_LAZY, ACCUM_MODE_REC };

/// By pointer only; from accum_create_int, accum_create_double.
struct accum_t {
  accum_t() = default;
  accum_t(const accum_t&) = delete;
  accum_t& operator=(const accum_t&) = delete;
  virtual ~accum_t() = default;
};

namespace detail {

template <class T>
class accum_of final : public accum_t {
 public:
  accum_of(accum_op_t op, accum_mode_t mode, T start)
      : start_(start), combine_(function(op)), parts_(neutral(op), combine_, mode_of(mode)) {}
  void put(T value) { parts_.put(value); }
  [[nodiscard]] T get() const { return combine_(start_, parts_.get()); }

 private:
  using operation = T (*)(T, T);
  static operation function(accum_op_t op) {
    switch (op) {
      case ACCUM_OP_PLUS:
        return [](T a, T b) { return a + b; };
      case ACCUM_OP_PROD:
        return [](T a, T b) { return a * b; };
      case ACCUM_OP_MIN:
        return [](T a, T b) { return b < a ? b : a; };
      case ACCUM_OP_MAX:
        return [](T a, T b) { return a < b ? b : a; };
      case ACCUM_OP_NONE:
        break;
    }
    throw std::invalid_argument(
        "amity: accum_create: an operation that is none of ACCUM_OP_PLUS, ACCUM_OP_PROD, ACCUM_OP_MIN, ACCUM_OP_MAX");
  }
  static T neutral(accum_op_t op) {
    switch (op) {
      case ACCUM_OP_PROD:
        return accumulate::neutral<T, accumulate::times>();
      case ACCUM_OP_MIN:
        return accumulate::neutral<T, accumulate::min>();
      case ACCUM_OP_MAX:
        return accumulate::neutral<T, accumulate::max>();
      default:
        return accumulate::neutral<T, accumulate::plus>();
    }
  }
  static accumulate::mode mode_of(accum_mode_t mode) {
    if (mode == ACCUM_MODE_SEQ) return accumulate::mode::eager;
    if (mode == ACCUM_MODE_LAZY || mode == ACCUM_MODE_REC) return accumulate::mode::lazy;
    throw std::invalid_argument(
        "amity: accum_create: a mode that is none of ACCUM_MODE_SEQ, ACCUM_MODE_LAZY, ACCUM_MODE_REC");
  }

  T const start_;
  operation const combine_;
  accumulator<T, operation> parts_;
};

template <class T>
[[nodiscard]] accum_of<T>& accum_of_type(accum_t* accumulator, const char* what) {
  auto* const found = dynamic_cast<accum_of<T>*>(accumulator);
  if (found == nullptr) throw std::invalid_argument(what);
  return *found;
}

}  // namespace detail

/// A new one, for accum_destroy. Throws std::invalid_argument at an operation or a mode that there is not.
template <class Int = int>
[[nodiscard]] accum_t* accum_create_int(accum_op_t op, accum_mode_t mode, int start) {
  return new detail::accum_of<Int>(op, mode, start);
}
/// The same.
template <class Double = double>
[[nodiscard]] accum_t* accum_create_double(accum_op_t op, accum_mode_t mode, double start) {
  return new detail::accum_of<Double>(op, mode, start);
}
/// From any task. Throws std::invalid_argument if it was not made by accum_create_int.
template <class Int = int>
void accum_put_int(accum_t* accumulator, int value) {
  detail::accum_of_type<Int>(accumulator, "amity: accum_put_int: not made by accum_create_int").put(value);
}
/// From any task. Throws std::invalid_argument if it was not made by accum_create_double.
template <class Double = double>
void accum_put_double(accum_t* accumulator, double value) {
  detail::accum_of_type<Double>(accumulator, "amity: accum_put_double: not made by accum_create_double").put(value);
}
/// All of it. Requires: nobody puts meanwhile. Throws as accum_put_int.
template <class Int = int>
[[nodiscard]] int accum_get_int(accum_t* accumulator) {
  return detail::accum_of_type<Int>(accumulator, "amity: accum_get_int: not made by accum_create_int").get();
}
/// All of it. Requires: nobody puts meanwhile. Throws as accum_put_double.
template <class Double = double>
[[nodiscard]] double accum_get_double(accum_t* accumulator) {
  return detail::accum_of_type<Double>(accumulator, "amity: accum_get_double: not made by accum_create_double").get();
}
/// Does nothing: any finish will do for any accumulator.
inline void accum_register(accum_t* const* /*accumulators*/, int /*how_many*/) noexcept {}
/// Frees it; or null.
inline void accum_destroy(accum_t* accumulator) noexcept { delete accumulator; }

}  // namespace amity::habanero
