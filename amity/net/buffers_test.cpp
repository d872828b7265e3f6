#include "amity/net/buffers.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <thread>
#include <vector>

namespace amity::net {
namespace {

TEST(Buffers, ALargeOneIsUsedAgain) {
  std::byte* const first = take_buffer(1 << 20);
  ASSERT_NE(first, nullptr);
  give_buffer(first);
  std::byte* const second = take_buffer((1 << 20) - 100);
  EXPECT_EQ(second, first);
  give_buffer(second);
  std::byte* const small = take_buffer(100 << 10);  // not a tenth of one
  EXPECT_NE(small, first);
  give_buffer(small);
}

TEST(Buffers, MallocsMemoryAndNothingMayBeGiven) {
  give_buffer(nullptr);
  give_buffer(static_cast<std::byte*>(malloc(10)));
  give_buffer(static_cast<std::byte*>(malloc(1 << 20)));
  free(take_buffer(1 << 20));
  std::byte* const none = take_buffer(0);
  EXPECT_NE(none, nullptr);
  give_buffer(none);
}

/// More blocks, and more bytes, than are kept.
TEST(Buffers, ManyAtOnceByManyThreads) {
  std::vector<std::thread> all;
  for (int t = 0; t < 4; ++t)
    all.emplace_back([t] {
      for (int round = 0; round < 20; ++round) {
        std::vector<std::byte*> mine;
        for (int i = 0; i < 20; ++i) {
          std::size_t const size = std::size_t{40} * 1024 * static_cast<unsigned>(i % 7 + 1 + t);
          mine.push_back(take_buffer(size));
          std::memset(mine.back(), t, size);
        }
        for (std::byte* b : mine) {
          EXPECT_EQ(b[40 * 1024 - 1], std::byte(t));
          give_buffer(b);
        }
      }
    });
  for (auto& t : all) t.join();
}

}  // namespace
}  // namespace amity::net
