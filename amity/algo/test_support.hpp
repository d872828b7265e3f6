#pragma once

/// What the tests of the algorithms share: four workers wherever they run, policies that cut in different ways, sizes
/// around the borders of chunks, and numbers from fixed seeds.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <random>
#include <string>
#include <vector>

#include "amity/algo/execution.hpp"
#include "amity/algo/executor.hpp"
#include "amity/base/config.hpp"

namespace amity::algo_test {

/// Before the pool is started.
inline int const four_workers = setenv("AMITY_THREADS", "4", 0);

struct named_policy {
  const char* name;
  execution::parallel_policy policy;
};

inline std::vector<named_policy> policies() {
  using namespace execution;
  return {{"par", par},
          {"static", par.with(static_chunk_size())},
          {"static 7", par.with(static_chunk_size(7))},
          {"static 1000", par.with(static_chunk_size(1000))},
          {"dynamic 13", par.with(dynamic_chunk_size(13))},
          {"guided 2", par.with(guided_chunk_size(2))},
          {"short chunks", par.with(auto_chunk_size(std::chrono::nanoseconds(1)))},
          {"fork_join 2", par.on(fork_join_executor(2))},
          {"two at a time", par.on(limiting_executor(parallel_executor(), 2)).with(static_chunk_size(50))},
          {"sequenced", par.on(sequenced_executor())}};
}

inline std::vector<std::size_t> sizes() {
  std::vector<std::size_t> all{0, 1, 2, 3, 4, 5, 7, 8, 13, 31, 64, 127, 1009, 4096, 10007};
  if (!base::thread_sanitizer) all.push_back(100003);  // it makes all of this ten times slower
  return all;
}

/// `f(policy, n)` for each of both.
template <class F>
void for_all(F f) {
  for (const named_policy& p : policies())
    for (std::size_t n : sizes()) {
      SCOPED_TRACE(std::string(p.name) + ", " + std::to_string(n) + " elements");
      f(p.policy, n);
      if (::testing::Test::HasFatalFailure()) return;
    }
}

/// n numbers in [0, below).
inline std::vector<int> numbers(std::size_t n, int below, unsigned seed = 1) {
  std::mt19937 random(seed + static_cast<unsigned>(n));
  std::uniform_int_distribution<int> pick(0, below - 1);
  std::vector<int> v(n);
  for (int& x : v) x = pick(random);
  return v;
}

/// What `error` holds, a T.
template <class T>
T thrown(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const T& t) {
    return t;
  }
}

inline bool is_even(int x) { return x % 2 == 0; }

}  // namespace amity::algo_test
