#include "amity/base/processor.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "amity/base/config.hpp"

namespace amity::base {
namespace {

TEST(atomic_shim, a_spinning_reader_sees_what_was_published) {
  int value = 0;
  std::atomic<bool> ready{false};
  std::thread writer([&] {
    value = 42;
    ready.store(true, std::memory_order_release);  // pairs with the loop below
  });
  while (!ready.load(std::memory_order_acquire))  // pairs with the store above
    cpu_relax();
  EXPECT_EQ(value, 42);
  writer.join();
}

TEST(atomic_shim, words_are_lock_free) {
  EXPECT_TRUE(std::atomic<void*>::is_always_lock_free);
  EXPECT_TRUE(std::atomic<unsigned long>::is_always_lock_free);
}

TEST(config, aligned_members_do_not_share_a_cache_line) {
  struct pair {
    alignas(cache_line) std::atomic<int> a;
    alignas(cache_line) std::atomic<int> b;
  };
  EXPECT_EQ(sizeof(pair), 2 * cache_line);
}

}  // namespace
}  // namespace amity::base
