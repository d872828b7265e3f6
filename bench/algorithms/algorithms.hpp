// The algorithms of this folder, each done by every program of it in its own way, over the same arrays.
//
//   const idiom this_idiom = {.begin = bench::begin_tbb, .sort = sort, ...};      // in tbb.cpp, amity.cpp, ...
//
// What an idiom has no algorithm for is null.
#pragma once

namespace algorithms {

/// Larger than a number, and it shows whether equal ones kept their order.
struct record {
  double key;
  long place;  // where it stood
};

inline bool by_key(const record& a, const record& b) { return a.key < b.key; }

/// What for_each does.
inline double changed(double x) { return 1.5 * x + 1; }

struct idiom {
  void (*begin)(int threads);  // before anything else, once
  void (*sort)(double* first, double* last);
  void (*stable_sort)(record* first, record* last);  // by_key
  void (*merge)(const double* a, const double* a_last, const double* b, const double* b_last, double* out);
  void (*inclusive_scan)(const double* first, const double* last, double* out);
  void (*exclusive_scan)(const double* first, const double* last, double* out);  // from 0
  double (*reduce)(const double* first, const double* last);
  double (*transform_reduce)(const double* first, const double* last, const double* second);  // of the products
  void (*for_each)(double* first, double* last);                                              // changed
};

extern const idiom this_idiom;

}  // namespace algorithms
