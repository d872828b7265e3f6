// promise::set_value_at_thread_exit and its like: at the end of the task that calls, or of the thread.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "amity/base/assert.hpp"
#include "amity/future/async.hpp"
#include "amity/future/packaged_task.hpp"
#include "amity/future/thread.hpp"
#include "amity/sync/event.hpp"

namespace amity {
namespace {

/// Stores whether the future was ready when it went.
template <class T>
struct looks_at_end {
  const future<T>& f;
  bool& was_ready;
  ~looks_at_end() { was_ready = f.is_ready(); }
};

TEST(at_exit, a_task_makes_it_ready_when_it_ends) {
  promise<std::string> p;
  future<std::string> f = p.get_future();
  bool ready_inside = true, ready_at_end = true;
  async([&] {
    looks_at_end<std::string> const last{f, ready_at_end};
    p.set_value_at_thread_exit("value");
    ready_inside = f.is_ready();
  }).get();
  EXPECT_FALSE(ready_inside);
  EXPECT_FALSE(ready_at_end);
  EXPECT_TRUE(f.is_ready());  // before the task's own future
  EXPECT_EQ(f.get(), "value");
}

TEST(at_exit, every_kind_of_task) {
  promise<int> of_post, of_sync, of_deferred, of_then, of_discarded;
  auto put = [](promise<int>& p) { p.set_value_at_thread_exit(1); };
  post([&] { put(of_post); });
  EXPECT_EQ(of_post.get_future().get(), 1);
  async(launch::sync, [&] { put(of_sync); }).get();
  EXPECT_TRUE(of_sync.get_future().is_ready());
  async(launch::deferred, [&] { put(of_deferred); }).get();
  EXPECT_TRUE(of_deferred.get_future().is_ready());
  make_ready_future().then(launch::sync, [&](future<void>) { put(of_then); }).get();
  EXPECT_TRUE(of_then.get_future().is_ready());
  static_cast<void>(async([&] { put(of_discarded); }));
  EXPECT_EQ(of_discarded.get_future().get(), 1);
}

// What a task waits for may be run on top of it.
TEST(at_exit, the_end_of_another_task_on_the_same_stack_is_not_its_end) {
  promise<int> p, q;
  future<int> f = p.get_future(), g = q.get_future();
  std::vector<bool> ready;
  async([&] {
    p.set_value_at_thread_exit(1);
    async([] {}).get();
    ready.push_back(f.is_ready());
    std::vector<future<void>> some;
    for (int i = 0; i < 10; ++i) some.push_back(async([] {}));
    for (auto& one : some) one.get();
    ready.push_back(f.is_ready());
    async(launch::sync, [&] { q.set_value_at_thread_exit(2); }).get();
    ready.push_back(f.is_ready());
    EXPECT_TRUE(g.is_ready());
    async(launch::deferred, [] {}).get();
    ready.push_back(f.is_ready());
  }).get();
  EXPECT_EQ(ready, (std::vector<bool>{false, false, false, false}));
  EXPECT_EQ(f.get() + g.get(), 3);
}

TEST(at_exit, several_and_a_promise_that_has_gone) {
  std::vector<future<int>> all;
  async([&] {
    for (int i = 0; i < 5; ++i) {
      promise<int> p;
      all.push_back(p.get_future());
      p.set_value_at_thread_exit(i);
    }
  }).get();
  int sum = 0;
  for (auto& f : all) sum += f.get();
  EXPECT_EQ(sum, 10);
  promise<std::unique_ptr<int>> unwanted;  // nobody has its future
  async([p = std::move(unwanted)]() mutable { p.set_value_at_thread_exit(std::make_unique<int>(1)); }).get();
}

TEST(at_exit, references_and_nothing) {
  int x = 0;
  promise<int&> p;
  promise<void> q;
  async([&] {
    p.set_value_at_thread_exit(x);
    q.set_value_at_thread_exit();
  }).get();
  EXPECT_EQ(&p.get_future().get(), &x);
  q.get_future().get();
}

TEST(at_exit, errors_and_second_puts) {
  promise<int> p;
  future<int> f = p.get_future();
  async([&] {
    p.set_exception_at_thread_exit(std::make_exception_ptr(std::runtime_error("put")));
    EXPECT_THROW(p.set_value_at_thread_exit(1), future_error);
    EXPECT_THROW(p.set_value(1), future_error);
    EXPECT_FALSE(f.is_ready());
  }).get();
  EXPECT_THROW(static_cast<void>(f.get()), std::runtime_error);
  promise<int> moved;
  promise<int> const other(std::move(moved));
  EXPECT_THROW(moved.set_value_at_thread_exit(1), future_error);  // NOLINT(bugprone-use-after-move)
}

TEST(at_exit, what_follows_is_begun_at_the_end) {
  promise<int> p;
  future<int> doubled = p.get_future().then(launch::sync, [](future<int> f) { return 2 * f.get(); });
  async([&] {
    p.set_value_at_thread_exit(21);
    EXPECT_FALSE(doubled.is_ready());
  }).get();
  EXPECT_TRUE(doubled.is_ready());
  EXPECT_EQ(doubled.get(), 42);
}

TEST(at_exit, of_threads_of_both_kinds) {
  promise<int> p, q;
  future<int> f = p.get_future(), g = q.get_future();
  thread([&] {
    p.set_value_at_thread_exit(1);
    this_thread::yield();
    EXPECT_FALSE(f.is_ready());
  }).join();
  EXPECT_TRUE(f.is_ready());
  std::thread([&] {
    q.set_value_at_thread_exit(2);
    async([] {}).get();  // a task, but not this thread's end
    EXPECT_FALSE(g.is_ready());
  }).join();
  EXPECT_TRUE(g.is_ready());
}

TEST(at_exit, packaged_tasks) {
  packaged_task<int(int)> twice([](int x) { return 2 * x; });
  packaged_task<void()> fails([] { throw std::runtime_error("thrown"); });
  future<int> f = twice.get_future();
  future<void> g = fails.get_future();
  async([&] {
    twice.make_ready_at_thread_exit(21);
    fails.make_ready_at_thread_exit();
    EXPECT_THROW(twice.make_ready_at_thread_exit(1), future_error);
    EXPECT_THROW(twice(1), future_error);
    EXPECT_FALSE(f.is_ready());
    EXPECT_FALSE(g.is_ready());
  }).get();
  EXPECT_EQ(f.get(), 42);
  EXPECT_THROW(g.get(), std::runtime_error);
}

// With assertions on, the end of the process tells of what nobody has waited for.
TEST(at_exit, tells_of_posted_tasks_that_have_not_ended) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto const leave = [] {
    static sync::event never;
    for (int i = 0; i < 3; ++i) post([] { never.wait(); });
    exit(0);
  };
  EXPECT_EXIT(leave(), testing::ExitedWithCode(0),
              AMITY_ASSERT_ACTIVE ? "3 task\\(s\\) of amity::post had not ended" : "");
}

TEST(at_exit, tells_of_nothing_where_all_have_ended) {
  if (base::address_sanitizer) GTEST_SKIP() << "the sanitizer has words of its own";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto const leave = [] {
    promise<void> done;
    future<void> f = done.get_future();
    post([p = std::move(done)]() mutable { p.set_value(); });
    f.get();
    exit(0);
  };
  EXPECT_EXIT(leave(), testing::ExitedWithCode(0), "^$");
}

}  // namespace
}  // namespace amity
