#include "amity/algo/own_chunker.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <vector>

#include "amity/algo/for_each.hpp"
#include "amity/algo/partition.hpp"
#include "amity/algo/reduce.hpp"
#include "amity/algo/test_support.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;
namespace x = execution::experimental;

/// How many elements each chunk of n has with this policy.
template <class Policy>
std::multiset<algo::index> chunks_of(const Policy& policy, algo::index n) {
  std::mutex lock;
  std::multiset<algo::index> sizes;
  algo::over_elements(policy.settings(), n, [&](algo::index first, algo::index last) {
    std::lock_guard const guard(lock);
    sizes.insert(last - first);
  });
  return sizes;
}

/// By a member function.
struct seven_each {
  template <class Executor>
  std::size_t get_chunk_size(Executor&&, std::chrono::nanoseconds, std::size_t, std::size_t) const {
    return 7;
  }
};
/// By tag_invoke.
struct a_tenth {
  template <class Executor>
  friend std::size_t tag_invoke(x::get_chunk_size_t, const a_tenth&, const Executor&, std::chrono::nanoseconds,
                                std::size_t cores, std::size_t n) {
    EXPECT_EQ(cores, worker_count());
    return n / 10;
  }
};
struct at_most_three_chunks {
  template <class Executor>
  std::size_t maximal_number_of_chunks(Executor&&, std::size_t, std::size_t) const {
    return 3;
  }
};
struct by_two {
  template <class Executor>
  std::size_t processing_units_count(Executor&&, std::chrono::nanoseconds, std::size_t) const {
    return 2;
  }
  template <class Executor>
  std::size_t get_chunk_size(Executor&&, std::chrono::nanoseconds, std::size_t cores, std::size_t n) const {
    return n / cores;
  }
};
struct throws {
  template <class Executor>
  std::size_t get_chunk_size(Executor&&, std::chrono::nanoseconds, std::size_t, std::size_t) const {
    throw std::runtime_error("no");
  }
};

TEST(own_chunker, says_how_large_chunks_are) {
  EXPECT_EQ(chunks_of(ex::par.with(seven_each()), 70), (std::multiset<algo::index>{7, 7, 7, 7, 7, 7, 7, 7, 7, 7}));
  EXPECT_EQ(chunks_of(ex::par.with(a_tenth()), 1000).count(100), 10u);
  EXPECT_EQ(chunks_of(ex::par.with(at_most_three_chunks()), 1000).size(), 3u);
  EXPECT_EQ(chunks_of(ex::par.with(by_two()), 1000), (std::multiset<algo::index>{500, 500}));
  EXPECT_EQ(chunks_of(ex::par.with(seven_each(), ex::max_num_chunks(2)), 70).size(), 2u);
  EXPECT_EQ(chunks_of(ex::par.with(seven_each()), 0).size(), 0u);
}

TEST(own_chunker, what_it_does_not_say_is_chosen) {
  EXPECT_EQ(chunks_of(ex::par.with(throws()), 1000).size(), worker_count());
  EXPECT_EQ(chunks_of(ex::par.with(seven_each()).with(ex::static_chunk_size(100)), 1000).size(), 10u);
}

TEST(own_chunker, algorithms_with_one) {
  std::vector<int> v(10000);
  std::iota(v.begin(), v.end(), 0);
  EXPECT_EQ(amity::reduce(ex::par.with(seven_each()), v.begin(), v.end(), 0L), 49995000L);
  EXPECT_EQ(amity::reduce(ex::seq.with(seven_each()), v.begin(), v.end(), 0L), 49995000L);
  EXPECT_EQ(amity::reduce(ex::par.with(a_tenth())(ex::task), v.begin(), v.end(), 0L).get(), 49995000L);
  amity::for_each(ex::par.with(by_two()), v.begin(), v.end(), [](int& i) { ++i; });
  EXPECT_EQ(std::accumulate(v.begin(), v.end(), 0L), 50005000L);
  EXPECT_EQ(x::get_chunk_size(seven_each(), ex::parallel_executor(), std::chrono::nanoseconds(), 4, 100), 7u);
  EXPECT_EQ(x::processing_units_count(seven_each(), ex::parallel_executor(), std::chrono::nanoseconds(), 100), 0u);
}

}  // namespace
}  // namespace amity
