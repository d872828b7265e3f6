#include "amity/finish/finish.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#include "amity/future/resilience.hpp"
#include "amity/sys/test_support.hpp"

namespace amity {
namespace {

long fib(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
  finish([&] {
    async([&] { a = fib(n - 1); });
    b = fib(n - 2);
  });
  return a + b;
}

long const made_before_main = fib(10);

/// Blocks: what the waiting thread has not begun itself, others must run.
int when_ready_in_order(std::vector<future<int>> all) {
  int sum = 0;
  for (auto& f : all) sum += std::move(f).then([](future<int> g) { return g.get(); }).get();
  return sum;
}

TEST(finish, joins_nested_tasks) { EXPECT_EQ(fib(18), 2584); }

TEST(finish, waits_for_grandchildren) {
  std::atomic<int> leaves{0};
  finish([&] {
    for (int i = 0; i < 10; ++i) async([&] { async([&] { async([&] { ++leaves; }); }); });
  });
  EXPECT_EQ(leaves, 10);
}

TEST(finish, throws_the_first_when_everything_has_ended) {
  std::atomic<int> others{0};
  try {
    finish([&] {
      async([] { throw std::runtime_error("planted"); });
      for (int i = 0; i < 100; ++i) async([&] { ++others; });
    });
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "planted");
  }
  EXPECT_EQ(others, 100);
}

TEST(finish, keeps_all_errors) {
  auto errors = finish_collect([] {
    for (int i = 0; i < 5; ++i) async([i] { throw i; });
    throw 5;
  });
  int seen = 0;
  for (const auto& e : errors) try {
      std::rethrow_exception(e);
    } catch (int i) {
      seen |= 1 << i;
    }
  EXPECT_EQ(seen, 63);
}

TEST(finish, takes_closures_that_can_only_be_moved) {
  int sum = 0;
  finish([&] {
    auto p = std::make_unique<int>(42);
    async([&sum, p = std::move(p)] { sum = *p; });
    post([q = std::make_unique<int>(1)] { EXPECT_EQ(*q, 1); });
  });
  EXPECT_EQ(sum, 42);
}

TEST(finish, destroys_closures_before_it_returns) {
  auto alive = std::make_shared<int>(0);
  finish([&] {
    for (int i = 0; i < 100; ++i) async([alive] { EXPECT_GT(alive.use_count(), 1); });
  });
  EXPECT_EQ(alive.use_count(), 1);
}

/// Says how many of it are left.
struct counted {
  explicit counted(std::atomic<int>& all) : left(&all) { ++*left; }
  counted(const counted& other) : left(other.left) { ++*left; }
  ~counted() { --*left; }
  std::atomic<int>* left;
};

/// A task whose future is dropped while it runs, if somebody else is quick to take it; then it calls `end`.
template <class End>
void make_unwanted(End end) {
  std::atomic<bool> begun{false}, dropped{false};
  auto wait_for = [](const std::atomic<bool>& what, int turns) {
    for (; turns != 0 && !what; --turns) std::this_thread::yield();
  };
  finish([&] {
    auto unwanted = async([&] {
      begun = true;
      wait_for(dropped, -1);
      return end();
    });
    wait_for(begun, 1000);
    unwanted = {};
    dropped = true;
  });
}

TEST(finish, destroys_results_that_nobody_wants_before_it_returns) {
  for (int round = 0; round < 1000; ++round) {
    std::atomic<int> left{0};
    make_unwanted([&] { return counted(left); });
    ASSERT_EQ(left, 0) << "in round " << round;
  }
}

TEST(finish, destroys_errors_that_nobody_wants_before_it_returns) {
  for (int round = 0; round < 1000; ++round) {
    std::atomic<int> left{0};
    EXPECT_THROW(make_unwanted([&]() -> int { throw counted(left); }), counted);
    ASSERT_EQ(left, 0) << "in round " << round;
  }
}

TEST(finish, a_million_pending_tasks) {
  std::atomic<long> sum{0};
  finish([&] {
    for (int i = 0; i < 1'000'000; ++i) post([&sum] { sum.fetch_add(1, std::memory_order_relaxed); });
  });
  EXPECT_EQ(sum, 1'000'000);
}

TEST(finish, stops_when_it_is_asked_to) {
  std::stop_source stop;
  std::atomic<int> ran{0};
  future<void> late;
  finish(stop.get_token(), [&] {
    stop.request_stop();
    EXPECT_TRUE(stop_requested());
    for (int i = 0; i < 50; ++i) finish([&] { async([&] { ++ran; }); });
    late = async([&] { ++ran; });
  });
  EXPECT_EQ(ran, 0);
  try {
    late.get();
    FAIL();
  } catch (const future_error& e) {
    EXPECT_EQ(e.code(), future_errc::cancelled);
  }
}

TEST(finish, calls_made_here_and_now_are_tasks_of_it) {
  std::atomic<int> ran{0};
  promise<void> go;
  finish([&] {
    async(launch::sync, [&] { async([&, f = go.get_future()]() mutable { f.get(), ++ran; }); });
    async([&] { go.set_value(); });
  });
  EXPECT_EQ(ran, 1);
  EXPECT_THROW(finish([&] { async(launch::sync, [&] { post([] { throw 1; }); }); }), int);
  EXPECT_THROW(finish([&] { async(launch::sync, [&] { throw 1; }); }), int);
}

TEST(finish, a_nonblocking_one_gives_a_future) {
  std::atomic<int> ran{0};
  bool ended = false;
  finish([&] {
    future<void> f = nonblocking_finish([&] {
      for (int i = 0; i < 20; ++i) async([&] { async([&] { ++ran; }); });
    });
    f.then(launch::sync, [&](future<void> g) {
      g.get();
      ended = ran == 20;
    });
  });
  EXPECT_TRUE(ended);
  EXPECT_EQ(ran, 20);
  EXPECT_THROW(nonblocking_finish([] { async([] { throw 1; }); }).get(), int);
}

TEST(finish, is_open_to_threads_of_the_program) {
  std::vector<std::thread> threads;
  std::atomic<long> sum{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) sum += fib(10);
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(sum, 4 * 20 * 55);
}

TEST(finish, works_before_main) { EXPECT_EQ(made_before_main, 55); }

TEST(finish, works_in_the_child_of_a_fork) {
  if (base::thread_sanitizer) GTEST_SKIP() << "it does not follow threads into the child of a fork";
  EXPECT_EQ(fib(10), 55);
  pid_t const child = sys::fork_for_test();
  if (child == 0) {
    std::atomic<int> ran{0};
    finish([&] {
      for (int i = 0; i < 100; ++i) async([&] { ran += fib(5) == 5; });
    });
    promise<int> p;
    async([&] { p.set_value(1); });
    _exit(ran == 100 && p.get_future().get() == 1 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(fib(10), 55);
}

TEST(finish, tasks_of_a_thread_that_has_ended_are_run_by_others) {
  for (int round = 0; round < 20; ++round) {
    std::vector<future<int>> made;
    std::thread([&] {
      for (int i = 0; i < 50; ++i) made.push_back(async([i] { return i; }));
    }).join();
    auto last = when_ready_in_order(std::move(made));
    EXPECT_EQ(last, 49 * 25);
  }
}

/// A task above the waiting one's stack that waits for what comes after the wait: it must not be buried.
TEST(finish, runs_nothing_foreign_on_top_of_its_wait) {
  for (int round = 0; round < 200; ++round) {
    promise<int> p;
    future<int> got;
    future<int> input = p.get_future();
    finish([&] {
      finish([&] {
        sched::scope* const inner = std::exchange(sched::current_worker->current, nullptr);
        got = async([&] { return input.get(); });
        sched::current_worker->current = inner;
        async([] {});
      });
      p.set_value(round);
    });
    EXPECT_EQ(got.get(), round);
  }
}

TEST(finish, recursion_goes_on_on_other_stacks) {
  // Each level waits for the next one: far more than one stack can hold.
  struct deep {
    static int go(int n) {
      int volatile room[128] = {};
      room[n % 128] = 1;
      return n == 0 ? 0 : async([n] { return go(n - 1); }).get() + room[n % 128];
    }
  };
  int const levels = base::thread_sanitizer || base::address_sanitizer ? 2'000 : 40'000;
  EXPECT_EQ(deep::go(levels), levels);
}

/// Random trees of tasks that nest scopes and wait for each other's futures, against the sum made serially.
struct tree {
  std::uint64_t seed;
  long expected(int depth) const {
    std::minstd_rand random(static_cast<unsigned>(seed));
    long sum = static_cast<long>(random() % 100);
    if (depth == 0) return sum;
    int const children = static_cast<int>(random() % 5);
    for (int i = 0; i < children; ++i) sum += tree{random()}.expected(depth - 1);
    return sum;
  }
  long made(int depth) const {
    std::minstd_rand random(static_cast<unsigned>(seed));
    std::atomic<long> sum = static_cast<long>(random() % 100);
    if (depth == 0) return sum;
    int const children = static_cast<int>(random() % 5);
    std::vector<future<long>> held;
    finish([&] {
      for (int i = 0; i < children; ++i) {
        tree const child{random()};
        if (child.seed % 3 == 0)
          held.push_back(async([=] { return child.made(depth - 1); }));
        else if (child.seed % 3 == 1)
          async([&sum, child, depth] { sum += child.made(depth - 1); });
        else
          sum += nonblocking_finish([&] { sum += child.made(depth - 1); })
                     .then([](future<void> f) {
                       f.get();
                       return 0L;
                     })
                     .get();
      }
      if (seed % 2 == 0)
        for (auto& f : held) sum += f.get();
    });
    if (seed % 2 != 0)
      for (auto& f : held) sum += f.get();
    return sum;
  }
};

TEST(finish, random_trees_give_the_serial_sums) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) EXPECT_EQ(tree{seed}.made(7), tree{seed}.expected(7)) << seed;
}

TEST(finish, tries_that_failed_are_no_errors) {
  int tries = 0;
  finish([&] {
    auto read = [&] {
      if (++tries < 3) return async([]() -> int { throw 1; }).get();
      return 5;
    };
    EXPECT_EQ(async_replay(5, read).get(), 5);
    std::atomic<int> replicas{0};
    EXPECT_EQ(async_replicate(3, [&] { return ++replicas == 1 ? async([]() -> int { throw 1; }).get() : 6; }).get(), 6);
  });
  EXPECT_EQ(tries, 3);
  EXPECT_THROW(finish([] { static_cast<void>(async_replay(2, [] { throw 1; })); }), int);  // no try succeeded
}

}  // namespace
}  // namespace amity
