#include "amity/algo/scan.hpp"

#include <atomic>
#include <numeric>
#include <ranges>
#include <string>

#include "amity/algo/test_support.hpp"
#include "amity/sched/loop/timer.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;

TEST(inclusive_scan, all_forms) {
  for_all([](const auto& policy, std::size_t n) {
    auto const v = numbers(n, 1000);
    std::vector<long> out(n), expected(n);
    std::inclusive_scan(v.begin(), v.end(), expected.begin());
    EXPECT_EQ(amity::inclusive_scan(policy, v.begin(), v.end(), out.begin()), out.end());
    EXPECT_EQ(out, expected);
    std::inclusive_scan(v.begin(), v.end(), expected.begin(), std::bit_xor<>());
    amity::ranges::inclusive_scan(policy, v, out.begin(), std::bit_xor<>());
    EXPECT_EQ(out, expected);
    std::inclusive_scan(v.begin(), v.end(), expected.begin(), std::plus<>(), 1000L);
    amity::inclusive_scan(policy, v.begin(), v.end(), out.begin(), std::plus<>(), 1000L);
    EXPECT_EQ(out, expected);
  });
}

TEST(inclusive_scan, in_place) {
  for_all([](const auto& policy, std::size_t n) {
    auto v = numbers(n, 1000);
    std::vector<int> expected(n);
    std::inclusive_scan(v.begin(), v.end(), expected.begin());
    amity::inclusive_scan(policy, v.begin(), v.end(), v.begin());
    EXPECT_EQ(v, expected);
  });
}

TEST(inclusive_scan, the_operation_need_not_be_commutative) {
  auto const later = [](int, int b) { return b; };
  auto const affine = [](std::pair<unsigned, unsigned> f, std::pair<unsigned, unsigned> g) {
    return std::pair<unsigned, unsigned>(f.first * g.first, f.second * g.first + g.second);
  };
  for_all([&](const auto& policy, std::size_t n) {
    auto const v = numbers(n, 1000);
    std::vector<int> out(n);
    amity::inclusive_scan(policy, v.begin(), v.end(), out.begin(), later);
    EXPECT_EQ(out, v);
    std::vector<std::pair<unsigned, unsigned>> maps, all(n), expected(n);
    for (int x : v) maps.emplace_back(x, x + 1);
    std::inclusive_scan(maps.begin(), maps.end(), expected.begin(), affine);
    amity::inclusive_scan(policy, maps.begin(), maps.end(), all.begin(), affine);
    EXPECT_EQ(all, expected);
  });
}

TEST(exclusive_scan, all_forms_and_in_place) {
  for_all([](const auto& policy, std::size_t n) {
    auto v = numbers(n, 1000);
    std::vector<long> out(n), expected(n);
    std::exclusive_scan(v.begin(), v.end(), expected.begin(), 7L);
    EXPECT_EQ(amity::exclusive_scan(policy, v.begin(), v.end(), out.begin(), 7L), out.end());
    EXPECT_EQ(out, expected);
    std::exclusive_scan(v.begin(), v.end(), expected.begin(), 7L, std::bit_xor<>());
    amity::ranges::exclusive_scan(policy, v, out.begin(), 7L, std::bit_xor<>());
    EXPECT_EQ(out, expected);
    std::vector<int> in_place(n);
    std::exclusive_scan(v.begin(), v.end(), in_place.begin(), 0);
    amity::exclusive_scan(policy, v.begin(), v.end(), v.begin(), 0);
    EXPECT_EQ(v, in_place);
  });
}

TEST(transform_scan, all_forms) {
  for_all([](const auto& policy, std::size_t n) {
    auto const v = numbers(n, 1000);
    auto const square = [](int x) { return static_cast<long>(x) * x; };
    std::vector<long> out(n), expected(n);
    std::transform_inclusive_scan(v.begin(), v.end(), expected.begin(), std::plus<>(), square);
    amity::transform_inclusive_scan(policy, v.begin(), v.end(), out.begin(), std::plus<>(), square);
    EXPECT_EQ(out, expected);
    std::transform_inclusive_scan(v.begin(), v.end(), expected.begin(), std::plus<>(), square, 5L);
    amity::ranges::transform_inclusive_scan(policy, v, out.begin(), std::plus<>(), square, 5L);
    EXPECT_EQ(out, expected);
    std::transform_exclusive_scan(v.begin(), v.end(), expected.begin(), 5L, std::plus<>(), square);
    amity::transform_exclusive_scan(policy, v.begin(), v.end(), out.begin(), 5L, std::plus<>(), square);
    EXPECT_EQ(out, expected);
  });
}

