/// Launches, writes and graphs whose values come from futures, while their maker goes on (README.md, O6).
/// ThreadSanitizer sees who writes what somebody else still lays down.

#include <gtest/gtest.h>

#include "amity/accel/graph.hpp"
#include "amity/accel/test_device.hpp"
#include "amity/future/async.hpp"

namespace amity::accel::test {
namespace {

struct large {
  unsigned v[48];
};

template <class T>
T as(const std::byte* from) {
  T x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

/// out = all that it is given, one after the other.
void take(const std::vector<std::byte*>& buffers, const std::vector<const std::byte*>& values) {
  unsigned out[8] = {as<unsigned>(values[0]),   as<unsigned>(values[2]),   as<unsigned>(values[4]),
                     as<unsigned>(values[6]),   as<large>(values[1]).v[0], as<large>(values[3]).v[1],
                     as<large>(values[5]).v[2], as<large>(values[7]).v[47]};
  std::memcpy(buffers[0], out, sizeof out);
}

/// Computed in a task that ends sooner or later.
template <class T>
future<T> later(unsigned spins, T value) {
  return async([spins, value] {
    for (unsigned volatile left = spins % 300; left > 0;) left = left - 1;
    return value;
  });
}

struct FutureArguments : testing::Test {
  test_driver driver;
  device d = new_test_device(driver);
  program p = [this] {
    driver.kernels = {{"take", take}};
    return d.program(source(""));
  }();
  kernel<void(unsigned*, unsigned, large, unsigned, large, unsigned, large, unsigned, large)> all =
      p.kernel<void(unsigned*, unsigned, large, unsigned, large, unsigned, large, unsigned, large)>("take");
  buffer<unsigned> out = d.allocate<unsigned>(8);
  std::vector<unsigned> const right{5, 6, 7, 8, 1, 2, 3, 4};
  large const a{{1}}, b{{0, 2}}, c{{0, 0, 3}};
  large const e = [] {
    large x{};
    x.v[47] = 4;
    return x;
  }();
};

TEST_F(FutureArguments, ThatComeWhileTheLaunchIsMadeAreRight) {
  constexpr unsigned rounds = 400;
  for (unsigned i = 0; i < rounds; ++i) {
    all({}, out, later(i * 7, 5u), a, later(i * 31, 6u), later(i * 17, b), later(i, 7u), c, later(i * 5, 8u), e);
    ASSERT_EQ(out.read().get(), right) << "round " << i;
  }
}

TEST_F(FutureArguments, ThatAreReadyOrCommonToSeveralAreRight) {
  shared_future<unsigned> const five = make_ready_future(5u).share();
  promise<unsigned> six;
  promise<large> second;
  shared_future<unsigned> const common = six.get_future().share();
  all({}, out, five, a, common, second.get_future(), five, c, common, e);
  auto result = out.read();
  EXPECT_FALSE(result.is_ready());
  second.set_value(b);
  EXPECT_FALSE(result.is_ready());
  six.set_value(6);
  EXPECT_EQ(result.get(), (std::vector<unsigned>{5, 6, 5, 6, 1, 2, 3, 4}));
}

TEST_F(FutureArguments, ThatFailHaveTheLaunchFail) {
  constexpr unsigned rounds = 100;
  for (unsigned i = 0; i < rounds; ++i) {
    future<unsigned> failing =
        later(i * 3, 1u).then([](future<unsigned>) -> unsigned { throw std::runtime_error("there is no such value"); });
    auto launched =
        all({}, out, later(i * 7, 5u), a, std::move(failing), later(i, b), later(i, 7u), c, later(i, 8u), e);
    try {
      launched.get();
      ADD_FAILURE() << "it has not failed";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "there is no such value");
    }
  }
}

TEST_F(FutureArguments, OfWritesAndThingsBeforeAreRight) {
  constexpr unsigned rounds = 200;
  for (unsigned i = 0; i < rounds; ++i) {
    out.write(later(i * 3, std::vector<unsigned>(8, i)), 8);
    shared_future<int> const value = later(i * 11, 0).share();
    shared_future<void> const before = value, also = later(i, 1).then([](future<int>) {}).share();
    all({.after = {before, also}}, out, later(i, 5u), a, 6u, b, 7u, c, later(i * 2, 8u), e);
    ASSERT_EQ(out.read().get(), right) << "round " << i;
  }
}

TEST_F(FutureArguments, OfNothingAreRefused) {
  EXPECT_THROW(all({}, out, future<unsigned>(), a, 6u, b, 7u, c, 8u, e), std::invalid_argument);
  EXPECT_THROW(all({}, out, shared_future<unsigned>(), a, 6u, b, 7u, c, 8u, e), std::invalid_argument);
  EXPECT_THROW(all({.after = {shared_future<void>()}}, out, 5u, a, 6u, b, 7u, c, 8u, e), std::invalid_argument);
  EXPECT_THROW(out.write(future<std::vector<unsigned>>(), 8), std::invalid_argument);
}

TEST_F(FutureArguments, OfGraphsAreRefusedReadyOrNot) {
  graph g(d);
  promise<unsigned> never;
  EXPECT_THROW(g.add(all, {}, out, never.get_future(), a, 6u, b, 7u, c, 8u, e), std::invalid_argument);
  EXPECT_THROW(g.add(all, {}, out, make_ready_future(5u), a, 6u, b, 7u, c, 8u, e), std::invalid_argument);
  EXPECT_THROW(g.add(all, {.after = {make_ready_future().share()}}, out, 5u, a, 6u, b, 7u, c, 8u, e),
               std::invalid_argument);
  g.add(all, {}, out, 5u, a, 6u, b, 7u, c, 8u, e);
  g();
  EXPECT_EQ(out.read().get(), right);
}

}  // namespace
}  // namespace amity::accel::test
