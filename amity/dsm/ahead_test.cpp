// Pages that come before they are used: because a thread says so, or because they came next before. And those that a
// thread needs together.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "amity/dsm/test_support.hpp"

namespace amity::dsm {
namespace {

using testing::meet;
using testing::node;
using testing::run;

std::uint64_t faults_of(const node& n) { return n.of_own.counted().fetched + n.of_own.counted().promoted; }

class ahead : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* const why = why_no_faults(); why != nullptr) GTEST_SKIP() << why;
  }
};

TEST_F(ahead, what_was_wished_for_is_there) {
  constexpr int pages = 64;
  EXPECT_EQ(run({.processes = 2, .pages = pages},
                [](const node& n) {
                  for (int p = 1; p < pages && n.own == 0; ++p) n.word(p) = p;
                  meet(n, n.word(0), 0);
                  if (n.own == 0) return true;
                  auto const from = reinterpret_cast<std::uintptr_t>(n.page(1));
                  n.of_own.will_use({from + 100, (pages - 1) * page_size - 200, access::write});
                  while (n.of_own.counted().ahead < pages - 1 || n.of_own.expects_pages()) continue;
                  std::uint64_t const before = faults_of(n);
                  bool right = true;
                  for (int p = 1; p < pages; ++p) right &= n.word(p)++ == p;
                  return right && faults_of(n) == before;
                }),
            "");
}

TEST_F(ahead, wishes_that_make_no_sense_do_nothing) {
  EXPECT_EQ(run({.processes = 2, .pages = 4},
                [](const node& n) {
                  auto const from = reinterpret_cast<std::uintptr_t>(n.base);
                  n.of_own.will_use({0, 100, access::read});
                  n.of_own.will_use({from, 0, access::write});
                  n.of_own.will_use({from, ~std::size_t{0}, access::read});
                  n.of_own.will_use({from + 8 * page_size, 1, access::write});
                  for (int i = 0; i < 1000; ++i) n.of_own.will_use({from, 8 * page_size, access::read});  // too many
                  meet(n, n.word(0), 0);
                  return true;
                }),
            "");
}

TEST_F(ahead, no_update_is_lost_while_all_wish_for_all) {
  constexpr int rounds = 3000, words = 6;
  for (int processes : {2, 4})
    EXPECT_EQ(
        run({.processes = processes, .pages = 4},
            [](const node& n) {
              std::mt19937 random(static_cast<unsigned>(n.own));
              for (int i = 0; i < rounds; ++i) {
                auto const at = reinterpret_cast<std::uintptr_t>(n.page(1 + static_cast<int>(random() % 5)));
                if (random() % 4 == 0)
                  n.of_own.will_use({at, random() % (3 * page_size), random() % 2 == 0 ? access::read : access::write});
                ++n.word(1 + i % words);
              }
              meet(n, n.word(0), 0);
              bool right = true;
              for (int w = 0; w < words; ++w) right &= n.word(1 + w) == rounds / words * n.count;
              return right;
            }),
        "");
}

// Whole rounds, in the same order and in opposite ones, of several pages that all processes write to.
TEST_F(ahead, processes_that_need_several_pages_at_once_all_get_on) {
  constexpr int rounds = 400, pages = 5;
  for (int processes : {2, 3})
    for (bool opposite : {false, true})
      EXPECT_EQ(run({.processes = processes, .pages = 4},
                    [opposite](const node& n) {
                      for (int i = 0; i < rounds; ++i)
                        for (int times = 0; times < 20; ++times)
                          for (int p = 0; p < pages; ++p)
                            n.word(1 + (opposite && n.own == 1 ? pages - 1 - p : p), n.own) += 1;
                      meet(n, n.word(0), 0);
                      bool right = true;
                      for (int p = 0; p < pages; ++p)
                        for (int who = 0; who < n.count; ++who) right &= n.word(1 + p, who) == 20 * rounds;
                      return right;
                    }),
                "");
}

// Pages that are asked for together with the first (P9) have their contents of this round. (That they are:
// history_test.)
TEST_F(ahead, what_comes_with_another_page_is_of_this_round) {
  constexpr int rounds = 60, pages = 12;
  EXPECT_EQ(run({.processes = 2, .pages = 16},
                [](const node& n) {
                  int met = 0;
                  bool right = true;
                  for (int i = 0; i < rounds; ++i) {
                    for (int p = 0; p < pages && n.own == 0; ++p) n.word(1 + p) = i + p;
                    meet(n, n.word(0), met++);
                    for (int p = 0; p < pages && n.own == 1; ++p) right &= n.word(1 + p) == i + p;
                    meet(n, n.word(0), met++);
                  }
                  return right;
                }),
            "");
}

}  // namespace
}  // namespace amity::dsm
