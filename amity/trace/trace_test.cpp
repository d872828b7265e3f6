#include <gtest/gtest.h>

#include "amity/trace/counters.hpp"

namespace amity::trace {
namespace {

TEST(Counters, SumOverBlocks) {
  static counters first, second;
  totals const before = sum_counters();
  register_counters(first);
  register_counters(second);
  count(first.tasks, 3);
  count(second.tasks);
  count(second.steals);
  totals const after = sum_counters();
  EXPECT_EQ(after.tasks - before.tasks, 4u);
  EXPECT_EQ(after.steals - before.steals, 1u);
}

}  // namespace
}  // namespace amity::trace
