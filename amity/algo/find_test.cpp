#include "amity/algo/find.hpp"

#include <list>
#include <memory>
#include <ranges>

#include "amity/algo/test_support.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;

TEST(find, the_first_of_many) {
  for_all([](const auto& policy, std::size_t n) {
    for (int below : {2, 50, 100000}) {
      auto const v = numbers(n, below);
      EXPECT_EQ(amity::find(policy, v.begin(), v.end(), 1), std::find(v.begin(), v.end(), 1));
      EXPECT_EQ(amity::find_if(policy, v.begin(), v.end(), is_even), std::find_if(v.begin(), v.end(), is_even));
      EXPECT_EQ(amity::ranges::find_if_not(policy, v, is_even), std::find_if_not(v.begin(), v.end(), is_even));
      std::vector<int> const wanted{below / 2, below / 3};
      EXPECT_EQ(amity::ranges::find_first_of(policy, v, wanted),
                std::find_first_of(v.begin(), v.end(), wanted.begin(), wanted.end()));
    }
  });
}

// std::find over reversed iterators is the oracle.
TEST(find, the_last_of_many) {
  for_all([](const auto& policy, std::size_t n) {
    for (int below : {2, 50, 100000}) {
      auto const v = numbers(n, below);
      auto const from_end = [&v](auto reversed) { return reversed == v.rend() ? v.end() : reversed.base() - 1; };
      auto const one = amity::find_last(policy, v.begin(), v.end(), 1);
      EXPECT_EQ(one.begin(), from_end(std::find(v.rbegin(), v.rend(), 1)));
      EXPECT_EQ(one.end(), v.end());
      EXPECT_EQ(amity::find_last_if(policy, v.begin(), v.end(), is_even).begin(),
                from_end(std::find_if(v.rbegin(), v.rend(), is_even)));
      EXPECT_EQ(amity::ranges::find_last_if_not(policy, v, is_even).begin(),
                from_end(std::find_if_not(v.rbegin(), v.rend(), is_even)));
      EXPECT_EQ(amity::ranges::find_last(policy, v, -1, std::negate<>()).begin(), one.begin());
      EXPECT_EQ(amity::ranges::find_last_if(policy, v, is_even, std::negate<>()).begin(),
                from_end(std::find_if(v.rbegin(), v.rend(), is_even)));
    }
  });
}

TEST(find, the_last_in_each_place_and_without_a_policy) {
  for (const named_policy& p : policies())
    for (std::size_t place : {0, 1, 62, 63, 64, 65, 500, 998, 999}) {
      std::vector<int> v(1000);
      v[place] = 1;
      v[place / 2] = 1;
      EXPECT_EQ(amity::find_last(p.policy, v.begin(), v.end(), 1).begin() - v.begin(), static_cast<long>(place))
          << p.name;
    }
  std::list<int> const l{1, 2, 1, 3};
  EXPECT_EQ(std::distance(amity::find_last(l.begin(), l.end(), 1).begin(), l.end()), 2);
  EXPECT_EQ(std::distance(amity::find_last(ex::par, l.begin(), l.end(), 1).begin(), l.end()), 2);
  EXPECT_TRUE(amity::ranges::find_last(l, 7).empty());
  std::vector<int> const none;
  EXPECT_TRUE(amity::ranges::find_last(ex::par, none, 7).empty());
  EXPECT_EQ(amity::find_last_if(ex::par(ex::task), l.begin(), l.end(), is_even).get().front(), 2);
}

TEST(find, each_place) {
  for (const named_policy& p : policies())
    for (std::size_t place : {0, 1, 62, 63, 64, 65, 500, 998, 999}) {
      std::vector<int> v(1000);
      v[place] = 1;
      EXPECT_EQ(amity::find(p.policy, v.begin(), v.end(), 1) - v.begin(), static_cast<long>(place)) << p.name;
      EXPECT_TRUE(amity::any_of(p.policy, v.begin(), v.end(), [](int x) { return x == 1; }));
      EXPECT_FALSE(amity::none_of(p.policy, v.begin(), v.end(), [](int x) { return x == 1; }));
      EXPECT_FALSE(amity::all_of(p.policy, v.begin(), v.end(), [](int x) { return x == 0; }));
      EXPECT_TRUE(amity::ranges::all_of(p.policy, v, [](int x) { return x < 2; }));
    }
}

