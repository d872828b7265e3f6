// section: 11
// compilers: clang
//
// Entries of libomp that no program of the suite reaches by clang's own code: nests of loops that a compiler leaves to
// the runtime, distribute with a schedule that is dealt out by calls, scope, allocators, tasks seen from inside.
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static struct {
  int reserved, flags, more[2];
  char const* source;
} place = {0, 2, {0, 0}, ";unknown;unknown;0;0;;"};

int __kmpc_global_thread_num(void*);
void __kmpc_dist_dispatch_init_4(void*, int, int, int*, int, int, int, int);
void __kmpc_dist_dispatch_init_4u(void*, int, int, int*, unsigned, unsigned, int, int);
void __kmpc_dist_dispatch_init_8(void*, int, int, int*, int64_t, int64_t, int64_t, int64_t);
void __kmpc_dist_dispatch_init_8u(void*, int, int, int*, uint64_t, uint64_t, int64_t, int64_t);
int __kmpc_dispatch_next_4(void*, int, int*, int*, int*, int*);
int __kmpc_dispatch_next_4u(void*, int, int*, unsigned*, unsigned*, int*);
int __kmpc_dispatch_next_8(void*, int, int*, int64_t*, int64_t*, int64_t*);
int __kmpc_dispatch_next_8u(void*, int, int*, uint64_t*, uint64_t*, int64_t*);
void __kmpc_dispatch_init_8(void*, int, int, int64_t, int64_t, int64_t, int64_t), __kmpc_dispatch_fini_8(void*, int);
void __kmpc_ordered(void*, int), __kmpc_end_ordered(void*, int);
void __kmpc_team_static_init_4u(void*, int, int*, unsigned*, unsigned*, int*, int, int);
void __kmpc_team_static_init_8u(void*, int, int*, uint64_t*, uint64_t*, int64_t*, int64_t, int64_t);
void __kmpc_for_static_fini(void*, int);
void __kmpc_scope(void*, int, void*), __kmpc_end_scope(void*, int, void*);
int __kmpc_get_target_offload(void), __kmpc_invoke_task_func(int);
void __kmpc_push_num_teams_51(void*, int, int, int, int);
void __kmpc_push_num_threads_list(void*, int, unsigned, int*);
void __kmpc_push_num_threads_list_strict(void*, int, unsigned, int*, int, const char*);
void __kmpc_pop_num_threads(void*, int);
void __kmpc_fork_call(void*, int, void (*)(int*, int*, ...), ...);
void __kmpc_fork_teams(void*, int, void (*)(int*, int*, ...), ...);
void* __kmpc_threadprivate(void*, int, void*, size_t);
void __kmpc_threadprivate_register_vec(void*, void*, void* (*)(void*, size_t), void* (*)(void*, void*, size_t),
                                       void* (*)(void*, size_t), size_t);
omp_allocator_handle_t __kmpc_init_allocator(int, omp_memspace_handle_t, int, omp_alloctrait_t[]);
void __kmpc_destroy_allocator(int, omp_allocator_handle_t);
void __kmpc_set_default_allocator(int, omp_allocator_handle_t);
omp_allocator_handle_t __kmpc_get_default_allocator(int);
int __kmpc_pause_resource(omp_pause_resource_t);

enum { distribute_static = 91, distribute_dynamic = 35, dynamic_chunked = 35, static_chunked = 33, ordered = 32 };
enum { n = 300 };
static int hits[n];

static void check_hits(const char* what) {
  for (int i = 0; i < n; ++i) CHECK(hits[i] == 1, "%s: iteration %d ran %d times", what, i, hits[i]);
  memset(hits, 0, sizeof hits);
}

