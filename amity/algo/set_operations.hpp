#pragma once

/// set_union, set_intersection, set_difference, set_symmetric_difference, includes: of sorted ranges, as in std.
///
///     auto end = amity::set_union(amity::execution::par, a.begin(), a.end(), b.begin(), b.end(), out.begin());
///
/// Both ranges are cut where a value begins, so that equal elements stay together. A first pass counts what each part
/// gives, a second one writes it; so comparisons are made twice, and no memory is needed.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <iterator>
#include <vector>

#include "amity/algo/iterators.hpp"

namespace amity {

namespace algo {

/// Takes everything and counts it.
class counting_output {
 public:
  using iterator_category = std::output_iterator_tag;
  using value_type = void;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = void;

  struct sink {
    template <class T>
    const sink& operator=(const T&) const noexcept {  // NOLINT: assigned to, and gone
      return *this;
    }
  };
  [[nodiscard]] sink operator*() const noexcept { return {}; }
  counting_output& operator++() noexcept {
    ++count_;
    return *this;
  }
  counting_output operator++(int) noexcept {
    counting_output const before = *this;
    ++count_;
    return before;
  }
  [[nodiscard]] index count() const noexcept { return count_; }

 private:
  index count_ = 0;
};

/// Two sorted ranges, cut into parts with no value on both sides of a cut.
template <class A, class B>
class two_sorted {
 public:
  two_sorted(A first, A last, B second, B second_last) : a(first), a_end(last), b(second), b_end(second_last) {}

  struct cut {
    A in_a;
    B in_b;
  };
  /// Before the first element that equals the i-th of all: of a, or of b behind its end.
  template <class Less>
  [[nodiscard]] cut cut_at(index i, Less& less) const {
    index const n = length(a, a_end), m = length(b, b_end);
    if (i == 0) return {a, b};
    if (i >= n + m) return {a_end, b_end};
    auto const before = [&](const auto& value) -> cut {
      return {std::lower_bound(a, a_end, value, std::ref(less)), std::lower_bound(b, b_end, value, std::ref(less))};
    };
    // The longer range decides: its elements are the better measure of the work.
    return n >= m ? before(*at(a, share(i, n, n + m))) : before(*at(b, share(i, m, n + m)));
  }

 private:
  /// i * part / whole, below `part`; never less for a larger i.
  [[nodiscard]] static index share(index i, index part, index whole) noexcept {
    double const ratio = static_cast<double>(part) / static_cast<double>(whole);
    return std::min(part - 1, static_cast<index>(static_cast<double>(i) * ratio));
  }

