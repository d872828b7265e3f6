#pragma once

// The two forms of parallel loop that the steps are made of, by Amity's workers. The steps take them as a parameter, so
// others will do as well: lulesh_openmp.cpp has its own.
#include "amity/amity.hpp"

namespace lulesh {

struct amity_loops {
  // body(i) for each i from 0 to n.
  template <class Body>
  static void each(int n, Body body) {
    amity::for_loop(amity::execution::par, 0, n, body);
  }
  // The same; `least.lower(...)` with what each body gives.
  template <class T, class Body>
  static T least(int n, T none, Body body) {
    T all = none;
    auto const lower = [](T a, const T& b) { return a.lower(b), a; };
    amity::for_loop(amity::execution::par, 0, n, amity::reduction(all, none, lower),
                    [&](int i, T& part) { part.lower(body(i)); });
    return all;
  }
};

}  // namespace lulesh
