// Amity's senders among those of a library (internal/sender_library.hpp), which is told of as a program does it.
#include "amity/future/internal/sender_library.hpp"
#define AMITY_SENDERS sender_library

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "amity/future/senders.hpp"

namespace amity {
namespace {

namespace lib = sender_library;
namespace ex = execution;

ex::task_scheduler const tasks = get_scheduler();

static_assert(lib::scheduler<ex::task_scheduler>);
static_assert(lib::scheduler<decltype(get_scheduler())>);
static_assert(lib::sender_in<ex::task_scheduler::schedule_sender, lib::empty_env>);
static_assert(std::is_same_v<lib::completion_signatures_of_t<ex::task_scheduler::schedule_sender, lib::empty_env>,
                             lib::completion_signatures<lib::set_value_t(), lib::set_stopped_t()>>);
static_assert(lib::get_forward_progress_guarantee(ex::task_scheduler()) == lib::forward_progress_guarantee::parallel);

/// The library's own sync_wait, which blocks the OS thread: so somebody else has to be there to run tasks.
template <class S>
auto wait_for(S&& s) {
  return worker_count() > 1 ? lib::sync_wait(std::forward<S>(s)) : ex::sync_wait(std::forward<S>(s));
}

TEST(sender_library, its_algorithms_run_on_tasks) {
  auto on_task = [] { return std::this_thread::get_id() != std::thread::id() && sched::current_worker != nullptr; };
  EXPECT_TRUE(std::get<0>(*wait_for(lib::then(lib::schedule(tasks), on_task))));
  EXPECT_EQ(std::get<0>(*wait_for(lib::then(lib::starts_on(tasks, lib::just(20)), [](int x) { return x + 1; }))), 21);
  auto work = lib::continues_on(lib::just(std::string("a")), tasks);
  EXPECT_EQ(std::get<0>(*wait_for(lib::then(std::move(work), [](std::string s) { return s + "b"; }))), "ab");
  auto both = lib::when_all(lib::then(lib::schedule(tasks), [] { return 1; }),
                            lib::then(lib::schedule(tasks), [] { return 'x'; }));
  EXPECT_EQ(wait_for(std::move(both)), std::tuple(1, 'x'));
  std::atomic<int> sum{0};
  EXPECT_TRUE(wait_for(lib::bulk(lib::schedule(tasks), 5, [&](int i) { sum += i; })).has_value());
  EXPECT_EQ(sum, 10);
  auto dependent =
      lib::let_value(lib::just(3), [](int& x) { return lib::then(lib::schedule(tasks), [&x] { return x * 2; }); });
  EXPECT_EQ(std::get<0>(*wait_for(std::move(dependent))), 6);
}

TEST(sender_library, errors_and_stops_reach_it) {
  auto fails = lib::then(lib::schedule(tasks), []() -> int { throw std::runtime_error("x"); });
  EXPECT_THROW(static_cast<void>(wait_for(lib::when_all(std::move(fails), lib::just(1)))), std::runtime_error);
  // Its token is asked by Amity's scheduler: the first has failed, so the second is not run.
  bool ran = false;
  auto failed_before = lib::then(lib::just(), [] { throw std::runtime_error("y"); });
  auto stopped = lib::then(lib::schedule(tasks), [&] { ran = true; });
  EXPECT_THROW(static_cast<void>(wait_for(lib::when_all(std::move(failed_before), std::move(stopped)))),
               std::runtime_error);
  EXPECT_FALSE(ran);
}

TEST(sender_library, it_takes_senders_that_amity_made) {
  auto work = ex::just(1) | ex::continues_on(tasks) | ex::then([](int x) { return x + 1; }) |
              ex::let_value([](int& x) { return ex::just(x * 10); }) | ex::bulk(3, [](int, int&) {});
  static_assert(lib::sender_in<decltype(work), lib::empty_env>);
  EXPECT_EQ(std::get<0>(*wait_for(lib::then(std::move(work), [](int x) { return x + 1; }))), 21);
  auto all = ex::when_all(ex::schedule(tasks), ex::just('x'), ex::as_sender(async([] { return 2; })));
  EXPECT_EQ(wait_for(lib::when_all(std::move(all), ex::starts_on(tasks, ex::just(3)))), std::tuple('x', 2, 3));
}

TEST(sender_library, amity_takes_its_senders) {
  auto work = lib::then(lib::just(2), [](int x) { return x + 1; }) | ex::continues_on(tasks) |
              ex::then([](int x) { return x * 2; });
  EXPECT_EQ(std::get<0>(*ex::sync_wait(std::move(work))), 6);
  auto all = ex::when_all(lib::just(1), lib::then(lib::schedule(tasks), [] { return 2; }),
                          lib::when_all(lib::just(3), lib::just(4)));
  EXPECT_EQ(ex::sync_wait(std::move(all)), std::tuple(1, 2, 3, 4));
  EXPECT_EQ(ex::as_future(lib::then(lib::schedule(tasks), [] { return 5; })).get(), 5);
  EXPECT_THROW(static_cast<void>(
                   ex::sync_wait(lib::then(lib::just(), []() -> int { throw 1; }) | ex::then([](int x) { return x; }))),
               int);
  EXPECT_EQ(sync_wait([]() -> task<int> { co_return co_await ex::as_awaitable(lib::just(7)); }()), 7);
}

}  // namespace
}  // namespace amity
