// Atomic updates by a function that the compiler gives, compare-and-swap, and the lock for everything else.
#include <type_traits>

#include "amity/omp/hooks/race_detector.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/kmp/atomic.hpp"
#include "amity/omp/kmp/kmp.hpp"
#include "amity/omp/rt/critical.hpp"
#include "amity/omp/rt/mutual_exclusion.hpp"

namespace amity::omp::kmp {

sync::mutex& atomic_mutex(const void* address) noexcept {
  struct alignas(base::cache_line) lonely {
    sync::mutex mutex;
  };
  constexpr unsigned bits = 6;
  static constinit lonely all[1u << bits];
  const std::uint64_t mixed =
      (reinterpret_cast<std::uintptr_t>(address) >> 3) * 0x9E3779B97F4A7C15u;  // Fibonacci hashing
  return all[mixed >> (64 - bits)].mutex;
}

namespace {

template <std::size_t Size>
struct block {
  unsigned char bytes[Size];
};

// combine(out, x, operand) makes *out of *x and *operand.
using combiner = void (*)(void* out, void* x, void* operand);

template <std::size_t Size>
void combine_at(void* x, void* operand, combiner combine) noexcept {
  using value = std::conditional_t<std::is_void_v<typename image<Size>::type>, block<Size>, typename image<Size>::type>;
  apply(static_cast<value*>(x), [&](value old) {
    value result = old;
    combine(&result, &old, operand);
    return result;
  });
}

// x = x == expected ? desired : x; whether it was, and what it was.
template <class T>
bool swap_if(T* x, T expected, T desired, T* before) noexcept {
  *before = apply(x, [=](T old) { return old == expected ? desired : old; }).before;
  return *before == expected;
}
template <class T>
bool is_swapped(T* x, T expected, T desired) noexcept {
  T before;
  return swap_if(x, expected, desired, &before);
}
template <class T>
T value_before(T* x, T expected, T desired) noexcept {
  T before;
  swap_if(x, expected, desired, &before);
  return before;
}
// With `captured`: what x is afterwards, which is told only where it was not changed.
template <class T>
bool is_swapped(T* x, T expected, T desired, T* captured) noexcept {
  T before;
  if (swap_if(x, expected, desired, &before)) return true;
  *captured = before;
  return false;
}
template <class T>
T value_before(T* x, T expected, T desired, T* captured) noexcept {
  T before;
  *captured = swap_if(x, expected, desired, &before) ? desired : before;
  return before;
}

}  // namespace
}  // namespace amity::omp::kmp

using namespace amity::omp;
using namespace amity::omp::kmp;

extern "C" {

void __kmpc_atomic_1(ident*, int, void* x, void* v, combiner f) { combine_at<1>(x, v, f); }
void __kmpc_atomic_2(ident*, int, void* x, void* v, combiner f) { combine_at<2>(x, v, f); }
void __kmpc_atomic_4(ident*, int, void* x, void* v, combiner f) { combine_at<4>(x, v, f); }
void __kmpc_atomic_8(ident*, int, void* x, void* v, combiner f) { combine_at<8>(x, v, f); }
void __kmpc_atomic_10(ident*, int, void* x, void* v, combiner f) { combine_at<10>(x, v, f); }
void __kmpc_atomic_16(ident*, int, void* x, void* v, combiner f) { combine_at<16>(x, v, f); }
void __kmpc_atomic_20(ident*, int, void* x, void* v, combiner f) { combine_at<20>(x, v, f); }
void __kmpc_atomic_32(ident*, int, void* x, void* v, combiner f) { combine_at<32>(x, v, f); }

void __kmpc_atomic_start() { take(atomic_fallback(), ompt::mutex_kind::atomic); }
void __kmpc_atomic_end() { give_up(atomic_fallback(), ompt::mutex_kind::atomic); }

bool __kmpc_atomic_bool_1_cas(ident*, int, int1* x, int1 e, int1 d) { return is_swapped(x, e, d); }
bool __kmpc_atomic_bool_2_cas(ident*, int, int2* x, int2 e, int2 d) { return is_swapped(x, e, d); }
bool __kmpc_atomic_bool_4_cas(ident*, int, int4* x, int4 e, int4 d) { return is_swapped(x, e, d); }
bool __kmpc_atomic_bool_8_cas(ident*, int, int8* x, int8 e, int8 d) { return is_swapped(x, e, d); }
int1 __kmpc_atomic_val_1_cas(ident*, int, int1* x, int1 e, int1 d) { return value_before(x, e, d); }
int2 __kmpc_atomic_val_2_cas(ident*, int, int2* x, int2 e, int2 d) { return value_before(x, e, d); }
int4 __kmpc_atomic_val_4_cas(ident*, int, int4* x, int4 e, int4 d) { return value_before(x, e, d); }
int8 __kmpc_atomic_val_8_cas(ident*, int, int8* x, int8 e, int8 d) { return value_before(x, e, d); }
bool __kmpc_atomic_bool_1_cas_cpt(ident*, int, int1* x, int1 e, int1 d, int1* pv) { return is_swapped(x, e, d, pv); }
bool __kmpc_atomic_bool_2_cas_cpt(ident*, int, int2* x, int2 e, int2 d, int2* pv) { return is_swapped(x, e, d, pv); }
bool __kmpc_atomic_bool_4_cas_cpt(ident*, int, int4* x, int4 e, int4 d, int4* pv) { return is_swapped(x, e, d, pv); }
bool __kmpc_atomic_bool_8_cas_cpt(ident*, int, int8* x, int8 e, int8 d, int8* pv) { return is_swapped(x, e, d, pv); }
int1 __kmpc_atomic_val_1_cas_cpt(ident*, int, int1* x, int1 e, int1 d, int1* pv) { return value_before(x, e, d, pv); }
int2 __kmpc_atomic_val_2_cas_cpt(ident*, int, int2* x, int2 e, int2 d, int2* pv) { return value_before(x, e, d, pv); }
int4 __kmpc_atomic_val_4_cas_cpt(ident*, int, int4* x, int4 e, int4 d, int4* pv) { return value_before(x, e, d, pv); }
int8 __kmpc_atomic_val_8_cas_cpt(ident*, int, int8* x, int8 e, int8 d, int8* pv) { return value_before(x, e, d, pv); }

}  // extern "C"
