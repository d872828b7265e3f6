#include "amity/algo/task_group.hpp"

#include <thread>

#include "amity/algo/test_support.hpp"

namespace amity {
namespace {

TEST(task_group, waits_for_tasks_and_what_they_run) {
  task_group group;
  std::atomic<int> done{0};
  for (int round = 1; round <= 3; ++round) {
    for (int i = 0; i < 50; ++i)
      group.run(
          [&](int n) {
            group.run([&, n] { done += n; });
            async([&] { ++done; });
          },
          2);
    EXPECT_EQ(group.wait(), task_group_status::complete);
    EXPECT_EQ(done, round * 150);
  }
}

TEST(task_group, throws_the_first_and_can_be_used_again) {
  task_group group;
  group.run([] { throw std::runtime_error("planted"); });
  EXPECT_THROW(group.wait(), std::runtime_error);
  int answer = 0;
  EXPECT_EQ(group.run_and_wait([&] { answer = 42; }), task_group_status::complete);
  EXPECT_EQ(answer, 42);
  EXPECT_THROW(group.run_and_wait([] { throw 1; }), int);
}

TEST(task_group, cancel_keeps_tasks_from_beginning) {
  task_group group;
  std::atomic<int> ran{0};
  group.cancel();
  EXPECT_TRUE(group.is_canceling());
  for (int i = 0; i < 100; ++i) group.run([&] { ++ran; });
  EXPECT_EQ(group.wait(), task_group_status::canceled);
  EXPECT_EQ(ran, 0);
  group.run([&] { ++ran; });
  EXPECT_EQ(group.wait(), task_group_status::complete);
  EXPECT_EQ(ran, 1);
}

TEST(task_group, the_destructor_waits) {
  std::atomic<int> done{0};
  {
    task_group group;
    for (int i = 0; i < 20; ++i) group.run([&] { ++done; });
    group.run([] { throw 1; });
  }
  EXPECT_EQ(done, 20);
}

TEST(task_group, tasks_outside_are_not_its_own) {
  std::atomic<int> done{0};
  future<int> before = async([] { return 1; });
  task_group group;
  future<int> outside = async([] { return 2; });
  group.run([&] { ++done; });
  EXPECT_EQ(before.get() + outside.get(), 3);
  group.run([&] { ++done; });
  group.wait();
  EXPECT_EQ(done, 2);
}

TEST(task_group, another_thread_may_run_but_not_wait) {
  task_group group;
  std::atomic<int> done{0};
  bool refused = false;
  std::thread other([&] {
    group.run([&] { ++done; });
    try {
      group.wait();
    } catch (const std::logic_error&) {
      refused = true;
    }
  });
  other.join();
  group.wait();
  EXPECT_EQ(done, 1);
  EXPECT_TRUE(refused);
}

TEST(task_group, recursion) {
  struct counter {
    static long leaves(int depth) {
      if (depth == 0) return 1;
      long left = 0, right = 0;
      task_group group;
      group.run([&] { left = leaves(depth - 1); });
      group.run_and_wait([&] { right = leaves(depth - 1); });
      return left + right;
    }
  };
  EXPECT_EQ(counter::leaves(10), 1024);
}

}  // namespace
}  // namespace amity
