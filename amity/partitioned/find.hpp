#pragma once

/// find, find_if, find_if_not, adjacent_find, is_sorted, is_sorted_until, min_element, max_element, minmax_element
/// over partitioned vectors. A sequential search stops at the first run that has something; a parallel one asks all
/// processes.

#include <algorithm>
#include <functional>
#include <optional>

#include "amity/algo/compare.hpp"
#include "amity/algo/find.hpp"
#include "amity/algo/minmax.hpp"
#include "amity/partitioned/for_each.hpp"

namespace amity::partitioned {

/// The first element that `work(parallel, first, last, args...)` finds within a run; it gives the number there, or the
/// run's size.
template <class T, class Work, class... Args>
iterator<T> first_found(bool parallel, iterator<T> first, iterator<T> last, Work work, const Args&... args) {
  std::size_t const n = length(first, last);
  auto const search = [&](iterator<T> from, std::size_t size) {
    return at_owners(parallel, from, size, work, args...);
  };
  auto const runs = runs_of(n, first);
  if (parallel) {
    auto const found = search(first, n);
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (found[i] != runs[i].size) return first + static_cast<std::ptrdiff_t>(runs[i].at + found[i]);
    return last;
  }
  for (const run& r : runs)
    if (std::size_t const found = search(first + static_cast<std::ptrdiff_t>(r.at), r.size).front(); found != r.size)
      return first + static_cast<std::ptrdiff_t>(r.at + found);
  return last;
}

template <class A, class T, class F>
iterator<T> first_by(bool parallel, iterator<T> first, iterator<T> last, F f) {
  return first_found(parallel, first, last, [f = portable(f)](bool par, const T* from, const T* to) {
    return static_cast<std::size_t>(run_here<A>(par, from, to, f.here()) - from);
  });
}
template <class T, class F>
iterator<T> run_over_segments(algo::find_if_algorithm, bool parallel, iterator<T> first, iterator<T> last, F f) {
  return first_by<algo::find_if_algorithm>(parallel, first, last, std::move(f));
}
template <class T, class F>
iterator<T> run_over_segments(algo::find_if_not_algorithm, bool parallel, iterator<T> first, iterator<T> last, F f) {
  return first_by<algo::find_if_not_algorithm>(parallel, first, last, std::move(f));
}
template <class T, class V>
iterator<T> run_over_segments(algo::find_algorithm, bool parallel, iterator<T> first, iterator<T> last,
                              const V& value) {
  return first_found(
      parallel, first, last,
      [](bool par, const T* from, const T* to, const V& v) {
        return static_cast<std::size_t>(run_here<algo::find_algorithm>(par, from, to, v) - from);
      },
      value);
}

// --- neighbours

/// The first of two neighbours that `f` holds for; each run looks at the first element behind it as well.
template <class T, class F = std::equal_to<>>
iterator<T> run_over_segments(algo::adjacent_find_algorithm, bool parallel, iterator<T> first, iterator<T> last,
                              F f = {}) {
  std::size_t const n = length(first, last);
  auto const runs = runs_of(n, first);
  auto const found = over_runs(parallel, runs, [&](const run& r) {
    global_ptr<T> const at = pointer_at(first, r);
    bool const is_last = r.at + r.size == n;
    return pgas::detail::own_rpc(
        at.where(), [at, size = r.size, parallel, f = portable(f),
                     behind = is_last ? global_ptr<T>() : pointer_at(first, run{r.at + r.size, 1})] {
          const T* const from = at.raw_ptr();
          const T* const hit = run_here<algo::adjacent_find_algorithm>(parallel, from, from + size, f.here());
          if (hit != from + size || behind.is_null()) return static_cast<std::size_t>(hit - from);
          seen<T> const next(behind, 1);
          return f.here()(from[size - 1], *next.begin()) ? size - 1 : size;
        });
  });
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (found[i] != runs[i].size) return first + static_cast<std::ptrdiff_t>(runs[i].at + found[i]);
  return last;
}

template <class Less>
struct is_out_of_order {
  portable<Less> less;
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return less.here()(b, a);
  }
};
template <class T, class Less = std::less<>>
iterator<T> run_over_segments(algo::is_sorted_until_algorithm, bool parallel, iterator<T> first, iterator<T> last,
                              Less less = {}) {
  iterator<T> const before =
      run_over_segments(algo::adjacent_find_algorithm(), parallel, first, last, is_out_of_order<Less>{portable(less)});
  return before == last ? last : before + 1;
}
template <class T, class Less = std::less<>>
bool run_over_segments(algo::is_sorted_algorithm, bool parallel, iterator<T> first, iterator<T> last, Less less = {}) {
  return run_over_segments(algo::is_sorted_until_algorithm(), parallel, first, last, std::move(less)) == last;
}

