// [all]
#include <omp.h>
#include <stdio.h>

static omp_lock_t left, right;

static void take_both(omp_lock_t* first, omp_lock_t* second) {
  omp_set_lock(first);
#pragma omp barrier
  omp_set_lock(second);
  omp_unset_lock(second);
  omp_unset_lock(first);
}

int main(void) {
  omp_init_lock(&left);
  omp_init_lock(&right);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0)
      take_both(&left, &right);
    else
      take_both(&right, &left);
  }
  printf("done\n");
}
// [end]