// distribute parallel for schedule(dynamic, 7): each team gets a part, its threads take chunks of that.
#define DISTRIBUTED(NAME, TYPE, STEP_TYPE)                                                    \
  static void distributed_##NAME(void) {                                                      \
    int ends = 0;                                                                             \
    _Pragma("omp teams num_teams(3) reduction(+ : ends)") {                                   \
      _Pragma("omp parallel reduction(+ : ends)") {                                           \
        int const me = __kmpc_global_thread_num(&place);                                      \
        int last = 0, last_chunk = 0;                                                         \
        TYPE lower, upper;                                                                    \
        STEP_TYPE step;                                                                       \
        __kmpc_dist_dispatch_init_##NAME(&place, me, dynamic_chunked, &last, 0, n - 1, 1, 7); \
        while (__kmpc_dispatch_next_##NAME(&place, me, &last_chunk, &lower, &upper, &step)) { \
          for (TYPE i = lower; i <= upper; i += (TYPE)step) {                                 \
            _Pragma("omp atomic")++ hits[i];                                                  \
            if (i == n - 1) ends += last_chunk;                                               \
          }                                                                                   \
        }                                                                                     \
      }                                                                                       \
    }                                                                                         \
    check_hits("dist_dispatch_" #NAME);                                                       \
    SAME(ends != 0, 1);                                                                       \
  }
DISTRIBUTED(4, int, int)
DISTRIBUTED(4u, unsigned, int)
DISTRIBUTED(8, int64_t, int64_t)
DISTRIBUTED(8u, uint64_t, int64_t)

// distribute dist_schedule(static, 9): chunks for the teams in turn.
#define OF_TEAMS(NAME, TYPE, STEP_TYPE)                                                       \
  static void of_teams_##NAME(void) {                                                         \
    int lasts = 0;                                                                            \
    _Pragma("omp teams num_teams(4) reduction(+ : lasts)") {                                  \
      int const me = __kmpc_global_thread_num(&place);                                        \
      int last = 0;                                                                           \
      TYPE lower = 0, upper = n - 1;                                                          \
      STEP_TYPE stride = 1;                                                                   \
      __kmpc_team_static_init_##NAME(&place, me, &last, &lower, &upper, &stride, 1, 9);       \
      for (TYPE from = lower, to = upper; from < n; from += (TYPE)stride, to += (TYPE)stride) \
        for (TYPE i = from; i <= to && i < n; ++i) {                                          \
          _Pragma("omp atomic")++ hits[i];                                                    \
        }                                                                                     \
      lasts += last;                                                                          \
      __kmpc_for_static_fini(&place, me);                                                     \
    }                                                                                         \
    check_hits("team_static_init_" #NAME);                                                    \
    SAME(lasts, 1);                                                                           \
  }
OF_TEAMS(4u, unsigned, int)
OF_TEAMS(8u, uint64_t, int64_t)

static void ordered_loop(void) {
  static int64_t order[n];
  int at = 0;
#pragma omp parallel shared(order, at)
  {
    int const me = __kmpc_global_thread_num(&place);
    int last;
    int64_t lower, upper, step;
    __kmpc_dispatch_init_8(&place, me, dynamic_chunked + ordered, 0, n - 1, 1, 3);
    while (__kmpc_dispatch_next_8(&place, me, &last, &lower, &upper, &step))
      for (int64_t i = lower; i <= upper; i += step) {
        __kmpc_ordered(&place, me);
        order[at++] = i;
        __kmpc_end_ordered(&place, me);
        __kmpc_dispatch_fini_8(&place, me);
      }
  }
  for (int i = 0; i < n; ++i) SAME(order[i], i);
}

// --- nests of loops

enum comparison { less_or_equal, greater_or_equal, not_equal, less, greater };
enum { type_int8 = 1, type_uint32 = 4, type_int32 = 5, type_uint64 = 6, type_int64 = 7 };
struct level {
  int32_t type, iv_type;
  int32_t compare, outer;
  uint64_t lower, lower_factor, upper, upper_factor;
  int64_t step;
  uint64_t trips;
};
uint64_t __kmpc_process_loop_nest_rectang(void*, int, struct level*, int);
void __kmpc_calc_original_ivs_rectang(void*, uint64_t, const struct level*, uint64_t*, int);
int __kmpc_for_collapsed_init(void*, int, struct level*, struct level*, int, int*);

