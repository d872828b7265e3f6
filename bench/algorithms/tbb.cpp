// oneTBB's own algorithms; it has no stable sort.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/parallel_sort.h>

#include <functional>
#include <numeric>

#include "algorithms/contender.hpp"

namespace {

using tbb::blocked_range;

double reduce(const double* first, const double* last) {
  return tbb::parallel_reduce(
      blocked_range<const double*>(first, last), 0.0,
      [](const blocked_range<const double*>& r, double sum) { return std::reduce(r.begin(), r.end(), sum); },
      std::plus<>());
}

void scan(const double* first, const double* last, double* out) {
  tbb::parallel_scan(
      blocked_range<std::ptrdiff_t>(0, last - first), 0.0,
      [=](const blocked_range<std::ptrdiff_t>& r, double sum, bool is_final) {
        for (std::ptrdiff_t i = r.begin(); i < r.end(); ++i) {
          sum += first[i];
          if (is_final) out[i] = sum;
        }
        return sum;
      },
      std::plus<>());
}

void for_each(double* first, double* last) {
  tbb::parallel_for(blocked_range<double*>(first, last), [](const blocked_range<double*>& r) {
    for (double& x : r) x = 1.5 * x + 1;
  });
}

}  // namespace

const contender tbbs = {
    "tbb", [](double* first, double* last) { tbb::parallel_sort(first, last); }, nullptr, reduce, scan, for_each};
