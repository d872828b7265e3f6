#include "amity/future/scheduler.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <ranges>
#include <stdexcept>
#include <string>
#include <thread>

#include "amity/future/generator.hpp"

namespace amity {
namespace {

namespace ex = execution;

static_assert(ex::scheduler<ex::task_scheduler>);
static_assert(ex::sender<decltype(get_scheduler().schedule())>);

/// A receiver by hand, which knows nothing of Amity.
struct recorder {
  struct record {
    sync::latch done{1};
    int value = 0;
    bool stopped = false;
    std::exception_ptr error;
    std::stop_token stop;
  };
  struct env {
    std::stop_token stop;
    [[nodiscard]] std::stop_token get_stop_token() const noexcept { return stop; }
  };
  record* to;
  void set_value(int x = -1) && noexcept {
    to->value = x;
    to->done.count_down();
  }
  void set_error(std::exception_ptr e) && noexcept {
    to->error = std::move(e);
    to->done.count_down();
  }
  void set_stopped() && noexcept {
    to->stopped = true;
    to->done.count_down();
  }
  [[nodiscard]] env get_env() const noexcept { return {to->stop}; }
};
static_assert(ex::receiver<recorder>);

TEST(scheduler, schedule_ends_on_a_task) {
  recorder::record r;
  auto operation = ex::connect(ex::schedule(get_scheduler()), recorder{&r});
  EXPECT_FALSE(r.done.try_wait());
  ex::start(operation);
  r.done.wait();
  EXPECT_EQ(r.value, -1);
  EXPECT_FALSE(r.stopped);
  EXPECT_TRUE(get_scheduler() == ex::task_scheduler());
}

// The task is part of the operation: there is no memory to be had, or not, when it starts.
TEST(scheduler, schedule_said_that_it_may_fail) {
  using schedules = decltype(ex::schedule(get_scheduler()));
  static_assert(std::is_same_v<ex::completion_signatures_of_t<schedules, ex::env<>>,
                               ex::completion_signatures<ex::set_value_t(), ex::set_stopped_t()>>);
  static_assert(noexcept(std::declval<schedules>().connect(std::declval<recorder>())));
}

TEST(scheduler, operations_may_go_as_soon_as_they_have_ended) {
  struct owner {
    struct gone {
      using receiver_concept = ex::receiver_t;
      owner* me;
      void set_value() && noexcept { me->end(); }
      void set_stopped() && noexcept { me->end(); }
    };
    ex::connect_result_t<decltype(ex::schedule(get_scheduler())), gone> operation{
        ex::connect(ex::schedule(get_scheduler()), gone{this})};
    sync::latch* ended;
    explicit owner(sync::latch* all) : ended(all) {}
    void end() {
      sync::latch* const all = ended;
      delete this;
      all->count_down();
    }
  };
  constexpr int many = 1000;
  sync::latch ended(2 * many);
  for (int i = 0; i < many; ++i) {
    ex::start((new owner(&ended))->operation);
    auto older = async([] {});
    ex::start((new owner(&ended))->operation);
    older.get();  // run where it lies; then what is on top is looked at
  }
  ended.wait();
}

TEST(scheduler, a_stop_ends_it_otherwise) {
  std::stop_source source;
  source.request_stop();
  recorder::record r;
  r.stop = source.get_token();
  auto operation = ex::connect(ex::then(ex::schedule(get_scheduler()), [] { return 1; }), recorder{&r});
  ex::start(operation);
  r.done.wait();
  EXPECT_TRUE(r.stopped);
  EXPECT_EQ(r.value, 0);
}

TEST(scheduler, errors_go_to_the_receiver) {
  recorder::record r;
  auto fails = ex::then(ex::schedule(get_scheduler()), []() -> int { throw std::runtime_error("x"); });
  auto operation = ex::connect(std::move(fails), recorder{&r});
  ex::start(operation);
  r.done.wait();
  EXPECT_THROW(std::rethrow_exception(r.error), std::runtime_error);
  EXPECT_THROW(static_cast<void>(ex::sync_wait(ex::then(ex::just(1), [](int) { throw 2; }))), int);
}

TEST(scheduler, chains_pass_their_values_on) {
  auto work = ex::then(ex::then(ex::schedule(get_scheduler()), [] { return std::make_unique<int>(6); }),
                       [](std::unique_ptr<int> x) { return std::to_string(*x * 7); });
  auto [text] = *ex::sync_wait(std::move(work));
  EXPECT_EQ(text, "42");
  auto const [a, b] = *ex::sync_wait(ex::just(1, std::string("two")));
  EXPECT_EQ(a, 1);
  EXPECT_EQ(b, "two");
  bool ran = false;
  EXPECT_TRUE(ex::sync_wait(ex::then(ex::just(), [&] { ran = true; })).has_value());
  EXPECT_TRUE(ran);
}

TEST(scheduler, a_chain_goes_on_elsewhere) {
  auto on_tasks = ex::continues_on(ex::just(20, 1), get_scheduler());
  auto work = ex::then(std::move(on_tasks), [](int a, int b) { return 2 * (a + b); });
  EXPECT_EQ(std::get<0>(*ex::sync_wait(std::move(work))), 42);
}

generator<int> up_to(int n) {
  for (int i = 0; i < n; ++i) co_yield i;
}

generator<int> fails_after(int n) {
  for (int x : up_to(n)) co_yield x;
  throw std::runtime_error("over");
}

generator<std::string&> words(std::string& a, std::string& b) {
  co_yield a;
  co_yield b;
}

TEST(generator, gives_values_one_after_the_other) {
  int sum = 0;
  for (int x : up_to(5)) sum += x;
  EXPECT_EQ(sum, 10);
  for (int x : up_to(0)) ADD_FAILURE() << x;
  generator<int> unused = up_to(3);  // never begun, and destroyed
  generator<int> moved = std::move(unused);
  auto it = moved.begin();
  EXPECT_EQ(*it, 0);
  ++it;
  EXPECT_EQ(*it, 1);  // destroyed in the middle
}

TEST(generator, an_exception_comes_out_of_the_loop) {
  int seen = 0;
  EXPECT_THROW(
      {
        for (int x : fails_after(3)) seen += x;
      },
      std::runtime_error);
  EXPECT_EQ(seen, 3);
}

TEST(generator, references_are_to_the_things_themselves) {
  std::string a = "a", b = "b";
  for (std::string& w : words(a, b)) w += "!";
  EXPECT_EQ(a + b, "a!b!");
}

TEST(generator, is_a_view) {
  static_assert(std::ranges::view<generator<int>> && std::ranges::input_range<generator<int>>);
  int sum = 0;
  for (int x : up_to(100) | std::views::filter([](int i) { return i % 2 == 0; }) | std::views::take(3)) sum += x;
  EXPECT_EQ(sum, 6);
}

// It waits as a function does, and may be asked by another thread each time.
TEST(generator, may_wait_and_change_threads) {
  auto waits = []() -> generator<int> {
    for (int i = 0; i < 3; ++i) co_yield async([i] { return i * i; }).get();
  }();
  auto it = waits.begin();
  EXPECT_EQ(*it, 0);
  std::thread([&] { ++it; }).join();
  EXPECT_EQ(*it, 1);
  async([&] { ++it; }).get();
  EXPECT_EQ(*it, 4);
  ++it;
  EXPECT_TRUE(it == std::default_sentinel);
}

}  // namespace
}  // namespace amity
