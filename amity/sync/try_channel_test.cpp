#include "amity/sync/try_channel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace amity::sync {
namespace {

template <class Channel>
class try_channel : public testing::Test {};
template <class T>
using kinds = testing::Types<channel_mpmc<T>, channel_spsc<T>>;
TYPED_TEST_SUITE(try_channel, kinds<std::string>);

TYPED_TEST(try_channel, holds_what_it_has_room_for_in_order) {
  for (std::size_t capacity : {1, 2, 3, 7}) {
    TypeParam c(capacity);
    for (int round = 0; round < 5; ++round) {  // so that it comes around
      for (std::size_t i = 0; i < capacity; ++i)
        ASSERT_TRUE(c.set("a text that is no small one, " + std::to_string(i)));
      std::string rest = "kept";
      EXPECT_FALSE(c.set(std::move(rest)));
      EXPECT_EQ(rest, "kept");
      for (std::size_t i = 0; i < capacity; ++i) {
        std::string got;
        ASSERT_TRUE(c.get(&got));
        EXPECT_EQ(got, "a text that is no small one, " + std::to_string(i));
      }
      std::string same = "same";
      EXPECT_FALSE(c.get(&same));
      EXPECT_EQ(same, "same");
    }
  }
}

TYPED_TEST(try_channel, nothing_passes_once_it_is_closed) {
  TypeParam c(3);
  EXPECT_TRUE(c.set("a"));
  EXPECT_TRUE(c.set("b"));
  EXPECT_TRUE(c.get());  // dropped
  EXPECT_EQ(c.close(), 1u);
  std::string text = "x";
  EXPECT_FALSE(c.set(std::move(text)));
  EXPECT_FALSE(c.get(&text));
  EXPECT_EQ(text, "x");
  TypeParam none(0);  // as 1
  EXPECT_TRUE(none.set("a"));
  EXPECT_FALSE(none.set("b"));
}

/// Counts those that live.
struct counted {
  explicit counted(std::atomic<int>& all) : of(&all) { ++all; }
  counted(counted&& other) noexcept : of(other.of) { ++*of; }
  counted& operator=(counted&& other) noexcept {
    of = other.of;
    return *this;
  }
  ~counted() { --*of; }
  std::atomic<int>* of;
};

template <class Channel>
void give_back_what_is_left() {
  std::atomic<int> alive{0};
  {
    Channel c(5);
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(c.set(counted(alive)));
    EXPECT_TRUE(c.get());
    EXPECT_EQ(alive.load(), 3);
  }
  EXPECT_EQ(alive.load(), 0);
}
TEST(try_channel, what_is_left_is_given_back) {
  give_back_what_is_left<channel_mpmc<counted>>();
  give_back_what_is_left<channel_spsc<counted>>();
}

struct message {
  int sender = 0, number = 0;
  std::unique_ptr<int> written;
};

// Each value arrives once, those of one sender in their order, and what its sender wrote before can be read.
template <template <class> class Channel>
void pass_on(int senders, int receivers, int each) {
  Channel<message> c(3);
  std::atomic<int> received{0};
  std::vector<std::vector<std::vector<int>>> got(receivers, std::vector<std::vector<int>>(senders));
  std::vector<std::thread> all;
  for (int s = 0; s < senders; ++s)
    all.emplace_back([&c, s, each] {
      for (int i = 0; i < each; ++i) {
        message m{s, i, std::make_unique<int>(i)};
        while (!c.set(std::move(m))) std::this_thread::yield();
      }
    });
  for (int r = 0; r < receivers; ++r)
    all.emplace_back([&, r] {
      while (received.load() < senders * each) {
        message m;
        if (!c.get(&m)) {
          std::this_thread::yield();
          continue;
        }
        ++received;
        EXPECT_EQ(*m.written, m.number);
        got[r][m.sender].push_back(m.number);
      }
    });
  for (auto& t : all) t.join();
  for (int s = 0; s < senders; ++s) {
    std::vector<int> seen(each);
    for (int r = 0; r < receivers; ++r) {
      EXPECT_TRUE(std::is_sorted(got[r][s].begin(), got[r][s].end()));
      for (int const number : got[r][s]) ++seen[number];
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), each);
  }
}
TEST(try_channel, each_value_arrives_once) {
  pass_on<channel_spsc>(1, 1, 20000);
  pass_on<channel_mpsc>(3, 1, 5000);
  pass_on<channel_mpmc>(3, 3, 5000);
}

}  // namespace
}  // namespace amity::sync
