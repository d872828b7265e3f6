// Copies between vectors of one process and partitioned ones.
#pragma once

#include <vector>

#include "check.hpp"

namespace test {

template <class T>
amity::partitioned_vector<T> scattered(const std::vector<T>& from, const amity::block_layout& layout) {
  amity::partitioned_vector<T> v(from.size(), layout);
  amity::copy(amity::execution::par, from.begin(), from.end(), v.begin());
  return v;
}
template <class T>
std::vector<T> gathered(const amity::partitioned_vector<T>& v) {
  std::vector<T> all(v.size());
  amity::copy(amity::execution::par, v.begin(), v.end(), all.begin());
  return all;
}

}  // namespace test
