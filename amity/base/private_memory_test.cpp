#include "amity/base/private_memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace amity::base {
namespace {

alignas(256) std::byte arena[4096];
std::size_t used = 0;
int back = 0;

const memory_source from_arena = {.take = [](std::size_t bytes, std::size_t alignment) noexcept -> void* {
                                    std::size_t const at = (used + alignment - 1) / alignment * alignment;
                                    if (at + bytes > sizeof arena) return nullptr;
                                    used = at + bytes;
                                    return arena + at;
                                  },
                                  .give_back =
                                      [](void* memory) noexcept {
                                        auto* const at = static_cast<std::byte*>(memory);
                                        bool const from_here = at >= arena && at < arena + sizeof arena;
                                        if (from_here) ++back;
                                        return from_here;
                                      }};

bool lies_in_arena(const void* p) { return p >= arena && p < arena + sizeof arena; }

TEST(private_memory, comes_from_malloc_until_somebody_says_otherwise) {
  void* const before = take_private(100);
  void* const aligned = take_private(100, 256);
  ASSERT_NE(before, nullptr);
  EXPECT_FALSE(lies_in_arena(before));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned) % 256, 0u);
  give_back(aligned);

  private_memory_is_from(from_arena);
  std::memset(arena, 0xa5, sizeof arena);
  void* const after = take_private(100, 128);
  EXPECT_TRUE(lies_in_arena(after));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(after) % 128, 0u);
  auto* const zeroed = static_cast<unsigned char*>(take_private_zeroed(64));
  ASSERT_TRUE(lies_in_arena(zeroed));
  for (int i = 0; i < 64; ++i) EXPECT_EQ(zeroed[i], 0);
  EXPECT_EQ(take_private(sizeof arena), nullptr);

  give_back(after);
  give_back(zeroed);
  EXPECT_EQ(back, 2);
  give_back(before);           // goes back to malloc
  give_back(std::malloc(10));  // and so does what malloc gave
  give_back(nullptr);
  EXPECT_EQ(back, 2);
}

}  // namespace
}  // namespace amity::base
