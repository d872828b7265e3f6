// oneTBB's own algorithms. It has no stable sort and no merge.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/parallel_sort.h>

#include <cstddef>
#include <functional>
#include <numeric>

#include "algorithms/algorithms.hpp"
#include "algorithms/passes.hpp"
#include "common/tbb_begin.hpp"

namespace {

using tbb::blocked_range;

double reduce(const double* first, const double* last) {
  return tbb::parallel_reduce(
      blocked_range<const double*>(first, last), 0.0,
      [](const blocked_range<const double*>& r, double sum) { return std::reduce(r.begin(), r.end(), sum); },
      std::plus<>());
}

double transform_reduce(const double* first, const double* last, const double* second) {
  return tbb::parallel_reduce(
      blocked_range<const double*>(first, last), 0.0,
      [=](const blocked_range<const double*>& r, double sum) {
        return std::transform_reduce(r.begin(), r.end(), second + (r.begin() - first), sum);
      },
      std::plus<>());
}

template <bool Inclusive>
void scan(const double* first, const double* last, double* out) {
  tbb::parallel_scan(
      blocked_range<std::ptrdiff_t>(0, last - first), 0.0,
      [=](const blocked_range<std::ptrdiff_t>& r, double sum, bool is_final) {
        for (std::ptrdiff_t i = r.begin(); i < r.end(); ++i) {
          if (!Inclusive && is_final) out[i] = sum;
          sum += first[i];
          if (Inclusive && is_final) out[i] = sum;
        }
        return sum;
      },
      std::plus<>());
}

void for_each(double* first, double* last) {
  tbb::parallel_for(blocked_range<double*>(first, last), [](const blocked_range<double*>& r) {
    for (double& x : r) x = algorithms::changed(x);
  });
}

}  // namespace

const algorithms::idiom algorithms::this_idiom = {
    .begin = bench::begin_tbb,
    .sort = [](double* first, double* last) { tbb::parallel_sort(first, last); },
    .stable_sort = nullptr,
    .merge = nullptr,
    .inclusive_scan = scan<true>,
    .exclusive_scan = scan<false>,
    .reduce = reduce,
    .transform_reduce = transform_reduce,
    .for_each = for_each};

/// Its users write these with parallel_for and parallel_reduce.
const algorithms::passes algorithms::this_passes = {};
