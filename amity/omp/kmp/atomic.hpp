// Atomic updates by call, for compilers that do not inline them: one template over type and operation. atomic.cpp lists
// clang's 300 names for it.
//
// Values of up to 8 bytes at an aligned address are changed by compare-and-swap; all others under one of a few mutexes,
// found by address, so that whoever changes a variable by a call agrees on how.
#pragma once

#include <cstdint>
#include <cstring>
#include <mutex>
#include <type_traits>

#include "amity/base/config.hpp"
#include "amity/sync/mutex.hpp"

namespace amity::omp::kmp {

using int1 = signed char;
using int2 = std::int16_t;
using int4 = std::int32_t;
using int8 = std::int64_t;
using uint1 = unsigned char;
using uint2 = std::uint16_t;
using uint4 = std::uint32_t;
using uint8 = std::uint64_t;
using float4 = float;
using float8 = double;
using float10 = long double;
using cmplx4 = float _Complex;
using cmplx8 = double _Complex;
using cmplx10 = long double _Complex;

// Operations: the new value from the old one and the operand.
namespace op {

struct add {
  template <class T, class V>
  T operator()(T x, V v) const noexcept {
    return static_cast<T>(x + v);
  }
};
struct sub {
  template <class T, class V>
  T operator()(T x, V v) const noexcept {
    return static_cast<T>(x - v);
  }
};
struct mul {
  template <class T, class V>
  T operator()(T x, V v) const noexcept {
    return static_cast<T>(x * v);
  }
};
struct div {
  template <class T, class V>
  T operator()(T x, V v) const noexcept {
    return static_cast<T>(x / v);
  }
};
struct andb {
  template <class T>
  T operator()(T x, T v) const noexcept {
    return static_cast<T>(x & v);
  }
};
struct orb {
  template <class T>
  T operator()(T x, T v) const noexcept {
    return static_cast<T>(x | v);
  }
};
struct xor_ {
  template <class T>
  T operator()(T x, T v) const noexcept {
    return static_cast<T>(x ^ v);
  }
};
struct shl {  // of the bits, so that nothing overflows
  template <class T>
  T operator()(T x, T v) const noexcept {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(x) << v);
  }
};
struct shr {
  template <class T>
  T operator()(T x, T v) const noexcept {
    return static_cast<T>(x >> v);
  }
};
struct min {
  template <class T>
  T operator()(T x, T v) const noexcept {
    return v < x ? v : x;
  }
};
struct max {
  template <class T>
  T operator()(T x, T v) const noexcept {
    return v > x ? v : x;
  }
};
struct andl {
  template <class T>
  T operator()(T x, T v) const noexcept {
    return static_cast<T>(x != 0 && v != 0);
  }
};
struct orl {
  template <class T>
  T operator()(T x, T v) const noexcept {
    return static_cast<T>(x != 0 || v != 0);
  }
};
struct eqv {  // Fortran's .eqv.
  template <class T>
  T operator()(T x, T v) const noexcept {
    return static_cast<T>(x ^ ~v);
  }
};
using neqv = xor_;
struct assign {
  template <class T>
  T operator()(T, T v) const noexcept {
    return v;
  }
};
// expr op x instead of x op expr.
template <class Operation>
struct reversed {
  template <class T>
  T operator()(T x, T v) const noexcept {
    return Operation{}(v, x);
  }
};

}  // namespace op

// The mutex for variables that no instruction changes.
[[nodiscard]] sync::mutex& atomic_mutex(const void* address) noexcept;

// An integer of the size of T; void where there is none.
template <std::size_t Size>
struct image {
  using type = void;
};
template <>
struct image<1> {
  using type = std::uint8_t;
};
template <>
struct image<2> {
  using type = std::uint16_t;
};
template <>
struct image<4> {
  using type = std::uint32_t;
};
template <>
struct image<8> {
  using type = std::uint64_t;
};

template <class To, class From>
[[nodiscard]] inline To bits_as(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

template <class T>
struct change {
  T before, after;
};

// x = f(x), atomically. seq_cst: the calls do not say which order the program asked for.
template <class T, class Function>
change<T> apply(T* x, Function f) noexcept {
  using bits = typename image<sizeof(T)>::type;
  if constexpr (!std::is_void_v<bits>) {
    if (reinterpret_cast<std::uintptr_t>(x) % sizeof(T) == 0) [[likely]] {
      auto* const word = reinterpret_cast<bits*>(x);
      bits before = __atomic_load_n(word, __ATOMIC_RELAXED);
      for (;;) {
        const T old = bits_as<T>(before);
        const T changed = f(old);
        const bits after = bits_as<bits>(changed);
        if (__atomic_compare_exchange_n(word, &before, after, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
          return {old, changed};
      }
    }
  }
  std::lock_guard guard(atomic_mutex(x));
  T old;
  memcpy(&old, x, sizeof old);
  const T changed = f(old);
  memcpy(x, &changed, sizeof changed);
  return {old, changed};
}

template <class Operation, class T, class V>
inline void update(T* x, V v) noexcept {
  apply(x, [v](T old) { return Operation{}(old, v); });
}

// As update, and gives the value before it, or after it if `flag` says so.
template <class Operation, class T, class V>
[[nodiscard]] inline T capture(T* x, V v, int flag) noexcept {
  const change<T> done = apply(x, [v](T old) { return Operation{}(old, v); });
  return flag != 0 ? done.after : done.before;
}

template <class T>
[[nodiscard]] inline T read(T* x) noexcept {
  return apply(x, [](T old) { return old; }).before;
}

}  // namespace amity::omp::kmp
