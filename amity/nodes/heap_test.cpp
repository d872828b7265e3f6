#include "amity/nodes/heap.hpp"

#include <errno.h>
#include <gtest/gtest.h>
#include <string.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <thread>
#include <vector>

namespace amity::nodes::heap {
namespace {

constexpr std::size_t room = std::size_t{8} << 30;  // of which little is touched
constexpr std::size_t page = 4096;

/// A shared file without a name, as in a program over several nodes: pages that are given back are zero again.
const bool begun = [] {
  int const file = memfd_create("heap_test", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(room)) != 0) return false;
  void* const at = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (at == MAP_FAILED) return false;
  begin(reinterpret_cast<std::uintptr_t>(at), reinterpret_cast<std::uintptr_t>(at) + room,
        [](std::uintptr_t from, std::size_t bytes) noexcept {
          return madvise(reinterpret_cast<void*>(from), bytes, MADV_REMOVE) == 0;
        });
  return true;
}();

bool is_all(const void* block, unsigned char value, std::size_t bytes) {
  const auto* const at = static_cast<const unsigned char*>(block);
  for (std::size_t i = 0; i < bytes; ++i)
    if (at[i] != value) return false;
  return true;
}

struct held {
  void* block;
  std::size_t bytes;
  unsigned char mark;
};

/// Blocks of all sizes come and go; each keeps what was written into it as long as it is held.
void come_and_go(unsigned seed, int rounds) {
  std::mt19937 random(seed);
  std::vector<held> all;
  for (int i = 0; i < rounds; ++i) {
    if (all.size() < 200 && random() % 3 != 0) {
      std::size_t const bytes = random() % (std::size_t{1} << (4 + random() % 15));
      std::size_t const alignment = std::size_t{16} << (random() % 4 == 0 ? random() % 10 : 0);
      bool const zeroed = alignment == 16 && random() % 2 == 0;
      void* const block = zeroed ? take_zeroed(bytes) : take(bytes, alignment);
      ASSERT_NE(block, nullptr);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0u);
      ASSERT_GE(size_of(block), bytes);
      if (zeroed) {
        ASSERT_TRUE(is_all(block, 0, bytes)) << bytes;
      }
      auto const mark = static_cast<unsigned char>(random());
      memset(block, mark, bytes);
      all.push_back({block, bytes, mark});
    } else if (!all.empty()) {
      std::size_t const k = random() % all.size();
      ASSERT_TRUE(is_all(all[k].block, all[k].mark, all[k].bytes)) << all[k].bytes;
      give_back(all[k].block);
      all[k] = all.back();
      all.pop_back();
    }
  }
  for (const held& h : all) give_back(h.block);
}

TEST(heap, blocks_keep_what_is_written_into_them) {
  ASSERT_TRUE(begun);
  come_and_go(1, 30'000);
}

TEST(heap, blocks_of_several_threads_stay_apart) {
  ASSERT_TRUE(begun);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 6; ++t) threads.emplace_back([t] { come_and_go(t + 2, 10'000); });
  for (std::thread& t : threads) t.join();
}

TEST(heap, every_size_has_room) {
  ASSERT_TRUE(begun);
  for (std::size_t bytes = 0; bytes < 5000; ++bytes) {
    void* const block = take(bytes);
    ASSERT_GE(size_of(block), bytes);
    ASSERT_LE(size_of(block), bytes < page ? bytes + bytes / 2 + 64 : 2 * bytes);
    give_back(block);
  }
}

TEST(heap, a_block_of_a_page_or_more_has_pages_of_its_own) {
  ASSERT_TRUE(begun);
  std::vector<held> all;
  std::mt19937 random(9);
  for (int i = 0; i < 400; ++i) {
    std::size_t const bytes = i % 2 == 0 ? random() % page : page + random() % (20 * page);
    all.push_back({take(bytes), bytes, 0});
  }
  std::map<std::uintptr_t, int> users;  // of each page: how many blocks
  auto const each_page = [](const held& h, auto&& what) {
    auto const from = reinterpret_cast<std::uintptr_t>(h.block);
    for (std::uintptr_t at = from / page; at <= (from + std::max<std::size_t>(h.bytes, 1) - 1) / page; ++at) what(at);
  };
  for (const held& h : all) each_page(h, [&](std::uintptr_t at) { ++users[at]; });
  for (const held& h : all)
    if (h.bytes >= page) each_page(h, [&](std::uintptr_t at) { ASSERT_EQ(users[at], 1) << h.bytes; });
  for (const held& h : all) give_back(h.block);
}

TEST(heap, a_block_of_another_thread_may_be_freed) {
  ASSERT_TRUE(begun);
  std::vector<void*> blocks(1000);
  std::thread([&] {
    for (void*& b : blocks) b = take(100);
  }).join();
  for (void* b : blocks) give_back(b);
}

TEST(heap, a_large_block_comes_back_with_zeros) {
  ASSERT_TRUE(begun);
  for (int round = 0; round < 3; ++round) {
    constexpr std::size_t bytes = 3 << 20;
    void* const block = take(bytes);
    memset(block, 7, bytes);
    give_back(block);
    void* const zeroed = take_zeroed(bytes);
    EXPECT_TRUE(is_all(zeroed, 0, bytes));
    give_back(zeroed);
  }
}

TEST(heap, more_than_there_is_is_refused) {
  ASSERT_TRUE(begun);
  errno = 0;
  EXPECT_EQ(take(room * 2), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_EQ(take(~std::size_t{0} - 100), nullptr);
}

TEST(heap_death, what_is_free_is_not_freed_again) {
  ASSERT_TRUE(begun);
  void* const block = take(100);
  give_back(block);
  EXPECT_DEATH(give_back(block), "free already");
}

}  // namespace
}  // namespace amity::nodes::heap
