#include <gtest/gtest.h>

#include "amity/trace/counters.hpp"
#include "amity/trace/events.hpp"

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

std::uint64_t seen = 0;

TEST(Events, ReachTheListenerAndOnlyWhileItListens) {
  emit(event::region_begin, 1);
  listen([](event, std::uint64_t a, std::uint64_t) { seen += a; });
  emit(event::region_begin, 20);
  listen(nullptr);
  emit(event::region_begin, 300);
  EXPECT_EQ(seen, 20u);
}

}  // namespace
}  // namespace amity::trace
