#include "amity/algo/resilient_executor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace amity {
namespace {

namespace r = resiliency::experimental;
using execution::parallel_executor;

TEST(resilient_executor, replays_with_its_arguments_whole) {
  std::atomic<int> calls{0};
  auto const by = r::make_replay_executor(parallel_executor(), 5);
  auto const f = [&calls](std::string text) {  // takes its argument for itself
    if (++calls < 3) throw std::runtime_error("try");
    return std::move(text) + "!";
  };
  EXPECT_EQ(async(by, f, std::string("a long text, which is no small one")).get(),
            "a long text, which is no small one!");
  EXPECT_EQ(calls.load(), 3);
  calls = -10;
  EXPECT_THROW(async(by, f, std::string("x")).get(), std::runtime_error);
  EXPECT_EQ(calls.load(), -5);
}

TEST(resilient_executor, looks_at_results_and_takes_void) {
  std::atomic<int> calls{0};
  auto const by = r::make_replay_executor(parallel_executor(), 5, [](int x) { return x == 4; });
  EXPECT_EQ(async(by, [&calls] { return ++calls; }).get(), 4);
  auto const any = r::make_replay_executor(parallel_executor(), 2);
  calls = 0;
  async(any, [&calls] {
    if (++calls == 1) throw 1;
  }).get();
  EXPECT_EQ(calls.load(), 2);
}

TEST(resilient_executor, replicates) {
  std::atomic<int> calls{0};
  auto const count = [&calls](int x) { return ++calls, x; };
  EXPECT_EQ(async(r::make_replicate_executor(parallel_executor(), 3), count, 5).get(), 5);
  EXPECT_EQ(calls.load(), 3);
  auto const never = [](int) { return false; };
  EXPECT_THROW(async(r::make_replicate_executor(parallel_executor(), 3, never), count, 5).get(),
               abort_replicate_exception);
  auto const sum = [](std::vector<int> all) {
    int of_all = 0;
    for (int each : all) of_all += each;
    return of_all;
  };
  auto const positive = [](int x) { return x > 0; };
  EXPECT_EQ(async(r::make_replicate_executor(parallel_executor(), 3, sum, positive), count, 5).get(), 15);
}

}  // namespace
}  // namespace amity
