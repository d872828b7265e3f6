// What a contender does: five algorithms over the same arrays.
#pragma once

#include <cstddef>

struct contender {
  const char* name;
  void (*sort)(double* first, double* last);
  void (*stable_sort)(double* first, double* last);
  double (*reduce)(const double* first, const double* last);
  void (*scan)(const double* first, const double* last, double* out);  // inclusive
  void (*for_each)(double* first, double* last);                       // x = 1.5 * x + 1
};

extern const contender serial, amitys;
#ifdef WITH_TBB
extern const contender tbbs;
#endif
