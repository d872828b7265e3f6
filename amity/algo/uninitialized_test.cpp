#include "amity/algo/uninitialized.hpp"

#include <span>

#include "amity/algo/test_support.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;

/// Counts its lives; 13 can't be copied.
struct counted {
  static inline std::atomic<long> alive{0};
  std::string text = "a string that needs memory of its own";
  int value = 1;
  counted() { ++alive; }
  explicit counted(int v) : value(v) { ++alive; }
  counted(const counted& other) : value(other.value) {
    if (value == 13) throw std::runtime_error("planted");
    ++alive;
  }
  counted(counted&& other) noexcept : value(other.value) {
    other.value = 0;
    ++alive;
  }
  ~counted() { --alive; }
};

TEST(uninitialized, constructs_and_destroys) {
  for_all([](const auto& policy, std::size_t n) {
    if (n > 20000) return;
    algo::raw_memory<counted> raw(n);
    counted* const first = raw.data();
    counted* const last = first + n;
    auto const check = [&](int value) {
      ASSERT_EQ(counted::alive, static_cast<long>(n));
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(first[i].value, value);
      amity::destroy(policy, first, last);
      ASSERT_EQ(counted::alive, 0);
    };
    amity::uninitialized_default_construct(policy, first, last);
    check(1);
    EXPECT_EQ(amity::uninitialized_default_construct_n(policy, first, n), last);
    check(1);
    amity::uninitialized_value_construct(policy, first, last);
    check(1);
    EXPECT_EQ(amity::uninitialized_value_construct_n(policy, first, n), last);
    check(1);
    {
      counted const five(5);
      amity::uninitialized_fill_n(policy, first, n, five);
    }
    check(5);
    {
      counted const six(6);
      amity::uninitialized_fill(policy, first, last, six);
    }
    EXPECT_EQ(amity::destroy_n(policy, first, n), last);
    EXPECT_EQ(counted::alive, 0);
  });
}

TEST(uninitialized, copies_and_moves) {
  for_all([](const auto& policy, std::size_t n) {
    if (n > 20000) return;
    std::vector<counted> v(n);
    algo::raw_memory<counted> raw(n);
    EXPECT_EQ(amity::uninitialized_copy(policy, v.begin(), v.end(), raw.data()), raw.data() + n);
    EXPECT_EQ(counted::alive, static_cast<long>(2 * n));
    amity::ranges::destroy(policy, std::span(raw.data(), n));
    EXPECT_EQ(amity::uninitialized_copy_n(policy, v.begin(), n, raw.data()), raw.data() + n);
    amity::destroy_n(policy, raw.data(), n);
    EXPECT_EQ(amity::uninitialized_move(policy, v.begin(), v.end(), raw.data()), raw.data() + n);
    for (const counted& c : v) ASSERT_EQ(c.value, 0);
    amity::destroy_n(policy, raw.data(), n);
    EXPECT_EQ(amity::uninitialized_move_n(policy, v.begin(), n, raw.data()), std::pair(v.end(), raw.data() + n));
    amity::destroy_n(policy, raw.data(), n);
  });
  EXPECT_EQ(counted::alive, 0);
}

TEST(uninitialized, what_was_made_before_an_exception_is_destroyed) {
  for (const named_policy& p : policies())
    for (std::size_t bad : {0, 1, 500, 2999}) {
      std::vector<counted> v(3000);
      v[bad].value = 13;
      algo::raw_memory<counted> raw(3000);
      EXPECT_THROW(amity::uninitialized_copy(p.policy, v.begin(), v.end(), raw.data()), std::runtime_error);
      EXPECT_EQ(counted::alive, 3000) << p.name;
    }
}

TEST(uninitialized, without_a_policy_and_as_a_future) {
  algo::raw_memory<counted> raw(100);
  amity::uninitialized_value_construct(raw.data(), raw.data() + 100);
  EXPECT_EQ(counted::alive, 100);
  amity::destroy(ex::par(ex::task), raw.data(), raw.data() + 100).get();
  EXPECT_EQ(counted::alive, 0);
}

}  // namespace
}  // namespace amity
