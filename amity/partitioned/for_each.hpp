#pragma once

/// for_each, for_each_n, fill, fill_n, generate, replace, replace_if over partitioned vectors.

#include <functional>

#include "amity/algo/copy.hpp"
#include "amity/partitioned/runs.hpp"

namespace amity::partitioned {

/// Calls `work(parallel, first, last, args...)` for each run, where its elements are. `work` travels as a closure, the
/// arguments are serialised.
template <class T, class Work, class... Args>
auto at_owners(bool parallel, iterator<T> first, std::size_t n, Work work, const Args&... args) {
  return over_runs(parallel, runs_of(n, first), [&](const run& r) {
    global_ptr<T> const at = pointer_at(first, r);
    return pgas::detail::own_rpc(
        at.where(),
        [at, size = r.size, parallel, work](const Args&... each) {
          return work(parallel, at.raw_ptr(), at.raw_ptr() + size, each...);
        },
        args...);
  });
}

template <class T, class F>
void run_over_segments(algo::for_each_algorithm, bool parallel, iterator<T> first, iterator<T> last, F f) {
  at_owners(parallel, first, length(first, last), [f = portable(f)](bool par, T* from, T* to) {
    run_here<algo::for_each_algorithm>(par, from, to, f.here());
  });
}
template <class T, class Size, class F>
iterator<T> run_over_segments(algo::for_each_n_algorithm, bool parallel, iterator<T> first, Size n, F f) {
  if (n <= 0) return first;
  iterator<T> const last = first + static_cast<std::ptrdiff_t>(n);
  run_over_segments(algo::for_each_algorithm(), parallel, first, last, std::move(f));
  return last;
}

template <class T, class V>
void run_over_segments(algo::fill_algorithm, bool parallel, iterator<T> first, iterator<T> last, const V& value) {
  at_owners(
      parallel, first, length(first, last),
      [](bool par, T* from, T* to, const T& v) { run_here<algo::fill_algorithm>(par, from, to, v); }, T(value));
}
template <class T, class Size, class V>
iterator<T> run_over_segments(algo::fill_n_algorithm, bool parallel, iterator<T> first, Size n, const V& value) {
  if (n <= 0) return first;
  iterator<T> const last = first + static_cast<std::ptrdiff_t>(n);
  run_over_segments(algo::fill_algorithm(), parallel, first, last, value);
  return last;
}

/// Each run has a generator of its own, a copy of this one.
template <class T, class F>
void run_over_segments(algo::generate_algorithm, bool parallel, iterator<T> first, iterator<T> last, F f) {
  at_owners(parallel, first, length(first, last), [f = portable(f)](bool par, T* from, T* to) {
    run_here<algo::generate_algorithm>(par, from, to, f.here());
  });
}

template <class T, class V, class W>
void run_over_segments(algo::replace_algorithm, bool parallel, iterator<T> first, iterator<T> last, const V& old,
                       const W& with) {
  at_owners(
      parallel, first, length(first, last),
      [](bool par, T* from, T* to, const T& before, const T& after) {
        run_here<algo::replace_algorithm>(par, from, to, before, after);
      },
      T(old), T(with));
}
template <class T, class F, class V>
void run_over_segments(algo::replace_if_algorithm, bool parallel, iterator<T> first, iterator<T> last, F f,
                       const V& with) {
  at_owners(
      parallel, first, length(first, last),
      [f = portable(f)](bool par, T* from, T* to, const T& after) {
        run_here<algo::replace_if_algorithm>(par, from, to, f.here(), after);
      },
      T(with));
}

}  // namespace amity::partitioned
