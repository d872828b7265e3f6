#include "amity/future/resilience.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>

namespace amity {
namespace {

struct flaky {
  std::atomic<int>* calls;
  int good_from;
  int operator()(int x) const {
    if (++*calls < good_from) throw std::runtime_error("try " + std::to_string(calls->load()));
    return x;
  }
};

TEST(resilience, a_replay_ends_with_the_first_success) {
  std::atomic<int> calls{0};
  EXPECT_EQ(async_replay(5, flaky{&calls, 3}, 42).get(), 42);
  EXPECT_EQ(calls.load(), 3);
}

TEST(resilience, a_replay_that_never_succeeds_gives_the_last_error) {
  std::atomic<int> calls{0};
  try {
    async_replay(3, flaky{&calls, 100}, 1).get();
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "try 3");
  }
  EXPECT_EQ(calls.load(), 3);
}

TEST(resilience, a_replay_looks_at_the_result) {
  std::atomic<int> calls{0};
  auto count = [&calls] { return ++calls; };
  EXPECT_EQ(async_replay_validate(
                5, [](int x) { return x == 4; }, count)
                .get(),
            4);
  calls = 0;
  EXPECT_THROW(async_replay_validate(
                   3, [](int) { return false; }, count)
                   .get(),
               abort_replay_exception);
  EXPECT_EQ(calls.load(), 3);
  EXPECT_THROW(async_replay(0, count).get(), abort_replay_exception);
  EXPECT_EQ(calls.load(), 3);
}

TEST(resilience, a_call_may_end_the_tries) {
  std::atomic<int> calls{0};
  EXPECT_THROW(async_replay(5,
                            [&] {
                              ++calls;
                              throw abort_replay_exception();
                            })
                   .get(),
               abort_replay_exception);
  EXPECT_EQ(calls.load(), 1);
}

TEST(resilience, each_try_gets_the_arguments_whole) {
  std::atomic<int> calls{0};
  auto eat = [&](std::string text) {
    std::string const mine = std::move(text);
    if (++calls < 3) throw 1;
    return mine;
  };
  EXPECT_EQ(async_replay(3, eat, std::string(100, 'x')).get(), std::string(100, 'x'));
}

TEST(resilience, replicas_all_run_and_the_first_good_one_counts) {
  std::atomic<int> calls{0};
  EXPECT_EQ(async_replicate(4, [&] { return ++calls, 7; }).get(), 7);
  EXPECT_EQ(calls.load(), 4);
  calls = 0;
  auto odd = async_replicate_validate(
      6, [](int x) { return x % 2 == 1; }, [&] { return ++calls; });
  EXPECT_EQ(odd.get() % 2, 1);
  EXPECT_EQ(calls.load(), 6);
}

TEST(resilience, replicas_that_all_fail_say_so) {
  EXPECT_THROW(async_replicate(3, []() -> int { throw std::runtime_error("x"); }).get(), std::runtime_error);
  EXPECT_THROW(async_replicate_validate(
                   3, [](int) { return false; }, [] { return 1; })
                   .get(),
               abort_replicate_exception);
  EXPECT_THROW(async_replicate(0, [] { return 1; }).get(), abort_replicate_exception);
}

TEST(resilience, a_vote_sees_what_was_good) {
  std::atomic<int> calls{0};
  auto sometimes = [&] {
    int const n = ++calls;
    if (n == 2) throw 1;
    return n == 1 ? 100 : 5;
  };
  auto most_frequent = [](std::vector<int> all) {
    EXPECT_EQ(all.size(), 4u);
    int best = 0, count = 0;
    for (int x : all) {
      int const n = static_cast<int>(std::count(all.begin(), all.end(), x));
      if (n > count) best = x, count = n;
    }
    return best;
  };
  EXPECT_EQ(async_replicate_vote(5, most_frequent, sometimes).get(), 5);
  EXPECT_EQ(async_replicate_vote_validate(
                3, [](std::vector<int> all) { return static_cast<int>(all.size()); }, [](int x) { return x != 100; },
                [] { return 100; })
                .then([](future<int> f) {
                  try {
                    return f.get();
                  } catch (const abort_replicate_exception&) {
                    return -1;
                  }
                })
                .get(),
            -1);
}

TEST(resilience, calls_without_a_result) {
  std::atomic<int> calls{0};
  async_replay(3, [&] {
    if (++calls < 2) throw 1;
  }).get();
  EXPECT_EQ(calls.load(), 2);
  async_replicate(3, [&] { ++calls; }).get();
  EXPECT_EQ(calls.load(), 5);
}

TEST(resilience, flows_begin_when_their_inputs_are_ready) {
  namespace hpxs = resiliency::experimental;
  std::atomic<int> calls{0};
  promise<int> late;
  auto f = hpxs::dataflow_replay(5, flaky{&calls, 3}, late.get_future());
  EXPECT_FALSE(f.is_ready());
  late.set_value(7);
  EXPECT_EQ(f.get(), 7);
  EXPECT_EQ(calls.load(), 3);
  auto const sum = [](int a, int b) { return a + b; };
  auto const is_five = [](int x) { return x == 5; };
  auto const largest = [](std::vector<int> all) { return *std::max_element(all.begin(), all.end()); };
  EXPECT_EQ(dataflow_replay_validate(2, is_five, sum, make_ready_future(2), 3).get(), 5);
  EXPECT_THROW(dataflow_replay_validate(2, is_five, sum, make_ready_future(2), 4).get(), abort_replay_exception);
  EXPECT_EQ(dataflow_replicate(3, sum, make_ready_future(2), 4).get(), 6);
  EXPECT_EQ(dataflow_replicate_validate(3, is_five, sum, 1, make_ready_future(4)).get(), 5);
  EXPECT_EQ(dataflow_replicate_vote(3, largest, sum, 1, make_ready_future(4)).get(), 5);
  EXPECT_THROW(dataflow_replicate_vote_validate(3, largest, is_five, sum, 1, make_ready_future(5)).get(),
               abort_replicate_exception);
  auto const of_future = [](shared_future<int> x) { return x.get(); };
  EXPECT_EQ(dataflow_replay(2, of_future, make_ready_future(9).share()).get(), 9);
  auto failed = async([]() -> int { throw std::logic_error("input"); });
  EXPECT_THROW(dataflow_replay(3, flaky{&calls, 0}, std::move(failed)).get(), std::logic_error);
}

/// Counts what it is asked to run.
struct counting_executor {
  std::atomic<int>* runs;
  template <class F>
  auto run(F&& f) const {
    ++*runs;
    return amity::async(std::forward<F>(f));
  }
};

TEST(resilience, executors_make_the_calls) {
  std::atomic<int> calls{0}, runs{0};
  counting_executor const by{&runs};
  EXPECT_EQ(async_replay(by, 5, flaky{&calls, 3}, 42).get(), 42);
  EXPECT_EQ(runs.load(), 1);
  auto const same = [](int x) { return x; };
  EXPECT_EQ(async_replay_validate(
                by, 2, [](int x) { return x == 3; }, same, 3)
                .get(),
            3);
  EXPECT_EQ(async_replicate(by, 4, same, 8).get(), 8);
  EXPECT_EQ(runs.load(), 2 + 4);
  auto const first = [](std::vector<int> all) { return all.front(); };
  EXPECT_EQ(async_replicate_vote(by, 2, first, same, 8).get(), 8);
  EXPECT_EQ(async_replicate_validate(
                by, 2, [](int) { return true; }, same, 8)
                .get(),
            8);
  EXPECT_THROW(async_replicate_vote_validate(
                   by, 2, first, [](int) { return false; }, same, 8)
                   .get(),
               abort_replicate_exception);
}

}  // namespace
}  // namespace amity
