#include "amity/omp/kmp/atomic.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

using namespace amity::omp::kmp;

extern "C" {
void __kmpc_atomic_fixed4_add(void*, int, int4*, int4);
int4 __kmpc_atomic_fixed4_sub_cpt(void*, int, int4*, int4, int);
int4 __kmpc_atomic_fixed4_sub_cpt_rev(void*, int, int4*, int4, int);
void __kmpc_atomic_fixed1_shr(void*, int, int1*, int1);
void __kmpc_atomic_fixed1u_shr(void*, int, uint1*, uint1);
void __kmpc_atomic_fixed8_max(void*, int, int8*, int8);
void __kmpc_atomic_fixed2_andl(void*, int, int2*, int2);
void __kmpc_atomic_fixed4_eqv(void*, int, int4*, int4);
void __kmpc_atomic_fixed4_mul_float8(void*, int, int4*, float8);
void __kmpc_atomic_float10_add(void*, int, float10*, float10);
float8 __kmpc_atomic_float8_swp(void*, int, float8*, float8);
void __kmpc_atomic_cmplx4_mul_cpt(void*, int, cmplx4*, cmplx4, cmplx4*, int);
void __kmpc_atomic_cmplx8_add(void*, int, cmplx8*, cmplx8);
void __kmpc_atomic_16(void*, int, void*, void*, void (*)(void*, void*, void*));
bool __kmpc_atomic_bool_4_cas(void*, int, int4*, int4, int4);
int4 __kmpc_atomic_val_4_cas_cpt(void*, int, int4*, int4, int4, int4*);
}

namespace {

template <class Work>
void run_threads(Work work) {
  std::vector<std::thread> all;
  for (int i = 0; i < 4; ++i)
    all.emplace_back([&] {
      for (int n = 0; n < 2000; ++n) work();
    });
  for (auto& one : all) one.join();
}

TEST(atomic, integers) {
  int4 x = 10;
  __kmpc_atomic_fixed4_add(nullptr, 0, &x, 5);
  EXPECT_EQ(x, 15);
  EXPECT_EQ(__kmpc_atomic_fixed4_sub_cpt(nullptr, 0, &x, 5, 0), 15);
  EXPECT_EQ(__kmpc_atomic_fixed4_sub_cpt(nullptr, 0, &x, 5, 1), 5);
  EXPECT_EQ(__kmpc_atomic_fixed4_sub_cpt_rev(nullptr, 0, &x, 100, 1), 95);
  __kmpc_atomic_fixed4_mul_float8(nullptr, 0, &x, 0.5);
  EXPECT_EQ(x, 47);
  x = 12;
  __kmpc_atomic_fixed4_eqv(nullptr, 0, &x, 10);
  EXPECT_EQ(x, 12 ^ ~10);
  int1 s = -8;
  __kmpc_atomic_fixed1_shr(nullptr, 0, &s, 1);
  EXPECT_EQ(s, -4);
  uint1 u = 0xf8;
  __kmpc_atomic_fixed1u_shr(nullptr, 0, &u, 1);
  EXPECT_EQ(u, 0x7c);
  int8 m = -5;
  __kmpc_atomic_fixed8_max(nullptr, 0, &m, -7);
  EXPECT_EQ(m, -5);
  int2 b = 3;
  __kmpc_atomic_fixed2_andl(nullptr, 0, &b, 4);
  EXPECT_EQ(b, 1);
}

TEST(atomic, floating_point_and_complex) {
  float8 d = 1.5;
  EXPECT_EQ(__kmpc_atomic_float8_swp(nullptr, 0, &d, 2.5), 1.5);
  EXPECT_EQ(d, 2.5);
  cmplx4 z, v, out;
  __real__ z = 1, __imag__ z = 2, __real__ v = 3, __imag__ v = -1;
  __kmpc_atomic_cmplx4_mul_cpt(nullptr, 0, &z, v, &out, 0);
  EXPECT_EQ(__real__ z, 5);
  EXPECT_EQ(__imag__ z, 5);
  EXPECT_EQ(__real__ out, 1);
}

TEST(atomic, nothing_is_lost_between_threads) {
  int4 x = 0;
  float10 q = 0;
  cmplx8 z;
  __real__ z = 0, __imag__ z = 0;
  run_threads([&] {
    __kmpc_atomic_fixed4_add(nullptr, 0, &x, 1);
    __kmpc_atomic_float10_add(nullptr, 0, &q, 1);
    cmplx8 one;
    __real__ one = 1, __imag__ one = -1;
    __kmpc_atomic_cmplx8_add(nullptr, 0, &z, one);
  });
  EXPECT_EQ(x, 8000);
  EXPECT_EQ(q, 8000);
  EXPECT_EQ(__imag__ z, -8000);
}

TEST(atomic, a_call_by_function_and_one_by_name_exclude_one_another) {
  cmplx8 z;
  __real__ z = 0, __imag__ z = 0;
  run_threads([&] {
    cmplx8 one;
    __real__ one = 1, __imag__ one = 0;
    __kmpc_atomic_cmplx8_add(nullptr, 0, &z, one);
    __kmpc_atomic_16(nullptr, 0, &z, &one, [](void* to, void* x, void* y) {
      *static_cast<cmplx8*>(to) = *static_cast<cmplx8*>(x) + *static_cast<cmplx8*>(y);
    });
  });
  EXPECT_EQ(__real__ z, 16000);
}

TEST(atomic, unaligned_variables_work_too) {
  alignas(8) unsigned char bytes[16] = {};
  auto* x = reinterpret_cast<int4*>(bytes + 2);
  run_threads([&] { __kmpc_atomic_fixed4_add(nullptr, 0, x, 1); });
  int4 value;
  memcpy(&value, x, sizeof value);
  EXPECT_EQ(value, 8000);
}

TEST(atomic, compare_and_swap) {
  int4 x = 1, seen = 0;
  EXPECT_TRUE(__kmpc_atomic_bool_4_cas(nullptr, 0, &x, 1, 2));
  EXPECT_FALSE(__kmpc_atomic_bool_4_cas(nullptr, 0, &x, 1, 3));
  EXPECT_EQ(__kmpc_atomic_val_4_cas_cpt(nullptr, 0, &x, 2, 9, &seen), 2);
  EXPECT_EQ(seen, 9);
}

}  // namespace
