// In which ways senders say that they end: no error where nothing can throw, and no sender where there is none.
#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <variant>

#include "amity/future/senders.hpp"

namespace amity {
namespace {

namespace ex = execution;

template <class... T>
using value = ex::set_value_t(T...);
template <class E>
using error = ex::set_error_t(E);
using stopped = ex::set_stopped_t();
using thrown = ex::set_error_t(std::exception_ptr);

template <class Set, class Signature>
constexpr bool contains = false;
template <class... S, class Signature>
constexpr bool contains<ex::completion_signatures<S...>, Signature> = (std::is_same_v<S, Signature> || ...);
template <class Set>
constexpr std::size_t size = 0;
template <class... S>
constexpr std::size_t size<ex::completion_signatures<S...>> = sizeof...(S);

using tasks_env = ex::env<ex::prop<ex::get_scheduler_t, ex::task_scheduler>>;

/// These and no others, in any order.
template <class Sender, class... Signatures>
constexpr bool ends_with = size<ex::completion_signatures_of_t<Sender, tasks_env>> == sizeof...(Signatures) &&
                           (contains<ex::completion_signatures_of_t<Sender, tasks_env>, Signatures> && ...);
template <class Sender>
constexpr bool is_sender = ex::sender_in<Sender, tasks_env>;

ex::task_scheduler const tasks = get_scheduler();

/// Its copies throw.
struct loud {
  loud() = default;
  loud(const loud&) noexcept(false) {}
};

[[maybe_unused]] auto quiet_one = [](auto&&...) noexcept { return 1; };
[[maybe_unused]] auto loud_one = [](auto&&...) { return 1; };
[[maybe_unused]] auto quiet_next = [](auto&&...) noexcept { return ex::just(1); };
[[maybe_unused]] auto loud_next = [](auto&&...) { return ex::just(1); };

/// Ends in two ways with values.
struct two_ways {
  using sender_concept = ex::sender_t;
  using completion_signatures = ex::completion_signatures<value<int>, value<std::string>, stopped>;
  template <class R>
  struct operation {
    using operation_state_concept = ex::operation_state_t;
    R to;
    bool second;
    void start() & noexcept {
      if (second)
        ex::set_value(std::move(to), std::string("two"));
      else
        ex::set_value(std::move(to), 1);
    }
  };
  bool second = false;
  template <ex::receiver R>
  operation<R> connect(R r) const {
    return {std::move(r), second};
  }
};

/// Connecting it may throw.
struct throws_at_connect {
  using sender_concept = ex::sender_t;
  using completion_signatures = ex::completion_signatures<value<>>;
  template <class R>
  struct operation {
    using operation_state_concept = ex::operation_state_t;
    R to;
    void start() & noexcept { ex::set_value(std::move(to)); }
  };
  template <ex::receiver R>
  operation<R> connect(R r) const {
    throw 1;
    return {std::move(r)};
  }
};

TEST(signatures, of_factories) {
  static_assert(ends_with<decltype(ex::just()), value<>>);
  static_assert(ends_with<decltype(ex::just(loud())), value<loud>>);
  static_assert(ends_with<decltype(ex::just_error(loud())), error<loud>>);
  static_assert(ends_with<decltype(ex::just_stopped()), stopped>);
  static_assert(ends_with<decltype(ex::schedule(tasks)), value<>, stopped>);
  static_assert(is_sender<decltype(ex::read_env(ex::get_scheduler))>);
  static_assert(!ex::sender_in<decltype(ex::read_env(ex::get_scheduler)), ex::env<>>);
}

TEST(signatures, of_calls) {
  static_assert(ends_with<decltype(ex::just(1) | ex::then(quiet_one)), value<int>>);
  static_assert(ends_with<decltype(ex::just(1) | ex::then(loud_one)), value<int>, thrown>);
  static_assert(ends_with<decltype(ex::just(1) | ex::then([](int) noexcept {})), value<>>);
  static_assert(ends_with<decltype(ex::just_error(1) | ex::then(loud_one)), error<int>>);
  static_assert(ends_with<decltype(ex::just_error(1) | ex::upon_error(quiet_one)), value<int>>);
  static_assert(ends_with<decltype(ex::just_error(1) | ex::upon_error(loud_one)), value<int>, thrown>);
  static_assert(ends_with<decltype(ex::just('x') | ex::upon_error(loud_one)), value<char>>);
  static_assert(ends_with<decltype(ex::just_stopped() | ex::upon_stopped(quiet_one)), value<int>>);
  static_assert(ends_with<decltype(ex::just_stopped() | ex::upon_stopped(loud_one)), value<int>, thrown>);
  auto reference = [](int& x) noexcept -> int& { return x; };
  static_assert(ends_with<decltype(ex::just(1) | ex::let_value([=](int& x) noexcept { return ex::just(&x); }) |
                                   ex::then([=](int* x) noexcept -> int& { return reference(*x); })),
                          value<int&>>);
}

TEST(signatures, let_said_that_it_may_throw) {
  static_assert(ends_with<decltype(ex::just('x') | ex::let_value(quiet_next)), value<int>>);
  static_assert(ends_with<decltype(ex::just('x') | ex::let_value(loud_next)), value<int>, thrown>);
  static_assert(ends_with<decltype(ex::just(loud()) | ex::let_value(quiet_next)), value<int>, thrown>);
  static_assert(ends_with<decltype(ex::just_error('x') | ex::let_error(quiet_next)), value<int>>);
  static_assert(ends_with<decltype(ex::just_error('x') | ex::let_error(loud_next)), value<int>, thrown>);
  static_assert(ends_with<decltype(ex::just_stopped() | ex::let_stopped(quiet_next)), value<int>>);
  static_assert(ends_with<decltype(ex::just_stopped() | ex::let_stopped(loud_next)), value<int>, thrown>);
  static_assert(ends_with<decltype(ex::just('x') | ex::let_stopped(loud_next)), value<char>>);
  auto connects_loudly = [](auto&&...) noexcept { return throws_at_connect(); };
  static_assert(ends_with<decltype(ex::just() | ex::let_value(connects_loudly)), value<>, thrown>);
  auto nested = [](auto&&...) noexcept { return ex::just() | ex::let_value(quiet_next) | ex::then(quiet_one); };
  static_assert(ends_with<decltype(ex::just() | ex::let_value(nested)), value<int>>);
  auto elsewhere = [](auto&&...) noexcept { return ex::schedule(get_scheduler()) | ex::then(quiet_one); };
  static_assert(ends_with<decltype(ex::just() | ex::let_value(elsewhere)), value<int>, stopped>);
}

TEST(signatures, going_elsewhere_said_that_it_may_throw) {
  static_assert(ends_with<decltype(ex::continues_on(ex::just(1), tasks)), value<int>, stopped>);
  static_assert(ends_with<decltype(ex::continues_on(ex::just(loud()), tasks)), value<loud>, thrown, stopped>);
  static_assert(ends_with<decltype(ex::continues_on(ex::just_error(1), tasks)), error<int>, stopped>);
  static_assert(ends_with<decltype(ex::schedule_from(tasks, ex::just(1))), value<int>, stopped>);
  static_assert(ends_with<decltype(ex::starts_on(tasks, ex::just(1))), value<int>, stopped>);
  static_assert(ends_with<decltype(ex::starts_on(tasks, throws_at_connect())), value<>, thrown, stopped>);
  static_assert(ends_with<decltype(ex::on(tasks, ex::just(1))), value<int>, stopped>);
  static_assert(ends_with<decltype(ex::just(1) | ex::on(tasks, ex::then(quiet_one))), value<int>, stopped>);
}

TEST(signatures, when_all_said_that_it_may_throw) {
  static_assert(ends_with<decltype(ex::when_all(ex::just(1), ex::just('x', 2.0))), value<int, char, double>, stopped>);
  static_assert(ends_with<decltype(ex::when_all(ex::just(1), ex::just(loud()))), value<int, loud>, thrown, stopped>);
  static_assert(ends_with<decltype(ex::when_all(ex::just(1), ex::just_error('x'))), error<char>, stopped>);
  static_assert(ends_with<decltype(ex::when_all(ex::just_error(loud()))), error<loud>, thrown, stopped>);
  static_assert(!is_sender<decltype(ex::when_all(ex::just(1), two_ways()))>);
}

TEST(signatures, of_several_ways) {
  using one = std::variant<std::tuple<int>>;
  static_assert(ends_with<decltype(ex::just(1) | ex::into_variant()), value<one>>);
  static_assert(
      ends_with<decltype(ex::just(loud()) | ex::into_variant()), value<std::variant<std::tuple<loud>>>, thrown>);
  using either = std::variant<std::tuple<int>, std::tuple<std::string>>;
  static_assert(ends_with<decltype(two_ways() | ex::into_variant()), value<either>, stopped>);
  static_assert(ends_with<decltype(ex::when_all_with_variant(two_ways(), ex::just(1))), value<either, one>, stopped>);
}

TEST(signatures, stopped_as_optional_dropped_all_values_but_one) {
  static_assert(ends_with<decltype(ex::just(1) | ex::stopped_as_optional()), value<std::optional<int>>>);
  using two = std::optional<std::tuple<int, double>>;
  static_assert(ends_with<decltype(ex::just(1, 2.5) | ex::stopped_as_optional()), value<two>>);
  static_assert(ends_with<decltype(ex::just(loud()) | ex::stopped_as_optional()), value<std::optional<loud>>, thrown>);
  static_assert(!is_sender<decltype(ex::just() | ex::stopped_as_optional())>);
  static_assert(!is_sender<decltype(ex::just_stopped() | ex::stopped_as_optional())>);
  static_assert(!is_sender<decltype(two_ways() | ex::stopped_as_optional())>);
  static_assert(!is_sender<decltype(two_ways() | ex::stopped_as_optional() | ex::then(loud_one))>);
  EXPECT_EQ(std::get<0>(*ex::sync_wait(ex::just(7, 2.5) | ex::stopped_as_optional())), std::tuple(7, 2.5));
  auto stops = ex::when_all(ex::just(1, 'x'), ex::just_stopped() | ex::let_stopped([] { return ex::just_stopped(); }));
  static_assert(!is_sender<decltype(stops | ex::stopped_as_optional())>);
  auto may_stop = ex::schedule(tasks) | ex::let_value([] { return ex::just(1, 'x'); });
  static_assert(
      ends_with<decltype(may_stop | ex::stopped_as_optional()), value<std::optional<std::tuple<int, char>>>, thrown>);
}

TEST(signatures, give_their_types) {
  static_assert(std::is_same_v<ex::value_types_of_t<two_ways>, std::variant<std::tuple<int>, std::tuple<std::string>>>);
  static_assert(std::is_same_v<ex::value_types_of_t<decltype(ex::just(1, 'x')), ex::env<>, std::tuple, std::tuple>,
                               std::tuple<std::tuple<int, char>>>);
  static_assert(std::is_same_v<ex::error_types_of_t<decltype(ex::just_error(1))>, std::variant<int>>);
  static_assert(!std::is_default_constructible_v<ex::error_types_of_t<decltype(ex::just())>>);
  static_assert(ex::sends_stopped<two_ways> && !ex::sends_stopped<decltype(ex::just())>);
}

TEST(signatures, of_stopped_as_error) {
  static_assert(ends_with<decltype(ex::just_stopped() | ex::stopped_as_error(1)), error<int>>);
  static_assert(ends_with<decltype(ex::just(1) | ex::stopped_as_error('x')), value<int>>);
}

TEST(signatures, of_bulk) {
  static_assert(ends_with<decltype(ex::just(1) | ex::bulk(2, [](int, int&) noexcept {})), value<int>, stopped>);
  static_assert(ends_with<decltype(ex::just(1) | ex::bulk(2, [](int, int&) {})), value<int>, thrown, stopped>);
  static_assert(ends_with<decltype(ex::just() | ex::bulk_chunked(2, [](int, int) noexcept {})), value<>, stopped>);
  static_assert(ends_with<decltype(ex::just_error(1) | ex::bulk(2, [](int) {})), error<int>>);
}

TEST(signatures, connecting_is_known_not_to_throw) {
  using receiver = ex::detail::any_receiver<ex::env<>>;
  auto quiet = ex::schedule(tasks) | ex::then(quiet_one) | ex::continues_on(tasks) | ex::let_value(quiet_next);
  static_assert(noexcept(ex::connect(std::move(quiet), std::declval<receiver>())));
  static_assert(!noexcept(ex::connect(throws_at_connect(), std::declval<receiver>())));
  static_assert(!noexcept(ex::connect(throws_at_connect() | ex::then(quiet_one), std::declval<receiver>())));
}

struct throws_when_copied {
  throws_when_copied() = default;
  throws_when_copied(const throws_when_copied&) { throw 7; }
};
struct sends_one {
  using sender_concept = ex::sender_t;
  using completion_signatures = ex::completion_signatures<value<const throws_when_copied&>>;
  template <class R>
  struct operation {
    using operation_state_concept = ex::operation_state_t;
    R to;
    void start() & noexcept {
      throws_when_copied const x;
      ex::set_value(std::move(to), x);
    }
  };
  template <ex::receiver R>
  operation<R> connect(R r) const {
    return {std::move(r)};
  }
};

TEST(signatures, what_is_kept_and_throws_is_an_error) {
  EXPECT_THROW(static_cast<void>(ex::sync_wait(ex::when_all(sends_one()))), int);
  EXPECT_THROW(static_cast<void>(ex::sync_wait(ex::continues_on(sends_one(), tasks))), int);
  EXPECT_THROW(static_cast<void>(ex::sync_wait(sends_one() | ex::into_variant())), int);
  EXPECT_THROW(static_cast<void>(ex::sync_wait(sends_one() | ex::let_value(quiet_next))), int);
  EXPECT_THROW(static_cast<void>(ex::sync_wait(sends_one() | ex::bulk(1, [](auto&&...) noexcept {}))), int);
}

TEST(signatures, several_ways_at_once) {
  auto both = ex::sync_wait(ex::when_all_with_variant(two_ways{true}, ex::just(1)));
  EXPECT_EQ(std::get<1>(std::get<0>(*both)), std::tuple(std::string("two")));
  auto one = ex::sync_wait_with_variant(two_ways{true});
  EXPECT_EQ(std::get<1>(*one), std::tuple(std::string("two")));
}

}  // namespace
}  // namespace amity
