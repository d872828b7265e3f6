// libstdc++ with std::execution::par, which it builds on oneTBB.
#include <algorithm>
#include <execution>
#include <functional>
#include <numeric>

#include "algorithms/algorithms.hpp"
#include "algorithms/passes.hpp"
#include "common/tbb_begin.hpp"

namespace {
constexpr auto par = std::execution::par;
}

const algorithms::idiom algorithms::this_idiom = {
    .begin = bench::begin_tbb,
    .sort = [](double* first, double* last) { std::sort(par, first, last); },
    .stable_sort = [](record* first, record* last) { std::stable_sort(par, first, last, by_key); },
    .merge = [](const double* a, const double* a_last, const double* b, const double* b_last,
                double* out) { std::merge(par, a, a_last, b, b_last, out); },
    .inclusive_scan = [](const double* first, const double* last,
                         double* out) { std::inclusive_scan(par, first, last, out); },
    .exclusive_scan = [](const double* first, const double* last,
                         double* out) { std::exclusive_scan(par, first, last, out, 0.0); },
    .reduce = [](const double* first, const double* last) { return std::reduce(par, first, last, 0.0); },
    .transform_reduce = [](const double* first, const double* last,
                           const double* second) { return std::transform_reduce(par, first, last, second, 0.0); },
    .for_each = [](double* first,
                   double* last) { std::for_each(par, first, last, [](double& x) { x = changed(x); }); }};

namespace library = std;
#define POLICY par,
namespace algorithms {
const passes this_passes = {
#include "algorithms/passes.inc"
};
}  // namespace algorithms
