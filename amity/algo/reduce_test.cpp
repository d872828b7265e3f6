#include "amity/algo/reduce.hpp"

#include <deque>
#include <list>
#include <memory>
#include <ranges>

#include "amity/algo/test_support.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;

TEST(reduce, sums) {
  for_all([](const auto& policy, std::size_t n) {
    auto const v = numbers(n, 1000);
    EXPECT_EQ(amity::reduce(policy, v.begin(), v.end(), 5L), std::accumulate(v.begin(), v.end(), 5L));
    EXPECT_EQ(amity::reduce(policy, v.begin(), v.end()), std::accumulate(v.begin(), v.end(), 0));
    EXPECT_EQ(amity::ranges::reduce(policy, v, 1, std::bit_xor<>()),
              std::accumulate(v.begin(), v.end(), 1, std::bit_xor<>()));
  });
}

TEST(reduce, the_operation_need_not_be_commutative) {
  for_all([](const auto& policy, std::size_t n) {
    if (n > 20000) return;
    std::vector<std::string> v;
    for (int x : numbers(n, 26)) v.emplace_back(1, static_cast<char>('a' + x));
    EXPECT_EQ(amity::reduce(policy, v.begin(), v.end(), std::string(">")),
              std::accumulate(v.begin(), v.end(), std::string(">")));
  });
}

