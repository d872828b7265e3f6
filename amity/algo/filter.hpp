#pragma once

/// Algorithms that leave elements out: copy_if, remove and unique with their copying forms, partition_copy.
///
///     auto end = amity::copy_if(amity::execution::par, v.begin(), v.end(), out.begin(), is_wanted);
///
/// The order stays. Predicates are called once for each element, or pair of neighbours. Those that copy do all of it in
/// parallel; remove, remove_if and unique close their gaps alone, which for what the predicate costs is little.

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "amity/algo/iterators.hpp"

namespace amity {

namespace algo {

/// Numbers are cheap to write where they may not stay: of random ones a branch is mispredicted every second time, which
/// costs much more.
template <class It>
inline constexpr bool cheap_to_write = is_random_access_v<It>&& std::is_arithmetic_v<value_of<It>>;

/// Asks `keep(i)` for each i in [0, n), and calls `put(i, kept, k)`, where k is the number of those before it with the
/// same answer. Gives the number of those kept. In two passes, with a byte for each element in between.
/// OnlyKept: it may call put(i, false, k) or not, with k of the next one that is kept.
template <bool OnlyKept = false, class Keep, class Put>
index sift(const settings& how, index n, Keep&& keep, Put&& put) {
  partition p(how, n, most_slots);
  index kept = 0;
  bool const more = over_first(p, [&](std::size_t, index from, index to) {
    for (index i = from; i < to; ++i) {
      bool const yes = static_cast<bool>(keep(i));
      if (yes || !OnlyKept) put(i, yes, yes ? kept : i - kept);
      kept += yes ? 1 : 0;
    }
  });
  if (!more) return kept;

  index const begin = p.probed();
  std::unique_ptr<bool[]> const flags(new bool[n - begin]);
  std::vector<index> before(p.chunks() + 1);
  over_chunks(p, [&](std::size_t slot, index from, index to) {
    index count = 0;
    for (index i = from; i < to; ++i) {
      bool const yes = static_cast<bool>(keep(i));
      flags[i - begin] = yes;
      count += yes ? 1 : 0;
    }
    before[slot] = count;
  });
  before[0] = kept;
  for (std::size_t i = 1; i < before.size(); ++i) before[i] += before[i - 1];
  over_chunks(p, [&](std::size_t slot, index from, index to) {
    index k = before[slot - 1];
    if constexpr (OnlyKept) {
      for (index i = from; k != before[slot]; ++i) {  // behind the last one it would be another slot's place
        bool const yes = flags[i - begin];
        put(i, yes, k);
        k += yes ? 1 : 0;
      }
    } else {
      for (index i = from; i < to; ++i) {
        bool const yes = flags[i - begin];
        put(i, yes, yes ? k : i - k);
        k += yes ? 1 : 0;
      }
    }
  });
  return before.back();
}

template <class It, class Out, class Keep>
Out copy_kept(const settings& how, It first, index n, Out out, Keep&& keep) {
  constexpr bool at_once = cheap_to_write<It> && cheap_to_write<Out>;
  return at(out, sift<at_once>(how, n, keep, [&](index i, bool kept, index k) {
              if (at_once || kept) *at(out, k) = *at(first, i);
            }));
}

struct copy_if_algorithm : algorithm<copy_if_algorithm> {
  template <class It, class Out, class F>
  static Out sequential(It first, It last, Out out, F f) {
    return std::copy_if(first, last, out, std::ref(f));
  }
  template <class It, class Out, class F>
  static Out parallel(const settings& how, It first, It last, Out out, F f) {
    return copy_kept(how, first, length(first, last), out, [&](index i) { return std::invoke(f, *at(first, i)); });
  }
};

struct remove_copy_if_algorithm : algorithm<remove_copy_if_algorithm> {
  template <class It, class Out, class F>
  static Out sequential(It first, It last, Out out, F f) {
    return std::remove_copy_if(first, last, out, std::ref(f));
  }
  template <class It, class Out, class F>
  static Out parallel(const settings& how, It first, It last, Out out, F f) {
    return copy_kept(how, first, length(first, last), out, [&](index i) { return !std::invoke(f, *at(first, i)); });
  }
};

struct remove_copy_algorithm : algorithm<remove_copy_algorithm> {
  template <class It, class Out, class T>
  static Out sequential(It first, It last, Out out, const T& value) {
    return std::remove_copy(first, last, out, value);
  }
  template <class It, class Out, class T>
  static Out parallel(const settings& how, It first, It last, Out out, const T& value) {
    return copy_kept(how, first, length(first, last), out, [&](index i) { return !(*at(first, i) == value); });
  }
};

struct unique_copy_algorithm : algorithm<unique_copy_algorithm> {
  template <class It, class Out, class F = std::equal_to<>>
  static Out sequential(It first, It last, Out out, F f = {}) {
    return std::unique_copy(first, last, out, std::ref(f));
  }
  template <class It, class Out, class F = std::equal_to<>>
  static Out parallel(const settings& how, It first, It last, Out out, F f = {}) {
    return copy_kept(how, first, length(first, last), out,
                     [&](index i) { return i == 0 || !std::invoke(f, *at(first, i - 1), *at(first, i)); });
  }
};

struct partition_copy_algorithm : algorithm<partition_copy_algorithm> {
  template <class It, class Yes, class No, class F>
  static std::pair<Yes, No> sequential(It first, It last, Yes yes, No no, F f) {
    return std::partition_copy(first, last, yes, no, std::ref(f));
  }
  template <class It, class Yes, class No, class F>
  static std::pair<Yes, No> parallel(const settings& how, It first, It last, Yes yes, No no, F f) {
    index const n = length(first, last);
    index const kept = sift(
        how, n, [&](index i) { return std::invoke(f, *at(first, i)); },
        [&](index i, bool is, index k) {
          if (is)
            *at(yes, k) = *at(first, i);
          else
            *at(no, k) = *at(first, i);
        });
    return {at(yes, kept), at(no, n - kept)};
  }
};

// --- in place

/// Each slot's part of the range, and where what it kept ends.
struct kept_part {
  index first = 0, kept = 0, last = 0;
};

/// Moves [from, to) down to `out`, unless it is there.
template <class It>
It move_down(It from, It to, It out) {
  return out == from ? to : std::move(from, to, out);
}

/// `compact(first, last)` leaves elements out of a part. `joins(a, b)`: of two parts' neighbours the second goes as
/// well.
template <class It, class Compact, class Joins>
It leave_out(const settings& how, It first, It last, Compact&& compact, Joins&& joins) {
  partition p(how, length(first, last), most_slots);
  slot_results<kept_part> parts;
  auto const append = [&](It end, It from, It to) {  // to what ends at `end`
    if (from != to && end != first && joins(*std::prev(end), *from)) ++from;
    return move_down(from, to, end);
  };
  over_slots(p, parts, [&](kept_part& part, index from, index to) {
    It end = compact(at(first, from), at(first, to));
    if (part.last != 0) {  // goes on where it was
      end = append(at(first, part.kept), at(first, from), end);
    } else {
      part.first = from;
    }
    part.kept = static_cast<index>(end - first);
    part.last = to;
  });
  It end = first;
  parts.each([&](const kept_part& part) {
    if (part.last != 0) end = append(end, at(first, part.first), at(first, part.kept));
  });
  return end;
}

struct remove_if_algorithm : algorithm<remove_if_algorithm> {
  template <class It, class F>
  static It sequential(It first, It last, F f) {
    if constexpr (cheap_to_write<It>) {
      It end = first;
      for (; first != last; ++first) {
        value_of<It> const x = *first;
        bool const goes = static_cast<bool>(std::invoke(f, *first));
        *end = x;
        end += goes ? 0 : 1;
      }
      return end;
    } else {
      return std::remove_if(first, last, std::ref(f));
    }
  }
  template <class It, class F>
  static It parallel(const settings& how, It first, It last, F f) {
    return leave_out(
        how, first, last, [&](It from, It to) { return sequential(from, to, std::ref(f)); },
        [](const auto&, const auto&) { return false; });
  }
};

struct remove_algorithm : algorithm<remove_algorithm> {
  template <class It, class T>
  static It sequential(It first, It last, const T& value) {
    return remove_if_algorithm::sequential(first, last, [&value](const auto& x) { return x == value; });
  }
  template <class It, class T>
  static It parallel(const settings& how, It first, It last, const T& value) {
    return remove_if_algorithm::parallel(how, first, last, [&value](const auto& x) { return x == value; });
  }
};

struct unique_algorithm : algorithm<unique_algorithm> {
  template <class It, class F = std::equal_to<>>
  static It sequential(It first, It last, F f = {}) {
    return keep_firsts(first, last, f);
  }
  template <class It, class F = std::equal_to<>>
  static It parallel(const settings& how, It first, It last, F f = {}) {
    return leave_out(
        how, first, last, [&](It from, It to) { return keep_firsts(from, to, f); },
        [&](auto&& a, auto&& b) {
          return static_cast<bool>(f(std::forward<decltype(a)>(a), std::forward<decltype(b)>(b)));
        });
  }

