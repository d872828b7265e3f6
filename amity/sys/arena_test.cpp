#include "amity/sys/arena.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <utility>

namespace amity::sys {
namespace {

TEST(Arena, GivesWhatItHasAndNoMore) {
  arena a(128, 256);
  EXPECT_EQ(a.allocate(1), 128);
  EXPECT_EQ(a.allocate(65), 192);
  EXPECT_EQ(a.used(), 192u);
  EXPECT_EQ(a.allocate(65), -1);
  EXPECT_EQ(a.allocate(64), 320);
  EXPECT_EQ(a.allocate(0), -1);
  EXPECT_EQ(a.allocate(SIZE_MAX), -1);
}

TEST(Arena, TakesBackWhatItHasGivenAndNothingElse) {
  arena a(0, 1024);
  std::ptrdiff_t const first = a.allocate(100), second = a.allocate(100);
  EXPECT_FALSE(a.release(first + 1));
  EXPECT_FALSE(a.release(-1));
  EXPECT_TRUE(a.release(first));
  EXPECT_FALSE(a.release(first));
  EXPECT_EQ(a.allocate(128), first);
  EXPECT_TRUE(a.release(second));
  EXPECT_TRUE(a.release(first));
  EXPECT_EQ(a.used(), 0u);
  EXPECT_EQ(a.allocate(1024), 0);
}

TEST(Arena, GivesNothingTwice) {
  constexpr std::size_t size = 1 << 16;
  arena a(0, size);
  std::map<std::ptrdiff_t, std::size_t> taken;
  std::minstd_rand random(1);
  for (int round = 0; round < 20'000; ++round) {
    if (random() % 2 == 0 && !taken.empty()) {
      auto const which = std::next(taken.begin(), static_cast<std::ptrdiff_t>(random() % taken.size()));
      ASSERT_TRUE(a.release(which->first));
      taken.erase(which);
      continue;
    }
    std::size_t const bytes = 1 + random() % 4000;
    std::ptrdiff_t const at = a.allocate(bytes);
    if (at < 0) continue;
    ASSERT_EQ(at % static_cast<std::ptrdiff_t>(arena::alignment), 0);
    ASSERT_LE(static_cast<std::size_t>(at) + bytes, size);
    auto const [its, is_new] = taken.emplace(at, bytes);
    ASSERT_TRUE(is_new);
    if (its != taken.begin()) {
      auto const before = std::prev(its);
      ASSERT_LE(before->first + static_cast<std::ptrdiff_t>(before->second), at);
    }
    if (auto const after = std::next(its); after != taken.end()) {
      ASSERT_LE(at + static_cast<std::ptrdiff_t>(bytes), after->first);
    }
  }
  for (const auto& each : taken) ASSERT_TRUE(a.release(each.first));
  EXPECT_EQ(a.allocate(size), 0);
}

}  // namespace
}  // namespace amity::sys
