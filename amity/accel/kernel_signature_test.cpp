/// What a launch may give to which parameter of a kernel, by what its compiler says of it.

#include <gtest/gtest.h>

#include <array>
#include <complex>

#include "amity/accel/device.hpp"

namespace amity::accel {
namespace {

using detail::parameter;
using kind = parameter::kind;

struct two_floats {
  float x, y;
};
struct three_floats {
  float x, y, z;
};
enum class color : int {};

/// What is wrong with a kernel of one parameter whose caller says P; "": nothing.
template <class P>
std::string wrong(kind is, const std::string& type, bool writes = true, std::uint32_t bytes = 0) {
  detail::kernel_signature compiled;
  compiled.is_known = true;
  compiled.parameters.push_back({is, writes, bytes, type});
  try {
    detail::check_signature("k", {detail::parameter_of<P>::get()}, compiled);
  } catch (const kernel_error& e) {
    return e.what();
  }
  return {};
}
template <class P>
bool fits(kind is, const std::string& type, bool writes = true) {
  return wrong<P>(is, type, writes).empty();
}

TEST(KernelSignature, BuffersHaveTheElementsOfTheirKernel) {
  EXPECT_TRUE(fits<float*>(kind::memory, "float*"));
  EXPECT_FALSE(fits<double*>(kind::memory, "float*"));
  EXPECT_FALSE(fits<int*>(kind::memory, "float*"));
  EXPECT_FALSE(fits<two_floats*>(kind::memory, "float*"));
  EXPECT_TRUE(fits<unsigned*>(kind::memory, "int*"));
  EXPECT_TRUE(fits<color*>(kind::memory, "int*"));
  EXPECT_TRUE(fits<bool*>(kind::memory, "uchar*"));
  EXPECT_TRUE(fits<std::size_t*>(kind::memory, "ulong*"));
  EXPECT_TRUE(fits<long long*>(kind::memory, "long*"));
  EXPECT_FALSE(fits<long double*>(kind::memory, "double*"));
  EXPECT_FALSE(fits<double*>(kind::memory, "atomic_int*"));
  EXPECT_TRUE(fits<two_floats*>(kind::memory, "pair_of_the_program*"));
  EXPECT_TRUE(fits<two_floats*>(kind::memory, "pair99999999999999999999*"));
}

TEST(KernelSignature, BuffersOfVectorsHaveTheirElementsOrAreAsLarge) {
  EXPECT_EQ(wrong<const double*>(kind::memory, "float2*", false),
            "parameter 0 of the kernel 'k' is 'const float2*', which has elements of 4 bytes, not 8; the caller says "
            "'const double*'");
  EXPECT_FALSE(fits<long*>(kind::memory, "int2*"));
  EXPECT_FALSE(fits<short*>(kind::memory, "char2*"));
  EXPECT_FALSE(fits<int*>(kind::memory, "float4*"));
  EXPECT_FALSE(fits<float*>(kind::memory, "double2*"));
  EXPECT_TRUE(fits<float*>(kind::memory, "float2*"));
  EXPECT_TRUE(fits<float*>(kind::memory, "float16*"));
  EXPECT_TRUE(fits<two_floats*>(kind::memory, "float2*"));
  EXPECT_TRUE(fits<std::complex<float>*>(kind::memory, "float2*"));
  EXPECT_FALSE(fits<three_floats*>(kind::memory, "float3*"));  // has the room of four
  EXPECT_TRUE((fits<std::array<float, 4>*>(kind::memory, "float3*")));
}

TEST(KernelSignature, ValuesAreAsLargeAndOfTheirKind) {
  EXPECT_TRUE(fits<float>(kind::value, "float"));
  EXPECT_FALSE(fits<int>(kind::value, "float"));
  EXPECT_FALSE(fits<double>(kind::value, "float"));
  EXPECT_FALSE(fits<double>(kind::value, "float2"));
  EXPECT_FALSE(fits<float>(kind::value, "float2"));
  EXPECT_FALSE(fits<long>(kind::value, "int2"));
  EXPECT_TRUE(fits<two_floats>(kind::value, "float2"));
  EXPECT_FALSE(fits<three_floats>(kind::value, "float3"));
  EXPECT_FALSE(fits<two_floats>(kind::value, "int"));
  EXPECT_TRUE(fits<color>(kind::value, "int"));
  EXPECT_FALSE(wrong<two_floats>(kind::value, "mine", true, 12).empty());
  EXPECT_TRUE(wrong<three_floats>(kind::value, "mine", true, 12).empty());
}

TEST(KernelSignature, HalfIsItsBits) {
  EXPECT_TRUE(fits<unsigned short>(kind::value, "half"));
  EXPECT_TRUE(fits<unsigned short*>(kind::memory, "half*"));
  EXPECT_TRUE(fits<const unsigned short*>(kind::memory, "half4*", false));
  EXPECT_FALSE(fits<short*>(kind::memory, "half*"));
  EXPECT_FALSE(fits<float*>(kind::memory, "half*"));
  EXPECT_FALSE(fits<unsigned short*>(kind::memory, "float*"));
}

TEST(KernelSignature, WhatNoLaunchGivesIsRefused) {
  EXPECT_EQ(wrong<float*>(kind::opaque, "image2d_t"),
            "parameter 0 of the kernel 'k' is 'image2d_t', which no launch can give; the caller says 'float*'");
  EXPECT_FALSE(fits<std::uint64_t>(kind::opaque, "sampler_t"));
  EXPECT_FALSE(fits<int*>(kind::memory, "int**"));
  EXPECT_FALSE(fits<std::uint64_t*>(kind::memory, "int**"));
}

TEST(KernelSignature, MemoryIsWhereTheKernelWantsIt) {
  EXPECT_TRUE(fits<const int*>(kind::constant_memory, "int*", false));
  EXPECT_FALSE(fits<int*>(kind::local, "int*"));
  EXPECT_FALSE(fits<local<int>>(kind::memory, "int*"));
  EXPECT_FALSE(fits<int>(kind::memory, "int*"));
  EXPECT_FALSE(fits<int*>(kind::value, "long"));
  EXPECT_FALSE(fits<const int*>(kind::memory, "int*", true));
  EXPECT_TRUE(fits<int*>(kind::memory, "int*", false));
  EXPECT_TRUE(fits<local<float>>(kind::local, "float*"));
  EXPECT_TRUE(fits<local<float>>(kind::local, "float4*"));
  EXPECT_TRUE(fits<local<std::byte>>(kind::local, "float*"));
  EXPECT_FALSE(fits<local<float>>(kind::local, "double*"));
  EXPECT_FALSE(fits<local<int>>(kind::local, "float*"));
}

TEST(KernelSignature, OfAKernelThatItsCallerDoesNotDescribeIsCompared) {
  detail::kernel_signature compiled;
  compiled.is_known = true;
  compiled.parameters = {{kind::memory, true, 0, "int*"}, {kind::value, false, 0, "int"}};
  detail::argument const memory{.is = kind::memory}, four{.is = kind::value, .bytes = 4};
  detail::argument const right[] = {memory, four}, few[] = {memory}, buffers[] = {memory, memory};
  EXPECT_NO_THROW(detail::check_given("k", right, compiled));
  EXPECT_THROW(detail::check_given("k", few, compiled), kernel_error);
  EXPECT_THROW(detail::check_given("k", buffers, compiled), kernel_error);
  compiled.parameters[1] = {kind::opaque, false, 0, "sampler_t"};
  EXPECT_THROW(detail::check_given("k", buffers, compiled), kernel_error);
}

}  // namespace
}  // namespace amity::accel
