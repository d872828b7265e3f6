#include "amity/algo/task_block.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace amity {
namespace {

long sum(long from, long to) {
  if (to - from < 100) return from < to ? from + sum(from + 1, to) : 0;
  long left = 0, right = 0;
  define_task_block([&](auto& block) {
    block.run([&] { left = sum(from, (from + to) / 2); });
    right = sum((from + to) / 2, to);
  });
  return left + right;
}

TEST(task_block, all_have_ended_when_it_has) { EXPECT_EQ(sum(0, 10'000), 9'999L * 5'000); }

TEST(task_block, waits_in_between_and_runs_more_from_tasks) {
  std::atomic<int> done{0};
  define_task_block_restore_thread(execution::par, [&](task_block<execution::parallel_policy>& block) {
    static_assert(std::is_same_v<decltype(block.get_execution_policy()), const execution::parallel_policy&>);
    block.run([&](int n) { done += n; }, 3);
    block.wait();
    EXPECT_EQ(done, 3);
    block.run([&] { block.run([&] { done += 4; }); });
  });
  EXPECT_EQ(done, 7);
}

TEST(task_block, throws_when_all_have_ended) {
  std::atomic<int> done{0};
  EXPECT_THROW(define_task_block([&](auto& block) {
                 block.run([&] { ++done; });
                 block.run([] { throw std::out_of_range("planted"); });
               }),
               exception_list);
  EXPECT_EQ(done, 1);
  EXPECT_THROW(define_task_block([&](auto& block) {
                 block.run([&] { ++done; });
                 throw std::logic_error("planted");
               }),
               exception_list);
  EXPECT_EQ(done, 2);
}

}  // namespace
}  // namespace amity