// for (i = 3; i < 20; i += 4) for (j = 10; j > -5; j -= 7) for (k = 1; k != 9; k += 2)
static void rectangle(void) {
  struct level nest[3] = {
      {type_int32, type_int32, less, 0, 3, 0, 20, 0, 4, 0},
      {type_int64, type_int64, greater, 0, 10, 0, (uint64_t)-5, 0, -7, 0},
      {type_uint32, type_uint32, not_equal, 0, 1, 0, 9, 0, 2, 0},
  };
  uint64_t const trips = __kmpc_process_loop_nest_rectang(&place, 0, nest, 3);
  uint64_t number = 0;
  for (int i = 3; i < 20; i += 4)
    for (int64_t j = 10; j > -5; j -= 7)
      for (unsigned k = 1; k != 9; k += 2, ++number) {
        uint64_t ivs[3] = {0, 0, 0};
        __kmpc_calc_original_ivs_rectang(&place, number, nest, ivs, 3);
        SAME((int)ivs[0], i);
        SAME((int64_t)ivs[1], j);
        SAME((unsigned)ivs[2], k);
      }
  SAME(trips, number);
}

enum { side = 31 };
static int triangle_hits[side][side];

// for (i = 0; i < side; ++i) for (j = i; j < side; ++j): what each thread is told to run, from the first to the last.
static void triangle(void) {
  int lasts = 0, wrong = 0;
#pragma omp parallel reduction(+ : lasts, wrong)
  {
    struct level nest[2] = {
        {type_int32, type_int32, less, 0, 0, 0, side, 0, 1, 0},
        {type_int32, type_int32, less, 0, 0, 1, side, 0, 1, 0},
    };
    struct level chunk[2];
    int last = 0;
    int const me = __kmpc_global_thread_num(&place);
    memset(chunk, 0, sizeof chunk);
    if (__kmpc_for_collapsed_init(&place, me, nest, chunk, 2, &last)) {
      int i = (int)chunk[0].lower, j = (int)chunk[1].lower;
      int const last_i = (int)chunk[0].upper, last_j = (int)chunk[1].upper;
      for (;;) {
        if (i < 0 || i >= side || j < i || j >= side) {
          ++wrong;
          break;
        }
#pragma omp atomic
        ++triangle_hits[i][j];
        if (i == last_i && j == last_j) break;
        if (++j == side) j = ++i;
      }
    }
    lasts += last;
  }
  SAME(wrong, 0);
  SAME(lasts, 1);
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j)
      CHECK(triangle_hits[i][j] == (j >= i), "(%d, %d) ran %d times", i, j, triangle_hits[i][j]);
}

// --- the rest

static void allocators(void) {
  int const me = __kmpc_global_thread_num(&place);
  omp_alloctrait_t traits[] = {
      {omp_atk_alignment, 512}, {omp_atk_pool_size, 1 << 16}, {omp_atk_fallback, omp_atv_null_fb}};
  omp_allocator_handle_t const a = __kmpc_init_allocator(me, omp_default_mem_space, 3, traits);
  CHECK(a != omp_null_allocator, "no allocator");
  void* const p = omp_alloc(1000, a);
  SAME(p != NULL, 1);
  SAME((uintptr_t)p % 512, 0);
  CHECK(omp_alloc(1 << 17, a) == NULL, "more than the pool holds");
  omp_free(p, a);
  omp_allocator_handle_t const before = __kmpc_get_default_allocator(me);
  SAME((uintptr_t)before, (uintptr_t)omp_get_default_allocator());
  __kmpc_set_default_allocator(me, omp_large_cap_mem_alloc);
  SAME((uintptr_t)omp_get_default_allocator(), (uintptr_t)omp_large_cap_mem_alloc);
  __kmpc_set_default_allocator(me, before);
  SAME((uintptr_t)__kmpc_get_default_allocator(me), (uintptr_t)before);
  __kmpc_destroy_allocator(me, a);
}

