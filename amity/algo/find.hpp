#pragma once

/// Searches: the find family, find_last's, adjacent_find, search, search_n, find_end; contains(_subrange); all_of,
/// any_of, none_of.
///
///     auto it = amity::find_if(amity::execution::par, v.begin(), v.end(), is_wanted);      // the first one, as ever
///
/// Once something was found, chunks behind it are not begun, and those that have begun end soon. Without a policy, the
/// find family but for find_first_of, adjacent_find, contains, and all_of, any_of and none_of take ranges that have no
/// end.

#include <algorithm>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include "amity/algo/iterators.hpp"

namespace amity {

namespace algo {

/// The least position in [0, n) that is found; n: none is. `find(from, to)` gives the first of a part, or `to`. Looks
/// at what others have found after `first_block` elements, and then after twice as many each time: what is done in vain
/// is no more than was done before, and short functions are not kept from the next element for long.
template <class Find>
index first_where(const settings& how, index n, Find&& find, index first_block = 64) {
  std::atomic<index> best{no_limit};
  auto body = [&](std::size_t, index from, index to, std::atomic<index>& limit) {
    for (index block = first_block; from < to && from < best.load(std::memory_order_relaxed);  // relaxed: a hint
         block *= 2) {
      index const end = to - from > block ? from + block : to;
      index const found = find(from, end);
      if (found != end) {
        lower(best, found);
        lower(limit, found);
        return;
      }
      from = end;
    }
  };
  partition p(how, n);
  guarded g(body);
  p.probe(g.call());
  p.run(g.call());
  index const answer = best.load(std::memory_order_relaxed);  // all have ended
  g.failed().rethrow_before(answer);
  return answer == no_limit ? n : answer;
}

/// An iterator as the position of a part's element.
template <class It>
index position(It first, It found) {
  return static_cast<index>(found - first);
}

struct find_if_algorithm : algorithm<find_if_algorithm> {
  static constexpr bool needs_no_end = true;

  template <class It, class F>
  static It sequential(It first, It last, F f) {
    return std::find_if(first, last, std::ref(f));
  }
  template <class It, class F>
  static It parallel(const settings& how, It first, It last, F f) {
    return at(first, first_where(how, length(first, last), [&](index from, index to) {
                return position(first, std::find_if(at(first, from), at(first, to), std::ref(f)));
              }));
  }
  template <class It, class F>
  static It endless(It first, F&& f) {
    while (!std::invoke(f, *first)) ++first;
    return first;
  }
};

struct find_if_not_algorithm : algorithm<find_if_not_algorithm> {
  static constexpr bool needs_no_end = true;

  template <class It, class F>
  static It sequential(It first, It last, F f) {
    return std::find_if_not(first, last, std::ref(f));
  }
  template <class It, class F>
  static It parallel(const settings& how, It first, It last, F f) {
    return find_if_algorithm::parallel(how, first, last, std::not_fn(std::ref(f)));
  }
  template <class It, class F>
  static It endless(It first, F&& f) {
    return find_if_algorithm::endless(std::move(first), std::not_fn(std::ref(f)));
  }
};

struct find_algorithm : algorithm<find_algorithm> {
  static constexpr bool needs_no_end = true;

  template <class It, class T>
  static It sequential(It first, It last, const T& value) {
    return std::find(first, last, value);
  }
  template <class It, class T>
  static It parallel(const settings& how, It first, It last, const T& value) {
    return at(first, first_where(how, length(first, last), [&](index from, index to) {
                return position(first, std::find(at(first, from), at(first, to), value));
              }));
  }
  template <class It, class T>
  static It endless(It first, const T& value) {
    return find_if_algorithm::endless(std::move(first), [&value](auto&& x) { return x == value; });
  }
};

struct find_first_of_algorithm : algorithm<find_first_of_algorithm> {
  template <class It, class It2, class F = std::equal_to<>>
  static It sequential(It first, It last, It2 wanted, It2 wanted_last, F f = {}) {
    return std::find_first_of(first, last, wanted, wanted_last, std::ref(f));
  }
  template <class It, class It2, class F = std::equal_to<>>
  static It parallel(const settings& how, It first, It last, It2 wanted, It2 wanted_last, F f = {}) {
    return at(first, first_where(how, length(first, last), [&](index from, index to) {
                return position(first,
                                std::find_first_of(at(first, from), at(first, to), wanted, wanted_last, std::ref(f)));
              }));
  }
};

struct adjacent_find_algorithm : algorithm<adjacent_find_algorithm> {
  static constexpr bool needs_no_end = true;

