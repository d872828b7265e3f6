#include "amity/finish/task_group.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "amity/finish/fork_join.hpp"
#include "amity/sync/latch.hpp"
#include "amity/sync/this_task.hpp"

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

// --- waiting where the group was not made; more threads than cores

constexpr int many = 8;

template <class F>
void on_threads(int count, F f) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(f, i);
  for (std::thread& t : threads) t.join();
}

TEST(task_group, another_thread_may_run_and_wait) {
  task_group group;
  long done = 0;  // no atomic: wait() orders it
  group.run([&] { ++done; });
  std::thread([&] {
    group.wait();
    EXPECT_EQ(done, 1);
    group.run([&] { ++done; });
    group.wait();
    EXPECT_EQ(done, 2);
  }).join();
  group.run([&] { ++done; });
  group.wait();
  EXPECT_EQ(done, 3);
}

TEST(task_group, a_task_waits_for_what_a_thread_has_begun) {
  task_group group;
  std::atomic<int> done{0};
  for (int i = 0; i < 100; ++i) group.run([&] { ++done; });
  EXPECT_EQ(async([&] { return group.wait(), done.load(); }).get(), 100);
}

TEST(task_group, another_waits_while_the_maker_goes_on_running) {
  for (int round = 0; round < 100; ++round) {
    task_group group;
    std::atomic<int> done{0};
    sync::latch begun(2);
    std::thread other([&] {
      begun.arrive_and_wait();
      group.wait();
      EXPECT_GE(done, 50);
    });
    for (int i = 0; i < 50; ++i) group.run([&] { ++done; });
    begun.arrive_and_wait();
    for (int i = 0; i < 50; ++i) group.run([&] { ++done; });
    other.join();
    group.wait();
    ASSERT_EQ(done, 100);
  }
}

TEST(task_group, many_wait_and_run_at_once) {
  task_group group;
  std::atomic<long> done{0};
  on_threads(many, [&](int) {
    for (int round = 0; round < 50; ++round) {
      std::atomic<int> mine{0};
      for (int i = 0; i < 20; ++i)
        group.run([&] {
          group.run([&] { ++mine; });
          ++mine;
        });
      group.wait();
      EXPECT_EQ(mine, 40);
      done += mine;
    }
  });
  EXPECT_EQ(done, many * 50 * 40);
}

TEST(task_group, the_maker_and_others_wait_in_turns) {
  task_group group;
  std::atomic<bool> over{false};
  std::atomic<long> done{0};
  sync::latch all(many / 2 + 1);
  std::thread others([&] {
    on_threads(many / 2, [&](int) {
      all.arrive_and_wait();
      while (!over) {
        group.run([&] { ++done; });
        group.wait();
        this_task::yield();
      }
    });
  });
  all.arrive_and_wait();
  for (int round = 0; round < 300; ++round) {
    long mine = 0;
    group.run([&] { mine += fib(5); });
    group.wait();
    ASSERT_EQ(mine, 5);
  }
  over = true;
  others.join();
}

TEST(task_group, as_a_member_it_is_waited_for_where_its_owner_ends) {
  struct service {
    std::atomic<int>& done;
    task_group tasks;
    ~service() { tasks.wait(); }
  };
  std::atomic<int> done{0};
  for (int round = 0; round < 50; ++round) {
    auto s = std::make_unique<service>(done);
    on_threads(2, [&](int) {
      for (int i = 0; i < 10; ++i) s->tasks.run([&d = s->done] { ++d; });
    });
    std::thread([s = std::move(s)]() mutable { s.reset(); }).join();
    ASSERT_EQ(done, 20 * (round + 1));
  }
}

TEST(task_group, may_go_as_soon_as_another_has_waited) {
  std::atomic<int> done{0};
  on_threads(many, [&](int) {
    for (int round = 0; round < 100; ++round) {
      auto group = std::make_unique<task_group>();
      for (int i = 0; i < 4; ++i) group->run([&] { ++done; });
      post([&, group = std::move(group)]() mutable { group.reset(); });
    }
  });
  while (done != many * 100 * 4) this_task::yield();
}

TEST(task_group, one_of_those_who_wait_gets_what_was_thrown) {
  task_group group;
  sync::latch all(many + 1);
  std::atomic<int> thrown{0};
  group.run([&] {
    all.arrive_and_wait();
    throw std::runtime_error("planted");
  });
  on_threads(many, [&](int) {
    all.count_down();
    try {
      group.wait();
    } catch (const std::runtime_error&) {
      ++thrown;
    }
  });
  EXPECT_EQ(thrown, 1);
}

TEST(task_group, all_who_wait_learn_that_it_was_canceled) {
  task_group group;
  std::atomic<int> canceled{0};
  sync::latch waiting(many);
  group.run([&] {
    waiting.wait();
    this_task::sleep_for(std::chrono::milliseconds(20));  // for a wait that is about to begin
    group.cancel();
  });
  on_threads(many, [&](int) {
    waiting.count_down();
    if (group.wait() == task_group_status::canceled) ++canceled;
  });
  EXPECT_GE(canceled, 1);
  EXPECT_FALSE(group.is_canceling());
}

TEST(task_group, run_and_wait_by_another) {
  task_group group;
  std::atomic<int> done{0};
  group.run([&] { ++done; });
  std::thread([&] {
    group.run_and_wait([&] {
      for (int i = 0; i < 10; ++i) post([&] { async([&] { ++done; }); });
    });
    EXPECT_EQ(done, 11);
  }).join();
}

TEST(task_group, recursion_by_run_and_wait) {
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

TEST(task_group, closures_and_calls_of_any_alignment) {
  struct alignas(4096) page {
    long value = 1;
    [[nodiscard]] long read() const {
      return reinterpret_cast<std::uintptr_t>(this) % alignof(page) == 0 ? value : 1'000'000;
    }
  };
  std::atomic<long> sum{0};
  {
    task_group group;
    for (int i = 0; i < 20; ++i) group.run([&sum, p = page()] { sum += p.read(); });
  }
  finish([&] {
    for (int i = 0; i < 20; ++i) post([&sum](const page& p) { sum += p.read(); }, page());
  });
  auto [a, b] = fork_join([p = page()] { return p; }, [p = page()] { return p; });
  EXPECT_EQ(sum + a.read() + b.read(), 42);
}

}  // namespace
}  // namespace amity
