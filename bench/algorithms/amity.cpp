// Amity's parallel algorithms.
#include <algorithm>
#include <amity/amity.hpp>
#include <functional>

#include "algorithms/algorithms.hpp"
#include "algorithms/passes.hpp"
#include "common/amity_begin.hpp"

namespace {
constexpr auto par = amity::execution::par;
}

const algorithms::idiom algorithms::this_idiom = {
    .begin = bench::begin_amity,
    .sort = [](double* first, double* last) { amity::sort(par, first, last); },
    .stable_sort = [](record* first, record* last) { amity::stable_sort(par, first, last, by_key); },
    .merge = [](const double* a, const double* a_last, const double* b, const double* b_last,
                double* out) { amity::merge(par, a, a_last, b, b_last, out); },
    .inclusive_scan = [](const double* first, const double* last,
                         double* out) { amity::inclusive_scan(par, first, last, out); },
    .exclusive_scan = [](const double* first, const double* last,
                         double* out) { amity::exclusive_scan(par, first, last, out, 0.0); },
    .reduce = [](const double* first, const double* last) { return amity::reduce(par, first, last, 0.0); },
    .transform_reduce = [](const double* first, const double* last,
                           const double* second) { return amity::transform_reduce(par, first, last, second, 0.0); },
    .for_each = [](double* first,
                   double* last) { amity::for_each(par, first, last, [](double& x) { x = changed(x); }); }};

namespace library = amity;
#define POLICY par,
namespace algorithms {
const passes this_passes = {
#include "algorithms/passes.inc"
};
}  // namespace algorithms
