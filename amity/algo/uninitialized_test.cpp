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
      EXPECT_THROW(amity::uninitialized_copy(p.policy, v.begin(), v.end(), raw.data()), exception_list);
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

TEST(uninitialized, relocates) {
  namespace xp = experimental;
  for_all([](const auto& policy, std::size_t n) {
    if (n > 20000) return;
    algo::raw_memory<counted> here(n), there(n), wide(n + 3);
    for (std::size_t i = 0; i < n; ++i) ::new (here.data() + i) counted(static_cast<int>(i));
    auto const check = [n](const counted* first) {
      EXPECT_EQ(counted::alive, static_cast<long>(n));
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(first[i].value, static_cast<int>(i));
    };
    EXPECT_EQ(xp::uninitialized_relocate(policy, here.data(), here.data() + n, there.data()), there.data() + n);
    check(there.data());
    EXPECT_EQ(xp::uninitialized_relocate_n(policy, there.data(), n, wide.data() + 3),
              std::pair(there.data() + n, wide.data() + n + 3));
    check(wide.data() + 3);
    xp::uninitialized_relocate(policy, wide.data() + 3, wide.data() + n + 3, wide.data() + 1);  // they overlap
    check(wide.data() + 1);
    EXPECT_EQ(xp::uninitialized_relocate_backward(policy, wide.data() + 1, wide.data() + n + 1, wide.data() + n + 3),
              wide.data() + 3);
    check(wide.data() + 3);
    xp::uninitialized_relocate_backward(policy, wide.data() + 3, wide.data() + n + 3, here.data() + n);
    check(here.data());
    amity::destroy(policy, here.data(), here.data() + n);
  });
  EXPECT_EQ(xp::uninitialized_relocate_n(ex::par, static_cast<int*>(nullptr), -1, static_cast<int*>(nullptr)).first,
            nullptr);
}

/// The fifth move throws.
struct moves_badly {
  static inline int moves = 0, alive = 0;
  moves_badly() { ++alive; }
  moves_badly(moves_badly&&) {
    if (++moves == 5) throw 42;
    ++alive;
  }
  ~moves_badly() { --alive; }
};

TEST(uninitialized, nothing_is_left_of_a_relocation_that_throws) {
  for (bool backward : {false, true}) {
    algo::raw_memory<moves_badly> here(10), there(10);
    std::uninitialized_default_construct_n(here.data(), 10);
    moves_badly::moves = 0;
    if (backward)
      EXPECT_THROW(experimental::uninitialized_relocate_backward(ex::par.with(ex::static_chunk_size(1)), here.data(),
                                                                 here.data() + 10, there.data() + 10),
                   exception_list);
    else
      EXPECT_THROW(experimental::uninitialized_relocate(ex::par.with(ex::static_chunk_size(1)), here.data(),
                                                        here.data() + 10, there.data()),
                   exception_list);
    EXPECT_EQ(moves_badly::alive, 0);
  }
}

}  // namespace
}  // namespace amity
