#include "amity/algo/for_each.hpp"

#include <forward_list>
#include <list>
#include <numeric>
#include <ranges>
#include <sstream>
#include <stdexcept>

#include "amity/algo/for_loop.hpp"
#include "amity/algo/test_support.hpp"
#include "amity/algo/transform.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;

TEST(for_each, visits_each_element_once) {
  for_all([](const auto& policy, std::size_t n) {
    std::vector<int> v(n, 1);
    amity::for_each(policy, v.begin(), v.end(), [](int& x) { ++x; });
    amity::ranges::for_each(policy, v, [](int& x) { x *= 2; });
    EXPECT_EQ(v, std::vector<int>(n, 4));
  });
}

TEST(for_each, forward_iterators) {
  for_all([](const auto& policy, std::size_t n) {
    if (n > 20000) return;
    std::forward_list<int> list(n, 1);
    amity::for_each(policy, list.begin(), list.end(), [](int& x) { x += 3; });
    for (int x : list) ASSERT_EQ(x, 4);
    std::list<int> half(n, 0);
    auto const it = amity::for_each_n(policy, half.begin(), n / 2, [](int& x) { x = 1; });
    EXPECT_EQ(std::accumulate(half.begin(), it, std::size_t{0}), n / 2);
    EXPECT_EQ(std::accumulate(it, half.end(), std::size_t{0}), 0u);
  });
}

TEST(for_each, members_sequential_forms_and_counts) {
  struct counter {
    int hits = 0;
    void hit() { ++hits; }
  };
  std::vector<counter> v(100);
  amity::for_each(ex::par, v.begin(), v.end(), &counter::hit);
  amity::for_each(v.begin(), v.end(), &counter::hit);
  amity::for_each(ex::seq, v.begin(), v.end(), &counter::hit);
  amity::for_each(ex::unseq, v.begin(), v.end(), &counter::hit);
  amity::for_each(ex::par_unseq, v.begin(), v.end(), &counter::hit);
  EXPECT_EQ(amity::for_each_n(ex::par, v.begin(), -1, &counter::hit), v.begin());
  EXPECT_EQ(amity::for_each_n(v.begin(), 100, &counter::hit), v.end());
  for (auto& c : v) EXPECT_EQ(c.hits, 6);
}

TEST(for_each, input_iterators_are_done_in_order) {
  std::istringstream in("1 2 3 4");
  std::vector<int> seen;
  amity::for_each(ex::par, std::istream_iterator<int>(in), std::istream_iterator<int>(),
                  [&](int x) { seen.push_back(x); });
  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3, 4}));
}

TEST(for_each, vectors_of_bool_are_written_by_one) {
  std::vector<bool> bits(100003);
  amity::for_each(ex::par.with(ex::static_chunk_size(7)), bits.begin(), bits.end(), [](auto bit) { bit = true; });
  EXPECT_EQ(static_cast<std::size_t>(std::count(bits.begin(), bits.end(), true)), bits.size());
}

TEST(for_each, neighbours_that_share_words_behind_adaptors) {
  std::vector<int> const ones(3000, 1);
  for (int i = 0; i < 20; ++i)
    for (const named_policy& p : policies()) {
      std::vector<bool> a(3000), b(3000), c(3000), d(3000);
      amity::for_each(p.policy, a.rbegin(), a.rend(), [](auto&& x) { x = true; });
      amity::ranges::for_each(p.policy, b | std::views::reverse, [](auto&& x) { x = true; });
      amity::transform(p.policy, ones.begin(), ones.end(), c.rbegin(), [](int x) { return x == 1; });
      auto const bit = [&d](std::size_t k) { return std::pair(k, d[k]); };
      amity::ranges::for_each(p.policy, std::views::iota(std::size_t{0}, d.size()) | std::views::transform(bit),
                              [](auto&& x) { x.second = true; });
      for (const std::vector<bool>& v : {a, b, c, d}) EXPECT_EQ(std::count(v.begin(), v.end(), true), 3000) << p.name;
    }
}

TEST(for_each, a_future_of_it) {
  std::vector<int> v(5000, 1);
  future<void> later = amity::for_each(ex::par(ex::task), v.begin(), v.end(), [](int& x) { x = 2; });
  later.get();
  EXPECT_EQ(v, std::vector<int>(5000, 2));
  auto failed =
      amity::for_each(ex::par.with(ex::static_chunk_size(10))(ex::task), v.begin(), v.end(), [](int) { throw 42; });
  EXPECT_THROW(failed.get(), exception_list);
  amity::ranges::for_each(ex::seq(ex::task), v, [](int& x) { x = 3; }).get();
  EXPECT_EQ(v, std::vector<int>(5000, 3));
}

TEST(for_each, throws_a_list_whose_first_is_what_the_leftmost_element_threw) {
  for (const named_policy& p : policies()) {
    std::vector<int> v(3000);
    std::iota(v.begin(), v.end(), 0);
    try {
      amity::for_each(p.policy, v.begin(), v.end(), [](int x) {
        if (x % 500 == 123) throw x;
      });
      FAIL() << p.name;
    } catch (const exception_list& all) {
      EXPECT_EQ(algo_test::thrown<int>(*all.begin()), 123) << p.name;
    }
  }
}

