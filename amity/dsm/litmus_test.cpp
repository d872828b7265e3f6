// What every program that is right on one machine relies on, between processes that have only pages in common: small
// programs of two to four processes, each with an outcome that must never be seen. (Message passing, store buffering,
// independent reads of independent writes: see P. Sewell et al., x86-TSO, CACM 53(7), 2010.)
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "amity/dsm/test_support.hpp"

namespace amity::dsm {
namespace {

using testing::meet;
using testing::node;
using testing::run;

constexpr int rounds = 10'000;
constexpr int delayed_rounds = 300;

class litmus : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (const char* const why = why_no_faults(); why != nullptr) GTEST_SKIP() << why;
  }
  [[nodiscard]] static int count_of_rounds() { return GetParam() ? delayed_rounds : rounds; }
  [[nodiscard]] static std::string play(int processes, const std::function<bool(const node&)>& body) {
    return run({.processes = processes, .pages = 4, .with_delays = GetParam()}, body);
  }
};
INSTANTIATE_TEST_SUITE_P(messages, litmus, ::testing::Values(false, true),
                         [](const auto& of) { return of.param ? "delayed" : "at_once"; });

TEST_P(litmus, a_page_is_zero_at_first_and_its_contents_travel) {
  EXPECT_EQ(play(3,
                 [](const node& n) {
                   bool right = true;
                   for (int p = 1; p < 12; ++p)
                     for (std::size_t i = 0; i < page_size && n.own == 2; i += 512)
                       right &= n.page(p)[i] == std::byte{};
                   meet(n, n.word(0), 0);
                   for (int p = 1; p < 12; ++p)
                     if (p % n.count == n.own) std::memset(n.page(p), p, page_size);
                   meet(n, n.word(0), 1);
                   for (int p = 1; p < 12; ++p)
                     for (std::size_t i = 0; i < page_size; ++i) right &= n.page(p)[i] == std::byte(p);
                   return right;
                 }),
            "");
}

TEST_P(litmus, message_passing) {
  for (int processes : {2, 3}) {
    EXPECT_EQ(play(processes,
                   [](const node& n) {
                     std::atomic<int>&data = n.word(1), &flag = n.word(2);
                     for (int r = 1; r <= count_of_rounds(); ++r) {
                       if (n.own == 0) {
                         data.store(r, std::memory_order_relaxed);
                         flag.store(r, std::memory_order_release);
                       } else {
                         while (flag.load(std::memory_order_acquire) < r) std::this_thread::yield();
                         if (data.load(std::memory_order_relaxed) < r) return false;
                       }
                       if (r % 16 == 0) meet(n, n.word(0), r / 16 - 1);
                     }
                     return true;
                   }),
              "");
  }
}

TEST_P(litmus, store_buffering) {
  EXPECT_EQ(play(2,
                 [](const node& n) {
                   std::atomic<int>&mine = n.word(1 + n.own), &other = n.word(2 - n.own), &seen = n.word(3, n.own);
                   for (int r = 1; r <= count_of_rounds(); ++r) {
                     mine.store(r);
                     seen.store(other.load() >= r);
                     meet(n, n.word(0), 2 * r - 2);
                     if (n.word(3, 0).load() == 0 && n.word(3, 1).load() == 0) return false;
                     meet(n, n.word(0), 2 * r - 1);
                   }
                   return true;
                 }),
            "");
}

TEST_P(litmus, independent_reads_of_independent_writes) {
  EXPECT_EQ(play(4,
                 [](const node& n) {
                   std::atomic<int>&x = n.word(1), &y = n.word(2);
                   for (int r = 1; r <= count_of_rounds() / 4; ++r) {
                     if (n.own < 2) {
                       (n.own == 0 ? x : y).store(r, std::memory_order_release);
                     } else {
                       auto& first = n.own == 2 ? x : y;
                       auto& second = n.own == 2 ? y : x;
                       int const a = first.load(std::memory_order_acquire), b = second.load(std::memory_order_acquire);
                       n.word(3, n.own).store(a == r && b < r);
                     }
                     meet(n, n.word(0), 2 * r - 2);
                     if (n.word(3, 2).load() != 0 && n.word(3, 3).load() != 0) return false;
                     meet(n, n.word(0), 2 * r - 1);
                   }
                   return true;
                 }),
            "");
}

