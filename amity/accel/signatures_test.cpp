/// What CUDA's kernels take, from the compiler's PTX.

#include "amity/accel/cuda/signatures.hpp"

#include <gtest/gtest.h>

#include "amity/accel/error.hpp"
#include "amity/accel/kernel_object.hpp"

namespace amity::accel::cuda {
namespace {

using detail::parameter;

// As NVRTC 13.0 writes it.
constexpr const char* ptx = R"(
.version 9.0
.target sm_90
.address_size 64
.extern .shared .align 4 .b8 s[];
.weak .entry _Z4tmplIfEvPT_(
	.param .u64 _Z4tmplIfEvPT__param_0
)
{
	ret;
}
.visible .entry plain(
	.param .u64 .ptr .align 1 plain_param_0,
	.param .u16 plain_param_1,
	.param .align 4 .b8 plain_param_2[8]
)
.maxntid 256, 1, 1
{
	ret;
}
.visible .entry _ZN1n6insideEPKj4pair6float4yPdP5uint3(
	.param .u64 a,
	.param .align 4 .b8 b[8],
	.param .align 16 .b8 c[16],
	.param .u64 d,
	.param .u64 e,
	.param .u64 f
)
{
	ret;
}
.visible .entry nothing()
{
	ret;
}
)";

TEST(Signatures, OfCPlusPlusHaveTypes) {
  auto const all = signatures_of(ptx);
  ASSERT_EQ(all.size(), 4u);
  const auto& inside = choose_kernel(all, "n::inside", "a source").second;
  ASSERT_EQ(inside.parameters.size(), 6u);
  EXPECT_EQ(inside.parameters[0].is, parameter::kind::memory);
  EXPECT_FALSE(inside.parameters[0].writes);
  EXPECT_EQ(inside.parameters[0].type, "uint*");
  EXPECT_EQ(inside.parameters[1].is, parameter::kind::value);
  EXPECT_EQ(inside.parameters[1].bytes, 8u);
  EXPECT_EQ(inside.parameters[1].type, "pair");
  EXPECT_EQ(inside.parameters[2].bytes, 16u);
  EXPECT_EQ(inside.parameters[3].type, "ulong");
  EXPECT_TRUE(inside.parameters[4].writes);
  EXPECT_EQ(inside.parameters[5].bytes, 12u);  // CUDA's uint3 is as large as three
}

TEST(Signatures, OfCHaveSizes) {
  auto const all = signatures_of(ptx);
  const auto& plain = choose_kernel(all, "plain", "a source").second;
  ASSERT_EQ(plain.parameters.size(), 3u);
  for (const parameter& p : plain.parameters) EXPECT_EQ(p.is, parameter::kind::unknown);
  EXPECT_EQ(plain.parameters[0].bytes, 8u);
  EXPECT_EQ(plain.parameters[1].bytes, 2u);
  EXPECT_EQ(plain.parameters[2].bytes, 8u);
  std::vector<parameter> said{{parameter::kind::memory, true, 4, "int*"},
                              {parameter::kind::value, false, 2, "short"},
                              {parameter::kind::value, false, 8, ""}};
  EXPECT_NO_THROW(detail::check_signature("plain", said, plain));
  said[1].bytes = 4;
  EXPECT_THROW(detail::check_signature("plain", said, plain), kernel_error);
  said.pop_back();
  EXPECT_THROW(detail::check_signature("plain", said, plain), kernel_error);
  EXPECT_TRUE(choose_kernel(all, "nothing", "a source").second.parameters.empty());
}

/// By the names that the comparison with a caller's types knows.
TEST(Signatures, OfCudasOwnTypesAreTheCommonOnes) {
  auto const all = signatures_of(R"(.visible .entry _Z1kPK6__halfS_P7__half2P9longlong2P13__nv_bfloat16Px(
	.param .u64 a, .param .align 2 .b8 b[2], .param .u64 c, .param .u64 d, .param .u64 e, .param .u64 f
))");
  const auto& parameters = choose_kernel(all, "k", "a source").second.parameters;
  ASSERT_EQ(parameters.size(), 6u);
  EXPECT_EQ(parameters[0].type, "half*");
  EXPECT_FALSE(parameters[0].writes);
  EXPECT_EQ(parameters[1].type, "half");
  EXPECT_EQ(parameters[1].bytes, 2u);
  EXPECT_EQ(parameters[2].type, "half2*");
  EXPECT_EQ(parameters[3].type, "long2*");
  EXPECT_EQ(parameters[4].bytes, 2u);
  EXPECT_EQ(parameters[5].type, "long*");
}

TEST(Signatures, NamesAreThoseOfTheSource) {
  auto const all = signatures_of(ptx);
  EXPECT_EQ(plain_name("_Z4tmplIfEvPT_"), "tmpl<float>");
  EXPECT_EQ(plain_name("plain"), "plain");
  EXPECT_EQ(choose_kernel(all, "inside", "a source").first, "_ZN1n6insideEPKj4pair6float4yPdP5uint3");
  EXPECT_EQ(choose_kernel(all, "tmpl<float>", "a source").first, "_Z4tmplIfEvPT_");
  EXPECT_EQ(choose_kernel(all, "_Z4tmplIfEvPT_", "a source").first, "_Z4tmplIfEvPT_");
  try {
    static_cast<void>(choose_kernel(all, "outside", "a source"));
    ADD_FAILURE() << "there is none";
  } catch (const kernel_error& e) {
    EXPECT_STREQ(e.what(),
                 "there is no kernel 'outside' in a source, which has tmpl<float>, plain, n::inside, nothing");
  }
  auto twice = signatures_of(".entry _Z1fPi()\n.entry _Z1fPf()");
  EXPECT_THROW(static_cast<void>(choose_kernel(twice, "f", "a source")), kernel_error);
}

TEST(Signatures, OfNonsenseAreNone) {
  EXPECT_TRUE(signatures_of("").empty());
  EXPECT_TRUE(signatures_of(".entry").empty());
  EXPECT_TRUE(signatures_of("\177ELF\2\1\1").empty());
  EXPECT_NO_THROW(static_cast<void>(signatures_of(".entry f(.param .u64 x[")));
}

}  // namespace
}  // namespace amity::accel::cuda