TEST(inclusive_scan, strings_exceptions_and_futures) {
  std::vector<std::string> const v(300, "x");
  for (const named_policy& p : policies()) {
    std::vector<std::string> out(300);
    amity::inclusive_scan(p.policy, v.begin(), v.end(), out.begin());
    for (std::size_t i = 0; i < 300; ++i) ASSERT_EQ(out[i].size(), i + 1) << p.name;
    EXPECT_THROW(amity::inclusive_scan(p.policy, v.begin(), v.end(), out.begin(),
                                       [](const std::string& a, const std::string& b) {
                                         if ((a + b).size() > 5) throw 42;
                                         return a + b;
                                       }),
                 exception_list);
  }
  std::vector<int> const ones(5000, 1);
  std::vector<int> out(5000);
  EXPECT_EQ(amity::inclusive_scan(ex::par(ex::task), ones.begin(), ones.end(), out.begin()).get(), out.end());
  EXPECT_EQ(out.back(), 5000);
  amity::exclusive_scan(ones.begin(), ones.end(), out.begin(), 0);
  EXPECT_EQ(out.back(), 4999);
}

/// x -> a * x + b; one after the other is no matter of taste.
struct affine {
  std::uint32_t a = 1, b = 0;
  bool operator==(const affine&) const = default;
};
affine then(affine first, affine second) { return {first.a * second.a, first.b * second.a + second.b}; }

// Long enough for a chain of chunks.
TEST(scan, long_ranges_in_their_order) {
  std::size_t const n = 4'000'000;
  std::vector<affine> in(n), expected(n), out(n);
  for (std::size_t i = 0; i < n; ++i) in[i] = {static_cast<std::uint32_t>(2 * i + 1), static_cast<std::uint32_t>(i)};
  affine const init{3, 5};
  std::inclusive_scan(in.begin(), in.end(), expected.begin(), then, init);
  amity::inclusive_scan(ex::par, in.begin(), in.end(), out.begin(), then, init);
  EXPECT_TRUE(out == expected);
  std::exclusive_scan(in.begin(), in.end(), expected.begin(), init, then);
  out = in;
  auto const end = amity::exclusive_scan(ex::par, out.begin(), out.end(), out.begin(), init, then);  // in place
  EXPECT_TRUE(out == expected);
  EXPECT_EQ(end, out.end());
  std::inclusive_scan(in.begin(), in.end(), expected.begin(), then);
  amity::inclusive_scan(ex::par, in.begin(), in.end(), out.begin(), then);
  EXPECT_TRUE(out == expected);
}

/// The same as numbers, whose chunks are scanned in parts side by side.
std::uint64_t packed(affine x) { return std::uint64_t{x.a} << 32 | x.b; }
affine unpacked(std::uint64_t x) { return {static_cast<std::uint32_t>(x >> 32), static_cast<std::uint32_t>(x)}; }
std::uint64_t then_packed(std::uint64_t first, std::uint64_t second) {
  return packed(then(unpacked(first), unpacked(second)));
}

// So long that what is written goes past the caches; with an odd rest behind the last chunk's parts.
TEST(scan, long_ranges_of_numbers_in_their_order) {
  std::size_t const n = 4'000'003;
  std::vector<std::uint64_t> in(n), expected(n), out(n);
  for (std::size_t i = 0; i < n; ++i)
    in[i] = packed({static_cast<std::uint32_t>(2 * i + 1), static_cast<std::uint32_t>(i)});
  std::uint64_t const init = packed({3, 5});
  std::inclusive_scan(in.begin(), in.end(), expected.begin(), then_packed);
  amity::inclusive_scan(ex::par, in.begin(), in.end(), out.begin(), then_packed);
  EXPECT_TRUE(out == expected);
  std::exclusive_scan(in.begin(), in.end(), expected.begin(), init, then_packed);
  amity::exclusive_scan(ex::par, in.begin(), in.end(), out.begin(), init, then_packed);
  EXPECT_TRUE(out == expected);
  amity::exclusive_scan(ex::par, in.begin(), in.end(), in.begin(), init, then_packed);  // in place
  EXPECT_TRUE(in == expected);
}

