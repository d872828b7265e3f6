#include <algorithm>
#include <numeric>

#include "algorithms/contender.hpp"

const contender serial = {
    "serial",
    [](double* first, double* last) { std::sort(first, last); },
    [](double* first, double* last) { std::stable_sort(first, last); },
    [](const double* first, const double* last) { return std::reduce(first, last, 0.0); },
    [](const double* first, const double* last, double* out) { std::inclusive_scan(first, last, out); },
    [](double* first, double* last) { std::for_each(first, last, [](double& x) { x = 1.5 * x + 1; }); }};