 private:
  template <class It, class F>
  static It keep_firsts(It first, It last, F& f) {
    if constexpr (cheap_to_write<It>) {
      using value = value_of<It>;
      // Equality is transitive: the one in front will do, and no step waits for what the one before has chosen.
      constexpr bool transitive = std::is_same_v<F, std::equal_to<>> || std::is_same_v<F, std::equal_to<value>>;
      if (first == last) return last;
      value kept = *first;
      It end = ++first;
      for (; first != last; ++first) {
        value x = *first;
        bool const goes = static_cast<bool>(f(kept, x));
        *end = x;
        end += goes ? 0 : 1;
        kept = goes && !transitive ? kept : x;
      }
      return end;
    } else {
      return std::unique(first, last, std::ref(f));
    }
  }
};

}  // namespace algo

/// copy_if([policy,] first, last, out, p): copies those for which p holds, in their order; the end of the output.
inline constexpr algo::copy_if_algorithm copy_if{};
/// remove_copy([policy,] first, last, out, value): copies those that differ from value, in their order; the end of the
/// output.
inline constexpr algo::remove_copy_algorithm remove_copy{};
/// remove_copy_if([policy,] first, last, out, p): copies those for which p does not hold, in their order; the end of
/// the output.
inline constexpr algo::remove_copy_if_algorithm remove_copy_if{};
/// unique_copy([policy,] first, last, out[, equal]): copies the first of each run of equal elements; the end of the
/// output.
inline constexpr algo::unique_copy_algorithm unique_copy{};
/// partition_copy([policy,] first, last, out_true, out_false, p): copies each element to one of two outputs, in their
/// order; the ends of both.
inline constexpr algo::partition_copy_algorithm partition_copy{};
/// remove([policy,] first, last, value): moves those that stay to the front, in their order; their end. What is behind
/// it is unspecified.
inline constexpr algo::remove_algorithm remove{};
/// remove_if([policy,] first, last, p): the same for those for which p holds. The closing of the gaps is done by the
/// caller alone.
inline constexpr algo::remove_if_algorithm remove_if{};
/// unique([policy,] first, last[, equal]): keeps the first of each run of equal elements; the end of what is kept.
inline constexpr algo::unique_algorithm unique{};
namespace ranges {
inline constexpr algo::over_ranges<algo::copy_if_algorithm, 1, algo::behind_function<3>, algo::in_and_out<>> copy_if{};
inline constexpr algo::over_ranges<algo::remove_copy_algorithm, 1,
                                   algo::behind_value<algo::remove_copy_if_algorithm, 3>, algo::in_and_out<>>
    remove_copy{};
inline constexpr algo::over_ranges<algo::remove_copy_if_algorithm, 1, algo::behind_function<3>, algo::in_and_out<>>
    remove_copy_if{};
inline constexpr algo::over_ranges<algo::unique_copy_algorithm, 1, algo::behind_function<3, std::equal_to<>>,
                                   algo::in_and_out<>>
    unique_copy{};
inline constexpr algo::over_ranges<algo::partition_copy_algorithm, 1, algo::behind_function<4>, algo::in_and_two_out>
    partition_copy{};
inline constexpr algo::over_ranges<algo::remove_algorithm, 1, algo::behind_value<algo::remove_if_algorithm, 2>,
                                   algo::rest_of_range<>>
    remove{};
inline constexpr algo::over_ranges<algo::remove_if_algorithm, 1, algo::behind_function<2>, algo::rest_of_range<>>
    remove_if{};
inline constexpr algo::over_ranges<algo::unique_algorithm, 1, algo::behind_function<2, std::equal_to<>>,
                                   algo::rest_of_range<>>
    unique{};
}  // namespace ranges

}  // namespace amity