// While one is away with a chunk, others do what they need of it; it comes back at any time.
TEST(scan, stress_of_chunks_whose_sums_others_tell) {
  std::size_t const n = (std::size_t{1} << 16) * 8 * sched::worker_count() + 70'001;
  std::vector<std::uint64_t> in(n), expected(n), out(n);
  for (std::size_t i = 0; i < n; ++i)
    in[i] = packed({static_cast<std::uint32_t>(2 * i + 1), static_cast<std::uint32_t>(i)});
  std::inclusive_scan(in.begin(), in.end(), expected.begin(), then_packed);
  std::uint64_t const fill = 1;
  for (std::uint32_t round = 0; round < 30; ++round) {
    std::uint32_t const away_each = 10'007 + 5'003 * round;  // elements, more or less
    auto const op = [&](std::uint64_t a, std::uint64_t b) {
      if ((b & 0xffffffff) % away_each == 17)
        sched::park_until(sched::instant_after(std::chrono::microseconds(round % 3 == 0 ? 10 : 200)));
      return then_packed(a, b);
    };
    if (round % 2 == 0) {
      std::fill(out.begin(), out.end(), fill);
      amity::inclusive_scan(ex::par, in.begin(), in.end(), out.begin(), op);
    } else {
      out = in;
      amity::inclusive_scan(ex::par, out.begin(), out.end(), out.begin(), op);
    }
    ASSERT_TRUE(out == expected) << round;
  }
}

TEST(scan, what_an_operation_throws_in_a_long_range) {
  std::vector<int> const in(3'000'000, 1);
  std::vector<int> out(in.size());
  auto const add = [](int a, int b) {
    if (a == 2'500'000) throw 42;
    return a + b;
  };
  EXPECT_THROW(amity::inclusive_scan(ex::par, in.begin(), in.end(), out.begin(), add), exception_list);
}

/// So large that few of them make a long range, in chunks of 64.
struct wide {
  affine value;
  char fill[4088] = {};
};

class wide_scan : public testing::Test {
 protected:
  wide_scan() {
    for (std::size_t i = 0; i < in_.size(); ++i)
      in_[i].value = {static_cast<std::uint32_t>(2 * i + 1), static_cast<std::uint32_t>(i)};
  }
  static std::size_t long_enough() { return std::size_t{64} * 8 * sched::worker_count() + 1000; }
  bool is_right() const {
    affine sum = in_[0].value;
    for (std::size_t i = 0; i < in_.size(); sum = ++i < in_.size() ? then(sum, in_[i].value) : sum)
      if (!(out_[i].value == sum)) return false;
    return true;
  }

  std::vector<wide> in_{long_enough()}, out_{in_.size()};
};

// Each number of calls meets another place: the first elements, a chunk's sum, what passes it on, its scan.
TEST_F(wide_scan, throws_wherever_it_is) {
  for (int last : {1, 2, 3, 50, 64, 65, 100, 127, 128, 129, 500, 1000, 1400}) {
    std::atomic<int> calls{0};
    auto const op = [&](const wide& a, const wide& b) {
      if (calls.fetch_add(1) == last) throw last;
      return wide{then(a.value, b.value)};
    };
    EXPECT_THROW(amity::inclusive_scan(ex::par, in_.begin(), in_.end(), out_.begin(), op), exception_list) << last;
  }
}

TEST_F(wide_scan, operations_may_wait) {
  std::atomic<int> calls{0};
  auto const op = [&](const wide& a, const wide& b) {
    if (calls.fetch_add(1) % 300 == 0) sched::park_until(sched::instant_after(std::chrono::microseconds(300)));
    return wide{then(a.value, b.value)};
  };
  amity::inclusive_scan(ex::par, in_.begin(), in_.end(), out_.begin(), op);
  EXPECT_TRUE(is_right());
}

// The second time nothing is measured, and no element done before the chain.
TEST_F(wide_scan, begins_with_the_first_element) {
  auto const op = [](const wide& a, const wide& b) { return wide{then(a.value, b.value)}; };
  auto const policy = ex::par.with(ex::persistent_auto_chunk_size());
  for (int i = 0; i < 2; ++i) {
    amity::inclusive_scan(policy, in_.begin(), in_.end(), out_.begin(), op);
    EXPECT_TRUE(is_right());
    out_.assign(in_.size(), wide{});
  }
}

