// What a finish, or a group, that was asked to stop runs all the same: the library's own steps, and coroutines that
// have begun.
#include <gtest/gtest.h>

#include <optional>
#include <stop_token>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "amity/finish/finish.hpp"
#include "amity/finish/task_group.hpp"
#include "amity/future/combine.hpp"
#include "amity/future/coroutine.hpp"
#include "amity/future/scheduler.hpp"

namespace amity {
namespace {

namespace ex = execution;

/// Runs `body` in a finish that was asked to stop.
template <class F>
void in_stopped_finish(F body) {
  std::stop_source stop;
  stop.request_stop();
  finish(stop.get_token(), body);
}

template <class F>
bool is_cancelled(F f) {
  try {
    static_cast<void>(f.get());
  } catch (const future_error& e) {
    return e.code() == future_errc::cancelled;
  }
  return false;
}

task<int> one_more(future<int> f) { co_return co_await std::move(f) + 1; }

TEST(stop, a_suspended_coroutine_goes_on) {
  std::stop_source stop;
  future<int> more;
  finish(stop.get_token(), [&] {
    promise<int> p;
    more = start(one_more(p.get_future()));
    stop.request_stop();
    p.set_value(1);
  });
  EXPECT_EQ(more.get(), 2);
}

TEST(stop, a_coroutine_waits_for_what_is_cancelled) {
  in_stopped_finish([] {
    EXPECT_TRUE(is_cancelled(start(one_more(async([] { return 1; })))));
    EXPECT_TRUE(is_cancelled(async(one_more(make_ready_future(1)))));
  });
}

TEST(stop, a_suspended_coroutine_of_a_cancelled_group_goes_on) {
  promise<int> p;
  future<int> more;
  task_group group;
  group.run_and_wait([&] {
    more = start(one_more(p.get_future()));
    group.cancel();
    p.set_value(1);
  });
  EXPECT_EQ(more.get(), 2);
}

TEST(stop, sync_wait_inside) {
  in_stopped_finish([] {
    promise<int> p;
    future<int> f = p.get_future();
    std::jthread const setter([&] { p.set_value(3); });
    EXPECT_EQ(sync_wait(one_more(std::move(f))), 4);
  });
}

TEST(stop, a_scheduler_says_stopped) {
  in_stopped_finish([] {
    bool ran = false;
    EXPECT_FALSE(ex::sync_wait(ex::then(ex::schedule(get_scheduler()), [&] { ran = true; })).has_value());
    EXPECT_FALSE(ex::sync_wait(ex::continues_on(ex::just(1), get_scheduler())).has_value());
    EXPECT_FALSE(ran);
  });
}

TEST(stop, combinations_of_ready_futures_give_them) {
  in_stopped_finish([] {
    auto ready = [] {
      std::vector<future<int>> all;
      for (int i = 0; i < 3; ++i) all.push_back(make_ready_future(i));
      return all;
    };
    EXPECT_EQ(when_all(ready()).get()[2].get(), 2);
    EXPECT_EQ(std::get<0>(when_all(make_ready_future(1), make_ready_future()).get()).get(), 1);
    auto first = when_any(ready()).get();
    EXPECT_EQ(first.futures[first.index].get(), static_cast<int>(first.index));
    EXPECT_EQ(when_some(2, ready()).get().indices.size(), 2u);
    auto [a, b] = split_future(make_ready_future(std::tuple(1, 2)));
    EXPECT_EQ(a.get() + b.get(), 3);
  });
}

TEST(stop, a_future_of_a_cancelled_future_is_cancelled) {
  in_stopped_finish([] {
    EXPECT_TRUE(is_cancelled(future<int>(async([] { return make_ready_future(1); }))));
    EXPECT_TRUE(is_cancelled(future<int>(make_ready_future(async([] { return 1; })))));
    auto [a] = split_future(async([] { return std::tuple(1); }));
    EXPECT_TRUE(is_cancelled(std::move(a)));
  });
}

/// What was not begun is no error of the finish: nothing throws here.
TEST(stop, calls_that_were_not_begun_are_no_errors) {
  in_stopped_finish([] {
    std::vector<future<int>> some;
    some.push_back(make_ready_future(1));
    EXPECT_TRUE(is_cancelled(when_each([](future<int>) {}, std::move(some))));
  });
}

TEST(stop, a_finish_that_does_not_block) {
  std::stop_source stop;
  future<int> dropped;
  future<void> ended = nonblocking_finish(stop.get_token(), [&] {
    stop.request_stop();
    dropped = async([] { return 1; });
    EXPECT_TRUE(stop_requested());
  });
  ended.get();
  EXPECT_TRUE(is_cancelled(std::move(dropped)));
  EXPECT_FALSE(stop_requested());
}

}  // namespace
}  // namespace amity
