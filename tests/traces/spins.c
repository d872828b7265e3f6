// 100 regions of more members than cores, in which each member spins until the one before it has passed, as BLAS
// libraries do between the phases of a product.
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>

int main(void) {
  int const members = 3 * omp_get_num_procs();
  static atomic_int passed;
  for (int region = 0; region < 100; ++region) {
    atomic_store(&passed, 0);
#pragma omp parallel num_threads(members)
    {
      int const before = members - 1 - omp_get_thread_num();  // the last goes first
      while (atomic_load(&passed) < before) {
      }
      atomic_fetch_add(&passed, 1);
    }
  }
  puts("ok");
  return 0;
}