TEST_F(wide_scan, several_at_once) {
  auto const op = [](const wide& a, const wide& b) { return wide{then(a.value, b.value)}; };
  std::vector<future<bool>> all;
  for (int i = 0; i < 4; ++i)
    all.push_back(async([&] {
      std::vector<wide> out(in_.size());
      amity::inclusive_scan(ex::par, in_.begin(), in_.end(), out.begin(), op);
      return out[in_.size() - 1].value == std::accumulate(in_.begin() + 1, in_.end(), in_[0], op).value;
    }));
  for (auto& f : all) EXPECT_TRUE(f.get());
}

TEST(scan, of_floating_point_numbers) {
  for (std::size_t n : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1001}) {
    std::vector<double> in(n), expected(n), out(n);
    for (std::size_t i = 0; i < n; ++i) in[i] = static_cast<double>(i % 7) - 2;
    for (const named_policy& p : policies()) {
      std::inclusive_scan(in.begin(), in.end(), expected.begin());
      amity::inclusive_scan(p.policy, in.begin(), in.end(), out.begin());
      EXPECT_EQ(out, expected) << p.name << n;
      std::exclusive_scan(in.begin(), in.end(), expected.begin(), 2.5);
      out = in;
      amity::exclusive_scan(p.policy, out.begin(), out.end(), out.begin(), 2.5, std::plus<double>());  // in place
      EXPECT_EQ(out, expected) << p.name << n;
      auto const sign = [](double x) { return x < 0 ? -1.0f : 2.0f; };
      std::transform_inclusive_scan(in.begin(), in.end(), expected.begin(), std::multiplies<>(), sign);
      amity::transform_inclusive_scan(p.policy, in.begin(), in.end(), out.begin(), std::multiplies<>(), sign);
      EXPECT_EQ(out, expected) << p.name << n;
    }
  }
}

TEST(scan, elements_that_are_made_where_they_are_looked_at) {
  auto const squares = std::views::iota(0, 3000) | std::views::transform([](int x) { return 2.0 * x; });
  auto const words = std::views::iota(0, 300) | std::views::transform([](int x) {
                       return "a string that is too long to lie in place" + std::to_string(x);
                     });
  std::vector<double> sums(3000), expected(3000);
  std::vector<std::string> texts(300), expected_texts(300);
  for (const named_policy& p : policies()) {
    amity::inclusive_scan(p.policy, squares.begin(), squares.end(), sums.begin());
    std::inclusive_scan(squares.begin(), squares.end(), expected.begin());
    EXPECT_EQ(sums, expected) << p.name;
    amity::exclusive_scan(p.policy, squares.begin(), squares.end(), sums.begin(), 1.0);
    std::exclusive_scan(squares.begin(), squares.end(), expected.begin(), 1.0);
    EXPECT_EQ(sums, expected) << p.name;
    amity::transform_inclusive_scan(p.policy, words.begin(), words.end(), texts.begin(), std::plus<>(),
                                    std::identity());
    std::partial_sum(words.begin(), words.end(), expected_texts.begin());
    EXPECT_EQ(texts, expected_texts) << p.name;
  }
}

/// Of numbers, as text; no number converts to it.
struct text {
  std::string digits;
  bool operator==(const text&) const = default;
};
struct digit {
  int value;
};
struct write {
  text operator()(const text& a, const text& b) const { return {a.digits + b.digits}; }
  text operator()(const text& a, digit b) const { return {a.digits + std::to_string(b.value)}; }
  text operator()(digit a, const text& b) const { return {std::to_string(a.value) + b.digits}; }
  text operator()(digit a, digit b) const { return {std::to_string(a.value) + std::to_string(b.value)}; }
};

TEST(scan, sums_that_elements_do_not_convert_to) {
  std::vector<digit> v;
  for (int x : numbers(500, 10)) v.push_back({x});
  std::vector<text> out(500), expected(500);
  std::exclusive_scan(v.begin(), v.end(), expected.begin(), text{">"}, write());
  for (const named_policy& p : policies()) {
    amity::exclusive_scan(p.policy, v.begin(), v.end(), out.begin(), text{">"}, write());
    EXPECT_EQ(out, expected) << p.name;
  }
}

}  // namespace
}  // namespace amity
