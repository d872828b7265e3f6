#include "amity/future/execution/split.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "amity/future/senders.hpp"
#include "amity/sync/latch.hpp"

namespace amity {
namespace {

namespace ex = execution;

constexpr int many = 8;  // more threads than cores

ex::task_scheduler const tasks = get_scheduler();

/// How often a receiver was told, and what.
struct told {
  std::atomic<int> values{0}, errors{0}, stops{0};
  std::atomic<long> sum{0};
  sync::latch done;
  explicit told(int receivers) : done(receivers) {}
  [[nodiscard]] int all() const { return values + errors + stops; }
};

/// Strict: what it is told, it must be told as an rvalue and once.
struct strict_receiver {
  using receiver_concept = ex::receiver_t;
  told* to;
  std::stop_token stop;
  bool* was_told;

  void once() const {
    EXPECT_FALSE(*was_told);
    *was_told = true;
  }
  template <class... T>
  void set_value(T&&... x) && noexcept {
    once();
    to->sum += (0L + ... + x);
    ++to->values;
    to->done.count_down();
  }
  template <class E>
  void set_error(E&&) && noexcept {
    once();
    ++to->errors;
    to->done.count_down();
  }
  void set_stopped() && noexcept {
    once();
    ++to->stops;
    to->done.count_down();
  }
  [[nodiscard]] auto get_env() const noexcept { return ex::env(ex::prop(ex::get_stop_token, stop)); }
};
static_assert(ex::receiver_of<strict_receiver,
                              ex::completion_signatures<ex::set_value_t(const int&),
                                                        ex::set_error_t(std::exception_ptr), ex::set_stopped_t()>>);

/// Ends when it is told to, or stopped.
struct gate {
  struct operation_base {
    virtual void open() noexcept = 0;

   protected:
    ~operation_base() = default;
  };
  std::atomic<operation_base*> started{nullptr};
  std::atomic<int> starts{0}, stops{0};

