// clang's names for atomic updates by call. Made by tools/make_kmp_atomics.py of abi/llvm.txt; change that, not this.
#include "amity/omp/kmp/atomic.hpp"

#include "amity/omp/kmp/kmp.hpp"

using namespace amity::omp::kmp;

extern "C" {

void __kmpc_atomic_cmplx10_add(ident*, int, cmplx10* x, cmplx10 v) { update<op::add>(x, v); }
cmplx10 __kmpc_atomic_cmplx10_add_cpt(ident*, int, cmplx10* x, cmplx10 v, int flag) {
  return capture<op::add>(x, v, flag);
}
void __kmpc_atomic_cmplx10_div(ident*, int, cmplx10* x, cmplx10 v) { update<op::div>(x, v); }
cmplx10 __kmpc_atomic_cmplx10_div_cpt(ident*, int, cmplx10* x, cmplx10 v, int flag) {
  return capture<op::div>(x, v, flag);
}
cmplx10 __kmpc_atomic_cmplx10_div_cpt_rev(ident*, int, cmplx10* x, cmplx10 v, int flag) {
  return capture<op::reversed<op::div>>(x, v, flag);
}
void __kmpc_atomic_cmplx10_div_rev(ident*, int, cmplx10* x, cmplx10 v) { update<op::reversed<op::div>>(x, v); }
void __kmpc_atomic_cmplx10_mul(ident*, int, cmplx10* x, cmplx10 v) { update<op::mul>(x, v); }
cmplx10 __kmpc_atomic_cmplx10_mul_cpt(ident*, int, cmplx10* x, cmplx10 v, int flag) {
  return capture<op::mul>(x, v, flag);
}
cmplx10 __kmpc_atomic_cmplx10_rd(ident*, int, cmplx10* x) { return read(x); }
void __kmpc_atomic_cmplx10_sub(ident*, int, cmplx10* x, cmplx10 v) { update<op::sub>(x, v); }
cmplx10 __kmpc_atomic_cmplx10_sub_cpt(ident*, int, cmplx10* x, cmplx10 v, int flag) {
  return capture<op::sub>(x, v, flag);
}
cmplx10 __kmpc_atomic_cmplx10_sub_cpt_rev(ident*, int, cmplx10* x, cmplx10 v, int flag) {
  return capture<op::reversed<op::sub>>(x, v, flag);
}
void __kmpc_atomic_cmplx10_sub_rev(ident*, int, cmplx10* x, cmplx10 v) { update<op::reversed<op::sub>>(x, v); }
cmplx10 __kmpc_atomic_cmplx10_swp(ident*, int, cmplx10* x, cmplx10 v) { return capture<op::assign>(x, v, 0); }
void __kmpc_atomic_cmplx10_wr(ident*, int, cmplx10* x, cmplx10 v) { update<op::assign>(x, v); }
void __kmpc_atomic_cmplx4_add(ident*, int, cmplx4* x, cmplx4 v) { update<op::add>(x, v); }
void __kmpc_atomic_cmplx4_add_cmplx8(ident*, int, cmplx4* x, cmplx8 v) { update<op::add>(x, v); }
void __kmpc_atomic_cmplx4_add_cpt(ident*, int, cmplx4* x, cmplx4 v, cmplx4* out, int flag) {
  *out = capture<op::add>(x, v, flag);
}
void __kmpc_atomic_cmplx4_div(ident*, int, cmplx4* x, cmplx4 v) { update<op::div>(x, v); }
void __kmpc_atomic_cmplx4_div_cmplx8(ident*, int, cmplx4* x, cmplx8 v) { update<op::div>(x, v); }
void __kmpc_atomic_cmplx4_div_cpt(ident*, int, cmplx4* x, cmplx4 v, cmplx4* out, int flag) {
  *out = capture<op::div>(x, v, flag);
}
void __kmpc_atomic_cmplx4_div_cpt_rev(ident*, int, cmplx4* x, cmplx4 v, cmplx4* out, int flag) {
  *out = capture<op::reversed<op::div>>(x, v, flag);
}
void __kmpc_atomic_cmplx4_div_rev(ident*, int, cmplx4* x, cmplx4 v) { update<op::reversed<op::div>>(x, v); }
void __kmpc_atomic_cmplx4_mul(ident*, int, cmplx4* x, cmplx4 v) { update<op::mul>(x, v); }
void __kmpc_atomic_cmplx4_mul_cmplx8(ident*, int, cmplx4* x, cmplx8 v) { update<op::mul>(x, v); }
void __kmpc_atomic_cmplx4_mul_cpt(ident*, int, cmplx4* x, cmplx4 v, cmplx4* out, int flag) {
  *out = capture<op::mul>(x, v, flag);
}
cmplx4 __kmpc_atomic_cmplx4_rd(ident*, int, cmplx4* x) { return read(x); }
void __kmpc_atomic_cmplx4_sub(ident*, int, cmplx4* x, cmplx4 v) { update<op::sub>(x, v); }
void __kmpc_atomic_cmplx4_sub_cmplx8(ident*, int, cmplx4* x, cmplx8 v) { update<op::sub>(x, v); }
void __kmpc_atomic_cmplx4_sub_cpt(ident*, int, cmplx4* x, cmplx4 v, cmplx4* out, int flag) {
  *out = capture<op::sub>(x, v, flag);
}
void __kmpc_atomic_cmplx4_sub_cpt_rev(ident*, int, cmplx4* x, cmplx4 v, cmplx4* out, int flag) {
  *out = capture<op::reversed<op::sub>>(x, v, flag);
}
void __kmpc_atomic_cmplx4_sub_rev(ident*, int, cmplx4* x, cmplx4 v) { update<op::reversed<op::sub>>(x, v); }
void __kmpc_atomic_cmplx4_swp(ident*, int, cmplx4* x, cmplx4 v, cmplx4* out) { *out = capture<op::assign>(x, v, 0); }
void __kmpc_atomic_cmplx4_wr(ident*, int, cmplx4* x, cmplx4 v) { update<op::assign>(x, v); }
void __kmpc_atomic_cmplx8_add(ident*, int, cmplx8* x, cmplx8 v) { update<op::add>(x, v); }
cmplx8 __kmpc_atomic_cmplx8_add_cpt(ident*, int, cmplx8* x, cmplx8 v, int flag) { return capture<op::add>(x, v, flag); }
void __kmpc_atomic_cmplx8_div(ident*, int, cmplx8* x, cmplx8 v) { update<op::div>(x, v); }
cmplx8 __kmpc_atomic_cmplx8_div_cpt(ident*, int, cmplx8* x, cmplx8 v, int flag) { return capture<op::div>(x, v, flag); }
cmplx8 __kmpc_atomic_cmplx8_div_cpt_rev(ident*, int, cmplx8* x, cmplx8 v, int flag) {
  return capture<op::reversed<op::div>>(x, v, flag);
}
void __kmpc_atomic_cmplx8_div_rev(ident*, int, cmplx8* x, cmplx8 v) { update<op::reversed<op::div>>(x, v); }
void __kmpc_atomic_cmplx8_mul(ident*, int, cmplx8* x, cmplx8 v) { update<op::mul>(x, v); }
cmplx8 __kmpc_atomic_cmplx8_mul_cpt(ident*, int, cmplx8* x, cmplx8 v, int flag) { return capture<op::mul>(x, v, flag); }
cmplx8 __kmpc_atomic_cmplx8_rd(ident*, int, cmplx8* x) { return read(x); }
void __kmpc_atomic_cmplx8_sub(ident*, int, cmplx8* x, cmplx8 v) { update<op::sub>(x, v); }
cmplx8 __kmpc_atomic_cmplx8_sub_cpt(ident*, int, cmplx8* x, cmplx8 v, int flag) { return capture<op::sub>(x, v, flag); }
cmplx8 __kmpc_atomic_cmplx8_sub_cpt_rev(ident*, int, cmplx8* x, cmplx8 v, int flag) {
  return capture<op::reversed<op::sub>>(x, v, flag);
}
void __kmpc_atomic_cmplx8_sub_rev(ident*, int, cmplx8* x, cmplx8 v) { update<op::reversed<op::sub>>(x, v); }
cmplx8 __kmpc_atomic_cmplx8_swp(ident*, int, cmplx8* x, cmplx8 v) { return capture<op::assign>(x, v, 0); }
void __kmpc_atomic_cmplx8_wr(ident*, int, cmplx8* x, cmplx8 v) { update<op::assign>(x, v); }
void __kmpc_atomic_fixed1_add(ident*, int, int1* x, int1 v) { update<op::add>(x, v); }
int1 __kmpc_atomic_fixed1_add_cpt(ident*, int, int1* x, int1 v, int flag) { return capture<op::add>(x, v, flag); }
void __kmpc_atomic_fixed1_andb(ident*, int, int1* x, int1 v) { update<op::andb>(x, v); }
int1 __kmpc_atomic_fixed1_andb_cpt(ident*, int, int1* x, int1 v, int flag) { return capture<op::andb>(x, v, flag); }
void __kmpc_atomic_fixed1_andl(ident*, int, int1* x, int1 v) { update<op::andl>(x, v); }
int1 __kmpc_atomic_fixed1_andl_cpt(ident*, int, int1* x, int1 v, int flag) { return capture<op::andl>(x, v, flag); }
void __kmpc_atomic_fixed1_div(ident*, int, int1* x, int1 v) { update<op::div>(x, v); }
int1 __kmpc_atomic_fixed1_div_cpt(ident*, int, int1* x, int1 v, int flag) { return capture<op::div>(x, v, flag); }
int1 __kmpc_atomic_fixed1_div_cpt_rev(ident*, int, int1* x, int1 v, int flag) {
  return capture<op::reversed<op::div>>(x, v, flag);
}
void __kmpc_atomic_fixed1_div_float8(ident*, int, int1* x, float8 v) { update<op::div>(x, v); }
void __kmpc_atomic_fixed1_div_rev(ident*, int, int1* x, int1 v) { update<op::reversed<op::div>>(x, v); }
void __kmpc_atomic_fixed1_eqv(ident*, int, int1* x, int1 v) { update<op::eqv>(x, v); }
int1 __kmpc_atomic_fixed1_eqv_cpt(ident*, int, int1* x, int1 v, int flag) { return capture<op::eqv>(x, v, flag); }
void __kmpc_atomic_fixed1_max(ident*, int, int1* x, int1 v) { update<op::max>(x, v); }
int1 __kmpc_atomic_fixed1_max_cpt(ident*, int, int1* x, int1 v, int flag) { return capture<op::max>(x, v, flag); }
void __kmpc_atomic_fixed1_min(ident*, int, int1* x, int1 v) { update<op::min>(x, v); }
int1 __kmpc_atomic_fixed1_min_cpt(ident*, int, int1* x, int1 v, int flag) { return capture<op::min>(x, v, flag); }
void __kmpc_atomic_fixed1_mul(ident*, int, int1* x, int1 v) { update<op::mul>(x, v); }
int1 __kmpc_atomic_fixed1_mul_cpt(ident*, int, int1* x, int1 v, int flag) { return capture<op::mul>(x, v, flag); }
void __kmpc_atomic_fixed1_mul_float8(ident*, int, int1* x, float8 v) { update<op::mul>(x, v); }
void __kmpc_atomic_fixed1_neqv(ident*, int, int1* x, int1 v) { update<op::neqv>(x, v); }
int1 __kmpc_atomic_fixed1_neqv_cpt(ident*, int, int1* x, int1 v, int flag) { return capture<op::neqv>(x, v, flag); }
void __kmpc_atomic_fixed1_orb(ident*, int, int1* x, int1 v) { update<op::orb>(x, v); }
int1 __kmpc_atomic_fixed1_orb_cpt(ident*, int, int1* x, int1 v, int flag) { return capture<op::orb>(x, v, flag); }
void __kmpc_atomic_fixed1_orl(ident*, int, int1* x, int1 v) { update<op::orl>(x, v); }
int1 __kmpc_atomic_fixed1_orl_cpt(ident*, int, int1* x, int1 v, int flag) { return capture<op::orl>(x, v, flag); }
int1 __kmpc_atomic_fixed1_rd(ident*, int, int1* x) { return read(x); }
void __kmpc_atomic_fixed1_shl(ident*, int, int1* x, int1 v) { update<op::shl>(x, v); }
int1 __kmpc_atomic_fixed1_shl_cpt(ident*, int, int1* x, int1 v, int flag) { return capture<op::shl>(x, v, flag); }
int1 __kmpc_atomic_fixed1_shl_cpt_rev(ident*, int, int1* x, int1 v, int flag) {
  return capture<op::reversed<op::shl>>(x, v, flag);
}
void __kmpc_atomic_fixed1_shl_rev(ident*, int, int1* x, int1 v) { update<op::reversed<op::shl>>(x, v); }
void __kmpc_atomic_fixed1_shr(ident*, int, int1* x, int1 v) { update<op::shr>(x, v); }
int1 __kmpc_atomic_fixed1_shr_cpt(ident*, int, int1* x, int1 v, int flag) { return capture<op::shr>(x, v, flag); }
int1 __kmpc_atomic_fixed1_shr_cpt_rev(ident*, int, int1* x, int1 v, int flag) {
  return capture<op::reversed<op::shr>>(x, v, flag);
}
void __kmpc_atomic_fixed1_shr_rev(ident*, int, int1* x, int1 v) { update<op::reversed<op::shr>>(x, v); }
void __kmpc_atomic_fixed1_sub(ident*, int, int1* x, int1 v) { update<op::sub>(x, v); }
int1 __kmpc_atomic_fixed1_sub_cpt(ident*, int, int1* x, int1 v, int flag) { return capture<op::sub>(x, v, flag); }
int1 __kmpc_atomic_fixed1_sub_cpt_rev(ident*, int, int1* x, int1 v, int flag) {
  return capture<op::reversed<op::sub>>(x, v, flag);
}
void __kmpc_atomic_fixed1_sub_rev(ident*, int, int1* x, int1 v) { update<op::reversed<op::sub>>(x, v); }
int1 __kmpc_atomic_fixed1_swp(ident*, int, int1* x, int1 v) { return capture<op::assign>(x, v, 0); }
void __kmpc_atomic_fixed1_wr(ident*, int, int1* x, int1 v) { update<op::assign>(x, v); }
void __kmpc_atomic_fixed1_xor(ident*, int, int1* x, int1 v) { update<op::xor_>(x, v); }
int1 __kmpc_atomic_fixed1_xor_cpt(ident*, int, int1* x, int1 v, int flag) { return capture<op::xor_>(x, v, flag); }
void __kmpc_atomic_fixed1u_div(ident*, int, uint1* x, uint1 v) { update<op::div>(x, v); }
uint1 __kmpc_atomic_fixed1u_div_cpt(ident*, int, uint1* x, uint1 v, int flag) { return capture<op::div>(x, v, flag); }
uint1 __kmpc_atomic_fixed1u_div_cpt_rev(ident*, int, uint1* x, uint1 v, int flag) {
  return capture<op::reversed<op::div>>(x, v, flag);
}
void __kmpc_atomic_fixed1u_div_rev(ident*, int, uint1* x, uint1 v) { update<op::reversed<op::div>>(x, v); }
void __kmpc_atomic_fixed1u_shr(ident*, int, uint1* x, uint1 v) { update<op::shr>(x, v); }
uint1 __kmpc_atomic_fixed1u_shr_cpt(ident*, int, uint1* x, uint1 v, int flag) { return capture<op::shr>(x, v, flag); }
uint1 __kmpc_atomic_fixed1u_shr_cpt_rev(ident*, int, uint1* x, uint1 v, int flag) {
  return capture<op::reversed<op::shr>>(x, v, flag);
}
void __kmpc_atomic_fixed1u_shr_rev(ident*, int, uint1* x, uint1 v) { update<op::reversed<op::shr>>(x, v); }
void __kmpc_atomic_fixed2_add(ident*, int, int2* x, int2 v) { update<op::add>(x, v); }
int2 __kmpc_atomic_fixed2_add_cpt(ident*, int, int2* x, int2 v, int flag) { return capture<op::add>(x, v, flag); }
void __kmpc_atomic_fixed2_andb(ident*, int, int2* x, int2 v) { update<op::andb>(x, v); }
int2 __kmpc_atomic_fixed2_andb_cpt(ident*, int, int2* x, int2 v, int flag) { return capture<op::andb>(x, v, flag); }
void __kmpc_atomic_fixed2_andl(ident*, int, int2* x, int2 v) { update<op::andl>(x, v); }
int2 __kmpc_atomic_fixed2_andl_cpt(ident*, int, int2* x, int2 v, int flag) { return capture<op::andl>(x, v, flag); }
void __kmpc_atomic_fixed2_div(ident*, int, int2* x, int2 v) { update<op::div>(x, v); }
int2 __kmpc_atomic_fixed2_div_cpt(ident*, int, int2* x, int2 v, int flag) { return capture<op::div>(x, v, flag); }
int2 __kmpc_atomic_fixed2_div_cpt_rev(ident*, int, int2* x, int2 v, int flag) {
  return capture<op::reversed<op::div>>(x, v, flag);
}
void __kmpc_atomic_fixed2_div_float8(ident*, int, int2* x, float8 v) { update<op::div>(x, v); }
void __kmpc_atomic_fixed2_div_rev(ident*, int, int2* x, int2 v) { update<op::reversed<op::div>>(x, v); }
void __kmpc_atomic_fixed2_eqv(ident*, int, int2* x, int2 v) { update<op::eqv>(x, v); }
int2 __kmpc_atomic_fixed2_eqv_cpt(ident*, int, int2* x, int2 v, int flag) { return capture<op::eqv>(x, v, flag); }
void __kmpc_atomic_fixed2_max(ident*, int, int2* x, int2 v) { update<op::max>(x, v); }
int2 __kmpc_atomic_fixed2_max_cpt(ident*, int, int2* x, int2 v, int flag) { return capture<op::max>(x, v, flag); }
void __kmpc_atomic_fixed2_min(ident*, int, int2* x, int2 v) { update<op::min>(x, v); }
int2 __kmpc_atomic_fixed2_min_cpt(ident*, int, int2* x, int2 v, int flag) { return capture<op::min>(x, v, flag); }
void __kmpc_atomic_fixed2_mul(ident*, int, int2* x, int2 v) { update<op::mul>(x, v); }
int2 __kmpc_atomic_fixed2_mul_cpt(ident*, int, int2* x, int2 v, int flag) { return capture<op::mul>(x, v, flag); }
void __kmpc_atomic_fixed2_mul_float8(ident*, int, int2* x, float8 v) { update<op::mul>(x, v); }
void __kmpc_atomic_fixed2_neqv(ident*, int, int2* x, int2 v) { update<op::neqv>(x, v); }
int2 __kmpc_atomic_fixed2_neqv_cpt(ident*, int, int2* x, int2 v, int flag) { return capture<op::neqv>(x, v, flag); }
void __kmpc_atomic_fixed2_orb(ident*, int, int2* x, int2 v) { update<op::orb>(x, v); }
int2 __kmpc_atomic_fixed2_orb_cpt(ident*, int, int2* x, int2 v, int flag) { return capture<op::orb>(x, v, flag); }
void __kmpc_atomic_fixed2_orl(ident*, int, int2* x, int2 v) { update<op::orl>(x, v); }
int2 __kmpc_atomic_fixed2_orl_cpt(ident*, int, int2* x, int2 v, int flag) { return capture<op::orl>(x, v, flag); }
int2 __kmpc_atomic_fixed2_rd(ident*, int, int2* x) { return read(x); }
void __kmpc_atomic_fixed2_shl(ident*, int, int2* x, int2 v) { update<op::shl>(x, v); }
int2 __kmpc_atomic_fixed2_shl_cpt(ident*, int, int2* x, int2 v, int flag) { return capture<op::shl>(x, v, flag); }
int2 __kmpc_atomic_fixed2_shl_cpt_rev(ident*, int, int2* x, int2 v, int flag) {
  return capture<op::reversed<op::shl>>(x, v, flag);
}
void __kmpc_atomic_fixed2_shl_rev(ident*, int, int2* x, int2 v) { update<op::reversed<op::shl>>(x, v); }
void __kmpc_atomic_fixed2_shr(ident*, int, int2* x, int2 v) { update<op::shr>(x, v); }
int2 __kmpc_atomic_fixed2_shr_cpt(ident*, int, int2* x, int2 v, int flag) { return capture<op::shr>(x, v, flag); }
int2 __kmpc_atomic_fixed2_shr_cpt_rev(ident*, int, int2* x, int2 v, int flag) {
  return capture<op::reversed<op::shr>>(x, v, flag);
}
void __kmpc_atomic_fixed2_shr_rev(ident*, int, int2* x, int2 v) { update<op::reversed<op::shr>>(x, v); }
void __kmpc_atomic_fixed2_sub(ident*, int, int2* x, int2 v) { update<op::sub>(x, v); }
int2 __kmpc_atomic_fixed2_sub_cpt(ident*, int, int2* x, int2 v, int flag) { return capture<op::sub>(x, v, flag); }
int2 __kmpc_atomic_fixed2_sub_cpt_rev(ident*, int, int2* x, int2 v, int flag) {
  return capture<op::reversed<op::sub>>(x, v, flag);
}
void __kmpc_atomic_fixed2_sub_rev(ident*, int, int2* x, int2 v) { update<op::reversed<op::sub>>(x, v); }
int2 __kmpc_atomic_fixed2_swp(ident*, int, int2* x, int2 v) { return capture<op::assign>(x, v, 0); }
void __kmpc_atomic_fixed2_wr(ident*, int, int2* x, int2 v) { update<op::assign>(x, v); }
void __kmpc_atomic_fixed2_xor(ident*, int, int2* x, int2 v) { update<op::xor_>(x, v); }
int2 __kmpc_atomic_fixed2_xor_cpt(ident*, int, int2* x, int2 v, int flag) { return capture<op::xor_>(x, v, flag); }
void __kmpc_atomic_fixed2u_div(ident*, int, uint2* x, uint2 v) { update<op::div>(x, v); }
uint2 __kmpc_atomic_fixed2u_div_cpt(ident*, int, uint2* x, uint2 v, int flag) { return capture<op::div>(x, v, flag); }
uint2 __kmpc_atomic_fixed2u_div_cpt_rev(ident*, int, uint2* x, uint2 v, int flag) {
  return capture<op::reversed<op::div>>(x, v, flag);
}
void __kmpc_atomic_fixed2u_div_rev(ident*, int, uint2* x, uint2 v) { update<op::reversed<op::div>>(x, v); }
void __kmpc_atomic_fixed2u_shr(ident*, int, uint2* x, uint2 v) { update<op::shr>(x, v); }
uint2 __kmpc_atomic_fixed2u_shr_cpt(ident*, int, uint2* x, uint2 v, int flag) { return capture<op::shr>(x, v, flag); }
uint2 __kmpc_atomic_fixed2u_shr_cpt_rev(ident*, int, uint2* x, uint2 v, int flag) {
  return capture<op::reversed<op::shr>>(x, v, flag);
}
void __kmpc_atomic_fixed2u_shr_rev(ident*, int, uint2* x, uint2 v) { update<op::reversed<op::shr>>(x, v); }
void __kmpc_atomic_fixed4_add(ident*, int, int4* x, int4 v) { update<op::add>(x, v); }
int4 __kmpc_atomic_fixed4_add_cpt(ident*, int, int4* x, int4 v, int flag) { return capture<op::add>(x, v, flag); }
void __kmpc_atomic_fixed4_andb(ident*, int, int4* x, int4 v) { update<op::andb>(x, v); }
int4 __kmpc_atomic_fixed4_andb_cpt(ident*, int, int4* x, int4 v, int flag) { return capture<op::andb>(x, v, flag); }
void __kmpc_atomic_fixed4_andl(ident*, int, int4* x, int4 v) { update<op::andl>(x, v); }
int4 __kmpc_atomic_fixed4_andl_cpt(ident*, int, int4* x, int4 v, int flag) { return capture<op::andl>(x, v, flag); }
void __kmpc_atomic_fixed4_div(ident*, int, int4* x, int4 v) { update<op::div>(x, v); }
int4 __kmpc_atomic_fixed4_div_cpt(ident*, int, int4* x, int4 v, int flag) { return capture<op::div>(x, v, flag); }
int4 __kmpc_atomic_fixed4_div_cpt_rev(ident*, int, int4* x, int4 v, int flag) {
  return capture<op::reversed<op::div>>(x, v, flag);
}
void __kmpc_atomic_fixed4_div_float8(ident*, int, int4* x, float8 v) { update<op::div>(x, v); }
void __kmpc_atomic_fixed4_div_rev(ident*, int, int4* x, int4 v) { update<op::reversed<op::div>>(x, v); }
void __kmpc_atomic_fixed4_eqv(ident*, int, int4* x, int4 v) { update<op::eqv>(x, v); }
int4 __kmpc_atomic_fixed4_eqv_cpt(ident*, int, int4* x, int4 v, int flag) { return capture<op::eqv>(x, v, flag); }
void __kmpc_atomic_fixed4_max(ident*, int, int4* x, int4 v) { update<op::max>(x, v); }
int4 __kmpc_atomic_fixed4_max_cpt(ident*, int, int4* x, int4 v, int flag) { return capture<op::max>(x, v, flag); }
void __kmpc_atomic_fixed4_min(ident*, int, int4* x, int4 v) { update<op::min>(x, v); }
int4 __kmpc_atomic_fixed4_min_cpt(ident*, int, int4* x, int4 v, int flag) { return capture<op::min>(x, v, flag); }
void __kmpc_atomic_fixed4_mul(ident*, int, int4* x, int4 v) { update<op::mul>(x, v); }
int4 __kmpc_atomic_fixed4_mul_cpt(ident*, int, int4* x, int4 v, int flag) { return capture<op::mul>(x, v, flag); }
void __kmpc_atomic_fixed4_mul_float8(ident*, int, int4* x, float8 v) { update<op::mul>(x, v); }
void __kmpc_atomic_fixed4_neqv(ident*, int, int4* x, int4 v) { update<op::neqv>(x, v); }
int4 __kmpc_atomic_fixed4_neqv_cpt(ident*, int, int4* x, int4 v, int flag) { return capture<op::neqv>(x, v, flag); }
void __kmpc_atomic_fixed4_orb(ident*, int, int4* x, int4 v) { update<op::orb>(x, v); }
int4 __kmpc_atomic_fixed4_orb_cpt(ident*, int, int4* x, int4 v, int flag) { return capture<op::orb>(x, v, flag); }
void __kmpc_atomic_fixed4_orl(ident*, int, int4* x, int4 v) { update<op::orl>(x, v); }
int4 __kmpc_atomic_fixed4_orl_cpt(ident*, int, int4* x, int4 v, int flag) { return capture<op::orl>(x, v, flag); }
int4 __kmpc_atomic_fixed4_rd(ident*, int, int4* x) { return read(x); }
void __kmpc_atomic_fixed4_shl(ident*, int, int4* x, int4 v) { update<op::shl>(x, v); }
int4 __kmpc_atomic_fixed4_shl_cpt(ident*, int, int4* x, int4 v, int flag) { return capture<op::shl>(x, v, flag); }
int4 __kmpc_atomic_fixed4_shl_cpt_rev(ident*, int, int4* x, int4 v, int flag) {
  return capture<op::reversed<op::shl>>(x, v, flag);
}
void __kmpc_atomic_fixed4_shl_rev(ident*, int, int4* x, int4 v) { update<op::reversed<op::shl>>(x, v); }
void __kmpc_atomic_fixed4_shr(ident*, int, int4* x, int4 v) { update<op::shr>(x, v); }
int4 __kmpc_atomic_fixed4_shr_cpt(ident*, int, int4* x, int4 v, int flag) { return capture<op::shr>(x, v, flag); }
int4 __kmpc_atomic_fixed4_shr_cpt_rev(ident*, int, int4* x, int4 v, int flag) {
  return capture<op::reversed<op::shr>>(x, v, flag);
}
void __kmpc_atomic_fixed4_shr_rev(ident*, int, int4* x, int4 v) { update<op::reversed<op::shr>>(x, v); }
void __kmpc_atomic_fixed4_sub(ident*, int, int4* x, int4 v) { update<op::sub>(x, v); }
int4 __kmpc_atomic_fixed4_sub_cpt(ident*, int, int4* x, int4 v, int flag) { return capture<op::sub>(x, v, flag); }
int4 __kmpc_atomic_fixed4_sub_cpt_rev(ident*, int, int4* x, int4 v, int flag) {
  return capture<op::reversed<op::sub>>(x, v, flag);
}
void __kmpc_atomic_fixed4_sub_rev(ident*, int, int4* x, int4 v) { update<op::reversed<op::sub>>(x, v); }
int4 __kmpc_atomic_fixed4_swp(ident*, int, int4* x, int4 v) { return capture<op::assign>(x, v, 0); }
void __kmpc_atomic_fixed4_wr(ident*, int, int4* x, int4 v) { update<op::assign>(x, v); }
void __kmpc_atomic_fixed4_xor(ident*, int, int4* x, int4 v) { update<op::xor_>(x, v); }
int4 __kmpc_atomic_fixed4_xor_cpt(ident*, int, int4* x, int4 v, int flag) { return capture<op::xor_>(x, v, flag); }
void __kmpc_atomic_fixed4u_div(ident*, int, uint4* x, uint4 v) { update<op::div>(x, v); }
uint4 __kmpc_atomic_fixed4u_div_cpt(ident*, int, uint4* x, uint4 v, int flag) { return capture<op::div>(x, v, flag); }
uint4 __kmpc_atomic_fixed4u_div_cpt_rev(ident*, int, uint4* x, uint4 v, int flag) {
  return capture<op::reversed<op::div>>(x, v, flag);
}
void __kmpc_atomic_fixed4u_div_rev(ident*, int, uint4* x, uint4 v) { update<op::reversed<op::div>>(x, v); }
void __kmpc_atomic_fixed4u_shr(ident*, int, uint4* x, uint4 v) { update<op::shr>(x, v); }
uint4 __kmpc_atomic_fixed4u_shr_cpt(ident*, int, uint4* x, uint4 v, int flag) { return capture<op::shr>(x, v, flag); }
uint4 __kmpc_atomic_fixed4u_shr_cpt_rev(ident*, int, uint4* x, uint4 v, int flag) {
  return capture<op::reversed<op::shr>>(x, v, flag);
}
void __kmpc_atomic_fixed4u_shr_rev(ident*, int, uint4* x, uint4 v) { update<op::reversed<op::shr>>(x, v); }
void __kmpc_atomic_fixed8_add(ident*, int, int8* x, int8 v) { update<op::add>(x, v); }
int8 __kmpc_atomic_fixed8_add_cpt(ident*, int, int8* x, int8 v, int flag) { return capture<op::add>(x, v, flag); }
void __kmpc_atomic_fixed8_andb(ident*, int, int8* x, int8 v) { update<op::andb>(x, v); }
int8 __kmpc_atomic_fixed8_andb_cpt(ident*, int, int8* x, int8 v, int flag) { return capture<op::andb>(x, v, flag); }
void __kmpc_atomic_fixed8_andl(ident*, int, int8* x, int8 v) { update<op::andl>(x, v); }
int8 __kmpc_atomic_fixed8_andl_cpt(ident*, int, int8* x, int8 v, int flag) { return capture<op::andl>(x, v, flag); }
void __kmpc_atomic_fixed8_div(ident*, int, int8* x, int8 v) { update<op::div>(x, v); }
int8 __kmpc_atomic_fixed8_div_cpt(ident*, int, int8* x, int8 v, int flag) { return capture<op::div>(x, v, flag); }
int8 __kmpc_atomic_fixed8_div_cpt_rev(ident*, int, int8* x, int8 v, int flag) {
  return capture<op::reversed<op::div>>(x, v, flag);
}
void __kmpc_atomic_fixed8_div_float8(ident*, int, int8* x, float8 v) { update<op::div>(x, v); }
void __kmpc_atomic_fixed8_div_rev(ident*, int, int8* x, int8 v) { update<op::reversed<op::div>>(x, v); }
void __kmpc_atomic_fixed8_eqv(ident*, int, int8* x, int8 v) { update<op::eqv>(x, v); }
int8 __kmpc_atomic_fixed8_eqv_cpt(ident*, int, int8* x, int8 v, int flag) { return capture<op::eqv>(x, v, flag); }
void __kmpc_atomic_fixed8_max(ident*, int, int8* x, int8 v) { update<op::max>(x, v); }
int8 __kmpc_atomic_fixed8_max_cpt(ident*, int, int8* x, int8 v, int flag) { return capture<op::max>(x, v, flag); }
void __kmpc_atomic_fixed8_min(ident*, int, int8* x, int8 v) { update<op::min>(x, v); }
int8 __kmpc_atomic_fixed8_min_cpt(ident*, int, int8* x, int8 v, int flag) { return capture<op::min>(x, v, flag); }
void __kmpc_atomic_fixed8_mul(ident*, int, int8* x, int8 v) { update<op::mul>(x, v); }
int8 __kmpc_atomic_fixed8_mul_cpt(ident*, int, int8* x, int8 v, int flag) { return capture<op::mul>(x, v, flag); }
void __kmpc_atomic_fixed8_mul_float8(ident*, int, int8* x, float8 v) { update<op::mul>(x, v); }
void __kmpc_atomic_fixed8_neqv(ident*, int, int8* x, int8 v) { update<op::neqv>(x, v); }
int8 __kmpc_atomic_fixed8_neqv_cpt(ident*, int, int8* x, int8 v, int flag) { return capture<op::neqv>(x, v, flag); }
void __kmpc_atomic_fixed8_orb(ident*, int, int8* x, int8 v) { update<op::orb>(x, v); }
int8 __kmpc_atomic_fixed8_orb_cpt(ident*, int, int8* x, int8 v, int flag) { return capture<op::orb>(x, v, flag); }
void __kmpc_atomic_fixed8_orl(ident*, int, int8* x, int8 v) { update<op::orl>(x, v); }
int8 __kmpc_atomic_fixed8_orl_cpt(ident*, int, int8* x, int8 v, int flag) { return capture<op::orl>(x, v, flag); }
int8 __kmpc_atomic_fixed8_rd(ident*, int, int8* x) { return read(x); }
void __kmpc_atomic_fixed8_shl(ident*, int, int8* x, int8 v) { update<op::shl>(x, v); }
int8 __kmpc_atomic_fixed8_shl_cpt(ident*, int, int8* x, int8 v, int flag) { return capture<op::shl>(x, v, flag); }
int8 __kmpc_atomic_fixed8_shl_cpt_rev(ident*, int, int8* x, int8 v, int flag) {
  return capture<op::reversed<op::shl>>(x, v, flag);
}
void __kmpc_atomic_fixed8_shl_rev(ident*, int, int8* x, int8 v) { update<op::reversed<op::shl>>(x, v); }
void __kmpc_atomic_fixed8_shr(ident*, int, int8* x, int8 v) { update<op::shr>(x, v); }
int8 __kmpc_atomic_fixed8_shr_cpt(ident*, int, int8* x, int8 v, int flag) { return capture<op::shr>(x, v, flag); }
int8 __kmpc_atomic_fixed8_shr_cpt_rev(ident*, int, int8* x, int8 v, int flag) {
  return capture<op::reversed<op::shr>>(x, v, flag);
}
void __kmpc_atomic_fixed8_shr_rev(ident*, int, int8* x, int8 v) { update<op::reversed<op::shr>>(x, v); }
void __kmpc_atomic_fixed8_sub(ident*, int, int8* x, int8 v) { update<op::sub>(x, v); }
int8 __kmpc_atomic_fixed8_sub_cpt(ident*, int, int8* x, int8 v, int flag) { return capture<op::sub>(x, v, flag); }
int8 __kmpc_atomic_fixed8_sub_cpt_rev(ident*, int, int8* x, int8 v, int flag) {
  return capture<op::reversed<op::sub>>(x, v, flag);
}
void __kmpc_atomic_fixed8_sub_rev(ident*, int, int8* x, int8 v) { update<op::reversed<op::sub>>(x, v); }
int8 __kmpc_atomic_fixed8_swp(ident*, int, int8* x, int8 v) { return capture<op::assign>(x, v, 0); }
void __kmpc_atomic_fixed8_wr(ident*, int, int8* x, int8 v) { update<op::assign>(x, v); }
void __kmpc_atomic_fixed8_xor(ident*, int, int8* x, int8 v) { update<op::xor_>(x, v); }
int8 __kmpc_atomic_fixed8_xor_cpt(ident*, int, int8* x, int8 v, int flag) { return capture<op::xor_>(x, v, flag); }
void __kmpc_atomic_fixed8u_div(ident*, int, uint8* x, uint8 v) { update<op::div>(x, v); }
uint8 __kmpc_atomic_fixed8u_div_cpt(ident*, int, uint8* x, uint8 v, int flag) { return capture<op::div>(x, v, flag); }
uint8 __kmpc_atomic_fixed8u_div_cpt_rev(ident*, int, uint8* x, uint8 v, int flag) {
  return capture<op::reversed<op::div>>(x, v, flag);
}
void __kmpc_atomic_fixed8u_div_rev(ident*, int, uint8* x, uint8 v) { update<op::reversed<op::div>>(x, v); }
void __kmpc_atomic_fixed8u_shr(ident*, int, uint8* x, uint8 v) { update<op::shr>(x, v); }
uint8 __kmpc_atomic_fixed8u_shr_cpt(ident*, int, uint8* x, uint8 v, int flag) { return capture<op::shr>(x, v, flag); }
uint8 __kmpc_atomic_fixed8u_shr_cpt_rev(ident*, int, uint8* x, uint8 v, int flag) {
  return capture<op::reversed<op::shr>>(x, v, flag);
}
void __kmpc_atomic_fixed8u_shr_rev(ident*, int, uint8* x, uint8 v) { update<op::reversed<op::shr>>(x, v); }
void __kmpc_atomic_float10_add(ident*, int, float10* x, float10 v) { update<op::add>(x, v); }
float10 __kmpc_atomic_float10_add_cpt(ident*, int, float10* x, float10 v, int flag) {
  return capture<op::add>(x, v, flag);
}
void __kmpc_atomic_float10_div(ident*, int, float10* x, float10 v) { update<op::div>(x, v); }
float10 __kmpc_atomic_float10_div_cpt(ident*, int, float10* x, float10 v, int flag) {
  return capture<op::div>(x, v, flag);
}
float10 __kmpc_atomic_float10_div_cpt_rev(ident*, int, float10* x, float10 v, int flag) {
  return capture<op::reversed<op::div>>(x, v, flag);
}
void __kmpc_atomic_float10_div_rev(ident*, int, float10* x, float10 v) { update<op::reversed<op::div>>(x, v); }
void __kmpc_atomic_float10_max(ident*, int, float10* x, float10 v) { update<op::max>(x, v); }
float10 __kmpc_atomic_float10_max_cpt(ident*, int, float10* x, float10 v, int flag) {
  return capture<op::max>(x, v, flag);
}
void __kmpc_atomic_float10_min(ident*, int, float10* x, float10 v) { update<op::min>(x, v); }
float10 __kmpc_atomic_float10_min_cpt(ident*, int, float10* x, float10 v, int flag) {
  return capture<op::min>(x, v, flag);
}
void __kmpc_atomic_float10_mul(ident*, int, float10* x, float10 v) { update<op::mul>(x, v); }
float10 __kmpc_atomic_float10_mul_cpt(ident*, int, float10* x, float10 v, int flag) {
  return capture<op::mul>(x, v, flag);
}
float10 __kmpc_atomic_float10_rd(ident*, int, float10* x) { return read(x); }
void __kmpc_atomic_float10_sub(ident*, int, float10* x, float10 v) { update<op::sub>(x, v); }
float10 __kmpc_atomic_float10_sub_cpt(ident*, int, float10* x, float10 v, int flag) {
  return capture<op::sub>(x, v, flag);
}
float10 __kmpc_atomic_float10_sub_cpt_rev(ident*, int, float10* x, float10 v, int flag) {
  return capture<op::reversed<op::sub>>(x, v, flag);
}
void __kmpc_atomic_float10_sub_rev(ident*, int, float10* x, float10 v) { update<op::reversed<op::sub>>(x, v); }
float10 __kmpc_atomic_float10_swp(ident*, int, float10* x, float10 v) { return capture<op::assign>(x, v, 0); }
void __kmpc_atomic_float10_wr(ident*, int, float10* x, float10 v) { update<op::assign>(x, v); }
void __kmpc_atomic_float4_add(ident*, int, float4* x, float4 v) { update<op::add>(x, v); }
float4 __kmpc_atomic_float4_add_cpt(ident*, int, float4* x, float4 v, int flag) { return capture<op::add>(x, v, flag); }
void __kmpc_atomic_float4_add_float8(ident*, int, float4* x, float8 v) { update<op::add>(x, v); }
void __kmpc_atomic_float4_div(ident*, int, float4* x, float4 v) { update<op::div>(x, v); }
float4 __kmpc_atomic_float4_div_cpt(ident*, int, float4* x, float4 v, int flag) { return capture<op::div>(x, v, flag); }
float4 __kmpc_atomic_float4_div_cpt_rev(ident*, int, float4* x, float4 v, int flag) {
  return capture<op::reversed<op::div>>(x, v, flag);
}
void __kmpc_atomic_float4_div_float8(ident*, int, float4* x, float8 v) { update<op::div>(x, v); }
void __kmpc_atomic_float4_div_rev(ident*, int, float4* x, float4 v) { update<op::reversed<op::div>>(x, v); }
void __kmpc_atomic_float4_max(ident*, int, float4* x, float4 v) { update<op::max>(x, v); }
float4 __kmpc_atomic_float4_max_cpt(ident*, int, float4* x, float4 v, int flag) { return capture<op::max>(x, v, flag); }
void __kmpc_atomic_float4_min(ident*, int, float4* x, float4 v) { update<op::min>(x, v); }
float4 __kmpc_atomic_float4_min_cpt(ident*, int, float4* x, float4 v, int flag) { return capture<op::min>(x, v, flag); }
void __kmpc_atomic_float4_mul(ident*, int, float4* x, float4 v) { update<op::mul>(x, v); }
float4 __kmpc_atomic_float4_mul_cpt(ident*, int, float4* x, float4 v, int flag) { return capture<op::mul>(x, v, flag); }
void __kmpc_atomic_float4_mul_float8(ident*, int, float4* x, float8 v) { update<op::mul>(x, v); }
float4 __kmpc_atomic_float4_rd(ident*, int, float4* x) { return read(x); }
void __kmpc_atomic_float4_sub(ident*, int, float4* x, float4 v) { update<op::sub>(x, v); }
float4 __kmpc_atomic_float4_sub_cpt(ident*, int, float4* x, float4 v, int flag) { return capture<op::sub>(x, v, flag); }
float4 __kmpc_atomic_float4_sub_cpt_rev(ident*, int, float4* x, float4 v, int flag) {
  return capture<op::reversed<op::sub>>(x, v, flag);
}
void __kmpc_atomic_float4_sub_float8(ident*, int, float4* x, float8 v) { update<op::sub>(x, v); }
void __kmpc_atomic_float4_sub_rev(ident*, int, float4* x, float4 v) { update<op::reversed<op::sub>>(x, v); }
float4 __kmpc_atomic_float4_swp(ident*, int, float4* x, float4 v) { return capture<op::assign>(x, v, 0); }
void __kmpc_atomic_float4_wr(ident*, int, float4* x, float4 v) { update<op::assign>(x, v); }
void __kmpc_atomic_float8_add(ident*, int, float8* x, float8 v) { update<op::add>(x, v); }
float8 __kmpc_atomic_float8_add_cpt(ident*, int, float8* x, float8 v, int flag) { return capture<op::add>(x, v, flag); }
void __kmpc_atomic_float8_div(ident*, int, float8* x, float8 v) { update<op::div>(x, v); }
float8 __kmpc_atomic_float8_div_cpt(ident*, int, float8* x, float8 v, int flag) { return capture<op::div>(x, v, flag); }
float8 __kmpc_atomic_float8_div_cpt_rev(ident*, int, float8* x, float8 v, int flag) {
  return capture<op::reversed<op::div>>(x, v, flag);
}
void __kmpc_atomic_float8_div_rev(ident*, int, float8* x, float8 v) { update<op::reversed<op::div>>(x, v); }
void __kmpc_atomic_float8_max(ident*, int, float8* x, float8 v) { update<op::max>(x, v); }
float8 __kmpc_atomic_float8_max_cpt(ident*, int, float8* x, float8 v, int flag) { return capture<op::max>(x, v, flag); }
void __kmpc_atomic_float8_min(ident*, int, float8* x, float8 v) { update<op::min>(x, v); }
float8 __kmpc_atomic_float8_min_cpt(ident*, int, float8* x, float8 v, int flag) { return capture<op::min>(x, v, flag); }
void __kmpc_atomic_float8_mul(ident*, int, float8* x, float8 v) { update<op::mul>(x, v); }
float8 __kmpc_atomic_float8_mul_cpt(ident*, int, float8* x, float8 v, int flag) { return capture<op::mul>(x, v, flag); }
float8 __kmpc_atomic_float8_rd(ident*, int, float8* x) { return read(x); }
void __kmpc_atomic_float8_sub(ident*, int, float8* x, float8 v) { update<op::sub>(x, v); }
float8 __kmpc_atomic_float8_sub_cpt(ident*, int, float8* x, float8 v, int flag) { return capture<op::sub>(x, v, flag); }
float8 __kmpc_atomic_float8_sub_cpt_rev(ident*, int, float8* x, float8 v, int flag) {
  return capture<op::reversed<op::sub>>(x, v, flag);
}
void __kmpc_atomic_float8_sub_rev(ident*, int, float8* x, float8 v) { update<op::reversed<op::sub>>(x, v); }
float8 __kmpc_atomic_float8_swp(ident*, int, float8* x, float8 v) { return capture<op::assign>(x, v, 0); }
void __kmpc_atomic_float8_wr(ident*, int, float8* x, float8 v) { update<op::assign>(x, v); }

}  // extern "C"
