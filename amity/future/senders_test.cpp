#include "amity/future/senders.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "amity/future/thread.hpp"

namespace amity {
namespace {

namespace ex = execution;

template <class Sender, class... Signatures>
constexpr bool ends_with =
    std::is_same_v<ex::completion_signatures_of_t<Sender, ex::env<>>, ex::completion_signatures<Signatures...>>;

/// What sync_wait gives of a sender of one value, which ends so.
template <class S>
auto value_of(S&& s) {
  return std::get<0>(ex::sync_wait(std::forward<S>(s)).value());
}

ex::task_scheduler const tasks = get_scheduler();

TEST(senders, say_how_they_end) {
  static_assert(ex::sender<decltype(tasks.schedule())> && ex::sender_in<decltype(tasks.schedule()), ex::env<>>);
  static_assert(ends_with<decltype(ex::just(1, 'x')), ex::set_value_t(int, char)>);
  static_assert(ends_with<decltype(ex::just_error(1)), ex::set_error_t(int)>);
  static_assert(ends_with<decltype(ex::just_stopped()), ex::set_stopped_t()>);
  auto work = ex::just(1) | ex::then([](int) noexcept { return 'x'; });
  static_assert(ends_with<decltype(work), ex::set_value_t(char)>);
  auto throws = ex::just(1) | ex::then([](int) {});
  static_assert(ends_with<decltype(throws), ex::set_value_t(), ex::set_error_t(std::exception_ptr)>);
  auto both = ex::when_all(ex::just(1), ex::just_error(2) | ex::let_error([](int) { return ex::just('x'); }));
  static_assert(
      ends_with<decltype(both), ex::set_value_t(int, char), ex::set_error_t(std::exception_ptr), ex::set_stopped_t()>);
}

TEST(senders, a_scheduler_answers_questions) {
  static_assert(ex::get_forward_progress_guarantee(ex::task_scheduler()) == ex::forward_progress_guarantee::parallel);
  EXPECT_EQ(ex::get_completion_scheduler<ex::set_value_t>(ex::get_env(ex::schedule(tasks))), tasks);
  EXPECT_EQ(ex::get_completion_scheduler<ex::set_value_t>(ex::get_env(ex::continues_on(ex::just(), tasks))), tasks);
  EXPECT_EQ(value_of(ex::read_env(ex::get_scheduler)), tasks);
}

TEST(senders, environments_answer_in_order) {
  ex::env const both(ex::prop(ex::get_scheduler, tasks), ex::prop(ex::get_stop_token, std::stop_token()));
  EXPECT_EQ(ex::get_scheduler(both), tasks);
  EXPECT_FALSE(ex::get_stop_token(both).stop_requested());
  static_assert(!ex::get_stop_token(ex::empty_env()).stop_possible());
}

TEST(senders, pipes) {
  auto twice = ex::then([](int x) { return 2 * x; });
  auto add = ex::then([](int x) { return x + 1; });
  EXPECT_EQ(value_of(ex::just(4) | twice | add), 9);
  EXPECT_EQ(value_of(ex::just(4) | (add | twice)), 10);
  EXPECT_EQ(value_of(ex::schedule(tasks) | ex::then([] { return 3; }) | twice), 6);
}

TEST(senders, a_sender_may_be_begun_again) {
  auto const work = ex::just(std::string("a")) | ex::then([](std::string s) { return s + "b"; }) |
                    ex::continues_on(tasks) | ex::let_value([](std::string& s) { return ex::just(s + "c"); });
  EXPECT_EQ(value_of(work), "abc");
  EXPECT_EQ(value_of(work), "abc");
}

TEST(senders, errors_of_any_type_become_values) {
  EXPECT_EQ(value_of(ex::just_error(3) | ex::upon_error([](int e) { return e + 1; })), 4);
  auto fails = ex::just() | ex::then([]() -> int { throw std::runtime_error("x"); });
  EXPECT_EQ(value_of(fails | ex::upon_error([](std::exception_ptr) { return 7; })), 7);
  EXPECT_EQ(value_of(ex::just_stopped() | ex::upon_stopped([] { return 5; })), 5);
  EXPECT_THROW(static_cast<void>(ex::sync_wait(ex::just_error(std::make_error_code(std::errc::io_error)))),
               std::system_error);
  EXPECT_THROW(ex::as_future(ex::just_error(std::make_error_code(std::errc::io_error))).get(), std::system_error);
}

TEST(senders, what_a_sender_depends_on_lives_until_it_ends) {
  auto work = ex::just(std::make_unique<int>(20)) | ex::let_value([](std::unique_ptr<int>& p) {
                return ex::schedule(tasks) | ex::then([&p] { return *p + 1; });
              });
  EXPECT_EQ(value_of(std::move(work)), 21);
  EXPECT_EQ(value_of(ex::just_error(2) | ex::let_error([](int& e) { return ex::just(e * 2); })), 4);
  EXPECT_EQ(value_of(ex::just_stopped() | ex::let_stopped([] { return ex::just(1); })), 1);
  auto throws = ex::just() | ex::let_value([]() -> decltype(ex::just(1)) { throw 1; });
  EXPECT_THROW(static_cast<void>(ex::sync_wait(throws)), int);
}

TEST(senders, the_values_of_all_come_together) {
  auto all = ex::when_all(ex::just(1, 'x'), ex::schedule(tasks),
                          ex::schedule(tasks) | ex::then([] { return std::string("s"); }));
  EXPECT_EQ(ex::sync_wait(std::move(all)), std::tuple(1, 'x', std::string("s")));
}

/// A sender that ends when it is asked to stop, and not before.
struct until_stopped {
  using sender_concept = ex::sender_t;
  using completion_signatures = ex::completion_signatures<ex::set_stopped_t()>;
  template <class R>
  struct operation {
    using operation_state_concept = ex::operation_state_t;
    struct stop {
      operation* me;
      void operator()() const noexcept { ex::set_stopped(std::move(me->to)); }
    };
    R to;
    std::optional<std::stop_callback<stop>> asked;
    void start() & noexcept { asked.emplace(ex::get_stop_token(ex::get_env(to)), stop{this}); }
  };
  template <class R>
  operation<R> connect(R r) const {
    return {std::move(r), {}};
  }
};

TEST(senders, an_error_stops_the_others) {
  auto waits = until_stopped() | ex::let_stopped([] { return ex::just(1); }) | ex::continues_on(tasks);
  auto fails = ex::schedule(tasks) | ex::then([] { throw std::runtime_error("first"); });
  EXPECT_THROW(static_cast<void>(ex::sync_wait(ex::when_all(waits, fails))), std::runtime_error);
  EXPECT_FALSE(ex::sync_wait(ex::when_all(waits, ex::just_stopped())).has_value());
}

TEST(senders, a_stop_reaches_all) {
  std::stop_source source;
  auto inner = ex::when_all(until_stopped() | ex::upon_stopped([] {}),
                            ex::schedule(tasks) | ex::then([&] { source.request_stop(); }));
  struct receiver {
    using receiver_concept = ex::receiver_t;
    sync::latch* done;
    int* how;
    std::stop_token stop;
    void set_value() && noexcept { end(1); }
    void set_error(std::exception_ptr) && noexcept { end(2); }
    void set_stopped() && noexcept { end(3); }
    void end(int x) const noexcept {
      *how = x;
      done->count_down();
    }
    [[nodiscard]] auto get_env() const noexcept { return ex::prop(ex::get_stop_token, stop); }
  };
  sync::latch done(1);
  int how = 0;
  auto operation = ex::connect(std::move(inner), receiver{&done, &how, source.get_token()});
  ex::start(operation);
  done.wait();
  EXPECT_EQ(how, 1);  // both have ended with values
  sync::latch again(1);
  auto stopped = ex::connect(ex::when_all(ex::just(), ex::just()), receiver{&again, &how, source.get_token()});
  ex::start(stopped);
  again.wait();
  EXPECT_EQ(how, 3);
}

/// Asks for the stop token when it is connected, as schedulers with intrusive queues do.
struct asks_early {
  using sender_concept = ex::sender_t;
  using completion_signatures = ex::completion_signatures<ex::set_value_t(), ex::set_stopped_t()>;
  template <class R, class Token>
  struct operation {
    using operation_state_concept = ex::operation_state_t;
    R to;
    Token token;
    void start() & noexcept {
      if (token.stop_requested())
        ex::set_stopped(std::move(to));
      else
        ex::set_value(std::move(to));
    }
  };
  template <class R>
  auto connect(R r) const {
    auto token = ex::get_stop_token(ex::get_env(r));
    return operation<R, decltype(token)>{std::move(r), std::move(token)};
  }
};

TEST(senders, when_all_had_no_stop_source_at_connect) {
  EXPECT_TRUE(ex::sync_wait(ex::when_all(asks_early(), asks_early())).has_value());
  EXPECT_FALSE(ex::sync_wait(ex::when_all(ex::just_stopped(), asks_early())).has_value());
  auto nested = ex::when_all(ex::when_all(asks_early()), ex::split(asks_early()),
                             ex::just() | ex::let_value([] { return asks_early(); }),
                             ex::starts_on(tasks, asks_early()), ex::ensure_started(asks_early()));
  EXPECT_TRUE(ex::sync_wait(std::move(nested)).has_value());
}

struct moves_only {
  using receiver_concept = ex::receiver_t;
  std::unique_ptr<int> p;
};
struct has_no_heirs final {
  using receiver_concept = ex::receiver_t;
};

TEST(senders, references_to_what_only_moves_were_senders) {
  auto moves = ex::just(std::make_unique<int>(1));
  static_assert(ex::sender<decltype(moves)> && ex::sender<decltype(moves)&&> && !ex::sender<decltype(moves)&>);
  static_assert(!std::is_invocable_v<decltype(ex::split), decltype(moves)&>);
  static_assert(!std::is_invocable_v<decltype(ex::then), decltype(moves)&, int (*)(std::unique_ptr<int>)>);
  static_assert(ex::sender<decltype(ex::just(1))&> && ex::sender<const decltype(ex::just(1))&>);
  static_assert(ex::receiver<moves_only> && ex::receiver<moves_only&&> && !ex::receiver<moves_only&>);
  static_assert(!ex::receiver<has_no_heirs>);
}

TEST(senders, bulk_calls_for_every_index_once) {
  for (std::size_t n : {0u, 1u, 7u, 1000u}) {
    auto work = ex::just(std::vector<int>(n)) | ex::continues_on(tasks) |
                ex::bulk(n, [](std::size_t i, std::vector<int>& v) { v[i] += static_cast<int>(i) + 1; });
    auto const v = value_of(std::move(work));
    ASSERT_EQ(v.size(), n);
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(v[i], static_cast<int>(i) + 1);
  }
  std::atomic<int> sum{0};
  static_cast<void>(ex::sync_wait(ex::just() | ex::bulk_chunked(100, [&](int first, int end) {
                                    for (int i = first; i < end; ++i) sum += i;
                                  })));
  EXPECT_EQ(sum, 4950);
}

/// An execution policy, as far as bulk looks.
template <bool Parallel>
struct says_parallel {
  static constexpr bool is_parallel = Parallel;
};

TEST(senders, bulk_takes_a_policy) {
  std::vector<int> seen;
  static_cast<void>(
      ex::sync_wait(ex::just() | ex::bulk(says_parallel<false>{}, 100, [&](int i) { seen.push_back(i); })));
  ASSERT_EQ(seen.size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
  std::atomic<int> sum{0};
  static_cast<void>(ex::sync_wait(ex::bulk(ex::just(), says_parallel<true>{}, 100, [&](int i) { sum += i; })));
  static_cast<void>(
      ex::sync_wait(ex::just() | ex::bulk_chunked(says_parallel<true>{}, 100, [&](int a, int b) { sum += b - a; })));
  EXPECT_EQ(sum.load(), 4950 + 100);
}

TEST(senders, bulk_ends_with_what_a_call_throws) {
  std::atomic<int> calls{0};
  auto work = ex::just() | ex::bulk(10000, [&](int i) {
                ++calls;
                if (i == 5) throw std::runtime_error("5");
              });
  EXPECT_THROW(static_cast<void>(ex::sync_wait(work)), std::runtime_error);
  EXPECT_GE(calls, 1);
}

TEST(senders, bulk_runs_on_several_workers) {
  if (worker_count() < 2) GTEST_SKIP() << "one worker";
  sync::latch both(2);  // nobody gets on alone
  EXPECT_TRUE(ex::sync_wait(ex::just() | ex::bulk(2, [&](int) { both.arrive_and_wait(); })).has_value());
}

TEST(senders, starts_on_and_on) {
  auto where = ex::starts_on(tasks, ex::read_env(ex::get_scheduler));
  EXPECT_EQ(value_of(where), tasks);
  EXPECT_EQ(value_of(ex::on(tasks, ex::just(3) | ex::then([](int x) { return x + 1; }))), 4);
  EXPECT_EQ(value_of(ex::schedule_from(tasks, ex::just(2))), 2);
}

/// A scheduler that runs things where they are started, and notes that.
struct noting_scheduler {
  using scheduler_concept = ex::scheduler_t;
  int number = 0;
  std::vector<int>* notes = nullptr;
  [[nodiscard]] auto schedule() const noexcept;
  bool operator==(const noting_scheduler&) const = default;
};
struct noting_sender {
  using sender_concept = ex::sender_t;
  using completion_signatures = ex::completion_signatures<ex::set_value_t()>;
  noting_scheduler by;
  template <class R>
  struct operation {
    using operation_state_concept = ex::operation_state_t;
    R to;
    noting_scheduler by;
    void start() & noexcept {
      if (by.notes != nullptr) by.notes->push_back(by.number);
      ex::set_value(std::move(to));
    }
  };
  template <ex::receiver R>
  operation<R> connect(R r) const noexcept {
    return {std::move(r), by};
  }
  [[nodiscard]] auto get_env() const noexcept { return ex::prop(ex::get_completion_scheduler<ex::set_value_t>, by); }
};
auto noting_scheduler::schedule() const noexcept { return noting_sender{*this}; }

TEST(senders, on_with_a_closure_was_not_there) {
  std::vector<int> notes;
  noting_scheduler const one{1, &notes}, two{2, &notes}, three{3, &notes};
  auto where = ex::let_value([](auto&&...) noexcept { return ex::read_env(ex::get_scheduler); });
  EXPECT_EQ(value_of(ex::schedule(one) | ex::on(two, where)), two);
  EXPECT_EQ(notes, (std::vector{1, 2, 1}));
  notes.clear();
  EXPECT_EQ(value_of(ex::on(ex::schedule(one), two, where | ex::on(three, ex::then([](auto s) { return s; })))), two);
  EXPECT_EQ(notes, (std::vector{1, 2, 3, 2, 1}));
  notes.clear();
  // Where nobody says where the sender ends, it is back to where the receiver is.
  EXPECT_EQ(value_of(ex::just() | ex::on(two, where)), two);
  EXPECT_EQ(notes, std::vector{2});
  EXPECT_EQ(value_of(ex::just() | ex::on(two, ex::then([] { return 3; })) |
                     ex::let_value([](int&) { return ex::read_env(ex::get_scheduler); })),
            tasks);
  // The sender before it is told where it is, not where the closure runs.
  auto const before = ex::schedule(one) | ex::let_value([] { return ex::read_env(ex::get_scheduler); });
  EXPECT_EQ(value_of(before | ex::on(two, ex::then([](auto s) { return s; }))), one);
  auto const asks = ex::read_env(ex::get_scheduler) | ex::on(two, ex::then([](auto s) { return s; }));
  EXPECT_EQ(value_of(asks), tasks);
}

TEST(senders, on_goes_there_and_back) {
  std::vector<int> notes;
  noting_scheduler const one{1, &notes}, two{2, &notes};
  auto work = ex::starts_on(one, ex::on(two, ex::read_env(ex::get_scheduler)));
  EXPECT_EQ(value_of(std::move(work)), two);
  EXPECT_EQ(notes, (std::vector{1, 2, 1}));
}

TEST(senders, what_comes_second_knows_where_it_is) {
  noting_scheduler const one{1};
  auto where = [](auto&&...) { return ex::read_env(ex::get_scheduler); };
  EXPECT_EQ(value_of(ex::schedule(one) | ex::let_value(where)), one);
  EXPECT_EQ(value_of(ex::just() | ex::let_value(where)), tasks);
  EXPECT_EQ(value_of(ex::starts_on(one, ex::just() | ex::let_value(where))), one);
}

TEST(senders, write_env_answers_first) {
  noting_scheduler const one{1};
  EXPECT_EQ(value_of(ex::read_env(ex::get_scheduler) | ex::write_env(ex::prop(ex::get_scheduler, one))), one);
  auto stop = ex::read_env(ex::get_stop_token) | ex::write_env(ex::prop(ex::get_scheduler, one));
  EXPECT_FALSE(value_of(std::move(stop)).stop_requested());
}

TEST(senders, bulk_left_the_scheduler_before_it) {
  noting_scheduler const one{1};
  auto here = [me = std::this_thread::get_id(), task = this_thread::get_id()] {
    return std::this_thread::get_id() == me && this_thread::get_id() == task;
  };
  auto check = [&](auto before) {
    std::vector<int> seen;
    int elsewhere = 0;
    auto work = std::move(before) | ex::bulk(says_parallel<true>{}, 1000, [&](int i, auto&&...) {
                  seen.push_back(i);
                  if (!here()) ++elsewhere;
                });
    EXPECT_TRUE(ex::sync_wait(std::move(work)).has_value());
    EXPECT_EQ(elsewhere, 0);
    std::vector<int> all(1000);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(seen, all);
  };
  check(ex::schedule(one));
  check(ex::schedule(one) | ex::then([] { return 1; }));
  check(ex::just() | ex::let_value([=] { return ex::schedule(one); }));
  check(ex::when_all(ex::schedule(one), ex::schedule(one)));
  check(asks_early());  // nobody knows where that ends
}

TEST(senders, bulk_stays_parallel_on_tasks) {
  if (worker_count() < 2) GTEST_SKIP() << "one worker";
  auto check = [](auto before) {
    sync::latch both(2);  // nobody gets on alone
    EXPECT_TRUE(ex::sync_wait(std::move(before) | ex::bulk(2, [&](int, auto&&...) { both.arrive_and_wait(); })));
  };
  check(ex::schedule(tasks));
  check(ex::just(1) | ex::then([](int x) { return x; }));
  check(ex::starts_on(tasks, ex::just(1)));
  check(ex::just() | ex::let_value([] { return ex::schedule(get_scheduler()); }));
  check(ex::when_all(ex::just(1), ex::schedule(tasks)));
  check(ex::as_sender(make_ready_future(1)));
  check(ex::schedule(noting_scheduler{1}) | ex::continues_on(tasks));
  check(ex::just() | ex::bulk(3, [](int) {}));
  check(ex::split(ex::just(1)));
}

/// Policies as another library has them.
namespace foreign {
struct sequenced_policy {};
struct parallel_policy {};
struct other {};
}  // namespace foreign

TEST(senders, bulk_did_not_know_the_policies_of_others) {
  std::vector<int> seen;
  EXPECT_TRUE(ex::sync_wait(ex::just() | ex::bulk(foreign::sequenced_policy(), 3, [&](int i) { seen.push_back(i); })));
  EXPECT_EQ(seen, (std::vector{0, 1, 2}));
  std::atomic<int> sum{0};
  EXPECT_TRUE(ex::sync_wait(ex::bulk(ex::just(), foreign::parallel_policy(), 10, [&](int i) { sum += i; })));
  EXPECT_TRUE(ex::sync_wait(ex::just() |
                            ex::bulk_chunked(foreign::parallel_policy(), 10, [&](int a, int b) { sum += b - a; })));
  EXPECT_TRUE(ex::sync_wait(ex::just() | ex::bulk_unchunked(foreign::parallel_policy(), 10, [&](int i) { sum += i; })));
  EXPECT_EQ(sum.load(), 45 + 10 + 45);
  static_assert(!std::is_invocable_v<decltype(ex::bulk), foreign::other, int, void (*)(int)>);
  if (worker_count() < 2) return;
  sync::latch both(2);  // nobody gets on alone
  EXPECT_TRUE(ex::sync_wait(ex::just() |
                            ex::bulk_unchunked(foreign::parallel_policy(), 2, [&](int) { both.arrive_and_wait(); })));
}

TEST(senders, errors_and_stops_go_on_elsewhere_too) {
  EXPECT_EQ(value_of(ex::just_error(1) | ex::continues_on(tasks) |
                     ex::let_error([]<class E>(E&) { return ex::just(std::is_same_v<E, int> ? 1 : 2); })),
            1);
  EXPECT_EQ(value_of(ex::just_stopped() | ex::continues_on(tasks) | ex::upon_stopped([] { return 1; }) |
                     ex::upon_error([](std::exception_ptr) { return 2; })),
            1);
}

TEST(senders, several_ways_to_end_as_one) {
  auto two_ways = ex::just(1) | ex::let_value([](int) { return ex::just_error('e'); }) |
                  ex::upon_error([]<class E>(E) { return std::string("e"); });
  auto const text = value_of(two_ways | ex::into_variant());
  EXPECT_EQ(text.index(), 0u);
  auto stops = ex::schedule(tasks) | ex::then([] { return 4; }) | ex::stopped_as_optional();
  EXPECT_EQ(value_of(stops), 4);
  EXPECT_THROW(static_cast<void>(ex::sync_wait(ex::just_stopped() | ex::stopped_as_error(3))), int);
}

TEST(senders, a_fiber_that_waits_frees_its_core) {
  // As many wait at a time as there are workers, and more; each for something that runs after it.
  std::vector<future<int>> all;
  for (int i = 0; i < 3 * worker_count(); ++i)
    all.push_back(async([i] { return value_of(ex::schedule(tasks) | ex::then([i] { return i; })); }));
  int sum = 0;
  for (auto& f : all) sum += f.get();
  int const n = 3 * worker_count();
  EXPECT_EQ(sum, n * (n - 1) / 2);
}

TEST(senders, as_future) {
  EXPECT_EQ(ex::as_future(ex::schedule(tasks) | ex::then([] { return 2; })).get(), 2);
  EXPECT_EQ((ex::as_future(ex::just(1, 'x')).get()), std::tuple(1, 'x'));
  ex::as_future(ex::schedule(tasks)).get();
  EXPECT_THROW(ex::as_future(ex::just_error(1)).get(), int);
}

TEST(senders, by_the_names_of_hpx) {
  namespace hpx = amity::execution::experimental;
  hpx::thread_pool_scheduler const pool;
  auto work = hpx::just(20) | hpx::transfer(pool) | hpx::then([](int x) { return x + 1; });
  EXPECT_EQ(value_of(hpx::transfer(work, pool) | hpx::then([](int x) { return 2 * x; })), 42);
  EXPECT_EQ(hpx::make_future(work).get(), 21);
  EXPECT_EQ((std::move(work) | hpx::make_future()).get(), 21);
  EXPECT_THROW((hpx::just_error(1) | hpx::transfer(pool) | hpx::make_future()).get(), int);
  EXPECT_THROW((hpx::just_stopped() | hpx::make_future()).get(), future_error);
}

TEST(senders, futures_are_senders) {
  promise<int> p;
  auto later = ex::as_sender(p.get_future()) | ex::then([](int x) { return x + 1; });
  auto both = ex::as_future(ex::when_all(std::move(later), ex::as_sender(async([] { return std::string("a"); }))));
  EXPECT_FALSE(both.is_ready());
  p.set_value(1);
  EXPECT_EQ(both.get(), std::tuple(2, std::string("a")));
  shared_future<int> s = make_ready_future(3).share();
  EXPECT_EQ(value_of(ex::as_sender(s)), 3);
  EXPECT_THROW(static_cast<void>(ex::sync_wait(ex::as_sender(make_exceptional_future<void>(std::runtime_error("x"))))),
               std::runtime_error);
  EXPECT_THROW(static_cast<void>(ex::sync_wait(ex::as_sender(future<int>()))), future_error);
}

task<int> awaits_senders(int x) {
  co_await ex::schedule(tasks);
  int const y = co_await (ex::just(x) | ex::then([](int z) { return z + 1; }));
  auto const [a, b] = co_await ex::when_all(ex::just(y), ex::schedule(tasks) | ex::then([] { return 10; }));
  co_return a + b;
}

TEST(senders, coroutines_await_them) {
  EXPECT_EQ(sync_wait(awaits_senders(1)), 12);
  auto fails = []() -> task<int> { co_return co_await (ex::just() | ex::then([]() -> int { throw 3; })); };
  EXPECT_THROW(sync_wait(fails()), int);
  auto stops = []() -> task<void> { co_await ex::as_awaitable(ex::just_stopped()); };
  EXPECT_THROW(sync_wait(stops()), future_error);
  // Many that end at once don't pile up on the stack.
  auto many = []() -> task<int> {
    int sum = 0;
    for (int i = 0; i < 100000; ++i) sum += co_await ex::just(1);
    co_return sum;
  };
  EXPECT_EQ(sync_wait(many()), 100000);
}

}  // namespace
}  // namespace amity
