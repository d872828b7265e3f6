// section: 12
// compilers: clang
//
// libomp's entries for tasks that other compilers, tools and runtimes of devices call: a task made by hand, its place
// in the graph of dependences, and proxies, which are complete when somebody else says so.
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>

#include "check.h"

static struct {
  int reserved, flags, more[2];
  char const* source;
} place = {0, 2, {0, 0}, ";unknown;unknown;0;0;;"};

typedef int (*routine)(int, void*);
struct task {  // what the compiler's code sees of one
  void* shareds;
  routine run;
  int part;
  void *data1, *data2;
  int mine;
};
struct depend {
  intptr_t address;
  size_t length;
  unsigned char flags;
};
enum { depend_in = 1, depend_out = 3, tied = 1, proxy = 1 << 4 };

int __kmpc_global_thread_num(void*);
void* __kmpc_omp_task_alloc(void*, int, int, size_t, size_t, routine);
int __kmpc_omp_task(void*, int, void*), __kmpc_omp_task_parts(void*, int, void*), __kmpc_omp_taskwait(void*, int);
int __kmpc_omp_task_with_deps(void*, int, void*, int, struct depend*, int, struct depend*);
void __kmpc_omp_wait_deps(void*, int, int, struct depend*, int, struct depend*);
void *__kmpc_task_get_depnode(void*), *__kmpc_task_get_successors(void*);
void __kmpc_proxy_task_completed(int, void*), __kmpc_proxy_task_completed_ooo(void*);
void** __kmpc_omp_get_target_async_handle_ptr(int);
_Bool __kmpc_omp_has_task_team(int);

static int ran, order[2], at, held;

static int run(int me, void* words) {
  (void)me;
  struct task* const t = words;
#pragma omp atomic
  ran += t->mine;
  return 0;
}
static int hold(int me, void* words) {
  (void)me, (void)words;
  while (__atomic_load_n(&held, __ATOMIC_ACQUIRE) != 0) {
#pragma omp taskyield
  }
  order[__atomic_fetch_add(&at, 1, __ATOMIC_RELAXED)] = 1;
  return 0;
}
static int follow(int me, void* words) {
  (void)me, (void)words;
  order[__atomic_fetch_add(&at, 1, __ATOMIC_RELAXED)] = 2;
  return 0;
}
static struct task* make(int me, int flags, routine r) {
  struct task* const t = __kmpc_omp_task_alloc(&place, me, flags, sizeof *t, 0, r);
  t->mine = 1;
  return t;
}

/// flang's code finds the shared variables behind the words, whose size is a multiple of 8.
static void shared_behind_words(int me) {
  struct {
    void* shared;
    routine run;
    int part;
    void *data1, *data2;
  } * t;
  for (size_t words = sizeof *t; words <= sizeof *t + 64; words += 8) {
    t = __kmpc_omp_task_alloc(&place, me, tied, words, 24, run);
    SAME((char*)t->shared - (char*)t, words);
    ((struct task*)t)->mine = 0;
    __kmpc_omp_task(&place, me, t);
  }
  __kmpc_omp_taskwait(&place, me);
}

static void by_parts(int me) {
  for (int i = 0; i < 50; ++i) __kmpc_omp_task_parts(&place, me, make(me, tied, run));
  __kmpc_omp_taskwait(&place, me);
}

// The first one cannot end before the second stands in the graph behind it.
static void graph(int me, int* wrong) {
  static int x;
  struct depend out = {(intptr_t)&x, sizeof x, depend_out}, in = {(intptr_t)&x, sizeof x, depend_in};
  struct task *const first = make(me, tied, hold), *const second = make(me, tied, follow);
  struct task* const alone = make(me, tied, run);
  *wrong += __kmpc_task_get_depnode(alone) != NULL;
  __kmpc_omp_task(&place, me, alone);
  __atomic_store_n(&held, 1, __ATOMIC_RELEASE);
  __kmpc_omp_task_with_deps(&place, me, first, 1, &out, 0, NULL);
  void* const node = __kmpc_task_get_depnode(first);
  *wrong += node == NULL;
  *wrong += __kmpc_task_get_successors(first) != NULL;
  __kmpc_omp_task_with_deps(&place, me, second, 1, &in, 0, NULL);
  *wrong += __kmpc_task_get_successors(first) == NULL;
  *wrong += __kmpc_task_get_depnode(second) == NULL || __kmpc_task_get_depnode(second) == node;
  __atomic_store_n(&held, 0, __ATOMIC_RELEASE);
  __kmpc_omp_wait_deps(&place, me, 1, &out, 0, NULL);
  *wrong += order[0] != 1 || order[1] != 2;
}

static int begun, completed, seen_by_successor;
static int be_proxy(int me, void* words) {
  (void)me, (void)words;
  __atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
  return 0;
}
static int succeed(int me, void* words) {
  (void)me, (void)words;
  seen_by_successor = completed;
  return 0;
}

// The end of a proxy's body is not its end: its successor has to wait for the word.
static void proxies(int me) {
  static int x;
  struct depend out = {(intptr_t)&x, sizeof x, depend_out}, in = {(intptr_t)&x, sizeof x, depend_in};
  struct task* const t = make(me, tied | proxy, be_proxy);
  __kmpc_omp_task_with_deps(&place, me, t, 1, &out, 0, NULL);
  __kmpc_omp_task_with_deps(&place, me, make(me, tied, succeed), 1, &in, 0, NULL);
  while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) == 0) {
#pragma omp taskyield
  }
#pragma omp taskyield
  completed = 1;
  __kmpc_proxy_task_completed(me, t);
  __kmpc_omp_taskwait(&place, me);
}

int main(void) {
  int wrong = 0, team = 0;
#pragma omp parallel shared(wrong)
#pragma omp single
  {
    int const me = __kmpc_global_thread_num(&place);
    team = __kmpc_omp_has_task_team(me) ? 2 : 1;
    shared_behind_words(me);
    by_parts(me);
    if (omp_get_num_threads() > 1) {
      graph(me, &wrong);
      proxies(me);
    }
    // No runtime of devices is at work in this task.
    void** const handle = __kmpc_omp_get_target_async_handle_ptr(me);
    wrong += handle != NULL && *handle != NULL;
  }
  SAME(ran, 50 + (omp_get_max_threads() > 1));
  SAME(wrong, 0);
  SAME(seen_by_successor, omp_get_max_threads() > 1);
  CHECK(team == 1 || omp_get_max_threads() > 1, "a team of one shares no tasks");
  return finish();
}
