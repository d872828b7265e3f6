#pragma once

/// transform, copy, copy_n, adjacent_difference over partitioned vectors, and copies from and to memory of the caller.
/// The work is done where the results go; what lies elsewhere is fetched.

#include <functional>
#include <memory>

#include "amity/algo/copy.hpp"
#include "amity/algo/transform.hpp"
#include "amity/partitioned/for_each.hpp"

namespace amity::partitioned {

template <class T, class U, class F>
iterator<U> run_over_segments(algo::transform_algorithm, bool parallel, iterator<T> first, iterator<T> last,
                              iterator<U> out, F f) {
  std::size_t const n = length(first, last);
  over_runs(parallel, runs_of(n, first, out), [&](const run& r) {
    global_ptr<U> const to = pointer_at(out, r);
    return pgas::detail::own_rpc(
        to.where(), [to, from = pointer_at(first, r), size = r.size, parallel, f = portable(f)] {
          seen<T> const in(from, size);
          run_here<algo::transform_algorithm>(parallel, in.begin(), in.begin() + size, to.raw_ptr(), f.here());
        });
  });
  return out + static_cast<std::ptrdiff_t>(n);
}
template <class T, class V, class U, class F>
iterator<U> run_over_segments(algo::transform_algorithm, bool parallel, iterator<T> first, iterator<T> last,
                              iterator<V> second, iterator<U> out, F f) {
  std::size_t const n = length(first, last);
  over_runs(parallel, runs_of(n, first, second, out), [&](const run& r) {
    global_ptr<U> const to = pointer_at(out, r);
    return pgas::detail::own_rpc(to.where(), [to, a = pointer_at(first, r), b = pointer_at(second, r), size = r.size,
                                              parallel, f = portable(f)] {
      seen<T> const left(a, size);
      seen<V> const right(b, size);
      run_here<algo::transform_algorithm>(parallel, left.begin(), left.begin() + size, right.begin(), to.raw_ptr(),
                                          f.here());
    });
  });
  return out + static_cast<std::ptrdiff_t>(n);
}

// --- copies

template <class T, class U>
iterator<U> run_over_segments(algo::copy_algorithm, bool parallel, iterator<T> first, iterator<T> last,
                              iterator<U> out) {
  return run_over_segments(algo::transform_algorithm(), parallel, first, last, out, std::identity());
}
/// From memory of the caller's.
template <std::contiguous_iterator It, class U>
iterator<U> run_over_segments(algo::copy_algorithm, bool parallel, It first, It last, iterator<U> out) {
  auto const n = static_cast<std::size_t>(last - first);
  over_runs(parallel, runs_of(n, out), [&](const run& r) {
    global_ptr<U> const to = pointer_at(out, r);
    const auto* const from = std::to_address(first) + r.at;
    if constexpr (pgas::detail::transferable<U> && std::is_same_v<std::iter_value_t<It>, U>)
      return rput(from, to, r.size);
    else
      return pgas::detail::own_rpc(
          to.where(), [to](const std::vector<U>& values) { std::copy(values.begin(), values.end(), to.raw_ptr()); },
          std::vector<U>(from, from + r.size));
  });
  return out + static_cast<std::ptrdiff_t>(n);
}
/// To memory of the caller's.
template <class T, std::contiguous_iterator It>
It run_over_segments(algo::copy_algorithm, bool parallel, iterator<T> first, iterator<T> last, It out) {
  std::size_t const n = length(first, last);
  over_runs(parallel, runs_of(n, first), [&](const run& r) {
    return async([from = pointer_at(first, r), to = std::to_address(out) + r.at, size = r.size] {
      seen<T> const in(from, size);
      std::copy_n(in.begin(), size, to);
    });
  });
  return out + static_cast<std::ptrdiff_t>(n);
}
template <class It, class Size, class Out>
Out run_over_segments(algo::copy_n_algorithm, bool parallel, It first, Size n, Out out) {
  if (n <= 0) return out;
  return run_over_segments(algo::copy_algorithm(), parallel, first, first + static_cast<std::ptrdiff_t>(n), out);
}

// --- neighbours

/// Not in place where the range spans several blocks: a run reads the element before it.
template <class T, class U, class F = std::minus<>>
iterator<U> run_over_segments(algo::adjacent_difference_algorithm, bool parallel, iterator<T> first, iterator<T> last,
                              iterator<U> out, F f = {}) {
  std::size_t const n = length(first, last);
  over_runs(parallel, runs_of(n, first, out), [&](const run& r) {
    global_ptr<U> const to = pointer_at(out, r);
    bool const is_first = r.at == 0;
    return pgas::detail::own_rpc(to.where(), [to, from = pointer_at(first, r), is_first, size = r.size, parallel,
                                              before = is_first ? global_ptr<T>() : pointer_at(first, run{r.at - 1, 1}),
                                              f = portable(f)] {
      seen<T> const in(from, size);
      run_here<algo::adjacent_difference_algorithm>(parallel, in.begin(), in.begin() + size, to.raw_ptr(), f.here());
      if (is_first) return;
      seen<T> const last_before(before, 1);
      *to.raw_ptr() = f.here()(*in.begin(), *last_before.begin());
    });
  });
  return out + static_cast<std::ptrdiff_t>(n);
}

}  // namespace amity::partitioned
