#pragma once

/// reduce, transform_reduce, count, count_if, all_of, any_of, none_of, contains, equal over partitioned vectors. Each
/// process combines what it has; the caller combines the results in the order of the elements, so operations need not
/// be commutative.

#include <algorithm>
#include <functional>
#include <numeric>

#include "amity/algo/compare.hpp"
#include "amity/algo/find.hpp"
#include "amity/algo/reduce.hpp"
#include "amity/partitioned/for_each.hpp"

namespace amity::partitioned {

template <class T, class R, class Op, class F>
R run_over_segments(algo::transform_reduce_algorithm, bool parallel, iterator<T> first, iterator<T> last, R init, Op op,
                    F f) {
  auto const sums = at_owners(parallel, first, length(first, last),
                              [op = portable(op), f = portable(f)](bool par, const T* from, const T* to) {
                                auto const of_each = f.here();
                                return run_here<algo::transform_reduce_algorithm>(
                                    par, from + 1, to, static_cast<R>(std::invoke(of_each, *from)), op.here(), of_each);
                              });
  for (const R& each : sums) init = op(std::move(init), each);
  return init;
}
template <class T, class U, class R, class Op = std::plus<>, class F = std::multiplies<>>
R run_over_segments(algo::transform_reduce_algorithm, bool parallel, iterator<T> first, iterator<T> last,
                    iterator<U> second, R init, Op op = {}, F f = {}) {
  auto const sums = over_runs(parallel, runs_of(length(first, last), first, second), [&](const run& r) {
    global_ptr<T> const a = pointer_at(first, r);
    return pgas::detail::own_rpc(
        a.where(), [a, b = pointer_at(second, r), size = r.size, parallel, op = portable(op), f = portable(f)] {
          const T* const left = a.raw_ptr();
          seen<U> const right(b, size);
          auto const of_both = f.here();
          return run_here<algo::transform_reduce_algorithm>(parallel, left + 1, left + size, right.begin() + 1,
                                                            static_cast<R>(std::invoke(of_both, *left, *right.begin())),
                                                            op.here(), of_both);
        });
  });
  for (const R& each : sums) init = op(std::move(init), each);
  return init;
}

template <class T, class R = std::remove_const_t<T>, class Op = std::plus<>>
R run_over_segments(algo::reduce_algorithm, bool parallel, iterator<T> first, iterator<T> last, R init = R(),
                    Op op = {}) {
  return run_over_segments(algo::transform_reduce_algorithm(), parallel, first, last, std::move(init), std::move(op),
                           std::identity());
}

// --- counts and questions

template <class T, class F>
std::ptrdiff_t run_over_segments(algo::count_if_algorithm, bool parallel, iterator<T> first, iterator<T> last, F f) {
  auto const counts = at_owners(parallel, first, length(first, last),
                                [f = portable(f)](bool par, const T* from, const T* to) -> std::ptrdiff_t {
                                  return run_here<algo::count_if_algorithm>(par, from, to, f.here());
                                });
  return std::accumulate(counts.begin(), counts.end(), std::ptrdiff_t{0});
}
template <class T, class V>
std::ptrdiff_t run_over_segments(algo::count_algorithm, bool parallel, iterator<T> first, iterator<T> last,
                                 const V& value) {
  auto const counts = at_owners(
      parallel, first, length(first, last),
      [](bool par, const T* from, const T* to, const V& v) -> std::ptrdiff_t {
        return run_here<algo::count_algorithm>(par, from, to, v);
      },
      value);
  return std::accumulate(counts.begin(), counts.end(), std::ptrdiff_t{0});
}

/// Bits of each run: bool has no vector of its own.
template <class A, class T, class F>
std::vector<int> ask_all(bool parallel, iterator<T> first, iterator<T> last, F f) {
  return at_owners(parallel, first, length(first, last), [f = portable(f)](bool par, const T* from, const T* to) {
    return static_cast<int>(run_here<A>(par, from, to, f.here()));
  });
}
template <class T, class F>
bool run_over_segments(algo::any_of_algorithm, bool parallel, iterator<T> first, iterator<T> last, F f) {
  auto const all = ask_all<algo::any_of_algorithm>(parallel, first, last, std::move(f));
  return std::any_of(all.begin(), all.end(), std::identity());
}
template <class T, class F>
bool run_over_segments(algo::none_of_algorithm, bool parallel, iterator<T> first, iterator<T> last, F f) {
  return !run_over_segments(algo::any_of_algorithm(), parallel, first, last, std::move(f));
}
template <class T, class F>
bool run_over_segments(algo::all_of_algorithm, bool parallel, iterator<T> first, iterator<T> last, F f) {
  auto const all = ask_all<algo::all_of_algorithm>(parallel, first, last, std::move(f));
  return std::all_of(all.begin(), all.end(), std::identity());
}
template <class T, class V>
bool run_over_segments(algo::contains_algorithm, bool parallel, iterator<T> first, iterator<T> last, const V& value) {
  return run_over_segments(algo::count_algorithm(), parallel, first, last, value) != 0;
}

template <class T, class U, class F = std::equal_to<>>
bool run_over_segments(algo::equal_algorithm, bool parallel, iterator<T> first, iterator<T> last, iterator<U> second,
                       F f = {}) {
  auto const all = over_runs(parallel, runs_of(length(first, last), first, second), [&](const run& r) {
    global_ptr<T> const a = pointer_at(first, r);
    return pgas::detail::own_rpc(a.where(), [a, b = pointer_at(second, r), size = r.size, parallel, f = portable(f)] {
      seen<U> const right(b, size);
      return static_cast<int>(run_here<algo::equal_algorithm>(parallel, a.raw_ptr(), a.raw_ptr() + size, right.begin(),
                                                              right.begin() + size, f.here()));
    });
  });
  return std::all_of(all.begin(), all.end(), std::identity());
}
template <class T, class U, class F = std::equal_to<>>
bool run_over_segments(algo::equal_algorithm, bool parallel, iterator<T> first, iterator<T> last, iterator<U> second,
                       iterator<U> second_last, F f = {}) {
  return length(first, last) == length(second, second_last) &&
         run_over_segments(algo::equal_algorithm(), parallel, first, last, second, std::move(f));
}

}  // namespace amity::partitioned
