#include "amity/algo/sort.hpp"

namespace amity::algo {
namespace {

/// A part of fewer elements is not worth a task.
constexpr index smallest_part = 512;
/// More levels only add passes over the memory.
constexpr unsigned most_levels = 12;

}  // namespace

unsigned sort_levels(const settings& how, index n, bool odd) noexcept {
  index const parts = how.how == chunking::automatic || how.chunk == 0 ? index{4} * parties(how)
                                                                       : n / how.chunk + (n % how.chunk != 0 ? 1 : 0);
  index const smallest = how.how == chunking::automatic ? smallest_part : 1;
  unsigned levels = odd ? 1 : 2;
  while ((index{1} << levels) < parts && levels + 2 <= most_levels) levels += 2;
  while ((n >> levels) < smallest) {
    if (levels <= 2) return 0;
    levels -= 2;
  }
  return levels;
}

}  // namespace amity::algo
