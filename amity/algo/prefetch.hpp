#pragma once

/// Software prefetch, for loops that go through long ranges from front to back.
///
/// A processor's own prefetchers look a few lines ahead, and stop where a page of 4 KiB ends: they follow physical
/// addresses. For memory that is in no cache that is too little to keep a core's share of the bandwidth busy, most of
/// all in a virtual machine, which walks two page tables for the next address. So each line is asked for one page
/// ahead. What lies in a cache comes soon enough, and asking for it again only costs time. AMD's prefetchers keep up by
/// themselves, and asking costs time as well: there, and on processors that nobody has measured, nothing is asked for.
/// README.md has the measurements.

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>

#include "amity/algo/partition.hpp"

namespace amity::algo {

inline constexpr std::size_t bytes_ahead = 4096;
inline constexpr std::size_t bytes_at_once = 1024;  ///< less: loops too short to be fast; more: memory rests
inline constexpr std::size_t bytes_of_line = 64;
/// A usual share of the last cache: ranges that are shorter may be there.
inline constexpr std::size_t bytes_in_cache = std::size_t{32} << 20;

/// Whether this processor gains from being asked: Intel's do.
[[nodiscard]] AMITY_API bool prefetch_pays() noexcept;

/// Its elements lie side by side in memory, and each step of a loop needs the next ones.
template <class It>
concept prefetchable = std::contiguous_iterator<It> && sizeof(std::iter_value_t<It>) <= bytes_of_line;

template <class It>
inline constexpr std::size_t prefetched_size = 0;
template <prefetchable It>
inline constexpr std::size_t prefetched_size<It> = sizeof(std::iter_value_t<It>);

/// Where the elements of `first` lie; null: not side by side.
template <class It>
[[nodiscard]] const char* prefetched_begin(const It& first) noexcept {
  if constexpr (prefetchable<It>)
    return const_cast<const char*>(
        static_cast<const volatile char*>(static_cast<const volatile void*>(std::to_address(first))));
  else
    return nullptr;
}

/// What loops through [0, n) of some ranges need soon. Those whose elements do not lie side by side are left out.
template <class... It>
class prefetcher {
 public:
  explicit prefetcher(index n, const It&... first) noexcept : begin_{prefetched_begin(first)..., nullptr} {
    if constexpr (largest != 0) asks_ = n >= bytes_in_cache / (prefetched_size<It> + ...) && prefetch_pays();
  }

  /// Asks on any processor, and whatever the length: for tests.
  [[nodiscard]] prefetcher asking() const noexcept {
    prefetcher p = *this;
    p.asks_ = true;
    return p;
  }

  /// `body(first, last)` for neighbours that make up [from, to), in their order.
  template <class Body>
  void steps(index from, index to, Body&& body) const {
    while (from < to) {
      index end = to;
      if constexpr (largest != 0) {
        constexpr index at_once = bytes_at_once / largest, ahead = bytes_ahead / largest;
        if (asks_ && to - from > ahead + at_once) {
          end = from + at_once;
          // Not by a function of its own: gcc takes one that only prefetches for one without effect.
          for (std::size_t r = 0; r < sizeof...(It); ++r)
            for (index byte = 0; byte < at_once * size[r]; byte += bytes_of_line)
              __builtin_prefetch(begin_[r] + (from + ahead) * size[r] + byte);
        }
      }
      body(from, end);
      from = end;
    }
  }

 private:
  // One more than there are ranges: there may be none.
  static constexpr std::size_t size[] = {prefetched_size<It>..., 0};
  static constexpr std::size_t largest = std::max({prefetched_size<It>..., std::size_t{0}});

  const char* begin_[sizeof...(It) + 1];
  bool asks_ = false;
};

}  // namespace amity::algo
