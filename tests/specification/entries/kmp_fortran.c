// section: 18
// compilers: clang
//
// The same routines of libomp under their other names: those that Fortran calls, with addresses for arguments, and
// those of C that Fortran's modules call.
#define _GNU_SOURCE
#include <limits.h>
#include <omp.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

extern void kmp_set_blocktime_(const int*), kmpc_set_blocktime(int);
extern int kmp_get_blocktime_(void);
extern void kmp_set_stacksize_(const int*), kmpc_set_stacksize(int);
extern void kmp_set_stacksize_s_(const size_t*), kmpc_set_stacksize_s(size_t);
extern int kmp_get_stacksize_(void);
extern size_t kmp_get_stacksize_s_(void);
extern void kmp_set_library_(const int*), kmpc_set_library(int), kmp_set_library(int);
extern int kmp_get_library_(void);
extern void kmp_set_library_serial_(void), kmp_set_library_turnaround_(void), kmp_set_library_throughput_(void);
extern void kmp_set_library_serial(void), kmp_set_library_turnaround(void);
extern void kmp_set_defaults_(const char*, int), kmpc_set_defaults(const char*);
extern void kmp_set_warnings_on_(void), kmp_set_warnings_off_(void);
extern void kmp_set_disp_num_buffers_(const int*), kmpc_set_disp_num_buffers(int);
extern int kmp_get_num_known_threads(void), kmp_get_num_known_threads_(void);
extern void *kmp_malloc_(const size_t*), *kmp_calloc_(const size_t*, const size_t*);
extern void *kmp_realloc_(void**, const size_t*), *kmp_aligned_malloc_(const size_t*, const size_t*);
extern void kmp_free_(void**), kmpc_free(void*);
extern void *kmpc_malloc(size_t), *kmpc_calloc(size_t, size_t), *kmpc_realloc(void*, size_t);
extern void* kmpc_aligned_malloc(size_t, size_t);
extern void kmp_create_affinity_mask_(void**), kmp_destroy_affinity_mask_(void**);
extern int kmp_get_affinity_(void**), kmp_set_affinity_(void**), kmp_get_affinity_max_proc_(void);
extern int kmp_set_affinity_mask_proc(int, void**), kmp_unset_affinity_mask_proc(int, void**);
extern int kmp_set_affinity_mask_proc_(const int*, void**), kmp_unset_affinity_mask_proc_(const int*, void**);
extern int kmp_get_affinity_mask_proc_(const int*, void**), kmpc_get_affinity_mask_proc(int, void**);
extern int kmpc_set_affinity_mask_proc(int, void**), kmpc_unset_affinity_mask_proc(int, void**);
extern void kmp_set_thread_affinity_mask_initial(void);
extern void ompc_set_dynamic(int), ompc_set_nested(int), ompc_set_num_threads(int), ompc_set_max_active_levels(int);
extern void ompc_set_schedule(int, int);
extern int ompc_get_ancestor_thread_num(int), ompc_get_team_size(int);
extern int omp_in_explicit_task_(void), omp_get_device_num_(void);
extern void omp_init_lock_with_hint_(omp_lock_t*, int*), omp_init_nest_lock_with_hint_(omp_nest_lock_t*, int*);

static int threads_of_a_region(void) {
  int threads = 0;
#pragma omp parallel
#pragma omp single
  threads = omp_get_num_threads();
  return threads;
}

static void waiting(void) {
  int const some = 70, none = 0;
  kmp_set_blocktime_(&some);
  SAME(kmp_get_blocktime_(), some);
  kmpc_set_blocktime(3);
  SAME(kmp_get_blocktime_(), 3);
  kmp_set_blocktime_(&none);
  SAME(kmp_get_blocktime(), 0);
}