static int forked, sizes, inner_sizes, again;
static void region(int* global, int* bound, ...) {
  (void)global, (void)bound;
#pragma omp atomic
  ++forked;
#pragma omp atomic
  sizes += omp_get_num_threads();
#pragma omp parallel reduction(+ : inner_sizes)
  inner_sizes += omp_get_thread_num() == 0 ? omp_get_num_threads() : 0;
}
static void counted(int* global, int* bound, ...) {
  (void)bound;
#pragma omp atomic
  ++forked;
  if (__atomic_exchange_n(&again, 0, __ATOMIC_RELAXED) != 0) SAME(__kmpc_invoke_task_func(*global), 1);
}
static void team(int* global, int* bound, ...) {
  (void)global, (void)bound;
#pragma omp atomic
  ++forked;
#pragma omp atomic
  sizes += omp_get_num_teams();
}

static void forks(void) {
  int const me = __kmpc_global_thread_num(&place);
  int list[2] = {2, 3};
  omp_set_max_active_levels(2);
  __kmpc_push_num_threads_list(&place, me, 2, list);
  __kmpc_fork_call(&place, 0, region);
  __kmpc_pop_num_threads(&place, me);
  SAME(forked, 2);
  SAME(sizes, 4);
  SAME(inner_sizes, 6);
  forked = sizes = inner_sizes = 0;
  __kmpc_push_num_threads_list_strict(&place, me, 2, list, 2, "there must be two");
  __kmpc_fork_call(&place, 0, region);
  SAME(forked, 2);
  SAME(inner_sizes, 6);
  omp_set_max_active_levels(1);
  forked = sizes = 0;
  again = 1;
#pragma omp parallel num_threads(2)  // no list's numbers are left over
  {
#pragma omp atomic
    sizes += omp_get_num_threads();
  }
  SAME(sizes, 4);
  __kmpc_fork_call(&place, 0, counted);  // one of its threads runs it twice
  SAME(forked, omp_get_max_threads() + 1);
  forked = sizes = 0;
  __kmpc_push_num_teams_51(&place, me, 3, 3, 1);
  __kmpc_fork_teams(&place, 0, team);
  SAME(forked, 3);
  SAME(sizes, 9);
}

static void scopes(void) {
  int ran = 0;
#pragma omp parallel reduction(+ : ran)
  {
    int const me = __kmpc_global_thread_num(&place);
    __kmpc_scope(&place, me, NULL);
    ++ran;
    __kmpc_end_scope(&place, me, NULL);
  }
  SAME(ran, omp_get_max_threads());
}

static int original = 41, vector[3] = {1, 2, 3}, made, destroyed;
static void* make(void* copy, size_t count) {
  for (size_t i = 0; i < count; ++i) ((int*)copy)[i] = 70 + (int)i;
  __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
  return copy;
}
static void* destroy(void* copy, size_t count) {
  (void)count;
  __atomic_fetch_add(&destroyed, 1, __ATOMIC_RELAXED);
  return copy;
}

static void private_copies(void) {
  int wrong = 0, others = 0;
  __kmpc_threadprivate_register_vec(&place, vector, make, NULL, destroy, 3);
#pragma omp parallel reduction(+ : wrong, others)
  {
    int const me = __kmpc_global_thread_num(&place);
    int* const mine = __kmpc_threadprivate(&place, me, &original, sizeof original);
    wrong += *mine != 41;
#pragma omp barrier
    *mine = 100 + omp_get_thread_num();
#pragma omp barrier
    wrong += *(int*)__kmpc_threadprivate(&place, me, &original, sizeof original) != 100 + omp_get_thread_num();
    int const* const parts = __kmpc_threadprivate(&place, me, vector, sizeof vector);
    if (parts != vector) {
      ++others;
      for (int i = 0; i < 3; ++i) wrong += parts[i] != 70 + i;
    }
  }
  SAME(wrong, 0);
  SAME(made, others);
  SAME(destroyed, 0);
  SAME(original, 100);  // the initial thread's copy is the variable itself
}

int main(void) {
  omp_set_dynamic(0);
  distributed_4();
  distributed_4u();
  distributed_8();
  distributed_8u();
  of_teams_4u();
  of_teams_8u();
  ordered_loop();
  rectangle();
  triangle();
  allocators();
  scopes();
  forks();
  private_copies();
  SAME(__kmpc_get_target_offload() == 0 || __kmpc_get_target_offload() == 1, 1);
  SAME(__kmpc_pause_resource(omp_pause_soft), 0);
  return finish();
}