TEST(find, stops_soon) {
  std::vector<int> const v(1'000'000, 1);
  for (const named_policy& p : policies()) {
    std::atomic<int> looked{0};
    auto const it = amity::find_if(p.policy, v.begin(), v.end(), [&](int) {
      ++looked;
      return true;
    });
    EXPECT_EQ(it, v.begin());
    EXPECT_LT(looked, 900'000) << p.name;
  }
}

TEST(find, an_exception_behind_the_answer_is_none) {
  std::vector<int> v(5000);
  v[100] = 1;
  for (std::size_t i = 200; i < v.size(); ++i) v[i] = 2;
  auto const look = [](int x) {
    if (x == 2) throw 42;
    return x == 1;
  };
  for (const named_policy& p : policies())
    EXPECT_EQ(amity::find_if(p.policy, v.begin(), v.end(), look) - v.begin(), 100) << p.name;
  v[100] = 0;
  for (const named_policy& p : policies())
    EXPECT_THROW(amity::find_if(p.policy, v.begin(), v.end(), look), exception_list) << p.name;
}

TEST(adjacent_find, neighbours) {
  for_all([](const auto& policy, std::size_t n) {
    for (int below : {2, 1000, 1'000'000}) {
      auto const v = numbers(n, below);
      EXPECT_EQ(amity::adjacent_find(policy, v.begin(), v.end()), std::adjacent_find(v.begin(), v.end()));
      EXPECT_EQ(amity::ranges::adjacent_find(policy, v, std::greater<>()),
                std::adjacent_find(v.begin(), v.end(), std::greater<>()));
    }
  });
}

TEST(search, first_and_last_occurrence) {
  for_all([](const auto& policy, std::size_t n) {
    if (n > 20000) return;
    auto const v = numbers(n, 3);
    for (std::size_t m : {0, 1, 2, 5, 9, 30, 2000}) {
      auto what = numbers(m, 3, 5);
      if (m == 30 && n > 200) what.assign(v.begin() + 101, v.begin() + 131);
      EXPECT_EQ(amity::search(policy, v.begin(), v.end(), what.begin(), what.end()),
                std::search(v.begin(), v.end(), what.begin(), what.end()));
      EXPECT_EQ(amity::ranges::find_end(policy, v, what), std::find_end(v.begin(), v.end(), what.begin(), what.end()));
      EXPECT_EQ(amity::search_n(policy, v.begin(), v.end(), static_cast<int>(m), 1),
                std::search_n(v.begin(), v.end(), static_cast<int>(m), 1));
    }
  });
}

TEST(search, with_a_searcher_and_without_a_policy) {
  std::string const text = "a needle in a haystack with a needle", word = "needle";
  auto const searcher = std::default_searcher(word.begin(), word.end());
  EXPECT_EQ(amity::search(ex::par, text.begin(), text.end(), searcher) - text.begin(), 2);
  EXPECT_EQ(amity::search(text.begin(), text.end(), word.begin(), word.end()) - text.begin(), 2);
  EXPECT_EQ(amity::find_end(text.begin(), text.end(), word.begin(), word.end()) - text.begin(), 30);
  EXPECT_EQ(amity::ranges::find(text, 'n') - text.begin(), 2);
  EXPECT_EQ(amity::find(ex::par(ex::task), text.begin(), text.end(), 'n').get() - text.begin(), 2);
}

TEST(find, values_that_can_not_be_copied) {
  std::vector<std::unique_ptr<int>> v(3000);
  for (auto& x : v) x = std::make_unique<int>(1);
  std::unique_ptr<int> const nothing;
  v[2000] = nullptr;
  for (const named_policy& p : policies()) {
    EXPECT_EQ(amity::find(p.policy, v.begin(), v.end(), nothing) - v.begin(), 2000) << p.name;
    EXPECT_EQ(amity::ranges::find(p.policy, v, nothing) - v.begin(), 2000) << p.name;
  }
  EXPECT_EQ(amity::find(v.begin(), v.end(), nothing) - v.begin(), 2000);
}

TEST(find, contains) {
  for_all([](const auto& policy, std::size_t n) {
    auto v = numbers(n, 1000);
    EXPECT_FALSE(amity::contains(policy, v.begin(), v.end(), 1000));
    EXPECT_TRUE(amity::ranges::contains_subrange(policy, v, std::vector<int>()));
    if (n < 2) return;
    v[n - 1] = 1001;
    v[n - 2] = 1000;
    EXPECT_TRUE(amity::ranges::contains(policy, v, 1000));
    EXPECT_TRUE(amity::ranges::contains(policy, v, -1001, std::negate<>()));
    EXPECT_TRUE(amity::ranges::contains_subrange(policy, v, std::vector<int>{1000, 1001}));
    EXPECT_FALSE(amity::ranges::contains_subrange(policy, v, std::vector<int>{1001, 1000}));
    EXPECT_TRUE(amity::ranges::contains_subrange(policy, v, std::vector<int>{-1000, -1001}, {}, std::identity(),
                                                 std::negate<>()));
    EXPECT_FALSE(amity::ranges::contains_subrange(policy, std::vector<int>{1}, std::vector<int>{1, 1}));
  });
  std::list<int> const list{1, 2, 3};
  EXPECT_TRUE(amity::contains(ex::par, list.begin(), list.end(), 3));
  EXPECT_TRUE(amity::contains_subrange(list.begin(), list.end(), std::next(list.begin()), list.end()));
  EXPECT_TRUE(amity::ranges::contains(std::views::iota(1), 100));
  EXPECT_EQ(amity::ranges::contains(ex::par(ex::task), list, 4).get(), false);
  auto const throws = [](int, int) -> bool { throw 42; };
  std::vector<int> const v(5000);
  EXPECT_THROW(amity::ranges::contains_subrange(ex::par, v, std::vector<int>(2), throws), exception_list);
}

}  // namespace
}  // namespace amity
