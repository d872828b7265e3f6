#pragma once

/// sort_by_key and reduce_by_key: of two ranges, the first of which has a key for each value of the second.
///
///     namespace xp = amity::experimental;
///     xp::sort_by_key(amity::execution::par, keys.begin(), keys.end(), values.begin());
///     auto [k, v] = xp::reduce_by_key(amity::execution::par, keys.begin(), keys.end(), values.begin(),
///                                     some_keys.begin(), sums.begin());
///
/// reduce_by_key is a scan over segments in two passes (Blelloch, "Prefix sums and their applications", 1990): where
/// keys begin, and how many, then the sums. Each chunk leaves the part in front of its first new key, and what belongs
/// to its last one, to the caller, who puts these together. So one key of all elements is as fast as many.

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/algo/iterators.hpp"
#include "amity/algo/reduce.hpp"
#include "amity/algo/sort.hpp"

namespace amity {

namespace algo {

// --- sort_by_key

template <class Key, class Value>
struct keyed {
  Key key;
  Value value;
};

/// `less` of the keys.
template <class Less>
auto by_keys(Less& less) {
  return [&less](const auto& a, const auto& b) -> bool { return less(a.key, b.key); };
}

struct sort_by_key_algorithm : algorithm<sort_by_key_algorithm> {
  template <class Keys, class Values, class Less = std::less<>>
  static std::pair<Keys, Values> sequential(Keys first, Keys last, Values values, Less less = {}) {
    using record = keyed<value_of<Keys>, value_of<Values>>;
    std::vector<record> all;
    all.reserve(static_cast<std::size_t>(std::distance(first, last)));
    Values from = values;
    for (Keys it = first; it != last; ++it, (void)++from) all.push_back({std::move(*it), std::move(*from)});
    std::exception_ptr const error = caught([&] { std::stable_sort(all.begin(), all.end(), by_keys(less)); });
    for (record& r : all) {
      *first = std::move(r.key);
      *values = std::move(r.value);
      ++first;
      ++values;
    }
    if (error != nullptr) std::rethrow_exception(error);
    return {first, values};
  }

  template <class Keys, class Values, class Less = std::less<>>
  static std::pair<Keys, Values> parallel(const settings& how, Keys first, Keys last, Values values, Less less = {}) {
    using record = keyed<value_of<Keys>, value_of<Values>>;
    if constexpr (!moved_away<record>::possible) {
      return sequential(first, last, values, std::ref(less));
    } else {
      index const n = length(first, last);
      moved_away<record> away(n);
      if (!away) throw std::bad_alloc();
      record* const all = away.data();
      over_elements(how, n, [&](index from, index to) {
        for (; from < to; ++from)
          ::new (static_cast<void*>(all + from)) record{std::move(*at(first, from)), std::move(*at(values, from))};
      });
      away.filled();
      std::exception_ptr const error =
          caught([&] { stable_sort_algorithm::parallel(how, all, all + n, by_keys(less)); });
      over_elements(how, n, [&](index from, index to) {
        for (; from < to; ++from) {
          *at(first, from) = std::move(all[from].key);
          *at(values, from) = std::move(all[from].value);
        }
      });
      if (error != nullptr) std::rethrow_exception(error);
      return {at(first, n), at(values, n)};
    }
  }

 private:
  template <class F>
  static std::exception_ptr caught(F f) {
    try {
      f();
      return nullptr;
    } catch (...) {
      return std::current_exception();
    }
  }
};

// --- reduce_by_key

struct reduce_by_key_algorithm : algorithm<reduce_by_key_algorithm> {
  template <class Keys, class Values, class KeysOut, class ValuesOut, class Equal = std::equal_to<>,
            class Op = std::plus<>>
  static std::pair<KeysOut, ValuesOut> sequential(Keys first, Keys last, Values values, KeysOut keys_out,
                                                  ValuesOut values_out, Equal equal = {}, Op op = {}) {
    using value = value_of<Values>;
    while (first != last) {
      Keys before = first;
      value sum = static_cast<value>(*values);
      *keys_out = *first;
      for (++first, (void)++values; first != last && std::invoke(equal, *before, *first);
           before = first, (void)++first, (void)++values)
        sum = static_cast<value>(op(std::move(sum), *values));
      *values_out = std::move(sum);
      ++keys_out;
      ++values_out;
    }
    return {keys_out, values_out};
  }

