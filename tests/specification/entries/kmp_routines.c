// section: 18
// compilers: clang
//
// Routines that libomp has beside the standard's.
#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
int main(void) {
  kmp_set_blocktime(150);
  SAME(kmp_get_blocktime(), 150);
  kmp_set_blocktime(0);
  SAME(kmp_get_blocktime(), 0);
  kmp_set_stacksize_s(8 << 20);
  CHECK(kmp_get_stacksize_s() >= (size_t)(8 << 20), "a stack of %zu bytes", kmp_get_stacksize_s());
  CHECK(kmp_get_stacksize() > 0, "a stack of %d bytes", kmp_get_stacksize());
  kmp_set_stacksize(3);
  CHECK(kmp_get_stacksize() >= 16384, "a stack of %d bytes", kmp_get_stacksize());
  int const before = omp_get_max_threads();
  kmp_set_library_serial();
  SAME(omp_get_max_threads(), 1);
  kmp_set_library_throughput();
  SAME(omp_get_max_threads(), before);
  kmp_set_defaults("OMP_NUM_THREADS=5");  // the caller's, though OpenMP is in use
  SAME(omp_get_max_threads(), 5);
  omp_set_num_threads(before);
  CHECK(kmp_get_library() > 0, "library %d", kmp_get_library());
  kmp_set_defaults("KMP_BLOCKTIME=0");
  kmp_set_warnings_off();
  kmp_set_warnings_on();
  kmp_set_disp_num_buffers(9);
  int wrong = 0;
#pragma omp parallel reduction(+ : wrong)
  {
    for (size_t size = 1; size < 5000; size = 3 * size + 7) {
      unsigned char* p = kmp_malloc(size);
      memset(p, 1, size);
      p = kmp_realloc(p, 2 * size);
      wrong += p[0] != 1 || p[size - 1] != 1;
      kmp_free(p);
      p = kmp_calloc(size, 2);
      for (size_t i = 0; i < 2 * size; ++i) wrong += p[i] != 0;
      kmp_free(p);
      p = kmp_aligned_malloc(size, 64);
      wrong += (uintptr_t)p % 64 != 0;
      kmp_free(p);
    }
  }
  SAME(wrong, 0);
  kmp_affinity_mask_t mask;
  kmp_create_affinity_mask(&mask);
  int const most = kmp_get_affinity_max_proc();
  CHECK(most >= 1, "%d processors", most);
  SAME(kmp_get_affinity_mask_proc(most, &mask), -1);
  SAME(kmp_set_affinity_mask_proc(most + 3, &mask), -1);
  SAME(kmp_unset_affinity_mask_proc(-1, &mask), -1);
  if (kmp_get_affinity(&mask) == 0) {
    int some = 0;
    for (int p = 0; p < most; ++p) some += kmp_get_affinity_mask_proc(p, &mask) > 0;
    CHECK(some >= 1, "an empty mask");
    CHECK(kmp_set_affinity(&mask) == 0, "its own mask is refused");
  }
  kmp_destroy_affinity_mask(&mask);
  return finish();
}
