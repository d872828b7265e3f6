// section: 18.8
// compilers: gcc
//
// Only gcc's, because clang's stand in libomptarget.
#include <omp.h>
#include <string.h>

#include "check.h"
int main(void) {
  enum { n = 200 };
  int a[n];
  for (int i = 0; i < n; ++i) a[i] = i + 2;
  int const host = omp_get_initial_device();
  SAME(host, omp_get_num_devices());
  SAME(omp_get_device_num(), host);
  int* p = omp_target_alloc(n * sizeof *p, host);
  CHECK(p, "omp_target_alloc gave nothing");
  SAME(omp_target_memcpy(p, a, n * sizeof *p, 0, 0, host, host), 0);
  for (int i = 0; i < n; ++i) SAME(p[i], i + 2);
  size_t const volume[2] = {3, 4}, to_at[2] = {1, 2}, from_at[2] = {0, 1}, to_size[2] = {10, 20}, from_size[2] = {5, 8};
  memset(p, 0, n * sizeof *p);
  SAME(omp_target_memcpy_rect(p, a, sizeof *p, 2, volume, to_at, from_at, to_size, from_size, host, host), 0);
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 20; ++j)
      SAME(p[i * 20 + j], i >= 1 && i < 4 && j >= 2 && j < 6 ? (i - 1) * 8 + (j - 2 + 1) + 2 : 0);
  CHECK(omp_target_is_present(a, host), "the host has no a");
  omp_target_free(p, host);
  omp_set_default_device(host);
  SAME(omp_get_default_device(), host);
  return finish();
}