  template <class Keys, class Values, class KeysOut, class ValuesOut, class Equal = std::equal_to<>,
            class Op = std::plus<>>
  static std::pair<KeysOut, ValuesOut> parallel(const settings& how, Keys first, Keys last, Values values,
                                                KeysOut keys_out, ValuesOut values_out, Equal equal = {}, Op op = {}) {
    using value = value_of<Values>;
    index const n = length(first, last);
    partition p(how, n, most_slots);
    p.assume(4);
    if (p.chunks() == 0) return {keys_out, values_out};

    std::unique_ptr<bool[]> const begins(new bool[n]);
    std::vector<index> before(static_cast<std::size_t>(p.chunks()) + 1);  // keys in front of each chunk
    over_chunks(p, [&](std::size_t slot, index from, index to) {
      index count = 0;
      for (index i = from; i < to; ++i) {
        bool const is_new = i == 0 || !std::invoke(equal, *at(first, i - 1), *at(first, i));
        begins[i] = is_new;
        count += is_new ? 1 : 0;
      }
      before[slot] = count;
    });
    for (std::size_t i = 1; i < before.size(); ++i) before[i] += before[i - 1];

    std::vector<open_parts<value>> open(static_cast<std::size_t>(p.chunks()));
    over_chunks(p, [&](std::size_t slot, index from, index to) {
      open_parts<value>& mine = open[slot - 1];
      index key = before[slot - 1];  // the next new one
      std::optional<value>* part = &mine.in_front;
      for (index i = from; i < to; ++i) {
        if (begins[i]) {
          if (part == &mine.last && part->has_value()) *at(values_out, key - 1) = std::move(**part);
          part = &mine.last;
          part->emplace(*at(values, i));
          *at(keys_out, key++) = *at(first, i);
        } else if (part->has_value()) {
          **part = static_cast<value>(op(std::move(**part), *at(values, i)));
        } else {
          part->emplace(*at(values, i));
        }
      }
    });
    put_together(open, before, values_out, op);
    return {at(keys_out, before.back()), at(values_out, before.back())};
  }

 private:
  /// What a chunk has of a key that began before it, and of one that may go on behind it.
  template <class T>
  struct open_parts {
    std::optional<T> in_front, last;
  };

  template <class T, class ValuesOut, class Op>
  static void put_together(std::vector<open_parts<T>>& open, const std::vector<index>& before, ValuesOut values_out,
                           Op& op) {
    std::optional<T> sum;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (open[i].in_front.has_value()) {
        *sum = static_cast<T>(op(std::move(*sum), std::move(*open[i].in_front)));
      }
      if (!open[i].last.has_value()) continue;
      if (sum.has_value()) *at(values_out, before[i] - 1) = std::move(*sum);
      sum.emplace(std::move(*open[i].last));
    }
    if (sum.has_value()) *at(values_out, before.back() - 1) = std::move(*sum);
  }
};

}  // namespace algo

namespace experimental {
/// sort_by_key([policy,] keys, keys_last, values[, less]): sorts the keys, and each value goes where its key goes.
/// Equal keys stay in their order. A pair of the ends. Takes memory for all elements, and throws std::bad_alloc if
/// there is none, before it has changed anything. If the comparison throws, pairs are in some order, and some may be
/// moved from.
inline constexpr algo::sort_by_key_algorithm sort_by_key{};
/// reduce_by_key([policy,] keys, keys_last, values, keys_out, values_out[, equal[, op]]): of each run of equal keys,
/// the first one, and its values put together by op, in their order; std::plus unless given. A pair of the ends of the
/// outputs, which must not overlap the inputs. Takes memory of a byte for each element.
inline constexpr algo::reduce_by_key_algorithm reduce_by_key{};
}  // namespace experimental
namespace ranges::experimental {
inline constexpr algo::over_ranges<algo::sort_by_key_algorithm, 1, algo::behind_function<3, std::less<>>> sort_by_key{};
inline constexpr algo::over_ranges<algo::reduce_by_key_algorithm, 1> reduce_by_key{};
}  // namespace ranges::experimental

}  // namespace amity
