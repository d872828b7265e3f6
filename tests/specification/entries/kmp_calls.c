// section: 11
// compilers: clang
//
// Entries that clang 22 does not emit: older clangs', Intel's and Fortran compilers' code calls them.
#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
static struct {
  int reserved, flags, more[2];
  char const* source;
} place = {0, 2, {0, 0}, ";unknown;unknown;0;0;;"};
int __kmpc_global_thread_num(void*), __kmpc_global_num_threads(void*), __kmpc_bound_thread_num(void*),
    __kmpc_bound_num_threads(void*);
int __kmpc_in_parallel(void*), __kmpc_ok_to_fork(void*), __kmpc_barrier_master(void*, int),
    __kmpc_barrier_master_nowait(void*, int);
void __kmpc_end_barrier_master(void*, int), __kmpc_begin(void*, int), __kmpc_end(void*);
int __kmpc_sections_init(void*, int), __kmpc_next_section(void*, int, int);
void __kmpc_end_sections(void*, int);
void __kmpc_init_lock(void*, int, void*), __kmpc_init_lock_with_hint(void*, int, void*, uintptr_t),
    __kmpc_destroy_lock(void*, int, void*);
void __kmpc_set_lock(void*, int, void*), __kmpc_unset_lock(void*, int, void*);
int __kmpc_test_lock(void*, int, void*), __kmpc_test_nest_lock(void*, int, void*);
void __kmpc_init_nest_lock(void*, int, void*), __kmpc_destroy_nest_lock(void*, int, void*),
    __kmpc_init_nest_lock_with_hint(void*, int, void*, uintptr_t);
void __kmpc_set_nest_lock(void*, int, void*), __kmpc_unset_nest_lock(void*, int, void*);
void* __kmpc_threadprivate_cached(void*, int, void*, size_t, void***);
void __kmpc_threadprivate_register(void*, void*, void* (*)(void*), void* (*)(void*, void*), void (*)(void*));
void __kmpc_push_num_threads(void*, int, int);
void __kmpc_fork_call(void*, int, void (*)(int*, int*, ...), ...),
    __kmpc_fork_call_if(void*, int, void (*)(int*, int*, ...), int, void*);
uint64_t __kmpc_get_taskid(void), __kmpc_get_parent_taskid(void);
void* __kmpc_copyprivate_light(void*, int, void*);
int __kmpc_single(void*, int);
void __kmpc_end_single(void*, int);
void *__kmpc_alloc(int, size_t, omp_allocator_handle_t), *__kmpc_calloc(int, size_t, size_t, omp_allocator_handle_t);
void *__kmpc_realloc(int, void*, size_t, omp_allocator_handle_t, omp_allocator_handle_t),
    *__kmpc_aligned_alloc(int, size_t, size_t, omp_allocator_handle_t);