  template <class It, class F = std::equal_to<>>
  static It sequential(It first, It last, F f = {}) {
    return std::adjacent_find(first, last, std::ref(f));
  }
  template <class It, class F = std::equal_to<>>
  static It parallel(const settings& how, It first, It last, F f = {}) {
    index const n = length(first, last);
    if (n < 2) return last;
    index const found = first_where(how, n - 1, [&](index from, index to) {
      It const end = at(first, to + 1);
      It const it = std::adjacent_find(at(first, from), end, std::ref(f));
      return it == end ? to : position(first, it);
    });
    return found == n - 1 ? last : at(first, found);
  }
  template <class It, class F = std::equal_to<>>
  static It endless(It first, F&& f = {}) {
    It next = first;
    for (++next; !f(*first, *next); ++next) ++first;
    return first;
  }
};

struct search_algorithm : algorithm<search_algorithm> {
  template <class It, class It2, class F = std::equal_to<>>
  static It sequential(It first, It last, It2 what, It2 what_last, F f = {}) {
    return std::search(first, last, what, what_last, std::ref(f));
  }
  template <class It, class It2, class F = std::equal_to<>>
  static It parallel(const settings& how, It first, It last, It2 what, It2 what_last, F f = {}) {
    index const n = length(first, last), m = length(what, what_last);
    if (m == 0) return first;
    if (n < m) return last;
    index const starts = n - m + 1;
    index const found = first_where(
        how, starts,
        [&](index from, index to) {
          It const end = at(first, to + m - 1);
          It const it = std::search(at(first, from), end, what, what_last, std::ref(f));
          return it == end ? to : position(first, it);
        },
        std::max<index>(64, 4 * m));
    return found == starts ? last : at(first, found);
  }
  /// With a searcher, which may need the whole: by the caller alone.
  template <class It, class Searcher>
  static It sequential(It first, It last, const Searcher& searcher) {
    return std::search(first, last, searcher);
  }
  template <class It, class Searcher>
  static It parallel(const settings&, It first, It last, const Searcher& searcher) {
    return std::search(first, last, searcher);
  }
};

struct search_n_algorithm : algorithm<search_n_algorithm> {
  template <class It, class Size, class T, class F = std::equal_to<>>
  static It sequential(It first, It last, Size count, const T& value, F f = {}) {
    return std::search_n(first, last, count, value, std::ref(f));
  }
  template <class It, class Size, class T, class F = std::equal_to<>>
  static It parallel(const settings& how, It first, It last, Size count, const T& value, F f = {}) {
    if (count <= 0) return first;
    index const n = length(first, last), m = static_cast<index>(count);
    if (n < m) return last;
    index const starts = n - m + 1;
    index const found = first_where(
        how, starts,
        [&](index from, index to) {
          It const end = at(first, to + m - 1);
          It const it = std::search_n(at(first, from), end, count, value, std::ref(f));
          return it == end ? to : position(first, it);
        },
        std::max<index>(64, 4 * m));
    return found == starts ? last : at(first, found);
  }
};

struct find_end_algorithm : algorithm<find_end_algorithm> {
  template <class It, class It2, class F = std::equal_to<>>
  static It sequential(It first, It last, It2 what, It2 what_last, F f = {}) {
    return std::find_end(first, last, what, what_last, std::ref(f));
  }
  /// Position i is the i-th from the end.
  template <class It, class It2, class F = std::equal_to<>>
  static It parallel(const settings& how, It first, It last, It2 what, It2 what_last, F f = {}) {
    index const n = length(first, last), m = length(what, what_last);
    if (m == 0 || n < m) return last;
    index const starts = n - m + 1;
    index const found = first_where(
        how, starts,
        [&](index from, index to) {
          It const end = at(first, starts - from + m - 1);
          It const it = std::find_end(at(first, starts - to), end, what, what_last, std::ref(f));
          return it == end ? to : starts - 1 - position(first, it);
        },
        std::max<index>(64, 4 * m));
    return found == starts ? last : at(first, starts - 1 - found);
  }
};

/// The last one for which `holds(x)`, and the end.
template <class It, class Holds>
std::ranges::subrange<It> last_where(It first, It last, Holds holds) {
  if constexpr (std::bidirectional_iterator<It>) {
    for (It it = last; it != first;)
      if (holds(*--it)) return {it, last};
    return {last, last};
  } else {
    It found = last;
    for (; first != last; ++first)
      if (holds(*first)) found = first;
    return {found, last};
  }
}

/// The same by all. Position i is the i-th from the end.
template <class It, class Holds>
std::ranges::subrange<It> last_where(const settings& how, It first, It last, Holds holds) {
  index const n = length(first, last);
  index const found = first_where(how, n, [&](index from, index to) {
    for (index i = from; i < to; ++i)
      if (holds(*at(first, n - 1 - i))) return i;
    return to;
  });
  return {found == n ? last : at(first, n - 1 - found), last};
}

/// C++23's find_last family.
struct find_last_if_algorithm : algorithm<find_last_if_algorithm> {
  template <class It, class F>
  static std::ranges::subrange<It> sequential(It first, It last, F f) {
    return last_where(first, last, [&f](auto&& x) { return static_cast<bool>(std::invoke(f, x)); });
  }
  template <class It, class F>
  static std::ranges::subrange<It> parallel(const settings& how, It first, It last, F f) {
    return last_where(how, first, last, [&f](auto&& x) { return static_cast<bool>(std::invoke(f, x)); });
  }
};
struct find_last_if_not_algorithm : algorithm<find_last_if_not_algorithm> {
  template <class It, class F>
  static std::ranges::subrange<It> sequential(It first, It last, F f) {
    return last_where(first, last, [&f](auto&& x) { return !std::invoke(f, x); });
  }
  template <class It, class F>
  static std::ranges::subrange<It> parallel(const settings& how, It first, It last, F f) {
    return last_where(how, first, last, [&f](auto&& x) { return !std::invoke(f, x); });
  }
};
struct find_last_algorithm : algorithm<find_last_algorithm> {
  template <class It, class T>
  static std::ranges::subrange<It> sequential(It first, It last, const T& value) {
    return last_where(first, last, [&value](auto&& x) { return static_cast<bool>(x == value); });
  }
  template <class It, class T>
  static std::ranges::subrange<It> parallel(const settings& how, It first, It last, const T& value) {
    return last_where(how, first, last, [&value](auto&& x) { return static_cast<bool>(x == value); });
  }
};

struct any_of_algorithm : algorithm<any_of_algorithm> {
  static constexpr bool needs_no_end = true;