  A a, a_end;
  B b, b_end;
};

/// What the four operations share. `op` calls std's with any output.
template <class A, class B, class Out, class Less, class Op>
Out set_operation(const settings& how, A a, A a_end, B b, B b_end, Out out, Less& less, Op op) {
  two_sorted<A, B> const all(a, a_end, b, b_end);
  partition p(how, length(a, a_end) + length(b, b_end), most_slots);
  p.assume(4);
  if (p.chunks() < 2) return op(a, a_end, b, b_end, out, std::ref(less));
  std::vector<index> before(p.chunks() + 1);
  auto const part = [&](index from, index to, auto output) {
    auto const begin = all.cut_at(from, less), end = all.cut_at(to, less);
    return op(begin.in_a, end.in_a, begin.in_b, end.in_b, output, std::ref(less));
  };
  over_chunks(
      p, [&](std::size_t slot, index from, index to) { before[slot] = part(from, to, counting_output()).count(); });
  for (std::size_t i = 1; i < before.size(); ++i) before[i] += before[i - 1];
  over_chunks(p, [&](std::size_t slot, index from, index to) { part(from, to, at(out, before[slot - 1])); });
  return at(out, before.back());
}

struct set_union_algorithm : algorithm<set_union_algorithm> {
  template <class A, class B, class Out, class Less = std::less<>>
  static Out sequential(A a, A a_end, B b, B b_end, Out out, Less less = {}) {
    return std::set_union(a, a_end, b, b_end, out, std::ref(less));
  }
  template <class A, class B, class Out, class Less = std::less<>>
  static Out parallel(const settings& how, A a, A a_end, B b, B b_end, Out out, Less less = {}) {
    return set_operation(how, a, a_end, b, b_end, out, less, [](auto... x) { return std::set_union(x...); });
  }
};

struct set_intersection_algorithm : algorithm<set_intersection_algorithm> {
  template <class A, class B, class Out, class Less = std::less<>>
  static Out sequential(A a, A a_end, B b, B b_end, Out out, Less less = {}) {
    return std::set_intersection(a, a_end, b, b_end, out, std::ref(less));
  }
  template <class A, class B, class Out, class Less = std::less<>>
  static Out parallel(const settings& how, A a, A a_end, B b, B b_end, Out out, Less less = {}) {
    return set_operation(how, a, a_end, b, b_end, out, less, [](auto... x) { return std::set_intersection(x...); });
  }
};

struct set_difference_algorithm : algorithm<set_difference_algorithm> {
  template <class A, class B, class Out, class Less = std::less<>>
  static Out sequential(A a, A a_end, B b, B b_end, Out out, Less less = {}) {
    return std::set_difference(a, a_end, b, b_end, out, std::ref(less));
  }
  template <class A, class B, class Out, class Less = std::less<>>
  static Out parallel(const settings& how, A a, A a_end, B b, B b_end, Out out, Less less = {}) {
    return set_operation(how, a, a_end, b, b_end, out, less, [](auto... x) { return std::set_difference(x...); });
  }
};

struct set_symmetric_difference_algorithm : algorithm<set_symmetric_difference_algorithm> {
  template <class A, class B, class Out, class Less = std::less<>>
  static Out sequential(A a, A a_end, B b, B b_end, Out out, Less less = {}) {
    return std::set_symmetric_difference(a, a_end, b, b_end, out, std::ref(less));
  }
  template <class A, class B, class Out, class Less = std::less<>>
  static Out parallel(const settings& how, A a, A a_end, B b, B b_end, Out out, Less less = {}) {
    return set_operation(how, a, a_end, b, b_end, out, less,
                         [](auto... x) { return std::set_symmetric_difference(x...); });
  }
};

struct includes_algorithm : algorithm<includes_algorithm> {
  template <class A, class B, class Less = std::less<>>
  static bool sequential(A a, A a_end, B b, B b_end, Less less = {}) {
    return std::includes(a, a_end, b, b_end, std::ref(less));
  }
  template <class A, class B, class Less = std::less<>>
  static bool parallel(const settings& how, A a, A a_end, B b, B b_end, Less less = {}) {
    two_sorted<A, B> const all(a, a_end, b, b_end);
    partition p(how, length(a, a_end) + length(b, b_end));
    p.assume(2);
    std::atomic<bool> missing{false};
    over_chunks(p, [&](std::size_t, index from, index to, std::atomic<index>& limit) {
      auto const begin = all.cut_at(from, less), end = all.cut_at(to, less);
      if (std::includes(begin.in_a, end.in_a, begin.in_b, end.in_b, std::ref(less))) return;
      missing.store(true, std::memory_order_relaxed);  // read after all have ended
      lower(limit, 0);
    });
    return !missing.load(std::memory_order_relaxed);
  }
};

}  // namespace algo

/// set_union([policy,] first, last, first2, last2, out[, less]): of sorted ranges, all that stand in one of them; the
/// end of the output. As std's for equals: as often as in the one that has more.
inline constexpr algo::set_union_algorithm set_union{};
/// set_intersection([policy,] first, last, first2, last2, out[, less]): what stands in both, from the first; the end of
/// the output.
inline constexpr algo::set_intersection_algorithm set_intersection{};
/// set_difference([policy,] first, last, first2, last2, out[, less]): what stands in the first and not in the second;
/// the end of the output.
inline constexpr algo::set_difference_algorithm set_difference{};
/// set_symmetric_difference([policy,] first, last, first2, last2, out[, less]): what stands in one of them alone; the
/// end of the output.
inline constexpr algo::set_symmetric_difference_algorithm set_symmetric_difference{};
/// includes([policy,] first, last, first2, last2[, less]): whether all of the second stand in the first.
inline constexpr algo::includes_algorithm includes{};
namespace ranges {
inline constexpr algo::over_ranges<algo::set_union_algorithm, 2, algo::behind_order_of_two<5>, algo::in_in_and_out>
    set_union{};
inline constexpr algo::over_ranges<algo::set_intersection_algorithm, 2, algo::behind_order_of_two<5>,
                                   algo::in_in_and_out>
    set_intersection{};
inline constexpr algo::over_ranges<algo::set_difference_algorithm, 2, algo::behind_order_of_two<5>,
                                   algo::first_in_and_out>
    set_difference{};
inline constexpr algo::over_ranges<algo::set_symmetric_difference_algorithm, 2, algo::behind_order_of_two<5>,
                                   algo::in_in_and_out>
    set_symmetric_difference{};
inline constexpr algo::over_ranges<algo::includes_algorithm, 2, algo::behind_order_of_two<4>> includes{};
}  // namespace ranges

}  // namespace amity