void __kmpc_free(int, void*, omp_allocator_handle_t);
void __kmpc_dist_for_static_init_4(void*, int, int, int*, int*, int*, int*, int*, int, int);
void __kmpc_dist_for_static_init_4u(void*, int, int, int*, unsigned*, unsigned*, unsigned*, int*, int, int);
void __kmpc_dist_for_static_init_8(void*, int, int, int*, int64_t*, int64_t*, int64_t*, int64_t*, int64_t, int64_t);
void __kmpc_dist_for_static_init_8u(void*, int, int, int*, uint64_t*, uint64_t*, uint64_t*, int64_t*, int64_t, int64_t);
void __kmpc_team_static_init_4(void*, int, int*, int*, int*, int*, int, int);
void __kmpc_team_static_init_8(void*, int, int*, int64_t*, int64_t*, int64_t*, int64_t, int64_t);
void __kmpc_for_static_fini(void*, int);
enum { static_balanced = 34, n = 400 };
static int hits[n], forked, forked_threads, kept = 5;
static void** cache;
static void* start(void* copy) { return *(int*)copy = 77, copy; }
static void region(int* global, int* bound, ...) {
  (void)global, (void)bound;
#pragma omp atomic
  ++forked;
#pragma omp atomic write
  forked_threads = omp_get_num_threads();
}
#define DIST(NAME, TYPE, STRIDE_TYPE)                                                                        \
  static void NAME(void) {                                                                                   \
    _Pragma("omp teams num_teams(3)") {                                                                      \
      _Pragma("omp parallel") {                                                                              \
        int const me = __kmpc_global_thread_num(&place);                                                     \
        int last = 0;                                                                                        \
        TYPE lower = 0, upper = n - 1, of_team = n - 1;                                                      \
        STRIDE_TYPE stride = 1;                                                                              \
        __kmpc_dist_for_##NAME(&place, me, static_balanced, &last, &lower, &upper, &of_team, &stride, 1, 1); \
        if (lower < n)                                                                                       \
          for (TYPE i = lower; i <= upper && i <= of_team; ++i) {                                            \
            _Pragma("omp atomic")++ hits[i];                                                                 \
          }                                                                                                  \
        __kmpc_for_static_fini(&place, me);                                                                  \
      }                                                                                                      \
    }                                                                                                        \
    for (int i = 0; i < n; ++i) CHECK(hits[i] == 1, #NAME ": iteration %d ran %d times", i, hits[i]);        \
    memset(hits, 0, sizeof hits);                                                                            \
  }
DIST(static_init_4, int, int)
DIST(static_init_4u, unsigned, int)
DIST(static_init_8, int64_t, int64_t)
DIST(static_init_8u, uint64_t, int64_t)

int main(void) {
  int threads = 0, masters = 0, late = 0, numbers = 0, outside = 0, sections[5] = {0}, copies = 0, privates = 0;
  void *lock = 0, *hinted = 0;
  void *nest[4] = {0}, *nest_hinted[4] = {0};
  long counter = 0, deep = 0;
  int const me = __kmpc_global_thread_num(&place);
  __kmpc_begin(&place, 0);
  SAME(__kmpc_in_parallel(&place), 0);
  SAME(__kmpc_ok_to_fork(&place), 1);
  __kmpc_init_lock(&place, me, &lock);
  __kmpc_init_lock_with_hint(&place, me, &hinted, omp_lock_hint_contended);
  __kmpc_init_nest_lock(&place, me, nest);
  __kmpc_init_nest_lock_with_hint(&place, me, nest_hinted, omp_lock_hint_none);
  __kmpc_threadprivate_register(&place, &kept, start, 0, 0);
#pragma omp parallel reduction(+ : numbers, copies, privates)
  {
    int const me = __kmpc_global_thread_num(&place), width = omp_get_num_threads();
#pragma omp masked
    threads = width;
    numbers += __kmpc_bound_thread_num(&place) == omp_get_thread_num() && __kmpc_bound_num_threads(&place) == width &&
               __kmpc_in_parallel(&place) == (width > 1);
    for (int round = 0; round < 20; ++round) {
      if (__kmpc_barrier_master(&place, me)) {  // the others wait for its end
        ++masters;
        __kmpc_end_barrier_master(&place, me);
      }
      int now;
#pragma omp atomic read
      now = masters;
      if (now < round + 1) {
#pragma omp atomic
        ++late;
      }
#pragma omp barrier
    }
    if (__kmpc_barrier_master_nowait(&place, me)) {
#pragma omp atomic
      masters += 1000;
    }
    __kmpc_sections_init(&place, me);
    for (int section; (section = __kmpc_next_section(&place, me, 5)) >= 0 && section < 5;) {
#pragma omp atomic
      ++sections[section];
    }
    __kmpc_end_sections(&place, me);
#pragma omp barrier
    for (int i = 0; i < 200; ++i) {
      void** const which = i % 2 ? &lock : &hinted;
      if (i % 4 < 2)
        __kmpc_set_lock(&place, me, which);
      else
        while (!__kmpc_test_lock(&place, me, which)) omp_in_parallel();
      if (i % 2) ++counter;
      __kmpc_unset_lock(&place, me, which);
      __kmpc_set_nest_lock(&place, me, i % 2 ? nest : nest_hinted);
      if (__kmpc_test_nest_lock(&place, me, i % 2 ? nest : nest_hinted) == 2) {
        if (i % 2) ++deep;
        __kmpc_unset_nest_lock(&place, me, i % 2 ? nest : nest_hinted);
      }
      __kmpc_unset_nest_lock(&place, me, i % 2 ? nest : nest_hinted);
    }
    int value = -1;
    int const chosen = __kmpc_single(&place, me);
    if (chosen) {
      value = 123;
      __kmpc_end_single(&place, me);
    }
    int const* const from = __kmpc_copyprivate_light(&place, me, chosen ? &value : 0);
    copies += *from == 123;
#pragma omp barrier
    int* const mine = __kmpc_threadprivate_cached(&place, me, &kept, sizeof kept, &cache);
    privates += omp_get_thread_num() == 0 ? mine == &kept : *mine == 77;
    *mine = 1000 + omp_get_thread_num();
#pragma omp barrier
    privates +=
        *(int*)__kmpc_threadprivate_cached(&place, me, &kept, sizeof kept, &cache) == 1000 + omp_get_thread_num();
    uint64_t const task = __kmpc_get_taskid();
#pragma omp task if (0)
    {
      if (__kmpc_get_taskid() == task || __kmpc_get_parent_taskid() != task) {
#pragma omp atomic
        ++outside;
      }
    }
  }
  SAME(numbers, threads);
  SAME(masters, 1020);
  SAME(late, 0);
  for (int i = 0; i < 5; ++i) CHECK(sections[i] == 1, "section %d ran %d times", i, sections[i]);
  SAME(counter, 100 * threads);
  SAME(deep, 100 * threads);
  SAME(copies, threads);
  SAME(privates, 2 * threads);
  SAME(outside, 0);
  __kmpc_destroy_lock(&place, me, &lock);
  __kmpc_destroy_lock(&place, me, &hinted);
  __kmpc_destroy_nest_lock(&place, me, nest);
  __kmpc_destroy_nest_lock(&place, me, nest_hinted);
  for (int wanted = 1; wanted < 7; ++wanted) {
    forked = 0;
    __kmpc_push_num_threads(&place, me, wanted);
    __kmpc_fork_call(&place, 0, region);
    SAME(forked, wanted);
    forked = 0;
    __kmpc_push_num_threads(&place, me, wanted);
    int argument = 0;
    __kmpc_fork_call_if(&place, 1, region, wanted % 2, &argument);
    SAME(forked, wanted % 2 ? wanted : 1);
    SAME(forked_threads, forked);
#pragma omp parallel num_threads(1)
    {}
  }
  static_init_4();
  static_init_4u();
  static_init_8();
  static_init_8u();
  // Bounds of a team: every iteration is of one team.
#pragma omp teams num_teams(3)
  {
    int const me = __kmpc_global_thread_num(&place);
    int last = 0, lower = 0, upper = n - 1, stride = 1;
    __kmpc_team_static_init_4(&place, me, &last, &lower, &upper, &stride, 1, 50);
    for (int from = lower; from < n; from += stride)
      for (int i = from; i < n && i <= from + (upper - lower); ++i) {
#pragma omp atomic
        ++hits[i];
      }
    int64_t lower8 = 0, upper8 = n - 1, stride8 = 1;
    __kmpc_team_static_init_8(&place, me, &last, &lower8, &upper8, &stride8, 1, 7);
    for (int64_t from = lower8; from < n; from += stride8)
      for (int64_t i = from; i < n && i <= from + (upper8 - lower8); ++i) {
#pragma omp atomic
        ++hits[i];
      }
  }
  for (int i = 0; i < n; ++i) CHECK(hits[i] == 2, "team_static_init: iteration %d ran %d times", i, hits[i]);
  unsigned char* p = __kmpc_alloc(me, 100, omp_default_mem_alloc);
  memset(p, 9, 100);
  p = __kmpc_realloc(me, p, 1000, omp_default_mem_alloc, omp_default_mem_alloc);
  SAME(p[99], 9);
  __kmpc_free(me, p, omp_default_mem_alloc);
  p = __kmpc_calloc(me, 10, 20, omp_default_mem_alloc);
  int zero = 1;
  for (int i = 0; i < 200; ++i) zero &= p[i] == 0;
  SAME(zero, 1);
  __kmpc_free(me, p, omp_default_mem_alloc);
  p = __kmpc_aligned_alloc(me, 512, 1024, omp_default_mem_alloc);
  SAME((uintptr_t)p % 512, 0);
  __kmpc_free(me, p, omp_default_mem_alloc);
  __kmpc_end(&place);
  return finish();
}
