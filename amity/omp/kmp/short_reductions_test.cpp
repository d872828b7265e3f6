#include "amity/omp/kmp/short_reductions.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

namespace amity::omp::kmp {
namespace {

using answer = short_reductions::answer;

/// A function that is never called, of which there are as many as wanted.
combiner function(std::uintptr_t number) {
  return reinterpret_cast<combiner>(0x401000 + 16 * number);  // NOLINT(performance-no-int-to-ptr)
}

TEST(ShortReductions, AreKnownToTeamsThatFormAfterwards) {
  short_reductions known;
  EXPECT_EQ(known.contain(function(1), known.count()), answer::no);
  std::uint32_t const before = known.count();
  known.add(function(1));
  EXPECT_EQ(known.contain(function(1), before), answer::later);
  EXPECT_EQ(known.contain(function(1), known.count()), answer::yes);
  EXPECT_EQ(known.contain(function(2), known.count()), answer::no);
}

TEST(ShortReductions, AreCountedOnce) {
  short_reductions known;
  known.add(function(1));
  known.add(function(1));
  EXPECT_EQ(known.count(), 1u);
}

TEST(ShortReductions, BeyondTheRoomAreNotKnown) {
  short_reductions known;
  for (unsigned i = 0; i < 5000; ++i) known.add(function(i));
  unsigned found = 0;
  for (unsigned i = 0; i < 5000; ++i) found += known.contain(function(i), known.count()) == answer::yes ? 1 : 0;
  EXPECT_EQ(found, known.count());
  EXPECT_GT(found, 100u);
  EXPECT_LT(found, 5000u);
}

// While some add, teams form, and each two members of a team must get the same answer, at whatever time they ask.
TEST(ShortReductions, MembersOfATeamAgreeWhileOthersAdd) {
  constexpr unsigned functions = 200;
  for (unsigned round = 0; round < 200; ++round) {
    short_reductions known;
    std::atomic<unsigned> disagree{0};
    std::vector<std::thread> threads;
    for (unsigned adder = 0; adder < 2; ++adder)
      threads.emplace_back([&known, round, adder] {
        std::mt19937 random(round * 2 + adder);
        for (unsigned i = 0; i < functions; ++i) known.add(function(random() % functions));
      });
    for (unsigned team = 0; team < 2; ++team)
      threads.emplace_back([&known, &disagree] {
        for (unsigned region = 0; region < 20; ++region) {
          std::uint32_t const told = known.count();
          std::vector<bool> first(functions);
          for (unsigned i = 0; i < functions; ++i) first[i] = known.contain(function(i), told) == answer::yes;
          for (unsigned i = 0; i < functions; ++i)
            if (first[i] != (known.contain(function(i), told) == answer::yes)) ++disagree;
        }
      });
    for (std::thread& t : threads) t.join();
    ASSERT_EQ(disagree, 0u);
  }
}

}  // namespace
}  // namespace amity::omp::kmp
