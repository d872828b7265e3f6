#include "amity/finish/task_group.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>

#include "amity/sync/latch.hpp"

namespace amity {
namespace {

long fib(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
  task_group g;
  g.run([&a, n] { a = fib(n - 1); });
  g.run([&b, n] { b = fib(n - 2); });
  g.wait();
  return a + b;
}

TEST(task_group, recursion) { EXPECT_EQ(fib(18), 2584); }

TEST(task_group, keeps_arguments_for_the_task) {
  int sum = 0;
  task_group g;
  g.run([&sum](std::unique_ptr<int> a, int b) { sum = *a + b; }, std::make_unique<int>(40), 2);
  g.wait();
  EXPECT_EQ(sum, 42);
}

TEST(task_group, can_be_used_again_after_each_wait) {
  std::atomic<int> ran{0};
  task_group g;
  for (int round = 1; round <= 20; ++round) {
    for (int i = 0; i < 10; ++i) g.run([&] { ++ran; });
    g.wait();
    ASSERT_EQ(ran, 10 * round);
  }
}

TEST(task_group, its_tasks_may_run_more_and_what_they_begin_counts) {
  std::atomic<int> ran{0};
  task_group g;
  for (int i = 0; i < 10; ++i)
    g.run([&] {
      g.run([&] { ++ran; });
      async([&] { post([&] { ++ran; }); });
    });
  g.wait();
  EXPECT_EQ(ran, 20);
}

TEST(task_group, a_wait_after_others_ran_all_can_be_followed_by_more) {
  task_group g;
  for (int round = 0; round < 50; ++round) {
    sync::latch both(2);
    std::atomic<int> ran{0};
    g.run([&] {
      both.arrive_and_wait();
      g.run([&] { ++ran; });
    });
    both.arrive_and_wait();  // so the task runs elsewhere
    g.wait();
    ASSERT_EQ(ran, 1);
  }
}

TEST(task_group, wait_throws_once) {
  task_group g;
  g.run([] { throw std::runtime_error("planted"); });
  EXPECT_THROW(g.wait(), std::runtime_error);
  g.run([] {});
  EXPECT_NO_THROW(g.wait());
}

TEST(task_group, the_destructor_waits) {
  std::atomic<int> ran{0};
  {
    task_group g;
    for (int i = 0; i < 100; ++i) g.run([&] { ++ran; });
    g.run([] { throw 1; });
  }
  EXPECT_EQ(ran, 100);
}

TEST(task_group, groups_overlap) {
  std::atomic<int> a{0}, b{0};
  task_group first;
  first.run([&] { ++a; });
  {
    task_group second;
    second.run([&] { ++b; });
    first.run([&] { ++a; });
    second.wait();
    EXPECT_EQ(b, 1);
    second.run([&] { ++b; });
    first.wait();
    EXPECT_EQ(a, 2);
  }
  EXPECT_EQ(b, 2);
}

TEST(task_group, outlives_the_finish_that_it_was_made_in) {
  std::unique_ptr<task_group> g;
  std::atomic<int> ran{0};
  finish([&] {
    g = std::make_unique<task_group>();
    g->run([&] { ++ran; });
    async([&] { ++ran; });
  });
  g->run([&] { ++ran; });
  g->wait();
  EXPECT_EQ(ran, 3);
}

TEST(task_group, run_and_wait_takes_in_what_the_body_begins) {
  std::atomic<int> ran{0};
  task_group g;
  g.run_and_wait([&] {
    post([&] { ++ran; });
    g.run([&] { ++ran; });
  });
  EXPECT_EQ(ran, 2);
}

TEST(task_group, says_who_may_wait) {
  task_group g;
  std::thread([&] { EXPECT_THROW(g.wait(), std::logic_error); }).join();
}

}  // namespace
}  // namespace amity
