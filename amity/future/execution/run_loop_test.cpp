#include "amity/future/execution/run_loop.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "amity/future/async.hpp"
#include "amity/future/execution/inline_scheduler.hpp"
#include "amity/future/senders.hpp"

namespace amity {
namespace {

namespace ex = execution;

static_assert(ex::scheduler<ex::inline_scheduler>);
static_assert(ex::scheduler<ex::run_loop::scheduler>);

TEST(inline_scheduler, ends_where_it_is_started) {
  auto const here = std::this_thread::get_id();
  auto const [there] =
      *ex::sync_wait(ex::schedule(ex::inline_scheduler()) | ex::then([] { return std::this_thread::get_id(); }));
  EXPECT_EQ(there, here);
  EXPECT_EQ(ex::get_completion_scheduler<ex::set_value_t>(ex::get_env(ex::schedule(ex::inline_scheduler()))),
            ex::inline_scheduler());
  static_assert(!ex::sends_stopped<decltype(ex::schedule(ex::inline_scheduler()))>);
}

#if !defined(AMITY_SENDERS)
static_assert(ex::forwarding_query(ex::get_stop_token) && ex::forwarding_query(ex::get_allocator) &&
              ex::forwarding_query(ex::get_scheduler));
static_assert(!ex::forwarding_query(ex::set_value));

TEST(queries, an_allocator_is_found_through_adaptors) {
  auto const environment = ex::prop(ex::get_allocator, std::allocator<int>());
  auto const [found] =
      *ex::sync_wait(ex::write_env(ex::read_env(ex::get_allocator) | ex::then([](auto a) { return a; }), environment));
  static_assert(std::is_same_v<decltype(found), const std::allocator<int>>);
  EXPECT_EQ(found, std::allocator<int>());
}
#endif

TEST(run_loop, does_what_comes_in_order_until_it_is_finished) {
  ex::run_loop loop;
  std::vector<int> done;
  for (int i = 0; i < 3; ++i)
    ex::spawn(ex::schedule(loop.get_scheduler()) | ex::then([&done, i] { done.push_back(i); }));
  EXPECT_TRUE(done.empty());
  loop.finish();
  loop.run();
  EXPECT_EQ(done, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(loop.get_scheduler(), loop.get_scheduler());
  ex::run_loop other;
  EXPECT_NE(loop.get_scheduler(), other.get_scheduler());
}

TEST(run_loop, work_may_come_from_other_threads_and_from_within) {
  ex::run_loop loop;
  std::atomic<int> ran{0};
  std::thread::id where;
  auto const runner = std::this_thread::get_id();
  std::thread other([&] {
    for (int i = 0; i < 100; ++i)
      EXPECT_TRUE(ex::sync_wait(ex::starts_on(loop.get_scheduler(), ex::just() | ex::then([&] {
                                                                      ++ran;
                                                                      where = std::this_thread::get_id();
                                                                    })))
                      .has_value());
    ex::spawn(ex::schedule(loop.get_scheduler()) |
              ex::then([&] { ex::spawn(ex::schedule(loop.get_scheduler()) | ex::then([&] { loop.finish(); })); }));
  });
  loop.run();
  other.join();
  EXPECT_EQ(ran.load(), 100);
  EXPECT_EQ(where, runner);
}

TEST(run_loop, several_tasks_may_run_it) {
  ex::run_loop loop;
  std::atomic<int> ran{0};
  std::vector<future<void>> runners;
  for (int i = 0; i < 4; ++i) runners.push_back(async([&] { loop.run(); }));
  for (int i = 0; i < 1000; ++i)
    ex::spawn(ex::schedule(loop.get_scheduler()) | ex::then([&] { ++ran; }) | ex::upon_stopped([&] { ran = -100000; }));
  loop.finish();
  for (auto& each : runners) each.get();
  EXPECT_EQ(ran.load(), 1000);
}

}  // namespace
}  // namespace amity
