// The neighbour is this process itself: its slot maps the same memory once more.
#include "amity/net/internal/loans.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "amity/net/buffers.hpp"

namespace amity::net {
namespace {

class Loans : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    static int const fd = memfd_create("loans_test", MFD_CLOEXEC);
    ASSERT_EQ(take_lendable(least_lent), nullptr) << "nobody is there to borrow";
    ASSERT_EQ(ftruncate(fd, static_cast<off_t>(bytes_for_loans)), 0);
    ASSERT_TRUE(open_loans(fd, 0, 1));
    ASSERT_TRUE(map_loans_of(0, fd, 0));
  }
};

TEST_F(Loans, AreReadWhereTheyWereWritten) {
  std::byte* const mine = take_lendable(100'000);
  ASSERT_NE(mine, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(mine) % 64, 0u);
  std::memset(mine, 'x', 100'000);
  loan l;
  ASSERT_TRUE(lend(mine, 100'000, l));
  std::byte* const there = borrow(0, l);
  ASSERT_NE(there, nullptr);
  EXPECT_NE(there, mine);
  EXPECT_EQ(std::memcmp(there, mine, 100'000), 0);
  std::byte* const other = take_lendable(100'000);
  EXPECT_NE(other, mine) << "it is lent";
  give_buffer(other);
  give_buffer(there);
  std::byte* const again = take_lendable(100'000);
  EXPECT_EQ(again, mine) << "it has come back";
  give_buffer(again);
}

TEST_F(Loans, AreOfLargeMessagesAlone) {
  EXPECT_EQ(take_lendable(least_lent - 1), nullptr);
  EXPECT_EQ(take_lendable(bytes_for_loans), nullptr);
  std::byte* const small = take_sendable(100);
  loan l;
  EXPECT_FALSE(give_lendable(nullptr));
  EXPECT_FALSE(lend(small, 100, l));
  give_buffer(small);
}

TEST_F(Loans, GiveMemoryOfMallocWhereThereIsNoRoom) {
  std::vector<std::byte*> all;
  constexpr std::size_t size = std::size_t{1} << 20;
  for (std::size_t i = 0; i <= bytes_for_loans / size; ++i) {
    all.push_back(take_sendable(size));
    ASSERT_NE(all.back(), nullptr);
    std::memset(all.back(), 1, size);
  }
  loan l;
  EXPECT_FALSE(lend(all.back(), size, l)) << "the last one is none of those";
  for (std::byte* each : all) give_buffer(each);
  std::byte* const large = take_lendable(bytes_for_loans / 2);
  EXPECT_NE(large, nullptr) << "all of it is free again";
  give_buffer(large);
}

TEST_F(Loans, ThatWereNotSentCanBeTakenBack) {
  std::byte* const mine = take_lendable(least_lent);
  loan l;
  ASSERT_TRUE(lend(mine, least_lent, l));
  take_back(mine);
  give_buffer(mine);
  EXPECT_EQ(take_lendable(least_lent), mine);
  give_buffer(mine);
}

TEST_F(Loans, ThatCanNotBeAreRefused) {
  EXPECT_EQ(borrow(0, {0, 100}), nullptr);
  EXPECT_EQ(borrow(0, {bytes_for_loans, 1}), nullptr);
  EXPECT_EQ(borrow(0, {64, bytes_for_loans}), nullptr);
  EXPECT_EQ(borrow(0, {~std::uint64_t{0}, 1}), nullptr);
  EXPECT_EQ(borrow(0, {64, ~std::uint64_t{0}}), nullptr);
}

TEST_F(Loans, AreNotForTheChildOfAFork) {
  std::byte* const mine = take_lendable(least_lent);
  pid_t const child = fork();
  if (child == 0) {
    bool const right = take_lendable(least_lent) == nullptr && give_lendable(mine);
    std::byte* const own = take_sendable(least_lent);
    std::memset(own, 1, least_lent);
    give_buffer(own);
    _exit(right ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  std::byte* const other = take_lendable(least_lent);
  EXPECT_NE(other, mine) << "the child has given nothing back";
  give_buffer(other);
  give_buffer(mine);
}

TEST_F(Loans, GoToAndFroBetweenThreads) {
  struct sent {
    loan where;
    std::byte value;
  };
  std::mutex guard;
  std::vector<sent> under_way;
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  std::thread borrower([&] {
    for (;;) {
      bool const last = done.load();
      std::vector<sent> some;
      {
        std::lock_guard const held(guard);
        some.swap(under_way);
      }
      for (const sent& each : some) {
        std::byte* const there = borrow(0, each.where);
        const auto is_its = [&](std::byte b) { return b == each.value; };
        if (!std::all_of(there, there + each.where.size, is_its)) ++wrong;
        give_buffer(there);
      }
      if (some.empty() && last) return;
      std::this_thread::yield();
    }
  });
  for (int i = 0; i < 3000; ++i) {
    std::size_t const size = least_lent + static_cast<std::size_t>(i * 7919 % 20'000);
    std::byte* mine = nullptr;
    while ((mine = take_lendable(size)) == nullptr) std::this_thread::yield();
    sent s{{}, static_cast<std::byte>(i)};
    std::memset(mine, i & 255, size);
    ASSERT_TRUE(lend(mine, size, s.where));
    std::lock_guard const held(guard);
    under_way.push_back(s);
  }
  done = true;
  borrower.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace amity::net
