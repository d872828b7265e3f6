// section: 6
// compilers: clang
//
// libomp's handles of memory spaces and allocators as data, which code without omp.h may use as it uses the constants.
#include <stdint.h>
#include <stdlib.h>

#include "check.h"

extern const uintptr_t omp_null_allocator, omp_default_mem_alloc, omp_large_cap_mem_alloc, omp_const_mem_alloc,
    omp_high_bw_mem_alloc, omp_low_lat_mem_alloc, omp_cgroup_mem_alloc, omp_pteam_mem_alloc, omp_thread_mem_alloc;
extern const uintptr_t omp_default_mem_space, omp_large_cap_mem_space, omp_const_mem_space, omp_high_bw_mem_space,
    omp_low_lat_mem_space;
void *omp_alloc(size_t, uintptr_t), omp_free(void*, uintptr_t);
uintptr_t omp_init_allocator(uintptr_t, int, const void*);
void omp_destroy_allocator(uintptr_t);

int main(void) {
  const uintptr_t allocators[] = {omp_null_allocator,   omp_default_mem_alloc, omp_large_cap_mem_alloc,
                                  omp_const_mem_alloc,  omp_high_bw_mem_alloc, omp_low_lat_mem_alloc,
                                  omp_cgroup_mem_alloc, omp_pteam_mem_alloc,   omp_thread_mem_alloc};
  const uintptr_t spaces[] = {omp_default_mem_space, omp_large_cap_mem_space, omp_const_mem_space,
                              omp_high_bw_mem_space, omp_low_lat_mem_space};
  for (uintptr_t i = 0; i < sizeof allocators / sizeof *allocators; ++i) {
    SAME(allocators[i], i);
    int* const p = omp_alloc(100 * sizeof *p, allocators[i]);
    CHECK(p != NULL, "allocator %d has no memory", (int)i);
    for (int k = 0; k < 100; ++k) p[k] = k;
    omp_free(p, allocators[i]);
  }
  for (uintptr_t i = 0; i < sizeof spaces / sizeof *spaces; ++i) {
    SAME(spaces[i], i);
    uintptr_t const made = omp_init_allocator(spaces[i], 0, NULL);
    CHECK(made != 0, "space %d has no allocator", (int)i);
    void* const p = omp_alloc(1000, made);
    CHECK(p != NULL, "space %d has no memory", (int)i);
    omp_free(p, made);
    omp_destroy_allocator(made);
  }
  return finish();
}
