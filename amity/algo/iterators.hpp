#pragma once

/// Positions in ranges, and walks through those that can't be indexed.

#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/algo/algorithm.hpp"
#include "amity/algo/partition.hpp"
#include "amity/algo/prefetch.hpp"

namespace amity::algo {

template <class It>
using value_of = typename std::iterator_traits<It>::value_type;

template <class It>
[[nodiscard]] It at(It first, index i) {
  return first + static_cast<std::iter_difference_t<It>>(i);
}
template <class It>
[[nodiscard]] index length(It first, It last) {
  if constexpr (is_random_access_v<It>)
    return static_cast<index>(last - first);
  else
    return static_cast<index>(std::distance(first, last));
}
template <class It>
void advance_by(It& it, index n) {
  if constexpr (is_random_access_v<It>)
    it += static_cast<std::iter_difference_t<It>>(n);
  else
    for (; n != 0; --n) ++it;
}

/// Whether two iterators stand at the same element, as far as their types tell: of one type, one that turns into the
/// other (an iterator and a const_iterator), or both into memory.
template <class It, class Other>
[[nodiscard]] bool same_place(const It& a, const Other& b) {
  if constexpr (std::contiguous_iterator<It> && std::contiguous_iterator<Other>)
    return static_cast<const volatile void*>(std::to_address(a)) ==
           static_cast<const volatile void*>(std::to_address(b));
  else if constexpr (std::is_convertible_v<const Other&, It>)
    return a == static_cast<It>(b);
  else
    return false;
}

/// Numbers in the order that they have: cheap to load twice and to copy, and dear to branch on.
template <class T, class Less>
inline constexpr bool without_branches = std::is_arithmetic_v<T> &&
                                         (std::is_same_v<Less, std::less<>> || std::is_same_v<Less, std::greater<>> ||
                                          std::is_same_v<Less, std::less<T>> || std::is_same_v<Less, std::greater<T>>);

/// Where each chunk begins; `first` are the first one's.
template <class... It>
[[nodiscard]] std::vector<std::tuple<It...>> begins_of_chunks(const partition& p, It... first) {
  std::vector<std::tuple<It...>> begins;
  begins.reserve(p.chunks());
  for (index c = 0; c < p.chunks(); ++c) {
    begins.emplace_back(first...);
    if (c + 1 < p.chunks()) (advance_by(first, p.first_of(c + 1) - p.first_of(c)), ...);
  }
  return begins;
}

/// `body(count, iterators...)` for neighbours, which it moves to behind them, from the first to the n-th.
template <class Body, class... It>
void step_through(index n, Body&& body, It... first) {
  prefetcher<It...>(n, first...).steps(0, n, [&](index from, index to) { body(to - from, first...); });
}

/// The same by all. Forward iterators will do: the caller goes through the range once to find where chunks begin, if it
/// is worth sharing at all.
template <class Body, class... It>
void over_iterators(const settings& how, index n, Body body, It... first) {
  if constexpr ((is_random_access_v<It> && ...)) {
    prefetcher<It...> const ahead(n, first...);
    over_elements(how, n, [&](index from, index to) {
      [&](It... it) {
        ahead.steps(from, to, [&](index begin, index end) { body(end - begin, it...); });
      }(at(first, from)...);
    });
  } else {
    partition p(how, n, most_slots);
    if (!over_first(p, [&](std::size_t, index from, index to) { body(to - from, first...); })) return;
    auto begins = begins_of_chunks(p, first...);
    over_chunks(p, [&](std::size_t slot, index from, index to) {
      std::apply([&](auto&... begin) { body(to - from, begin...); }, begins[slot - 1]);
    });
  }
}

/// `body(result, from, count, iterator)` for neighbours, with a result for each slot. The iterator need not be one of
/// random access.
template <class T, class Body, class It>
void over_slots_and_iterators(const settings& how, index n, slot_results<T>& results, Body body, It first) {
  partition p(how, n, most_slots);
  if (!over_first(p, [&](std::size_t, index from, index to) { body(results.probed, from, to - from, first); })) return;
  auto begins = begins_of_chunks(p, first);
  results.chunks.resize(p.chunks());
  over_chunks(p, [&](std::size_t slot, index from, index to) {
    body(results.chunks[slot - 1], from, to - from, std::get<0>(begins[slot - 1]));
  });
}

/// Memory for n objects, without them; none if there is not enough.
template <class T>
class raw_memory {
 public:
  explicit raw_memory(index n) noexcept
      : first_(static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(alignof(T)), std::nothrow))) {}
  raw_memory(const raw_memory&) = delete;
  raw_memory& operator=(const raw_memory&) = delete;
  ~raw_memory() { ::operator delete(first_, std::align_val_t(alignof(T))); }
  [[nodiscard]] T* data() const noexcept { return first_; }

 private:
  T* first_;
};

/// Objects that were moved away for a while, in parallel. Requires: moving them does not throw.
template <class T>
class moved_away {
 public:
  explicit moved_away(index n) noexcept : memory_(n), n_(n) {}
  moved_away(const moved_away&) = delete;
  moved_away& operator=(const moved_away&) = delete;
  ~moved_away() {
    if (!std::is_trivially_destructible_v<T> && full_) std::destroy_n(memory_.data(), n_);
  }
  /// There was memory for it.
  [[nodiscard]] explicit operator bool() const noexcept { return memory_.data() != nullptr; }
  [[nodiscard]] T* data() const noexcept { return memory_.data(); }
  /// All n have been constructed.
  void filled() noexcept { full_ = true; }

  static constexpr bool possible = std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>;

 private:
  raw_memory<T> memory_;
  index n_;
  bool full_ = false;
};

}  // namespace amity::algo