  template <class It, class F>
  static bool sequential(It first, It last, F f) {
    return std::any_of(first, last, std::ref(f));
  }
  template <class It, class F>
  static bool parallel(const settings& how, It first, It last, F f) {
    return find_if_algorithm::parallel(how, first, last, std::ref(f)) != last;
  }
  template <class It, class F>
  static bool endless(It first, F&& f) {
    find_if_algorithm::endless(std::move(first), f);
    return true;
  }
};
struct none_of_algorithm : algorithm<none_of_algorithm> {
  static constexpr bool needs_no_end = true;

  template <class It, class F>
  static bool sequential(It first, It last, F f) {
    return std::none_of(first, last, std::ref(f));
  }
  template <class It, class F>
  static bool parallel(const settings& how, It first, It last, F f) {
    return find_if_algorithm::parallel(how, first, last, std::ref(f)) == last;
  }
  template <class It, class F>
  static bool endless(It first, F&& f) {
    find_if_algorithm::endless(std::move(first), f);
    return false;
  }
};
struct all_of_algorithm : algorithm<all_of_algorithm> {
  static constexpr bool needs_no_end = true;

  template <class It, class F>
  static bool sequential(It first, It last, F f) {
    return std::all_of(first, last, std::ref(f));
  }
  template <class It, class F>
  static bool parallel(const settings& how, It first, It last, F f) {
    return find_if_not_algorithm::parallel(how, first, last, std::ref(f)) == last;
  }
  template <class It, class F>
  static bool endless(It first, F&& f) {
    find_if_not_algorithm::endless(std::move(first), f);
    return false;
  }
};

/// C++23's.
struct contains_algorithm : algorithm<contains_algorithm> {
  static constexpr bool needs_no_end = true;

