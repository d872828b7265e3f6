// section: 6
// options clang: -fopenmp-version=51
#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
int main(void) {
  omp_allocator_handle_t const known[] = {omp_default_mem_alloc, omp_large_cap_mem_alloc, omp_const_mem_alloc,
                                          omp_high_bw_mem_alloc, omp_low_lat_mem_alloc,   omp_cgroup_mem_alloc,
                                          omp_pteam_mem_alloc,   omp_thread_mem_alloc};
  for (int i = 0; i < 8; ++i)
    for (size_t size = 1; size < 100000; size = size * 3 + 1) {
      unsigned char* p = omp_alloc(size, known[i]);
      CHECK(p, "allocator %d gave no %zu bytes", i, size);
      if (!p) continue;
      memset(p, i, size);
      p = omp_realloc(p, 2 * size, known[i], known[i]);
      CHECK(p && p[0] == i && p[size - 1] == i, "allocator %d: realloc lost %zu bytes", i, size);
      omp_free(p, known[i]);
      p = omp_calloc(size, 3, known[i]);
      int zero = p != 0;
      for (size_t k = 0; p && k < 3 * size; ++k) zero &= p[k] == 0;
      CHECK(zero, "allocator %d: calloc of %zu bytes is not zero", i, size);
      omp_free(p, omp_null_allocator);
      p = omp_aligned_alloc(256, (size + 255) / 256 * 256, known[i]);
      CHECK(p && (uintptr_t)p % 256 == 0, "allocator %d: not aligned", i);
      omp_free(p, known[i]);
      p = omp_aligned_calloc(128, 2, (size + 127) / 128 * 128, known[i]);
      CHECK(p && (uintptr_t)p % 128 == 0 && p[size] == 0, "allocator %d: not aligned or not zero", i);
      omp_free(p, known[i]);
    }
  SAME(omp_alloc(0, omp_default_mem_alloc), 0);
  omp_alloctrait_t const aligned[] = {
      {omp_atk_alignment, 512}, {omp_atk_pool_size, 8192}, {omp_atk_fallback, omp_atv_null_fb}};
  omp_allocator_handle_t pool = omp_init_allocator(omp_default_mem_space, 3, aligned);
  CHECK(pool != omp_null_allocator, "no allocator with a pool");
  void* first = omp_alloc(3000, pool);
  CHECK(first && (uintptr_t)first % 512 == 0, "the pool's memory is not aligned");
  SAME(omp_alloc(9000, pool), 0);
  omp_free(first, pool);
  first = omp_alloc(3000, pool);
  CHECK(first, "what was given back is lost");
  omp_free(first, omp_null_allocator);
  omp_alloctrait_t const falls[] = {
      {omp_atk_pool_size, 1024}, {omp_atk_fallback, omp_atv_allocator_fb}, {omp_atk_fb_data, (omp_uintptr_t)pool}};
  omp_allocator_handle_t chain = omp_init_allocator(omp_default_mem_space, 3, falls);
  void* fallen = omp_alloc(3000, chain);
  CHECK(fallen && (uintptr_t)fallen % 512 == 0, "the fallback's memory is not from the other pool");
  omp_free(fallen, chain);
  omp_destroy_allocator(chain);
  omp_set_default_allocator(pool);
  CHECK(omp_get_default_allocator() == pool, "the default allocator is another");
  int kept = 0, all = 0, misaligned = 0, x = 3;
#pragma omp parallel reduction(+ : kept, all, misaligned)
  {
    kept += omp_get_default_allocator() == pool;
    ++all;
  }
  SAME(kept, all);
  omp_set_default_allocator(omp_default_mem_alloc);
#pragma omp parallel allocate(omp_default_mem_alloc : x) firstprivate(x) reduction(+ : misaligned)
  {
    misaligned += x != 3;
    int local[20];
#ifdef __clang__  // gcc has the directive from 14 on
#pragma omp allocate(local) allocator(omp_thread_mem_alloc)
#endif
    for (int i = 0; i < 20; ++i) local[i] = i + omp_get_thread_num();
    for (int i = 0; i < 20; ++i) misaligned += local[i] != i + omp_get_thread_num();
  }
  SAME(misaligned, 0);
  omp_destroy_allocator(pool);
  return finish();
}
