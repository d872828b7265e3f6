#include "amity/sched/loop/stack_size.hpp"

#include <gtest/gtest.h>

namespace amity::sched {
namespace {

TEST(stack_size, is_read_as_openmp_has_it) {
  constexpr struct {
    const char* text;
    std::size_t bytes;
  } sizes[] = {{"1", 1 << 10},      {"2000500B", 2000500},        {"3000 k ", 3000 << 10}, {" 10M", 10 << 20},
               {"20000", 20480000}, {"1G", std::size_t{1} << 30}, {"\t64\tm", 64 << 20},   {"0", 0}};
  for (const auto& each : sizes) {
    bool is_one = false;
    EXPECT_EQ(read_stack_size(each.text, &is_one), each.bytes) << each.text;
    EXPECT_TRUE(is_one) << each.text;
  }
}

TEST(stack_size, is_nothing_else) {
  for (const char* text :
       {"", " ", "M", "-1", "+1M", "1.5M", "64Mx", "64 M M", "0x10", "99999999999999999999", "1000000T", "M64"}) {
    bool is_one = true;
    EXPECT_EQ(read_stack_size(text, &is_one), 0u) << text;
    EXPECT_FALSE(is_one) << text;
  }
}

TEST(stack_size, is_what_the_variables_say) {
  unsetenv("OMP_STACKSIZE");
  unsetenv("AMITY_STACKSIZE");
  std::size_t const without = default_stack_size();
  EXPECT_GT(without, 0u);
  setenv("OMP_STACKSIZE", "16M", 1);
  EXPECT_EQ(default_stack_size(), 16u << 20);
  setenv("AMITY_STACKSIZE", "32M", 1);
  EXPECT_EQ(default_stack_size(), 32u << 20);
  setenv("AMITY_STACKSIZE", "nonsense", 1);
  EXPECT_EQ(default_stack_size(), 16u << 20);
  setenv("OMP_STACKSIZE", "0", 1);
  EXPECT_EQ(default_stack_size(), without);
}

}  // namespace
}  // namespace amity::sched
