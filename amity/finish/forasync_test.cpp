#include "amity/finish/forasync.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <vector>

#include "amity/finish/finish.hpp"

namespace amity {
namespace {

/// How many of `hits` were not hit once by the loop.
template <class Range, class Style, class F>
int missed(Range r, Style style, std::vector<int>& hits, F f) {
  finish([&] { forasync(r, style, f); });
  int wrong = 0;
  for (int& h : hits) {
    wrong += h != 1;
    h = 0;
  }
  return wrong;
}

template <class Range, class F>
void expect_each_once(Range r, std::vector<int>& hits, F f) {
  EXPECT_EQ(missed(r, chunked{}, hits, f), 0);
  EXPECT_EQ(missed(r, recursive{}, hits, f), 0);
  EXPECT_EQ(missed(r, over_places{}, hits, f), 0);
  EXPECT_EQ(missed(r, over_places{.how = distribution::cyclic, .tile = {2, 3}}, hits, f), 0);
  for (std::uint64_t side : {1, 2, 7, 1000}) {
    EXPECT_EQ(missed(r, chunked{.tile = {side, side, 2}}, hits, f), 0) << side;
    EXPECT_EQ(missed(r, recursive{.tile = {side, 9}}, hits, f), 0) << side;
  }
}

TEST(forasync, one_dimension) {
  std::vector<int> hits(6000);
  expect_each_once(range(0, 6000), hits, [&](long i) { ++hits[static_cast<std::size_t>(i)]; });
  expect_each_once(range(-2500, 3500), hits, [&](long i) { ++hits[static_cast<std::size_t>(i + 2500)]; });
}

TEST(forasync, two_to_five_dimensions) {
  std::vector<int> hits(30 * 40);
  auto const hit = [&](long at) { ++hits[static_cast<std::size_t>(at)]; };
  expect_each_once(range2d({0, 30}, {-20, 20}), hits, [&](long i, long j) { hit(i * 40 + j + 20); });
  expect_each_once(range3d({0, 30}, {0, 8}, {0, 5}), hits, [&](long i, long j, long k) { hit((i * 8 + j) * 5 + k); });
  expect_each_once(range_nd<4>({0, 5}, {0, 6}, {0, 8}, {0, 5}), hits,
                   [&](long i, long j, long k, long l) { hit(((i * 6 + j) * 8 + k) * 5 + l); });
  expect_each_once(range_nd<5>({0, 5}, {0, 6}, {1, 3}, {0, 4}, {0, 5}), hits,
                   [&](long i, long j, long k, long l, long m) { hit((((i * 6 + j) * 2 + k - 1) * 4 + l) * 5 + m); });
}

template <class T>
void expect_type_works(T first, T last) {
  auto const n = static_cast<std::size_t>(last - first);
  std::vector<int> hits(n);
  auto const body = [&](auto i) {
    static_assert(std::is_same_v<decltype(i), T>);
    ++hits[static_cast<std::size_t>(i - first)];
  };
  expect_each_once(basic_range<T>(first, last), hits, body);
  finish([&] { forasync(first, last, body); });
  for (int h : hits) EXPECT_EQ(h, 1);
}

TEST(forasync, any_integral_index) {
  expect_type_works<int>(-100, 300);
  expect_type_works<unsigned>(std::numeric_limits<unsigned>::max() - 500, std::numeric_limits<unsigned>::max());
  expect_type_works<std::int8_t>(-128, 127);
  expect_type_works<std::uint8_t>(0, 255);
  expect_type_works<char16_t>(0xff00, 0xffff);
  expect_type_works<long long>(std::numeric_limits<long long>::min(), std::numeric_limits<long long>::min() + 400);
  expect_type_works<std::uint64_t>(std::numeric_limits<std::uint64_t>::max() - 400,
                                   std::numeric_limits<std::uint64_t>::max());
  std::vector<int> hits(12 * 20);
  expect_each_once(range_nd<2, unsigned>({0u, 12u}, {5u, 25u}), hits,
                   [&](unsigned i, unsigned j) { ++hits[i * 20 + j - 5]; });
}

#ifdef __SIZEOF_INT128__
__extension__ using wide = __int128;  // an integral type where the compiler's extensions are

TEST(forasync, numbers_of_128_bits) {
  for (wide const origin : {static_cast<wide>(-7), static_cast<wide>(1) << 100}) {
    std::vector<int> hits(20);
    auto const count = [&](wide i) { ++hits[static_cast<std::size_t>(i - origin)]; };
    basic_range<wide> const r(origin, origin + 20);
    EXPECT_EQ(missed(r, chunked{}, hits, count), 0);
    EXPECT_EQ(missed(r, recursive{.tile = {3}}, hits, count), 0);
  }
}
#endif

TEST(forasync, bounds_of_different_types) {
  std::atomic<std::size_t> sum{0};
  std::vector<int> const v(100, 3);
  finish([&] {
    forasync(0, v.size(), [&](std::size_t i) { sum += static_cast<std::size_t>(v[i]); });
    forasync(5, 3L, [&](long) { sum += 1000; });
  });
  EXPECT_EQ(sum, 300u);
}

TEST(forasync, an_empty_side_is_an_empty_loop) {
  std::atomic<int> calls{0};
  finish([&] {
    forasync(range(5, 5), [&](long) { ++calls; });
    forasync(range(5, -5), recursive{}, [&](long) { ++calls; });
    forasync(range2d({0, 10}, {3, 3}), [&](long, long) { ++calls; });
    forasync(range3d({0, 10}, {4, 3}, {0, 10}), over_places{}, [&](long, long, long) { ++calls; });
  });
  EXPECT_EQ(calls, 0);
}

TEST(forasync, sides_too_long_for_a_task_each) {
  std::atomic<std::uint64_t> calls{0};
  auto const most = std::numeric_limits<std::uint64_t>::max();
  finish(
      [&] { forasync(basic_range<std::uint64_t>(0, 100), chunked{.tile = {most}}, [&](std::uint64_t) { ++calls; }); });
  EXPECT_EQ(calls, 100u);
}

}  // namespace
}  // namespace amity
