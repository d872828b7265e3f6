#include <amity/amity.hpp>

#include "algorithms/contender.hpp"

namespace {
constexpr auto par = amity::execution::par;
}

const contender amitys = {
    "amity",
    [](double* first, double* last) { amity::sort(par, first, last); },
    [](double* first, double* last) { amity::stable_sort(par, first, last); },
    [](const double* first, const double* last) { return amity::reduce(par, first, last, 0.0); },
    [](const double* first, const double* last, double* out) { amity::inclusive_scan(par, first, last, out); },
    [](double* first, double* last) { amity::for_each(par, first, last, [](double& x) { x = 1.5 * x + 1; }); }};