static void stacks(void) {
  size_t const large = 9 << 20;
  int const larger = 10 << 20;
  kmp_set_stacksize_s_(&large);
  SAME(kmp_get_stacksize_s_(), large);
  kmp_set_stacksize_(&larger);
  SAME(kmp_get_stacksize_(), larger);
  kmpc_set_stacksize_s(11 << 20);
  SAME(kmp_get_stacksize_s_(), 11 << 20);
  kmpc_set_stacksize(12 << 20);
  SAME(kmp_get_stacksize_(), 12 << 20);
  kmp_set_stacksize(13 << 20);
  SAME(kmp_get_stacksize(), 13 << 20);
}

// Serial, turnaround, throughput: 1, 2, 3. The first one means regions of one thread, in libomp and here.
static void libraries(void) {
  int const throughput = 3;
  kmp_set_library_turnaround();
  SAME(kmp_get_library_(), 2);
  kmp_set_library_throughput_();
  SAME(kmp_get_library_(), 3);
  kmp_set_library_turnaround_();
  SAME(kmp_get_library_(), 2);
  kmpc_set_library(3);
  SAME(kmp_get_library_(), 3);
  int const before = threads_of_a_region();
  kmp_set_library_serial();
  SAME(kmp_get_library_(), 1);
  SAME(threads_of_a_region(), 1);
  kmp_set_library_(&throughput);
  SAME(kmp_get_library_(), 3);
  omp_set_num_threads(before);
  SAME(threads_of_a_region(), before);
  kmp_set_library_serial_();
  SAME(threads_of_a_region(), 1);
  kmp_set_library(3);
  omp_set_num_threads(before);
}

static void memory(void) {
  size_t const size = 300, larger = 3000, count = 7, alignment = 256;
  unsigned char* p = kmp_malloc_(&size);
  memset(p, 5, size);
  p = kmp_realloc_((void*[]){p}, &larger);
  CHECK(p[0] == 5 && p[size - 1] == 5, "the contents are lost");
  kmp_free_((void*[]){p});
  p = kmp_calloc_(&count, &size);
  for (size_t i = 0; i < count * size; ++i) CHECK(p[i] == 0, "byte %zu is %d", i, p[i]);
  kmpc_free(p);
  p = kmp_aligned_malloc_(&size, &alignment);
  SAME((uintptr_t)p % alignment, 0);
  kmp_free_((void*[]){p});
  p = kmpc_malloc(size);
  memset(p, 6, size);
  p = kmpc_realloc(p, larger);
  CHECK(p[0] == 6 && p[size - 1] == 6, "the contents are lost");
  kmpc_free(p);
  p = kmpc_calloc(count, size);
  for (size_t i = 0; i < count * size; ++i) CHECK(p[i] == 0, "byte %zu is %d", i, p[i]);
  kmpc_free(p);
  p = kmpc_aligned_malloc(size, alignment);
  SAME((uintptr_t)p % alignment, 0);
  kmpc_free(p);
}

static void masks(void) {
  cpu_set_t mine;
  void* mask = NULL;
  CPU_ZERO(&mine);
  sched_getaffinity(0, sizeof mine, &mine);
  SAME(kmp_get_affinity_max_proc_() >= CPU_COUNT(&mine), 1);
  kmp_create_affinity_mask_(&mask);
  SAME(kmp_get_affinity_(&mask), 0);
  int wrong = 0, own = -1;
  for (int cpu = 0; cpu < kmp_get_affinity_max_proc_() && cpu < CPU_SETSIZE; ++cpu) {
    int const is_in = CPU_ISSET(cpu, &mine) != 0;
    if (is_in) own = cpu;
    wrong += is_in != (kmp_get_affinity_mask_proc_(&cpu, &mask) > 0);
    wrong += is_in != (kmpc_get_affinity_mask_proc(cpu, &mask) > 0);
  }
  SAME(wrong, 0);
  SAME(kmp_unset_affinity_mask_proc_(&own, &mask), 0);
  SAME(kmpc_get_affinity_mask_proc(own, &mask), 0);
  SAME(kmp_set_affinity_mask_proc_(&own, &mask), 0);
  SAME(kmpc_get_affinity_mask_proc(own, &mask) > 0, 1);
  SAME(kmpc_unset_affinity_mask_proc(own, &mask), 0);
  SAME(kmp_get_affinity_mask_proc_(&own, &mask), 0);
  SAME(kmpc_set_affinity_mask_proc(own, &mask), 0);
  SAME(kmp_unset_affinity_mask_proc(own, &mask), 0);
  SAME(kmp_set_affinity_mask_proc(own, &mask), 0);
  SAME(kmp_get_affinity_mask_proc_(&own, &mask) > 0, 1);
  CHECK(kmp_set_affinity_mask_proc(-1, &mask) != 0, "CPU -1 was taken");
  CHECK(kmp_get_affinity_mask_proc(-1, &mask) <= 0, "CPU -1 is in the mask");
  SAME(kmp_set_affinity_(&mask), 0);
  kmp_destroy_affinity_mask_(&mask);
  kmp_set_thread_affinity_mask_initial();
  cpu_set_t after;
  CPU_ZERO(&after);
  sched_getaffinity(0, sizeof after, &after);
  CHECK(CPU_EQUAL(&mine, &after), "other CPUs than before");
}

