// section: 7
// options clang: -fopenmp-version=52
//
// What chooses among code, and what says nothing to the runtime.
#include <omp.h>

#include "check.h"
#pragma omp requires atomic_default_mem_order(seq_cst)
static int in_parallel_region(void) { return 2; }
#pragma omp declare variant(in_parallel_region) match(construct = {parallel})
static int where(void) { return 1; }
static int of_vendor(void) { return 5; }
#ifdef __clang__
#pragma omp declare variant(of_vendor) match(implementation = {vendor(llvm)})
#else
#pragma omp declare variant(of_vendor) match(implementation = {vendor(gnu)})
#endif
static int whose(void) { return 4; }
int main(void) {
  int inside = 0, x = 0;
  SAME(where(), 1);
#pragma omp parallel num_threads(2) shared(inside)
#pragma omp single
  inside = where();
  SAME(inside, 2);
  SAME(whose(), 5);
#pragma omp nothing
  x = 1;
#pragma omp error at(execution) severity(warning) message("this is part of the test")
#pragma omp flush
#pragma omp flush acq_rel
#pragma omp flush(x)
#pragma omp flush release
  SAME(x, 1);
  return finish();
}
