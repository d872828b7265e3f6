#include "amity/sync/channel.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace amity::sync {
namespace {

using namespace std::chrono_literals;

TEST(channel, values_arrive_in_their_order) {
  channel<std::unique_ptr<int>> c;
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(c.send(std::make_unique<int>(i)));
  EXPECT_EQ(c.size(), 5u);
  c.close();
  int expected = 0;
  for (auto& x : c) EXPECT_EQ(*x, expected++);
  EXPECT_EQ(expected, 5);
  EXPECT_FALSE(c.receive().has_value());
  EXPECT_FALSE(c.send(nullptr));
  EXPECT_TRUE(c.is_closed());
}

TEST(channel, a_bounded_one_holds_no_more) {
  channel<int> c(2);
  std::optional<int> x;
  EXPECT_EQ(c.try_receive(x), channel_status::busy);
  EXPECT_EQ(c.receive_for(x, 1ms), channel_status::timeout);
  EXPECT_EQ(c.try_send(1), channel_status::success);
  EXPECT_EQ(c.try_send(2), channel_status::success);
  EXPECT_EQ(c.try_send(3), channel_status::busy);
  EXPECT_EQ(c.send_for(3, 1ms), channel_status::timeout);
  EXPECT_EQ(c.send_until(3, std::chrono::system_clock::now() + 1ms), channel_status::timeout);
  std::thread sender([&] { EXPECT_TRUE(c.send(3)); });
  for (int i = 1; i <= 3; ++i) EXPECT_EQ(c.receive(), i);
  sender.join();
  c.close();
  EXPECT_EQ(c.try_receive(x), channel_status::closed);
  EXPECT_EQ(c.receive_until(x, std::chrono::steady_clock::now() + 1h), channel_status::closed);
  EXPECT_EQ(c.try_send(4), channel_status::closed);
}

// The regression: the value of the receive before stayed.
TEST(channel, a_receive_in_vain_leaves_no_value) {
  channel<int> c;
  std::optional<int> x = 1;
  EXPECT_EQ(c.try_receive(x), channel_status::busy);
  EXPECT_FALSE(x.has_value());
  x = 1;
  EXPECT_EQ(c.receive_for(x, 0s), channel_status::timeout);
  EXPECT_FALSE(x.has_value());
  x = 1;
  EXPECT_EQ(c.receive_for(x, 1us), channel_status::timeout);
  EXPECT_FALSE(x.has_value());
  x = 1;
  EXPECT_EQ(c.receive_until(x, std::chrono::system_clock::now()), channel_status::timeout);
  EXPECT_FALSE(x.has_value());
  c.close();
  x = 1;
  EXPECT_EQ(c.try_receive(x), channel_status::closed);
  EXPECT_FALSE(x.has_value());
}

TEST(channel, at_capacity_0_two_meet) {
  channel<int> c(0);
  EXPECT_EQ(c.try_send(1), channel_status::busy);
  EXPECT_EQ(c.send_for(1, 1ms), channel_status::timeout);
  std::thread receiver([&] { EXPECT_EQ(c.receive(), 7); });
  EXPECT_TRUE(c.send(7));
  receiver.join();
  std::thread sender([&] { EXPECT_TRUE(c.send(8)); });
  std::optional<int> x;
  while (c.try_receive(x) == channel_status::busy) std::this_thread::yield();
  EXPECT_EQ(x, 8);
  sender.join();
}

TEST(channel, a_value_that_was_not_sent_stays) {
  channel<std::unique_ptr<int>> c(0);
  auto value = std::make_unique<int>(5);
  EXPECT_EQ(c.try_send(std::move(value)), channel_status::busy);
  EXPECT_EQ(c.send_for(std::move(value), 1ms), channel_status::timeout);
  ASSERT_NE(value, nullptr);
  EXPECT_EQ(*value, 5);
}

TEST(channel, closing_tells_all_who_wait) {
  channel<int> none, full(0);
  std::vector<std::thread> all;
  for (int i = 0; i < 3; ++i) {
    all.emplace_back([&] { EXPECT_FALSE(none.receive().has_value()); });
    all.emplace_back([&] { EXPECT_FALSE(full.send(1)); });
  }
  none.close();
  full.close();
  for (auto& one : all) one.join();
}

// Nothing is lost and nothing comes twice, with any capacity, also where some give up.
TEST(channel, many_senders_and_receivers) {
  for (const std::size_t capacity : {std::size_t{0}, std::size_t{1}, std::size_t{7}, channel<long>::unbounded}) {
    constexpr int senders = 4, receivers = 4;
    constexpr long each = 1500;
    channel<long> c(capacity);
    std::atomic<long> sum{0}, count{0};
    std::atomic<int> left{senders};
    std::vector<std::thread> all;
    for (int s = 0; s < senders; ++s)
      all.emplace_back([&, s] {
        std::minstd_rand random(static_cast<unsigned>(s + 1));
        for (long i = 0; i < each; ++i) {
          long value = s * each + i;
          if (s % 2 == 0)
            EXPECT_TRUE(c.send(value));
          else
            while (c.send_for(std::move(value), std::chrono::microseconds(random() % 30)) != channel_status::success) {
            }
        }
        if (--left == 0) c.close();
      });
    for (int r = 0; r < receivers; ++r)
      all.emplace_back([&, r] {
        std::minstd_rand random(static_cast<unsigned>(r + 100));
        std::vector<long> last(senders, -1);
        const auto got = [&](long x) {
          EXPECT_LT(last[static_cast<std::size_t>(x / each)], x);  // one sender's values keep their order
          last[static_cast<std::size_t>(x / each)] = x;
          sum += x;
          ++count;
        };
        if (r % 2 == 0) {
          for (const long x : c) got(x);
          return;
        }
        for (std::optional<long> x;;) {
          const auto how = c.receive_for(x, std::chrono::microseconds(random() % 30));
          if (how == channel_status::closed) return;
          if (how == channel_status::success) got(*x);
        }
      });
    for (auto& one : all) one.join();
    EXPECT_EQ(count.load(), senders * each);
    EXPECT_EQ(sum.load(), senders * each * (senders * each - 1) / 2);
  }
}

/// Its address is not to be had by &.
struct without_address {
  int x = 0;
  void operator&() const = delete;
};

TEST(channel, values_without_address) {
  channel<without_address> c(1);
  EXPECT_TRUE(c.send(without_address{1}));
  EXPECT_EQ(c.receive()->x, 1);
}

}  // namespace
}  // namespace amity::sync