static void control(void) {
  kmpc_set_defaults("OMP_SCHEDULE=dynamic,5");
  kmp_set_defaults_("KMP_BLOCKTIME=0 and more", 15);
  kmp_set_warnings_off_();
  kmp_set_warnings_on_();
  int const buffers = 11;
  kmp_set_disp_num_buffers_(&buffers);
  kmpc_set_disp_num_buffers(12);
  SAME(kmp_get_num_known_threads() > 0, 1);
  SAME(kmp_get_num_known_threads_() > 0, 1);
  ompc_set_dynamic(1);
  SAME(omp_get_dynamic(), 1);
  ompc_set_dynamic(0);
  SAME(omp_get_dynamic(), 0);
  ompc_set_max_active_levels(3);
  SAME(omp_get_max_active_levels(), 3);
  ompc_set_nested(0);
  SAME(omp_get_max_active_levels(), 1);
  ompc_set_schedule(omp_sched_guided, 6);
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  SAME(kind, omp_sched_guided);
  SAME(chunk, 6);
  int ancestor[2] = {-2, -2}, size[2] = {-2, -2}, task[2] = {-2, -2};
  ompc_set_num_threads(3);
#pragma omp parallel
#pragma omp single
  {
    int const me = omp_get_thread_num();
    ancestor[0] = ompc_get_ancestor_thread_num(0);
    ancestor[1] = ompc_get_ancestor_thread_num(1) - me;
    size[0] = ompc_get_team_size(0);
    size[1] = ompc_get_team_size(1) - omp_get_num_threads();
    task[0] = omp_in_explicit_task_();
#pragma omp task if (0) shared(task)
    task[1] = omp_in_explicit_task_();
  }
  SAME(ancestor[0], 0);
  SAME(ancestor[1], 0);
  SAME(size[0], 1);
  SAME(size[1], 0);
  SAME(task[0], 0);
  SAME(task[1], 1);
  SAME(ompc_get_ancestor_thread_num(1), -1);
  SAME(ompc_get_team_size(-1), -1);
  SAME(omp_get_device_num_(), omp_get_initial_device());
}

static void locks(void) {
  omp_lock_t lock;
  omp_nest_lock_t nestable;
  int hint = omp_sync_hint_contended | omp_sync_hint_speculative, count = 0, nested = 0;
  omp_init_lock_with_hint_(&lock, &hint);
  omp_init_nest_lock_with_hint_(&nestable, &hint);
  omp_set_num_threads(4);
#pragma omp parallel for shared(count, nested)
  for (int i = 0; i < 1000; ++i) {
    omp_set_lock(&lock);
    ++count;
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nestable);
    omp_set_nest_lock(&nestable);
    ++nested;
    omp_unset_nest_lock(&nestable);
    omp_unset_nest_lock(&nestable);
  }
  SAME(count, 1000);
  SAME(nested, 1000);
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nestable);
}

int main(void) {
  omp_set_dynamic(0);
  stacks();
  waiting();
  libraries();
  memory();
  masks();
  locks();
  control();
  return finish();
}
