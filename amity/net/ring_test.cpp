#include "amity/net/internal/ring.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace amity::net {
namespace {

// As the kernel gives it: nothing but zeros.
std::unique_ptr<ring> empty_ring() { return std::make_unique<ring>(); }

std::vector<std::byte> bytes_of(std::uint64_t number, std::size_t size) {
  std::vector<std::byte> all(size);
  // Not zero, so that what is left in a cell would be taken for a word.
  for (std::size_t i = 0; i < size; ++i) all[i] = static_cast<std::byte>(1 + (number + i) % 255);
  return all;
}

TEST(Ring, IsEmptyAtFirst) {
  auto const memory = empty_ring();
  ring_reader reader(*memory);
  EXPECT_TRUE(reader.is_empty());
  EXPECT_EQ(reader.take(10, [](const message_header&, const std::byte*, std::size_t, std::uint64_t) { FAIL(); }), 0);
}

TEST(Ring, HandsOnMessagesOfAllSizesAroundManyTimes) {
  auto const memory = empty_ring();
  ring_writer writer(*memory);
  ring_reader reader(*memory);
  for (std::size_t number = 0; number < 3 * ring::most_bytes; ++number) {
    std::size_t const size = number % (ring::most_bytes + 1);
    std::vector<std::byte> const sent = bytes_of(number, size);
    ASSERT_TRUE(writer.put({number, ~number}, sent.data(), size, number % 3 == 0 ? ring::tells_of_loan : 0));
    ASSERT_FALSE(reader.is_empty());
    int const taken =
        reader.take(10, [&](const message_header& h, const std::byte* bytes, std::size_t its_size, std::uint64_t kind) {
          EXPECT_EQ(kind, number % 3 == 0 ? ring::tells_of_loan : 0);
          EXPECT_EQ(h.code, number);
          EXPECT_EQ(h.word, ~number);
          ASSERT_EQ(its_size, size);
          EXPECT_EQ(std::memcmp(bytes, sent.data(), size), 0);
          EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes) % 16, 0u);
        });
    ASSERT_EQ(taken, 1);
    ASSERT_TRUE(reader.is_empty());
  }
}

TEST(Ring, TakesNothingWhereItIsFull) {
  auto const memory = empty_ring();
  ring_writer writer(*memory);
  ring_reader reader(*memory);
  std::uint64_t sent = 0;
  while (writer.put({sent, 0}, nullptr, 0)) ++sent;
  EXPECT_EQ(sent, ring::cells);
  EXPECT_FALSE(writer.put({sent, 0}, nullptr, 0));
  std::uint64_t taken = 0;
  const auto in_order = [&](const message_header& h, const std::byte*, std::size_t, std::uint64_t) {
    EXPECT_EQ(h.code, taken++);
  };
  EXPECT_EQ(reader.take(1, in_order), 1);
  EXPECT_TRUE(writer.put({sent++, 0}, nullptr, 0));
  EXPECT_FALSE(writer.put({sent, 0}, nullptr, 0));
  while (reader.take(7, in_order) != 0) continue;
  EXPECT_EQ(taken, sent);
}

TEST(Ring, OfLongMessagesLeavesNoneOutAtItsEnd) {
  auto const memory = empty_ring();
  ring_writer writer(*memory);
  ring_reader reader(*memory);
  std::vector<std::byte> const bytes = bytes_of(1, ring::most_bytes);
  std::uint64_t sent = 0, taken = 0;
  for (int round = 0; round < 100; ++round) {
    while (writer.put({sent, 0}, bytes.data(), bytes.size())) ++sent;
    EXPECT_GT(sent, taken);
    reader.take(1 << 20, [&](const message_header& h, const std::byte*, std::size_t size, std::uint64_t) {
      EXPECT_EQ(h.code, taken++);
      EXPECT_EQ(size, bytes.size());
    });
    EXPECT_EQ(taken, sent);
  }
}

TEST(Ring, SaysSoWhereNoMessageStands) {
  for (std::uint64_t nonsense : {std::uint64_t{ring::most_bytes} + 2, std::uint64_t{1} << 40}) {
    auto const memory = empty_ring();
    ring_reader reader(*memory);
    memory->of[0].word.store(nonsense);
    EXPECT_EQ(reader.take(10, [](const message_header&, const std::byte*, std::size_t, std::uint64_t) { FAIL(); }), -1);
  }
}

TEST(Ring, CarriesWhatOneThreadWritesToAnother) {
  auto const memory = empty_ring();
  constexpr std::uint64_t messages = 20'000;
  std::thread sender([&] {
    ring_writer writer(*memory);
    std::minstd_rand random(1);
    for (std::uint64_t number = 0; number < messages; ++number) {
      std::size_t const size = random() % (random() % 8 == 0 ? ring::most_bytes + 1 : 100);
      std::vector<std::byte> const sent = bytes_of(number, size);
      while (!writer.put({number, size}, sent.data(), size)) std::this_thread::yield();
    }
  });
  ring_reader reader(*memory);
  std::uint64_t taken = 0;
  bool all_right = true;
  while (taken < messages) {
    int const some =
        reader.take(32, [&](const message_header& h, const std::byte* bytes, std::size_t size, std::uint64_t) {
          std::vector<std::byte> const sent = bytes_of(taken, size);
          all_right = all_right && h.code == taken && h.word == size && std::memcmp(bytes, sent.data(), size) == 0;
          ++taken;
        });
    if (some == 0) std::this_thread::yield();
  }
  sender.join();
  EXPECT_TRUE(all_right);
  EXPECT_TRUE(reader.is_empty());
}

}  // namespace
}  // namespace amity::net