TEST_P(litmus, mutual_exclusion_by_flags_alone) {  // G. L. Peterson, 1981
  EXPECT_EQ(play(2,
                 [](const node& n) {
                   std::atomic<int>&mine = n.word(1, n.own), &other = n.word(1, 1 - n.own), &turn = n.word(2);
                   auto& count = *reinterpret_cast<volatile int*>(n.page(3));
                   for (int r = 0; r < count_of_rounds(); ++r) {
                     mine.store(1);
                     turn.store(1 - n.own);
                     while (other.load() == 1 && turn.load() == 1 - n.own) std::this_thread::yield();
                     count = count + 1;
                     mine.store(0);
                   }
                   meet(n, n.word(0), 0);
                   return count == 2 * count_of_rounds();
                 }),
            "");
}

TEST_P(litmus, no_update_is_lost) {
  for (int processes : {2, 3, 4})
    EXPECT_EQ(play(processes,
                   [](const node& n) {
                     for (int r = 0; r < count_of_rounds(); ++r) n.word(1).fetch_add(1, std::memory_order_relaxed);
                     meet(n, n.word(0), 0);
                     return n.word(1).load() == n.count * count_of_rounds();
                   }),
              "");
}

TEST_P(litmus, false_sharing) {
  for (int processes : {2, 3, 4})
    EXPECT_EQ(play(processes,
                   [](const node& n) {
                     std::atomic<int>& mine = n.word(1, n.own);
                     for (int r = 0; r < count_of_rounds(); ++r) {
                       if (mine.load(std::memory_order_relaxed) != r) return false;
                       mine.store(r + 1, std::memory_order_relaxed);
                     }
                     return true;
                   }),
              "");
}

// One instruction that reads one page and writes the other, while the other process does the reverse: both need both at
// once, and must come to an end.
TEST_P(litmus, instructions_that_need_two_pages) {
  EXPECT_EQ(play(2,
                 [](const node& n) {
                   n.word(1 + n.own) = 1 + n.own;
                   meet(n, n.word(0), 0);
                   for (int r = 0; r < count_of_rounds() / 10; ++r) {
                     const void* from = n.page(1 + n.own);
                     void* to = n.page(2 - n.own);
                     asm volatile("movsq" : "+S"(from), "+D"(to)::"memory");
                   }
                   meet(n, n.word(0), 1);
                   return n.word(1) >= 1 && n.word(1) <= 2 && n.word(2) >= 1 && n.word(2) <= 2;
                 }),
            "");
}

// Threads of one process want the same pages as one another, and as those elsewhere: each word has one who writes.
TEST_P(litmus, many_threads_and_pages) {
  constexpr int threads = 3, pages = 8;
  EXPECT_EQ(run({.processes = 2, .pages = pages / 2, .with_delays = GetParam()},
                [](const node& n) {
                  std::atomic<bool> right{true};
                  std::vector<std::thread> all;
                  for (int t = 0; t < threads; ++t)
                    all.emplace_back([&, t] {
                      int const own = n.own * threads + t;
                      std::minstd_rand random(static_cast<unsigned>(own));
                      int written[pages] = {}, seen[pages][2 * threads] = {};
                      for (int r = 0; r < count_of_rounds() / 2; ++r) {
                        int const page = static_cast<int>(random() % pages);
                        if (random() % 3 == 0) {
                          n.word(page, own).store(++written[page], std::memory_order_relaxed);
                          continue;
                        }
                        int const whose = static_cast<int>(random() % (2 * threads));
                        int const value = n.word(page, whose).load(std::memory_order_relaxed);
                        if (value < seen[page][whose] || (whose == own && value != written[page])) right = false;
                        seen[page][whose] = value;
                      }
                    });
                  for (std::thread& t : all) t.join();
                  return right.load();
                }),
            "");
}

}  // namespace
}  // namespace amity::dsm
