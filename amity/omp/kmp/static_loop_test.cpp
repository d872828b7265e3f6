#include "amity/omp/kmp/static_loop.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

using namespace amity::omp::kmp;

namespace {

/// A loop of eight bits: small enough to try its ends with everything.
template <class Int>
struct loop {
  Int lower, end;
  std::make_signed_t<Int> increment;
  [[nodiscard]] bool goes_on(int lower_now, int upper_now) const {
    return increment > 0 ? lower_now <= upper_now : lower_now >= upper_now;
  }
  /// No stride leads out of such a loop, because no number of the type is behind it.
  [[nodiscard]] bool ends_with_the_type() const {
    return end == (increment > 0 ? std::numeric_limits<Int>::max() : std::numeric_limits<Int>::min());
  }
};

/// The numbers that clang's code runs through as number `me` of `n`. Stops a loop that would not.
template <class Int>
std::vector<int> run_as(const loop<Int>& l, std::make_signed_t<Int> chunk, std::uint64_t me, std::uint64_t n,
                        bool* has_last) {
  Int lower = l.lower, upper = l.end;
  std::make_signed_t<Int> stride = 0;
  *has_last = deal_chunks(me, n, trip_count(l.lower, l.end, l.increment), &lower, &upper, &stride, l.increment, chunk);
  std::vector<int> numbers;
  for (int rounds = 0; rounds < 300; ++rounds) {
    upper = l.increment > 0 ? std::min(upper, l.end) : std::max(upper, l.end);
    if (!l.goes_on(lower, upper)) return numbers;
    for (int i = lower; l.goes_on(i, upper); i += l.increment) numbers.push_back(i);
    if (l.ends_with_the_type()) return numbers;
    lower = static_cast<Int>(lower + stride);
    upper = static_cast<Int>(upper + stride);
  }
  ADD_FAILURE() << "runs for ever";
  return numbers;
}

/// All iterations, each once, and the last one with whom it is said to be.
template <class Int>
void expect_whole(const loop<Int>& l, std::make_signed_t<Int> chunk, std::uint64_t n) {
  std::vector<int> expected, got;
  for (int i = l.lower; l.goes_on(i, l.end); i += l.increment) expected.push_back(i);
  if (expected.empty() || (l.ends_with_the_type() && static_cast<std::size_t>(chunk) * n < expected.size())) return;
  int lasts = 0;
  for (std::uint64_t me = 0; me < n; ++me) {
    bool has_last = false;
    std::vector<int> const numbers = run_as(l, chunk, me, n, &has_last);
    got.insert(got.end(), numbers.begin(), numbers.end());
    lasts += has_last;
    ASSERT_EQ(has_last, std::find(numbers.begin(), numbers.end(), expected.back()) != numbers.end());
  }
  std::sort(got.begin(), got.end());
  if (l.increment < 0) std::sort(expected.begin(), expected.end());
  ASSERT_EQ(got, expected) << int{l.lower} << " to " << int{l.end} << " by " << int{l.increment} << ", chunk "
                           << int{chunk} << ", " << n << " threads";
  ASSERT_EQ(lasts, 1);
}

template <class Int>
void try_all_ends() {
  constexpr int low = std::numeric_limits<Int>::min(), high = std::numeric_limits<Int>::max();
  constexpr int bounds[] = {low, low + 1, low + 2, low + 30, (low + high) / 2, high - 99, high - 7, high - 1, high};
  for (int lower : bounds)
    for (int end : bounds)
      for (int increment : {1, 2, 7, 100, 127, -1, -3, -128})
        for (int chunk : {1, 2, 3, 16, 50, 126, 127})
          for (std::uint64_t n : {1, 2, 3, 8, 33, 300})
            expect_whole<Int>(
                {static_cast<Int>(lower), static_cast<Int>(end), static_cast<std::make_signed_t<Int>>(increment)},
                static_cast<std::make_signed_t<Int>>(chunk), n);
}

TEST(static_loop, each_iteration_once_at_the_ends_of_a_signed_type) { try_all_ends<std::int8_t>(); }
TEST(static_loop, each_iteration_once_at_the_ends_of_an_unsigned_type) { try_all_ends<std::uint8_t>(); }

TEST(static_loop, a_chunk_beyond_the_loop_is_the_first_ones_alone) {
  std::int32_t lower = 0, upper = 999, stride = 0;
  EXPECT_TRUE(deal_chunks(0, 8, 1000, &lower, &upper, &stride, 1, 0x7fffffff));
  EXPECT_EQ(lower, 0);
  EXPECT_EQ(upper, 999);
  lower = 0, upper = 999;
  EXPECT_FALSE(deal_chunks(7, 8, 1000, &lower, &upper, &stride, 1, 0x7fffffff));
  EXPECT_GT(lower, 999);
}

TEST(static_loop, chunks_of_64_bits_do_not_wrap) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (std::uint64_t me = 0; me < 8; ++me) {
    std::int64_t lower = 0, upper = most - 1, stride = 0;
    EXPECT_EQ(deal_chunks<std::int64_t>(me, 8, static_cast<std::uint64_t>(most), &lower, &upper, &stride, 1, most / 2),
              me == 2);
    if (me > 2)
      EXPECT_GT(lower, upper);
    else
      EXPECT_EQ(lower + stride, most);  // one behind the loop's last
  }
}

}  // namespace
