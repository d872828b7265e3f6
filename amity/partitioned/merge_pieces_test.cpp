#include "amity/partitioned/merge_pieces.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>

namespace {

using namespace amity::partitioned;

int const four_workers = setenv("AMITY_THREADS", "4", 0);  // before the pool is started

struct item {
  int key = 0, place = 0;
};
bool by_key(const item& a, const item& b) { return a.key < b.key; }

using sequences = std::vector<std::vector<item>>;

// Sorted ones of different lengths, some of them empty; places count through all.
sequences sorted(std::size_t count, std::size_t longest, int keys, unsigned seed) {
  std::mt19937 random(seed);
  sequences all(count);
  int place = 0;
  for (auto& each : all) {
    each.resize(random() % 3 == 0 ? 0 : random() % (longest + 1));
    for (item& x : each) x.key = static_cast<int>(random() % static_cast<unsigned>(keys));
    std::stable_sort(each.begin(), each.end(), by_key);
    for (item& x : each) x.place = place++;
  }
  return all;
}
cut sizes_of(const sequences& all) {
  cut sizes;
  for (const auto& each : all) sizes.push_back(each.size());
  return sizes;
}
std::vector<item> joined(const sequences& all) {
  std::vector<item> one;
  for (const auto& each : all) one.insert(one.end(), each.begin(), each.end());
  return one;
}

template <class Less>
cut found(const sequences& all, std::size_t wanted, std::size_t most, Less less) {
  auto const look = [&](const windows& w) {
    std::vector<sample<item>> samples;
    for (std::size_t i = 0; i < all.size(); ++i)
      each_sample(w.low[i], w.high[i], most, [&](std::size_t at) { samples.push_back({all[i][at], i, at}); });
    return samples;
  };
  return cut_at<item>(wanted, sizes_of(all), look, less);
}

TEST(merge_pieces, cuts_are_exact) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    auto const all = sorted(1 + seed % 7, 300, seed % 2 == 0 ? 5 : 1000, seed);
    std::vector<item> in_order = joined(all);
    std::stable_sort(in_order.begin(), in_order.end(), by_key);
    for (std::size_t const most : {2, 8, 256})
      for (std::size_t wanted = 0; wanted <= in_order.size(); wanted += 1 + seed) {
        cut expected(all.size());
        for (std::size_t i = 0; i < all.size(); ++i)
          expected[i] = static_cast<std::size_t>(std::count_if(all[i].begin(), all[i].end(), [&](const item& x) {
            return std::any_of(in_order.begin(), in_order.begin() + static_cast<std::ptrdiff_t>(wanted),
                               [&](const item& y) { return x.place == y.place; });
          }));
        ASSERT_EQ(found(all, wanted, most, by_key), expected) << seed << ' ' << most << ' ' << wanted;
      }
  }
}

TEST(merge_pieces, settled_cuts_are_cuts_whatever_the_order_is_worth) {
  std::mt19937 random(7);
  for (unsigned seed = 0; seed < 200; ++seed) {
    auto const all = sorted(1 + seed % 7, 100, 1000, seed);
    cut const sizes = sizes_of(all);
    cut before(all.size());
    std::size_t const n = joined(all).size();
    for (std::size_t wanted = 0; wanted <= n; wanted += 1 + random() % 50) {
      cut next = found(all, wanted, 8, [](const item& a, const item& b) { return (a.key * 31 + b.key * 17) % 3 == 0; });
      settle(next, wanted, before, sizes);
      std::size_t sum = 0;
      for (std::size_t i = 0; i < next.size(); ++i) {
        ASSERT_GE(next[i], before[i]);
        ASSERT_LE(next[i], sizes[i]);
        sum += next[i];
      }
      ASSERT_EQ(sum, wanted);
      before = next;
    }
  }
}

TEST(merge_pieces, merges_in_order_and_stably) {
  for (bool const parallel : {false, true})
    for (std::size_t const longest : {3, 100, 40000})
      for (unsigned seed = 0; seed < 14; ++seed) {
        auto all = sorted(1 + seed % 7, longest, seed % 2 == 0 ? 5 : 100000, seed);
        std::vector<item> expected = joined(all);
        std::stable_sort(expected.begin(), expected.end(), by_key);
        std::vector<item> out(expected.size());
        std::vector<std::span<item>> const pieces(all.begin(), all.end());
        auto less = by_key;
        merge_pieces(parallel, pieces, out.data(), less);
        for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i].place, expected[i].place) << seed << ' ' << i;
      }
}

TEST(merge_pieces, nothing_is_lost_if_the_comparison_throws) {
  for (bool const parallel : {false, true})
    for (int const good : {0, 1, 10, 1000, 60000}) {
      std::vector<std::vector<std::unique_ptr<int>>> all(3);
      for (int i = 0; i < 60000; ++i) all[static_cast<std::size_t>(i) % 3].push_back(std::make_unique<int>(i));
      std::vector<std::span<std::unique_ptr<int>>> const pieces(all.begin(), all.end());
      std::vector<std::unique_ptr<int>> out(60000);
      std::atomic<int> left = good;
      auto less = [&left](const std::unique_ptr<int>& a, const std::unique_ptr<int>& b) {
        if (left.fetch_sub(1, std::memory_order_relaxed) <= 0) throw std::runtime_error("planted");
        return *a < *b;
      };
      std::string said = "nothing was thrown";
      try {
        merge_pieces(parallel, pieces, out.data(), less);
      } catch (const std::runtime_error& e) {
        said = e.what();
      } catch (const amity::exception_list& several) {
        if (parallel && several.size() > 1) said = amity::exception_list(*several.begin()).what();
      }
      EXPECT_EQ(said, "planted") << good;
      std::vector<int> seen;
      for (const auto& each : out) {
        ASSERT_NE(each, nullptr);
        seen.push_back(*each);
      }
      std::sort(seen.begin(), seen.end());
      for (int i = 0; i < 60000; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], i);
    }
}

TEST(merge_pieces, an_order_that_is_none_loses_nothing) {
  for (bool const parallel : {false, true}) {
    std::vector<std::vector<int>> all(5);
    for (int i = 0; i < 50000; ++i) all[static_cast<std::size_t>(i) % 5].push_back(i);
    std::vector<std::span<int>> const pieces(all.begin(), all.end());
    std::vector<int> out(50000);
    auto less = [](int, int) { return true; };
    merge_pieces(parallel, pieces, out.data(), less);
    std::sort(out.begin(), out.end());
    for (int i = 0; i < 50000; ++i) ASSERT_EQ(out[static_cast<std::size_t>(i)], i);
  }
}

}  // namespace
