/// With one worker: whoever looks again and again whether a task is done must not keep it from being run. The monitor
/// would come after 200 ms and many thousand looks (sched/tasks/README.md); so that it isn't what helps, looks are
/// counted.

#include <gtest/gtest.h>
#include <limits.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "amity/base/config.hpp"
#include "amity/future/async.hpp"
#include "amity/sync/mutex.hpp"
#include "amity/sync/this_task.hpp"

namespace amity {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

const bool one_worker = setenv("AMITY_THREADS", "1", 1) == 0;

/// The fewest that one of some tasks takes: the first ones find the pool still making its fibers.
template <class Look>
int looks_until_done(Look look) {
  int fewest = INT_MAX;
  for (int round = 0; round < 10; ++round) {
    auto f = async([] { return 1; });
    int looks = 0;
    for (; !f.is_ready(); ++looks) look(f);
    fewest = std::min(fewest, looks);
  }
  return fewest;
}

template <class Look>
void expect_soon(Look look) {
  if (base::thread_sanitizer) GTEST_SKIP() << "fibers stay on their threads";
  EXPECT_LE(looks_until_done(look), 100000);
  EXPECT_LE(async([&] { return looks_until_done(look); }).get(), 100000);
}

TEST(polling, yields) {
  expect_soon([](auto&) { this_task::yield(); });
}
TEST(polling, sleeps_for_no_time) {
  expect_soon([](auto&) { this_task::sleep_for(0s); });
}
TEST(polling, looks_without_waiting) {
  expect_soon([](auto& f) { static_cast<void>(f.wait_for(0s)); });
}
TEST(polling, looks_with_a_time_long_ago) {
  expect_soon([](auto& f) { static_cast<void>(f.wait_until(steady_clock::time_point())); });
}

// What runs meanwhile is not on top of who yields: it may wait for what comes after.
TEST(polling, a_task_may_wait_for_who_yields) {
  if (base::thread_sanitizer) GTEST_SKIP() << "fibers stay on their threads";
  auto const both = [] {
    sync::mutex m;
    bool begun = false;
    m.lock();
    auto f = async([&] {
      begun = true;
      m.lock();
      m.unlock();
      return 1;
    });
    while (!begun) this_task::yield();
    m.unlock();
    return f.get();
  };
  EXPECT_EQ(both(), 1);
  EXPECT_EQ(async(both).get(), 1);
}

TEST(polling, several_yield_to_one_another_and_to_tasks) {
  std::vector<future<int>> pollers;
  for (int i = 0; i < 8; ++i)
    pollers.push_back(async([i] {
      auto f = async([i] { return i; });
      while (!f.is_ready()) this_task::yield();
      return f.get();
    }));
  int sum = 0;
  for (auto& f : pollers) {
    while (!f.is_ready()) this_task::yield();
    sum += f.get();
  }
  EXPECT_EQ(sum, 28);
}

}  // namespace
}  // namespace amity
