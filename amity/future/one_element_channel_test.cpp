#include "amity/future/one_element_channel.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "amity/future/async.hpp"

namespace amity {
namespace {

template <class F>
bool is_cancelled(F&& f) {
  try {
    f();
  } catch (const future_error& e) {
    return e.code() == future_errc::cancelled;
  }
  return false;
}

TEST(one_element_channel, hands_values_over_in_their_order) {
  one_element_channel<std::unique_ptr<int>> c;
  future<std::unique_ptr<int>> early = c.get();
  EXPECT_FALSE(early.is_ready());
  c.set(std::make_unique<int>(1));
  EXPECT_EQ(*early.get(), 1);
  c.set(std::make_unique<int>(2));
  future<void> third = c.set(launch::async, std::make_unique<int>(3)),
               fourth = c.set(launch::apply, std::make_unique<int>(4));
  EXPECT_FALSE(third.is_ready());
  EXPECT_EQ(*c.get().get(), 2);
  EXPECT_TRUE(third.is_ready());
  EXPECT_FALSE(fourth.is_ready());
  EXPECT_EQ(*c.get().get(), 3);
  EXPECT_EQ(*c.get().get(), 4);
  fourth.get();
}

TEST(one_element_channel, set_waits_for_room) {
  constexpr int n = 1000;
  one_element_channel<int> c;
  auto sent = async([c]() mutable {
    for (int i = 0; i < n; ++i) c.set(i);
    c.close();
  });
  int expected = 0;
  for (int x : c) EXPECT_EQ(x, expected++);
  EXPECT_EQ(expected, n);
  sent.get();
}

TEST(one_element_channel, several_on_each_side) {
  constexpr int n = 300, senders = 4;
  one_element_channel<long> c;
  std::vector<future<void>> sent;
  for (int s = 0; s < senders; ++s)
    sent.push_back(async([c, s]() mutable {
      for (int i = 0; i < n; ++i) c.set(launch::sync, s * n + i).get();
    }));
  std::vector<future<long>> sums;
  for (int s = 0; s < senders; ++s)
    sums.push_back(async([c]() mutable {
      long sum = 0;
      for (int i = 0; i < n; ++i) sum += c.get().get();
      return sum;
    }));
  long sum = 0;
  for (auto& one : sums) sum += one.get();
  for (auto& one : sent) one.get();
  constexpr long all = n * senders;
  EXPECT_EQ(sum, all * (all - 1) / 2);
}

TEST(one_element_channel, may_be_used_by_what_follows_its_futures) {
  one_element_channel<int> c;
  future<int> doubled = c.get().then(launch::sync, [c](future<int> f) mutable {
    c.set(2 * f.get());
    return c.get().get();
  });
  c.set(21);
  EXPECT_EQ(doubled.get(), 42);
}

TEST(one_element_channel, closed_it_gives_what_is_in_it) {
  one_element_channel<std::string> c;
  c.set("first");
  future<void> second = c.set(launch::async, "second");
  EXPECT_EQ(c.close(), 0U);
  EXPECT_TRUE(c.is_closed());
  EXPECT_TRUE(is_cancelled([&] { c.set("third"); }));
  EXPECT_EQ(c.get().get(), "first");
  second.get();
  EXPECT_EQ(c.get().get(), "second");
  EXPECT_TRUE(is_cancelled([&] { static_cast<void>(c.get().get()); }));
}

TEST(one_element_channel, close_tells_who_waits) {
  one_element_channel<int> c;
  future<int> one = c.get(), two = c.get();
  EXPECT_EQ(c.close(), 2U);
  EXPECT_TRUE(is_cancelled([&] { static_cast<void>(one.get()); }));
  EXPECT_TRUE(is_cancelled([&] { static_cast<void>(two.get()); }));
}

TEST(one_element_channel, of_nothing_and_of_references) {
  one_element_channel<void> signal;
  signal.set();
  future<void> second = signal.set(launch::async);
  signal.get().get();
  EXPECT_TRUE(second.is_ready());
  signal.get().get();
  one_element_channel<int&> c;
  int x = 1;
  c.set(x);
  c.get().get() = 2;
  EXPECT_EQ(x, 2);
}

}  // namespace
}  // namespace amity
