#include "amity/base/near_name.hpp"

#include <gtest/gtest.h>

#include <string>

namespace amity::base {
namespace {

constexpr const char* names[] = {"OMP_NUM_THREADS", "OMP_TOOL", "OMP_TOOL_LIBRARIES", "AMITY_THREADS"};

TEST(nearest_name, is_a_few_letters_away) {
  EXPECT_STREQ(nearest_name("OMP_NUM_THREAD", names), "OMP_NUM_THREADS");
  EXPECT_STREQ(nearest_name("OMP_NUMTHREADS", names), "OMP_NUM_THREADS");
  EXPECT_STREQ(nearest_name("OMP_TOLO", names), "OMP_TOOL");
  EXPECT_STREQ(nearest_name("OMP_TOOLS", names), "OMP_TOOL");
  EXPECT_STREQ(nearest_name("AMITY_THREAD", names), "AMITY_THREADS");
}

TEST(nearest_name, is_none_where_all_are_far) {
  for (const std::string& name : {std::string("OMP_X"), std::string("KMP_FOO"), std::string(), std::string("OMP_NUM"),
                                  "OMP_" + std::string(100'000, 'A')})
    EXPECT_EQ(nearest_name(name, names), nullptr) << name.substr(0, 20);
  EXPECT_EQ(nearest_name("OMP_TOOL", {}), nullptr);
}

TEST(unknown_variable, is_named_fit_to_be_printed) {
  testing::internal::CaptureStderr();
  warn_of_unknown_variable("OMP_\x1b[2J%s", nullptr);
  warn_of_unknown_variable("OMP_TOL", "OMP_TOOL");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "amity: OMP_\\x1b[2J%s is not a setting that is known here. It is ignored (KMP_WARNINGS=0 silences this)\n"
            "amity: OMP_TOL is not a setting that is known here; did you mean OMP_TOOL? It is ignored (KMP_WARNINGS=0 "
            "silences this)\n");
}

}  // namespace
}  // namespace amity::base
