#include "amity/dsm/history.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace amity::dsm {
namespace {

using want = history::want;
constexpr access reads = access::read, writes = access::write;

/// A thread waits for these, 50 us apart; a long time after all before.
void run_through(history& h, int thread, std::initializer_list<want> all, std::int64_t& t) {
  t += 10'000'000;
  for (const want& w : all) h.note(thread, w, t += 50'000);
}

TEST(history, what_came_twice_is_told) {
  auto const h = std::make_unique<history>();
  std::int64_t t = 0;
  run_through(*h, 5, {{7, reads}, {9, writes}, {8, reads}}, t);
  EXPECT_EQ(h->follows({7, reads}), want{});
  run_through(*h, 5, {{7, reads}, {9, writes}, {8, reads}}, t);
  EXPECT_EQ(h->follows({7, reads}), (want{9, writes}));
  EXPECT_EQ(h->follows({9, writes}), (want{8, reads}));
  EXPECT_EQ(h->follows({8, reads}), want{});
  EXPECT_EQ(h->follows({7, writes}), want{});
}

TEST(history, what_comes_much_later_does_not_belong_to_it) {
  auto const h = std::make_unique<history>();
  for (std::int64_t t = 1; t < 10; ++t) {
    h->note(5, {7, reads}, t * 10 * history::at_once);
    h->note(5, {9, reads}, t * 10 * history::at_once + history::at_once);
  }
  EXPECT_EQ(h->follows({7, reads}), want{});
}

TEST(history, threads_have_an_order_each) {
  auto const h = std::make_unique<history>();
  for (std::int64_t t = 1; t < 4; ++t) {
    std::int64_t const at = t * 10 * history::at_once;
    h->note(5, {7, reads}, at);
    h->note(6, {20, reads}, at + 10);
    h->note(5, {8, reads}, at + 20);
    h->note(6, {21, reads}, at + 30);
  }
  EXPECT_EQ(h->follows({7, reads}), (want{8, reads}));
  EXPECT_EQ(h->follows({20, reads}), (want{21, reads}));
}

TEST(history, another_follower_takes_the_place_of_the_first) {
  auto const h = std::make_unique<history>();
  std::int64_t t = 0;
  for (int i = 0; i < 3; ++i) run_through(*h, 5, {{7, reads}, {8, reads}}, t);
  run_through(*h, 5, {{7, reads}, {9, reads}}, t);
  EXPECT_EQ(h->follows({7, reads}), want{});
  run_through(*h, 5, {{7, reads}, {9, reads}}, t);
  EXPECT_EQ(h->follows({7, reads}), (want{9, reads}));
}

TEST(history, what_was_passed_over_has_a_follower_too) {
  auto const h = std::make_unique<history>();
  std::int64_t t = 0;
  for (int i = 0; i < 2; ++i) {
    run_through(*h, 5, {{7, reads}}, t);
    h->pass_over(5, {8, reads}, t);
    h->note(5, {9, reads}, t += 10'000);
  }
  EXPECT_EQ(h->follows({8, reads}), (want{9, reads}));
  EXPECT_EQ(h->follows({7, reads}), want{});
}

TEST(history, now_and_then_it_is_silent) {
  auto const h = std::make_unique<history>();
  std::int64_t t = 0;
  for (int i = 0; i < 2; ++i) run_through(*h, 5, {{7, reads}, {8, reads}}, t);
  int silent = 0;
  for (int i = 0; i < 160; ++i) silent += h->follows({7, reads}) == want{} ? 1 : 0;
  EXPECT_EQ(silent, 10);
}

}  // namespace
}  // namespace amity::dsm