// --- extremes

/// An element and its number behind the begin of the range.
template <class T>
struct numbered {
  std::size_t at = 0;
  T value{};
  template <class Archive>
  void serialize(Archive& ar) {
    ar(at, value);
  }
};

/// What A finds in each run.
template <class A, class T, class Less>
std::vector<numbered<std::remove_const_t<T>>> extremes_of(bool parallel, iterator<T> first, iterator<T> last,
                                                          Less less) {
  auto all =
      at_owners(parallel, first, length(first, last), [less = portable(less)](bool par, const T* from, const T* to) {
        const T* const it = run_here<A>(par, from, to, less.here());
        return numbered<std::remove_const_t<T>>{static_cast<std::size_t>(it - from), *it};
      });
  auto const runs = runs_of(length(first, last), first);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].at += runs[i].at;
  return all;
}

/// What A finds in the whole range: `pick` is std's algorithm over what it found in each run.
template <class A, class T, class Less, class Pick>
iterator<T> extreme_of(bool parallel, iterator<T> first, iterator<T> last, Less less, Pick pick) {
  auto const all = extremes_of<A>(parallel, first, last, less);
  auto const it = pick(all.begin(), all.end(), [&](auto& a, auto& b) { return less(a.value, b.value); });
  return it == all.end() ? last : first + static_cast<std::ptrdiff_t>(it->at);
}

template <class T, class Less = std::less<>>
iterator<T> run_over_segments(algo::min_element_algorithm, bool parallel, iterator<T> first, iterator<T> last,
                              Less less = {}) {
  return extreme_of<algo::min_element_algorithm>(
      parallel, first, last, less, [](auto from, auto to, auto by) { return std::min_element(from, to, by); });
}
template <class T, class Less = std::less<>>
iterator<T> run_over_segments(algo::max_element_algorithm, bool parallel, iterator<T> first, iterator<T> last,
                              Less less = {}) {
  return extreme_of<algo::max_element_algorithm>(
      parallel, first, last, less, [](auto from, auto to, auto by) { return std::max_element(from, to, by); });
}

/// As std's: the first smallest, the last largest.
template <class T, class Less = std::less<>>
std::pair<iterator<T>, iterator<T>> run_over_segments(algo::minmax_element_algorithm, bool parallel, iterator<T> first,
                                                      iterator<T> last, Less less = {}) {
  using value = numbered<std::remove_const_t<T>>;
  auto const both =
      at_owners(parallel, first, length(first, last), [less = portable(less)](bool par, const T* from, const T* to) {
        auto const [a, b] = run_here<algo::minmax_element_algorithm>(par, from, to, less.here());
        return std::pair(value{static_cast<std::size_t>(a - from), *a}, value{static_cast<std::size_t>(b - from), *b});
      });
  if (both.empty()) return {last, last};
  auto const runs = runs_of(length(first, last), first);
  std::size_t least = 0, greatest = 0;
  for (std::size_t i = 1; i < both.size(); ++i) {
    if (less(both[i].first.value, both[least].first.value)) least = i;
    if (!less(both[i].second.value, both[greatest].second.value)) greatest = i;
  }
  return {first + static_cast<std::ptrdiff_t>(runs[least].at + both[least].first.at),
          first + static_cast<std::ptrdiff_t>(runs[greatest].at + both[greatest].second.at)};
}

}  // namespace amity::partitioned