TEST(for_each, throws_a_list_with_every_policy_and_none_without) {
  std::vector<int> v{1};
  auto const odd = [](int) { throw std::runtime_error("odd"); };
  auto const says = [](const exception_list& all) { return all.size() == 1 && all.get_message() == "odd"; };
  auto const expect_list = [&](auto call) {
    try {
      call();
      ADD_FAILURE();
    } catch (const exception_list& all) {
      EXPECT_TRUE(says(all)) << all.what();
    }
  };
  expect_list([&] { amity::for_each(ex::seq, v.begin(), v.end(), odd); });
  expect_list([&] { amity::for_each(ex::unseq, v.begin(), v.end(), odd); });
  expect_list([&] { amity::for_each(ex::par_unseq, v.begin(), v.end(), odd); });
  expect_list([&] { amity::for_each(ex::seq(ex::task), v.begin(), v.end(), odd).get(); });
  expect_list([&] { amity::for_each(ex::par(ex::task), v.begin(), v.end(), odd).get(); });
  expect_list([&] { amity::ranges::for_each(ex::par, v, odd); });
  expect_list([&] { amity::for_loop(ex::par, 0, 1, odd); });
  std::list<int> const one{1};
  expect_list([&] { amity::for_each(ex::par, one.begin(), one.end(), odd); });
  EXPECT_THROW(amity::for_each(v.begin(), v.end(), odd), std::runtime_error);
  EXPECT_THROW(amity::ranges::for_each(v, odd), std::runtime_error);
  EXPECT_THROW(amity::for_loop(0, 1, odd), std::runtime_error);
}

TEST(for_each, lists_come_apart_and_want_of_memory_stays_what_it_is) {
  std::vector<int> v(100), w{1};
  try {
    amity::for_each(ex::par.with(ex::static_chunk_size(1)), v.begin(), v.end(),
                    [&](int) { amity::for_each(ex::par, w.begin(), w.end(), [](int x) { throw x; }); });
    ADD_FAILURE();
  } catch (const exception_list& all) {
    EXPECT_GE(all.size(), 1u);
    for (const std::exception_ptr& each : all) EXPECT_EQ(algo_test::thrown<int>(each), 1);
  }
  EXPECT_THROW(amity::for_each(ex::par, w.begin(), w.end(), [](int) { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_THROW(amity::for_each(ex::seq(ex::task), w.begin(), w.end(), [](int) { throw std::bad_alloc(); }).get(),
               std::bad_alloc);
}

TEST(transform, one_range_and_two) {
  for_all([](const auto& policy, std::size_t n) {
    auto const a = numbers(n, 1000), b = numbers(n, 1000, 2);
    std::vector<long> out(n), expected(n);
    std::transform(a.begin(), a.end(), expected.begin(), [](int x) { return 3L * x; });
    EXPECT_EQ(amity::transform(policy, a.begin(), a.end(), out.begin(), [](int x) { return 3L * x; }), out.end());
    EXPECT_EQ(out, expected);
    std::transform(a.begin(), a.end(), b.begin(), expected.begin(), std::minus<>());
    EXPECT_EQ(amity::transform(policy, a.begin(), a.end(), b.begin(), out.begin(), std::minus<>()), out.end());
    EXPECT_EQ(out, expected);
  });
}

TEST(transform, in_place_over_lists_and_ranges_of_two_lengths) {
  for_all([](const auto& policy, std::size_t n) {
    if (n > 20000) return;
    auto const v = numbers(n, 100);
    std::list<int> list(v.begin(), v.end());
    amity::transform(policy, list.begin(), list.end(), list.begin(), std::negate<>());
    EXPECT_TRUE(std::equal(list.begin(), list.end(), v.begin(), v.end(), [](int a, int b) { return a == -b; }));
    std::vector<int> const shorter(n / 2, 7);
    std::vector<int> out(n);
    auto const end = amity::ranges::transform(policy, v, shorter, out.begin(), std::plus<>()).out;
    EXPECT_EQ(end - out.begin(), static_cast<long>(n / 2));
    for (std::size_t i = 0; i < n / 2; ++i) ASSERT_EQ(out[i], v[i] + 7);
    amity::ranges::transform(policy, v, out.begin(), [](int x) { return x + 1; });
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], v[i] + 1);
  });
}

TEST(transform, an_output_that_only_goes_on) {
  std::vector<int> const v{1, 2, 3};
  std::vector<int> out;
  amity::transform(ex::par, v.begin(), v.end(), std::back_inserter(out), std::negate<>());
  amity::transform(v.begin(), v.end(), std::back_inserter(out), std::negate<>());
  amity::ranges::transform(v, v, std::back_inserter(out), std::plus<>());
  EXPECT_EQ(out, (std::vector<int>{-1, -2, -3, -1, -2, -3, 2, 4, 6}));
}

}  // namespace
}  // namespace amity