  template <class It, class T>
  static bool sequential(It first, It last, const T& value) {
    return std::find(first, last, value) != last;
  }
  template <class It, class T>
  static bool parallel(const settings& how, It first, It last, const T& value) {
    return find_algorithm::parallel(how, first, last, value) != last;
  }
  template <class It, class T>
  static bool endless(It first, const T& value) {
    find_algorithm::endless(std::move(first), value);
    return true;
  }
};

/// C++23's: search, but that nothing stands in anything.
struct contains_subrange_algorithm : algorithm<contains_subrange_algorithm> {
  template <class It, class It2, class F = std::equal_to<>>
  static bool sequential(It first, It last, It2 what, It2 what_last, F f = {}) {
    return what == what_last || search_algorithm::sequential(first, last, what, what_last, std::ref(f)) != last;
  }
  template <class It, class It2, class F = std::equal_to<>>
  static bool parallel(const settings& how, It first, It last, It2 what, It2 what_last, F f = {}) {
    return what == what_last || search_algorithm::parallel(how, first, last, what, what_last, std::ref(f)) != last;
  }
};

}  // namespace algo

/// find([policy,] first, last, value): the first that equals value, or last.
inline constexpr algo::find_algorithm find{};
/// find_if([policy,] first, last, p): the first for which p holds, or last. p may be called for elements behind it.
inline constexpr algo::find_if_algorithm find_if{};
/// find_if_not([policy,] first, last, p): the first for which p does not hold, or last.
inline constexpr algo::find_if_not_algorithm find_if_not{};
/// find_first_of([policy,] first, last, first2, last2[, equal]): the first that equals one of the second range, or
/// last.
inline constexpr algo::find_first_of_algorithm find_first_of{};
/// adjacent_find([policy,] first, last[, equal]): the first that equals its successor, or last.
inline constexpr algo::adjacent_find_algorithm adjacent_find{};
/// search([policy,] first, last, first2, last2[, equal]): where the second range stands within the first for the first
/// time, or last. search(first, last, searcher) is done by the caller alone.
inline constexpr algo::search_algorithm search{};
/// search_n([policy,] first, last, n, value[, equal]): where n neighbours that equal value stand for the first time, or
/// last.
inline constexpr algo::search_n_algorithm search_n{};
/// find_end([policy,] first, last, first2, last2[, equal]): where the second range stands within the first for the last
/// time, or last.
inline constexpr algo::find_end_algorithm find_end{};
/// find_last([policy,] first, last, value): the last that equals value, to the end, as C++23's std::ranges::find_last
/// gives it: a std::ranges::subrange, which is empty if there is none.
inline constexpr algo::find_last_algorithm find_last{};
/// find_last_if([policy,] first, last, p): the same with the last for which p holds. p may be called for elements in
/// front of it.
inline constexpr algo::find_last_if_algorithm find_last_if{};
/// find_last_if_not([policy,] first, last, p): the same with the last for which p does not hold.
inline constexpr algo::find_last_if_not_algorithm find_last_if_not{};
/// any_of([policy,] first, last, p): whether p holds for at least one. Of none: false.
inline constexpr algo::any_of_algorithm any_of{};
/// none_of([policy,] first, last, p): whether p holds for none.
inline constexpr algo::none_of_algorithm none_of{};
/// all_of([policy,] first, last, p): whether p holds for all. Of none: true.
inline constexpr algo::all_of_algorithm all_of{};
/// contains([policy,] first, last, value): whether one equals value.
inline constexpr algo::contains_algorithm contains{};
/// contains_subrange([policy,] first, last, first2, last2[, equal]): whether the second range stands within the first,
/// as nothing does in any.
inline constexpr algo::contains_subrange_algorithm contains_subrange{};
namespace ranges {
inline constexpr algo::over_ranges<algo::find_algorithm, 1, algo::behind_value<algo::find_if_algorithm, 2>> find{};
inline constexpr algo::over_ranges<algo::find_if_algorithm, 1, algo::behind_function<2>> find_if{};
inline constexpr algo::over_ranges<algo::find_if_not_algorithm, 1, algo::behind_function<2>> find_if_not{};
inline constexpr algo::over_ranges<algo::find_first_of_algorithm, 2, algo::behind_function_of_two<4, std::equal_to<>>>
    find_first_of{};
inline constexpr algo::over_ranges<algo::adjacent_find_algorithm, 1, algo::behind_function<2, std::equal_to<>>>
    adjacent_find{};
inline constexpr algo::over_ranges<algo::search_algorithm, 2, algo::behind_function_of_two<4, std::equal_to<>>>
    search{};
inline constexpr algo::over_ranges<algo::search_n_algorithm, 1, algo::behind_function_of_two<4, std::equal_to<>>>
    search_n{};
inline constexpr algo::over_ranges<algo::find_end_algorithm, 2, algo::behind_function_of_two<4, std::equal_to<>>>
    find_end{};
inline constexpr algo::over_ranges<algo::find_last_algorithm, 1, algo::behind_value<algo::find_last_if_algorithm, 2>>
    find_last{};
inline constexpr algo::over_ranges<algo::find_last_if_algorithm, 1, algo::behind_function<2>> find_last_if{};
inline constexpr algo::over_ranges<algo::find_last_if_not_algorithm, 1, algo::behind_function<2>> find_last_if_not{};
inline constexpr algo::over_ranges<algo::any_of_algorithm, 1, algo::behind_function<2>> any_of{};
inline constexpr algo::over_ranges<algo::none_of_algorithm, 1, algo::behind_function<2>> none_of{};
inline constexpr algo::over_ranges<algo::all_of_algorithm, 1, algo::behind_function<2>> all_of{};
inline constexpr algo::over_ranges<algo::contains_algorithm, 1, algo::behind_value<algo::any_of_algorithm, 2>>
    contains{};
inline constexpr algo::over_ranges<algo::contains_subrange_algorithm, 2,
                                   algo::behind_function_of_two<4, std::equal_to<>>>
    contains_subrange{};
}  // namespace ranges

}  // namespace amity