TEST(reduce, small_elements_do_not_overflow_a_large_sum) {
  std::vector<int> const v(1000, 2'000'000'000);
  for (const named_policy& p : policies())
    EXPECT_EQ(amity::reduce(p.policy, v.begin(), v.end(), 0L), 2'000'000'000'000L) << p.name;
}

TEST(reduce, values_that_can_only_be_moved) {
  for (const named_policy& p : policies()) {
    std::vector<int> const v(3000, 2);
    auto const total = amity::transform_reduce(
        p.policy, v.begin(), v.end(), std::make_unique<int>(1),
        [](std::unique_ptr<int> a, std::unique_ptr<int> b) { return std::make_unique<int>(*a + *b); },
        [](int x) { return std::make_unique<int>(x); });
    EXPECT_EQ(*total, 6001);
  }
}

/// Sums of ranges whose elements are made where they are looked at, by each kind of call.
template <class R, class T>
void expect_sum(const R& r, const T& init, const T& sum) {
  auto const first = r.begin(), last = r.end();
  for (const named_policy& p : policies()) {
    EXPECT_EQ(amity::reduce(p.policy, first, last, init), sum) << p.name;
    EXPECT_EQ(amity::transform_reduce(p.policy, first, last, init, std::plus<>(), std::identity()), sum) << p.name;
  }
  EXPECT_EQ(amity::ranges::reduce(ex::seq, r, init), sum);
  EXPECT_EQ(amity::ranges::reduce(ex::unseq, r, init), sum);
  EXPECT_EQ(amity::ranges::reduce(r, init), sum);
  EXPECT_EQ(amity::transform_reduce(first, last, init, std::plus<>(), std::identity()), sum);
}

TEST(reduce, elements_that_are_made_where_they_are_looked_at) {
  expect_sum(std::views::iota(0, 1000), 0L, 499500L);
  std::vector<int> v(1000);
  std::iota(v.begin(), v.end(), 0);
  expect_sum(v | std::views::transform([](int x) { return 2.0 * x; }), 0.0, 999000.0);
  std::vector<std::string> const words(500, "a string that is too long to lie in place");
  std::string all;
  for (const std::string& w : words) all += w + "!";
  expect_sum(words | std::views::transform([](const std::string& w) { return w + "!"; }), std::string(), all);
  std::vector<bool> bits(1000, true);
  bits[7] = false;
  expect_sum(std::as_const(bits), 0, 999);
  expect_sum(bits, 0, 999);
}

TEST(transform_reduce, what_refers_to_such_an_element) {
  struct point {
    std::string name;
    long x;
  };
  auto const points = std::views::iota(0, 3000) | std::views::transform([](int i) {
                        return point{"a string that is too long to lie in place", i};
                      });
  for (const named_policy& p : policies()) {
    EXPECT_EQ(amity::transform_reduce(p.policy, points.begin(), points.end(), 1L, std::plus<>(), &point::x),
              1 + 2999L * 3000 / 2)
        << p.name;
    EXPECT_EQ(
        amity::transform_reduce(p.policy, points.begin(), points.end(), std::string(), std::plus<>(), &point::name)
            .size(),
        3000 * points[0].name.size())
        << p.name;
    EXPECT_EQ(amity::transform_reduce(p.policy, points.begin(), points.end(), points.begin(), 0L, std::plus<>(),
                                      [](const point& a, const point& b) -> const long& { return std::max(a.x, b.x); }),
              2999L * 3000 / 2)
        << p.name;
  }
}

TEST(reduce, a_pointer_as_a_sum) {
  auto const v = numbers(10000, 100000);
  auto const best = &*std::max_element(v.begin(), v.end());
  auto const larger = [](const int* a, const int* b) { return a == nullptr || (b != nullptr && *a < *b) ? b : a; };
  std::vector<const int*> pointers;
  for (const int& x : v) pointers.push_back(&x);
  const int* const nothing = nullptr;
  auto const address = [](const int& x) { return &x; };
  for (const named_policy& p : policies()) {
    EXPECT_EQ(amity::reduce(p.policy, pointers.begin(), pointers.end(), nothing, larger), best) << p.name;
    EXPECT_EQ(amity::transform_reduce(p.policy, v.begin(), v.end(), nothing, larger, address), best) << p.name;
  }
  EXPECT_EQ(amity::reduce(pointers.begin(), pointers.end(), nothing, larger), best);
  EXPECT_EQ(amity::transform_reduce(v.begin(), v.end(), nothing, larger, address), best);
}

/// Sums that elements do not convert to: one comes from the operation alone.
struct grain {
  int weight;
};
struct heap {
  std::vector<int> grains;
  bool operator==(const heap&) const = default;
};
struct pile_up {
  heap operator()(heap a, const heap& b) const {
    a.grains.insert(a.grains.end(), b.grains.begin(), b.grains.end());
    return a;
  }
  heap operator()(heap a, grain b) const { return (*this)(std::move(a), heap{{b.weight}}); }
  heap operator()(grain a, const heap& b) const { return (*this)(heap{{a.weight}}, b); }
  heap operator()(grain a, grain b) const { return {{a.weight, b.weight}}; }
};

TEST(reduce, sums_that_elements_do_not_convert_to) {
  for_all([](const auto& policy, std::size_t n) {
    if (n > 20000) return;
    std::vector<grain> v;
    heap expected{{-1}};
    for (int x : numbers(n, 1000)) {
      v.push_back({x});
      expected.grains.push_back(x);
    }
    heap const first{{-1}};
    EXPECT_EQ(amity::reduce(policy, v.begin(), v.end(), first, pile_up()), expected);
    EXPECT_EQ(amity::transform_reduce(policy, v.begin(), v.end(), v.begin(), first, pile_up(),
                                      [](grain a, grain) { return a; }),
              expected);
    EXPECT_EQ(amity::reduce(v.begin(), v.end(), first, pile_up()), expected);
  });
}

TEST(reduce, of_a_fixed_chunk_size_gives_the_same_rounding_each_time) {
  std::vector<double> v;
  for (int x : numbers(50000, 1 << 30)) v.push_back(x / 7.0);
  auto const policy = ex::par.with(ex::static_chunk_size(1000));
  double const first = amity::reduce(policy, v.begin(), v.end(), 0.0);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(amity::reduce(policy, v.begin(), v.end(), 0.0), first);
}

TEST(transform_reduce, one_range_and_two) {
  for_all([](const auto& policy, std::size_t n) {
    auto const a = numbers(n, 1000), b = numbers(n, 1000, 2);
    auto const square = [](int x) { return static_cast<long>(x) * x; };
    EXPECT_EQ(amity::transform_reduce(policy, a.begin(), a.end(), 3L, std::plus<>(), square),
              std::transform_reduce(a.begin(), a.end(), 3L, std::plus<>(), square));
    EXPECT_EQ(amity::transform_reduce(policy, a.begin(), a.end(), b.begin(), 3L),
              std::transform_reduce(a.begin(), a.end(), b.begin(), 3L));
    EXPECT_EQ(amity::ranges::transform_reduce(policy, a, b.begin(), 3L, std::plus<>(), std::minus<>()),
              std::transform_reduce(a.begin(), a.end(), b.begin(), 3L, std::plus<>(), std::minus<>()));
  });
}

TEST(count, values_and_predicates) {
  for_all([](const auto& policy, std::size_t n) {
    auto const v = numbers(n, 5);
    std::deque<int> const d(v.begin(), v.end());
    std::list<int> const l(v.begin(), v.end());
    auto const threes = std::count(v.begin(), v.end(), 3);
    EXPECT_EQ(amity::count(policy, v.begin(), v.end(), 3), threes);
    EXPECT_EQ(amity::ranges::count(policy, d, 3), threes);
    EXPECT_EQ(amity::count(policy, l.begin(), l.end(), 3), threes);
    EXPECT_EQ(amity::count_if(policy, v.begin(), v.end(), is_even), std::count_if(v.begin(), v.end(), is_even));
  });
}

TEST(count, views) {
  auto const squares = std::views::iota(0, 10000) | std::views::transform([](int x) { return x % 7; });
  EXPECT_EQ(amity::ranges::count(ex::par.with(ex::static_chunk_size(100)), squares, 3), 1429);
  auto const some = std::views::iota(1) | std::views::take_while([](int x) { return x < 100; });
  EXPECT_EQ(amity::ranges::count_if(ex::par, some, is_even), 49);
}

TEST(reduce, futures_and_sequential_forms) {
  std::vector<int> const v(1000, 3);
  EXPECT_EQ(amity::reduce(ex::par(ex::task), v.begin(), v.end(), 0).get(), 3000);
  EXPECT_EQ(amity::reduce(ex::seq(ex::task), v.begin(), v.end(), 0).get(), 3000);
  EXPECT_EQ(amity::reduce(v.begin(), v.end()), 3000);
  EXPECT_EQ(amity::count(v.begin(), v.end(), 3), 1000);
  EXPECT_EQ(amity::ranges::transform_reduce(v, 0, std::plus<>(), std::negate<>()), -3000);
}

TEST(reduce, exceptions_come_out) {
  auto const v = numbers(10000, 1000);
  for (const named_policy& p : policies())
    EXPECT_THROW(amity::transform_reduce(p.policy, v.begin(), v.end(), 0, std::plus<>(),
                                         [](int x) -> int {
                                           if (x == 500) throw std::runtime_error("planted");
                                           return x;
                                         }),
                 exception_list)
        << p.name;
}

}  // namespace
}  // namespace amity
