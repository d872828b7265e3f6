// Senders that are begun in a finish.
#include "amity/future/execution/spawn.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <stop_token>
#include <tuple>

#include "amity/finish/finish.hpp"
#include "amity/future/senders.hpp"

namespace amity {
namespace {

namespace ex = execution;

ex::task_scheduler const tasks = get_scheduler();

TEST(spawn, a_finish_waits_for_it) {
  std::atomic<int> ran{0};
  promise<int> p;
  finish([&] {
    for (int i = 0; i < 100; ++i) ex::spawn(ex::schedule(tasks) | ex::then([&] { ++ran; }));
    ex::start_detached(ex::as_sender(p.get_future()) | ex::continues_on(tasks) | ex::then([&](int x) { ran += x; }));
    ex::spawn(ex::just_stopped());
    p.set_value(5);
  });
  EXPECT_EQ(ran, 105);
}

TEST(spawn, an_error_is_the_finishs) {
  EXPECT_THROW(finish([] { ex::spawn(ex::schedule(tasks) | ex::then([] { throw std::runtime_error("x"); })); }),
               std::runtime_error);
  EXPECT_THROW(finish([] { ex::spawn(ex::just_error(3)); }), int);
}

TEST(spawn, a_finish_waits_for_a_future_of_a_sender) {
  future<int> answer;
  finish([&] { answer = ex::as_future(ex::schedule(tasks) | ex::then([] { return 42; })); });
  EXPECT_TRUE(answer.is_ready());
  EXPECT_EQ(answer.get(), 42);
}

/// Counts in the finish that it was awaited in, though something else makes it go on.
TEST(spawn, a_finish_waits_for_a_coroutine_that_awaits_a_sender) {
  std::atomic<bool> ended{false};
  promise<int> p;
  auto work = [&]() -> task<void> {
    co_await (ex::as_sender(p.get_future()) | ex::continues_on(tasks));
    ended = true;
  };
  future<void> done;
  finish([&] {
    done = start(work());
    post([&] { p.set_value(1); });
  });
  EXPECT_TRUE(ended);
  done.get();
}

TEST(spawn, a_finish_that_was_asked_to_stop) {
  std::stop_source stop;
  std::atomic<int> calls{0};
  finish(stop.get_token(), [&] {
    auto many = ex::just() | ex::bulk(1000, [&](int) {
                  ++calls;
                  stop.request_stop();
                });
    EXPECT_FALSE(ex::sync_wait(many).has_value());
    EXPECT_THROW(ex::as_future(ex::schedule(tasks)).get(), future_error);
    EXPECT_FALSE(ex::sync_wait(ex::when_all(ex::just(1), ex::schedule(tasks))).has_value());
    ex::spawn(ex::schedule(tasks) | ex::then([&] { calls = 1000; }));
  });
  EXPECT_GE(calls, 1);
  EXPECT_LT(calls, 1000);
}

TEST(ensure_started, counts_in_the_finish_around) {
  std::atomic<int> ran{0};
  finish([&] {
    static_cast<void>(ex::ensure_started(ex::schedule(tasks) | ex::then([&] { ++ran; }) |
                                         ex::let_stopped([&] { return ++ran, ex::just(); })));
  });
  EXPECT_EQ(ran, 1);
}

}  // namespace
}  // namespace amity
