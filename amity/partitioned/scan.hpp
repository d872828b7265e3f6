#pragma once

/// inclusive_scan, exclusive_scan and their transform_ forms over partitioned vectors, also in place. Each run is
/// summed up first; then each is scanned with the sum of those before it.

#include <functional>
#include <optional>
#include <utility>

#include "amity/algo/reduce.hpp"
#include "amity/algo/scan.hpp"
#include "amity/partitioned/for_each.hpp"

namespace amity::partitioned {

/// The sums of the runs before each run, behind `init`; empty: nothing is before.
template <class R, class T, class Op, class F>
std::vector<std::optional<R>> sums_before(bool parallel, const std::vector<run>& runs, iterator<T> first,
                                          std::optional<R> init, Op& op, F& f) {
  auto const sums = over_runs(parallel, runs, [&](const run& r) {
    global_ptr<T> const at = pointer_at(first, r);
    return pgas::detail::own_rpc(at.where(), [at, size = r.size, parallel, op = portable(op), f = portable(f)] {
      const T* const from = at.raw_ptr();
      auto const of_each = f.here();
      return run_here<algo::transform_reduce_algorithm>(
          parallel, from + 1, from + size, static_cast<R>(std::invoke(of_each, *from)), op.here(), of_each);
    });
  });
  std::vector<std::optional<R>> before;
  for (const R& each : sums) {
    before.push_back(init);
    if (init.has_value())
      init = op(std::move(*init), each);
    else
      init = each;
  }
  return before;
}

/// Calls `scan(parallel, from, to, out, before)` for each run, where its results go.
template <class R, class T, class U, class Op, class F, class Scan>
iterator<U> scan_runs(bool parallel, iterator<T> first, iterator<T> last, iterator<U> out, std::optional<R> init, Op op,
                      F f, Scan scan) {
  std::size_t const n = length(first, last);
  auto const runs = runs_of(n, first, out);
  auto const before = sums_before<R>(parallel, runs, first, std::move(init), op, f);
  over_runs(parallel, runs, [&](const run& r) {
    global_ptr<U> const to = pointer_at(out, r);
    return pgas::detail::own_rpc(
        to.where(),
        [to, from = pointer_at(first, r), size = r.size, parallel, scan](const std::optional<R>& sum) {
          seen<T> const in(from, size);
          scan(parallel, in.begin(), in.begin() + size, to.raw_ptr(), sum);
        },
        before[static_cast<std::size_t>(&r - runs.data())]);
  });
  return out + static_cast<std::ptrdiff_t>(n);
}

template <class R, class T, class U, class Op, class F>
iterator<U> scan_inclusively(bool parallel, iterator<T> first, iterator<T> last, iterator<U> out, std::optional<R> init,
                             Op op, F f) {
  using in = const std::remove_const_t<T>*;
  return scan_runs<R>(
      parallel, first, last, out, std::move(init), op, f,
      [op = portable(op), f = portable(f)](bool par, in from, in to, U* at, const std::optional<R>& sum) {
        if (sum.has_value())
          run_here<algo::transform_inclusive_scan_algorithm>(par, from, to, at, op.here(), f.here(), R(*sum));
        else
          run_here<algo::transform_inclusive_scan_algorithm>(par, from, to, at, op.here(), f.here());
      });
}
template <class R, class T, class U, class Op, class F>
iterator<U> scan_exclusively(bool parallel, iterator<T> first, iterator<T> last, iterator<U> out, R init, Op op, F f) {
  using in = const std::remove_const_t<T>*;
  return scan_runs<R>(
      parallel, first, last, out, std::optional<R>(std::move(init)), op, f,
      [op = portable(op), f = portable(f)](bool par, in from, in to, U* at, const std::optional<R>& sum) {
        run_here<algo::transform_exclusive_scan_algorithm>(par, from, to, at, R(*sum), op.here(), f.here());
      });
}

template <class T, class U, class Op = std::plus<>>
iterator<U> run_over_segments(algo::inclusive_scan_algorithm, bool parallel, iterator<T> first, iterator<T> last,
                              iterator<U> out, Op op = {}) {
  return scan_inclusively<std::remove_const_t<T>>(parallel, first, last, out, std::nullopt, std::move(op),
                                                  std::identity());
}
template <class T, class U, class Op, class R>
iterator<U> run_over_segments(algo::inclusive_scan_algorithm, bool parallel, iterator<T> first, iterator<T> last,
                              iterator<U> out, Op op, R init) {
  return scan_inclusively<R>(parallel, first, last, out, std::optional<R>(std::move(init)), std::move(op),
                             std::identity());
}
template <class T, class U, class R, class Op = std::plus<>>
iterator<U> run_over_segments(algo::exclusive_scan_algorithm, bool parallel, iterator<T> first, iterator<T> last,
                              iterator<U> out, R init, Op op = {}) {
  return scan_exclusively<R>(parallel, first, last, out, std::move(init), std::move(op), std::identity());
}
template <class T, class U, class Op, class F>
iterator<U> run_over_segments(algo::transform_inclusive_scan_algorithm, bool parallel, iterator<T> first,
                              iterator<T> last, iterator<U> out, Op op, F f) {
  using sum = std::remove_cvref_t<std::invoke_result_t<F&, const T&>>;
  return scan_inclusively<sum>(parallel, first, last, out, std::nullopt, std::move(op), std::move(f));
}
template <class T, class U, class Op, class F, class R>
iterator<U> run_over_segments(algo::transform_inclusive_scan_algorithm, bool parallel, iterator<T> first,
                              iterator<T> last, iterator<U> out, Op op, F f, R init) {
  return scan_inclusively<R>(parallel, first, last, out, std::optional<R>(std::move(init)), std::move(op),
                             std::move(f));
}
template <class T, class U, class R, class Op, class F>
iterator<U> run_over_segments(algo::transform_exclusive_scan_algorithm, bool parallel, iterator<T> first,
                              iterator<T> last, iterator<U> out, R init, Op op, F f) {
  return scan_exclusively<R>(parallel, first, last, out, std::move(init), std::move(op), std::move(f));
}

}  // namespace amity::partitioned