  template <class R>
  struct operation final : operation_base {
    using operation_state_concept = ex::operation_state_t;
    struct stopping {
      operation* o;
      void operator()() const noexcept { o->end(true); }
    };
    gate& g;
    R to;
    std::optional<std::stop_callback<stopping>> asked;
    std::atomic<bool> over{false};
    operation(gate& gate_, R r) : g(gate_), to(std::move(r)) {}
    void start() noexcept {
      ++g.starts;
      g.started = this;
      asked.emplace(std::stop_token(ex::get_stop_token(ex::get_env(to))), stopping{this});
    }
    void open() noexcept override { end(false); }
    void end(bool stopped) noexcept {
      if (over.exchange(true)) return;
      asked.reset();
      if (stopped) ++g.stops;
      if (stopped)
        ex::set_stopped(std::move(to));
      else
        ex::set_value(std::move(to), 42);
    }
  };
  struct sender {
    using sender_concept = ex::sender_t;
    using completion_signatures = ex::completion_signatures<ex::set_value_t(int), ex::set_stopped_t()>;
    gate* g;
    template <class R>
    operation<R> connect(R r) const {
      return {*g, std::move(r)};
    }
  };
};

TEST(split, says_how_it_ends) {
  auto s = ex::split(ex::just(1, std::string()));
  static_assert(ex::sender_in<decltype(s), ex::env<>>);
  static_assert(
      std::is_same_v<ex::completion_signatures_of_t<decltype(s), ex::env<>>,
                     ex::completion_signatures<ex::set_value_t(const int&, const std::string&),
                                               ex::set_error_t(const std::exception_ptr&), ex::set_stopped_t()>>);
  auto e = ex::ensure_started(ex::just(std::string("x")));
  static_assert(std::is_same_v<ex::completion_signatures_of_t<decltype(e), ex::env<>>,
                               ex::completion_signatures<ex::set_value_t(std::string),
                                                         ex::set_error_t(std::exception_ptr), ex::set_stopped_t()>>);
  static_assert(!std::is_copy_constructible_v<decltype(e)>);
}

TEST(split, runs_once_for_all) {
  std::atomic<int> runs{0};
  auto one = ex::schedule(tasks) | ex::then([&] { return ++runs; }) | ex::split();
  auto [a, b] = ex::sync_wait(ex::when_all(one, one | ex::then([](const int& x) { return x + 10; }))).value();
  EXPECT_EQ(a, 1);
  EXPECT_EQ(b, 11);
  EXPECT_EQ(std::get<0>(ex::sync_wait(one).value()), 1);  // and afterwards
  EXPECT_EQ(runs, 1);
}

TEST(split, nothing_is_begun_before_the_first_starts) {
  gate g;
  { auto unused = ex::split(gate::sender{&g}); }
  EXPECT_EQ(g.starts, 0);
}

TEST(split, errors_and_stops_reach_all) {
  auto fails = ex::split(ex::just() | ex::then([]() -> int { throw std::runtime_error("planted"); }));
  for (int i = 0; i < 3; ++i) EXPECT_THROW(static_cast<void>(ex::sync_wait(fails)), std::runtime_error);
  auto is_stopped = ex::split(ex::just_stopped());
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(ex::sync_wait(is_stopped).has_value());
}

TEST(split, each_of_many_is_told_once) {
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> runs{0};
    auto one = ex::split(ex::schedule(tasks) | ex::then([&] { return ++runs; }));
    using operation = ex::connect_result_t<decltype(one)&, strict_receiver>;
    told all(many);
    bool was_told[many] = {};
    std::vector<std::thread> threads;
    for (int i = 0; i < many; ++i)
      threads.emplace_back([&, i, mine = one] {
        operation o(mine.shared, strict_receiver{&all, {}, &was_told[i]});
        ex::start(o);
        all.done.wait();
      });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(all.values, many);
    EXPECT_EQ(all.sum, many);
    EXPECT_EQ(all.all(), many);
    EXPECT_EQ(runs, 1);
  }
}

/// A sender of which two receivers wait, the second of which may be stopped.
struct two_that_wait {
  gate g;
  decltype(ex::split(gate::sender{&g})) one = ex::split(gate::sender{&g});
  told all{2};
  bool first = false, second = false;
  std::stop_source stop;
  decltype(ex::connect(one, strict_receiver{})) a = ex::connect(one, strict_receiver{&all, {}, &first});
  decltype(a) b = ex::connect(one, strict_receiver{&all, stop.get_token(), &second});
  two_that_wait() {
    ex::start(a);
    ex::start(b);
  }
};

TEST(split, a_stop_of_one_that_waits_stops_it_for_all) {
  two_that_wait w;
  EXPECT_EQ(w.g.starts, 1);
  EXPECT_EQ(w.all.all(), 0);
  w.stop.request_stop();
  EXPECT_EQ(w.all.stops, 2);
}

TEST(split, who_was_asked_to_stop_before_is_stopped_alone) {
  gate g;
  auto one = ex::split(gate::sender{&g});
  told all(2);
  bool first = false, second = false;
  std::stop_source stop;
  stop.request_stop();
  auto a = ex::connect(one, strict_receiver{&all, stop.get_token(), &first});
  auto b = ex::connect(one, strict_receiver{&all, {}, &second});
  ex::start(a);
  EXPECT_EQ(all.stops, 1);
  EXPECT_EQ(g.starts, 0);
  ex::start(b);
  g.started.load()->open();
  EXPECT_EQ(all.values, 1);
  EXPECT_EQ(all.sum, 42);
}

TEST(split, stops_and_ends_at_a_time) {
  for (int round = 0; round < 500; ++round) {
    two_that_wait w;
    sync::latch both(2);
    std::thread stopping([&] {
      both.arrive_and_wait();
      w.stop.request_stop();
    });
    both.arrive_and_wait();
    w.g.started.load()->open();
    stopping.join();
    w.all.done.wait();
    EXPECT_EQ(w.all.all(), 2);
    EXPECT_TRUE(w.all.values == 2 || w.all.stops == 2);
  }
}

TEST(ensure_started, begins_at_once_and_gives_the_values_away) {
  gate g;
  auto one = ex::ensure_started(gate::sender{&g});
  EXPECT_EQ(g.starts, 1);
  g.started.load()->open();  // before anybody waits
  EXPECT_EQ(std::get<0>(ex::sync_wait(std::move(one)).value()), 42);
  auto moved = ex::schedule(tasks) | ex::then([] { return std::make_unique<int>(7); }) | ex::ensure_started();
  EXPECT_EQ(*std::get<0>(ex::sync_wait(std::move(moved)).value()), 7);
}

TEST(ensure_started, is_told_once_however_it_ends) {
  for (int round = 0; round < 500; ++round) {
    auto one = ex::ensure_started(ex::schedule(tasks) | ex::then([] { return 5; }));
    told all(1);
    bool was_told = false;
    auto o = ex::connect(std::move(one), strict_receiver{&all, {}, &was_told});
    ex::start(o);
    all.done.wait();
    EXPECT_EQ(all.values, 1);
    EXPECT_EQ(all.sum, 5);
  }
  EXPECT_THROW(static_cast<void>(ex::sync_wait(ex::ensure_started(ex::just_error(1)))), int);
}

TEST(ensure_started, is_asked_to_stop_when_nobody_wants_it) {
  gate g;
  static_cast<void>(ex::ensure_started(gate::sender{&g}));
  EXPECT_EQ(g.stops, 1);
  gate h;
  told all(1);
  bool was_told = false;
  { auto unstarted = ex::connect(ex::ensure_started(gate::sender{&h}), strict_receiver{&all, {}, &was_told}); }
  EXPECT_EQ(h.starts, 1);
  EXPECT_EQ(h.stops, 1);
  EXPECT_EQ(all.all(), 0);
}

TEST(ensure_started, a_stop_of_who_waits_stops_it) {
  gate g;
  told all(1);
  bool was_told = false;
  std::stop_source stop;
  auto o = ex::connect(ex::ensure_started(gate::sender{&g}), strict_receiver{&all, stop.get_token(), &was_told});
  ex::start(o);
  EXPECT_EQ(all.all(), 0);
  stop.request_stop();
  EXPECT_EQ(all.stops, 1);
}

task<int> awaits_both() {
  auto one = ex::split(ex::schedule(tasks) | ex::then([] { return 3; }));
  int const a = co_await one;
  co_return a + co_await one + co_await ex::ensure_started(ex::just(4));
}

TEST(split, in_coroutines) { EXPECT_EQ(sync_wait(awaits_both()), 10); }

}  // namespace
}  // namespace amity
