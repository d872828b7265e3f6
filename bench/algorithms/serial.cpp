// libstdc++ without threads: nobody's rival.
#include <algorithm>
#include <functional>
#include <numeric>

#include "algorithms/algorithms.hpp"
#include "algorithms/passes.hpp"

const algorithms::idiom algorithms::this_idiom = {
    .begin = [](int) {},
    .sort = [](double* first, double* last) { std::sort(first, last); },
    .stable_sort = [](record* first, record* last) { std::stable_sort(first, last, by_key); },
    .merge = [](const double* a, const double* a_last, const double* b, const double* b_last,
                double* out) { std::merge(a, a_last, b, b_last, out); },
    .inclusive_scan = [](const double* first, const double* last,
                         double* out) { std::inclusive_scan(first, last, out); },
    .exclusive_scan = [](const double* first, const double* last,
                         double* out) { std::exclusive_scan(first, last, out, 0.0); },
    .reduce = [](const double* first, const double* last) { return std::reduce(first, last, 0.0); },
    .transform_reduce = [](const double* first, const double* last,
                           const double* second) { return std::transform_reduce(first, last, second, 0.0); },
    .for_each = [](double* first, double* last) { std::for_each(first, last, [](double& x) { x = changed(x); }); }};

namespace library = std;
#define POLICY
namespace algorithms {
const passes this_passes = {
#include "algorithms/passes.inc"
};
}  // namespace algorithms
