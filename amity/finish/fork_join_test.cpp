#include "amity/finish/fork_join.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "amity/finish/finish.hpp"
#include "amity/finish/task_group.hpp"
#include "amity/sync/latch.hpp"

namespace amity {
namespace {

long fib(int n) {
  if (n < 2) return n;
  auto [a, b] = fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

TEST(fork_join, gives_both_results) {
  auto [text, number] = fork_join([] { return std::string("left"); }, [] { return 42; });
  EXPECT_EQ(text, "left");
  EXPECT_EQ(number, 42);
}

TEST(fork_join, recursion) { EXPECT_EQ(fib(20), 6765); }

TEST(fork_join, results_that_can_only_be_moved_references_and_none) {
  int x = 1;
  int left = 0;
  auto [p, r] = fork_join([] { return std::make_unique<int>(7); }, [&x]() -> int& { return x; });
  EXPECT_EQ(*p, 7);
  EXPECT_EQ(&r, &x);
  static_cast<void>(fork_join([&] { left = 1; }, [&] { x = 2; }));
  EXPECT_EQ(left + x, 3);
}

/// Each side waits until the other one has begun: so the second runs elsewhere, if only on another fiber.
TEST(fork_join, a_thief_brings_the_result) {
  for (int i = 0; i < 200; ++i) {
    sync::latch both(2);
    auto [a, b] = fork_join(
        [&] {
          both.arrive_and_wait();
          return std::make_unique<int>(i);
        },
        [&] {
          both.arrive_and_wait();
          return std::vector<int>(3, i);
        });
    ASSERT_EQ(*a, i);
    ASSERT_EQ(b, std::vector<int>(3, i));
  }
}

TEST(fork_join, a_thief_brings_the_exception) {
  for (int i = 0; i < 100; ++i) {
    sync::latch both(2);
    try {
      static_cast<void>(fork_join([&] { both.arrive_and_wait(); },
                                  [&] {
                                    both.arrive_and_wait();
                                    throw std::runtime_error("stolen");
                                  }));
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "stolen");
    }
  }
}

TEST(fork_join, the_first_exception_counts_and_the_second_call_has_ended) {
  for (int i = 0; i < 100; ++i) {
    sync::latch both(2);
    std::atomic<bool> ended{false};
    try {
      static_cast<void>(fork_join(
          [&]() -> int {
            both.arrive_and_wait();
            throw 1;
          },
          [&]() -> int {
            both.arrive_and_wait();
            std::this_thread::yield();
            ended = true;
            throw 2;
          }));
      FAIL() << "nothing was thrown";
    } catch (int which) {
      EXPECT_EQ(which, 1);
    }
    EXPECT_TRUE(ended);
  }
}

TEST(fork_join, what_was_not_begun_is_not_run_after_an_exception) {
  int ran = 0;
  auto one = [&] { static_cast<void>(fork_join([] { throw 1; }, [&] { ++ran; })); };
  for (int i = 0; i < 10; ++i) EXPECT_THROW(one(), int);
  if (worker_count() == 1) {
    EXPECT_EQ(ran, 0);
  }
}

TEST(fork_join, tasks_that_a_call_begins_belong_to_the_finish_around) {
  std::atomic<int> ran{0};
  finish([&] {
    for (int i = 0; i < 50; ++i)
      parallel_invoke(
          [&] {
            post([&] { ++ran; });
            post([&] { ++ran; });
          },
          [&] { async([&] { ++ran; }); }, [&] { ++ran; });
  });
  EXPECT_EQ(ran, 200);
}

TEST(fork_join, an_unwaited_task_on_top_is_not_in_the_way) {
  std::atomic<int> ran{0};
  std::vector<future<int>> kept;
  for (int i = 0; i < 100; ++i) {
    auto [a, b] = fork_join(
        [&] {
          for (int k = 0; k < i % 7; ++k) kept.push_back(async([&] { return ++ran; }));
          return i;
        },
        [&] { return 2 * i; });
    ASSERT_EQ(a + b, 3 * i);
  }
  auto const expected = static_cast<int>(kept.size());
  for (auto& f : kept) EXPECT_GT(f.get(), 0);
  EXPECT_EQ(ran, expected);
}

/// A wait inside the first call for a group that is older than the fork: the second call is in its way.
TEST(fork_join, a_wait_for_something_older_may_put_the_second_call_aside) {
  for (int i = 0; i < 100; ++i) {
    std::atomic<int> posted{0}, grouped{0}, second{0};
    finish([&] {
      task_group g;
      g.run([&] { ++grouped; });
      static_cast<void>(fork_join(
          [&] {
            g.wait();
            for (int k = 0; k < i % 4; ++k) post([&] { ++posted; });
          },
          [&] { ++second; }));
      EXPECT_EQ(second, 1);
    });
    ASSERT_EQ(grouped, 1);
    ASSERT_EQ(second, 1);
    ASSERT_EQ(posted, i % 4);
  }
}

TEST(parallel_invoke, runs_all) {
  int done[5] = {};
  parallel_invoke([&] { done[0] = 1; }, [&] { done[1] = 2; }, [&] { done[2] = 3; }, [&] { done[3] = 4; },
                  [&] { done[4] = 5; });
  EXPECT_EQ(done[0] + done[1] + done[2] + done[3] + done[4], 15);
  parallel_invoke([&] { done[0] = 7; });
  EXPECT_EQ(done[0], 7);
}

TEST(fork_join, from_many_threads) {
  std::vector<std::thread> crowd;
  std::atomic<int> right{0};
  for (int t = 0; t < 6; ++t)
    crowd.emplace_back([&] {
      for (int i = 0; i < 5; ++i) right += fib(14) == 377;
    });
  for (auto& t : crowd) t.join();
  EXPECT_EQ(right, 30);
}

/// Its address is not to be had by &.
struct without_address {
  int x = 0;
  void operator&() const = delete;
};

TEST(fork_join, results_without_address) {
  auto [a, b] = fork_join([] { return without_address{1}; }, [] { return without_address{2}; });
  EXPECT_EQ(a.x + b.x, 3);
}

long depth(int n) {
  if (n == 0) return 0;
  long below = 0;
  parallel_invoke([] {}, [&below, n] { below = depth(n - 1); });
  return below + 1;
}

TEST(fork_join, recursion_deeper_than_a_stack) { EXPECT_EQ(depth(100000), 100000); }

std::unique_ptr<int> depth_or_failure(int n, bool fails) {
  if (n == 0 && fails) throw std::runtime_error("planted");
  if (n == 0) return std::make_unique<int>(0);
  auto [mine, below] = fork_join([&]() -> int& { return n; }, [&] { return depth_or_failure(n - 1, fails); });
  EXPECT_EQ(&mine, &n);
  ++*below;
  return std::move(below);
}

TEST(fork_join, results_and_exceptions_from_other_stacks) {
  EXPECT_EQ(*depth_or_failure(30000, false), 30000);
  EXPECT_THROW(static_cast<void>(depth_or_failure(10000, true)), std::runtime_error);
}

}  // namespace
}  // namespace amity
