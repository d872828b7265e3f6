// clang's entry points that its code reaches rarely or never, called as the compiler would: numbers of tasks of a
// taskloop, proxy tasks that another thread completes, tasks without code, reductions of the old and the new form.
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct task {
  void* shareds;
  int32_t (*routine)(int32_t, struct task*);
  int32_t part;
  uint64_t lower, upper;
  int32_t last, value;
};
struct depend {
  intptr_t address;
  size_t length;
  uint8_t flags;
};
struct old_reduced {
  void* shared;
  size_t size;
  void *init, *fini, *combine;
  uint32_t flags;
};
struct reduced {
  void *shared, *original;
  size_t size;
  void *init, *fini, *combine;
  uint32_t flags;
};

int32_t __kmpc_global_thread_num(void*);
struct task* __kmpc_omp_task_alloc(void*, int32_t, int32_t, size_t, size_t, int32_t (*)(int32_t, struct task*));
int32_t __kmpc_omp_task(void*, int32_t, struct task*);
int32_t __kmpc_omp_task_with_deps(void*, int32_t, struct task*, int32_t, struct depend*, int32_t, struct depend*);
void __kmpc_taskloop_5(void*, int32_t, struct task*, int32_t, uint64_t*, uint64_t*, int64_t, int32_t, int32_t, uint64_t,
                       int32_t, void*);
void __kmpc_taskgroup(void*, int32_t);
void __kmpc_end_taskgroup(void*, int32_t);
void __kmpc_proxy_task_completed_ooo(struct task*);
void* __kmpc_task_reduction_init(int, int, void*);
void* __kmpc_task_reduction_get_th_data(int, void*, void*);
void* __kmpc_task_reduction_modifier_init(void*, int, int, int, void*);
void __kmpc_task_reduction_modifier_fini(void*, int, int);

static int wrong;
static void check(int right) {
  if (!right) {
#pragma omp atomic
    ++wrong;
  }
}

// --- taskloop
struct shared {
  int iterations, tasks, last;
};
static int32_t loop_body(int32_t number, struct task* t) {
  struct shared* s = *(struct shared**)t->shareds;
  (void)number;
#pragma omp atomic
  ++s->tasks;
  for (uint64_t i = t->lower; i <= t->upper; i += 3) {
#pragma omp atomic
    ++s->iterations;
    t->value = (int)i;
  }
  if (t->last) s->last = t->value;
  return 0;
}
static void duplicate(struct task* to, struct task* from, int last) {
  (void)from;
  to->last = last;
}
static void loop(int kind, int amount, int strict, int tasks) {
  struct shared s = {0, 0, -1};
  int32_t const me = __kmpc_global_thread_num(0);
  struct task* t = __kmpc_omp_task_alloc(0, me, 1, sizeof *t, sizeof(void*), loop_body);
  *(struct shared**)t->shareds = &s;
  t->lower = 0;
  t->upper = 118;
  __kmpc_taskloop_5(0, me, t, 1, &t->lower, &t->upper, 3, 0, kind, amount, strict, (void*)duplicate);
  check(s.iterations == 40);
  check(s.tasks == tasks);
  check(s.last == 117);
}

// --- proxy tasks
static void* complete(void* t) {
  __kmpc_proxy_task_completed_ooo(t);
  return 0;
}
static pthread_t helpers[3];
static int started;
static int32_t proxy(int32_t number, struct task* t) {
  int mine;
  (void)number;
#pragma omp atomic capture
  mine = started++;
  pthread_create(&helpers[mine], 0, complete, t);
  return 0;
}
static void proxies(void) {
  int name, after = 0;
  struct depend d = {(intptr_t)&name, sizeof name, 3};
  int32_t const me = __kmpc_global_thread_num(0);
  started = 0;
#pragma omp taskgroup
  {
    __kmpc_omp_task_with_deps(0, me, __kmpc_omp_task_alloc(0, me, 17, sizeof(struct task), 0, proxy), 1, &d, 0, 0);
    // a task without code
    __kmpc_omp_task_with_deps(0, me, __kmpc_omp_task_alloc(0, me, 1, sizeof(struct task), 0, 0), 1, &d, 0, 0);
#pragma omp task depend(in : name) shared(after)
    {
      int32_t const him = __kmpc_global_thread_num(0);
      after = started >= 1;
      __kmpc_omp_task(0, him, __kmpc_omp_task_alloc(0, him, 17, sizeof(struct task), 0, proxy));
    }
    __kmpc_omp_task(0, me, __kmpc_omp_task_alloc(0, me, 17, sizeof(struct task), 0, proxy));
  }
  check(after);
  check(started == 3);
  for (int i = 0; i < 3; ++i) pthread_join(helpers[i], 0);
}

// --- reductions of the old form
static void set_one(long* copy) { *copy = 1; }
static void multiply(long* into, long* copy) { *into *= *copy; }
static void old_form(void) {
  long product = 3;
  struct old_reduced r = {&product, sizeof product, (void*)set_one, 0, (void*)multiply, 0};
  int32_t const me = __kmpc_global_thread_num(0);
  __kmpc_taskgroup(0, me);
  void* group = __kmpc_task_reduction_init(me, 1, &r);
  for (int i = 0; i < 20; ++i) {
#pragma omp task firstprivate(i) shared(product)
    {
      int32_t const him = __kmpc_global_thread_num(0);
      long* mine = __kmpc_task_reduction_get_th_data(him, i % 2 ? group : 0, &product);
      *mine *= 2;
#pragma omp task firstprivate(mine)  // a copy names the variable as well
      {
        long* other = __kmpc_task_reduction_get_th_data(__kmpc_global_thread_num(0), 0, mine);
        *other *= 2;
      }
    }
  }
  __kmpc_end_taskgroup(0, me);
  check(product == 3l << 40);
}
static void old_modifier(void) {
  long total = 1;
#pragma omp parallel shared(total) num_threads(4)
  {
    long part = 1;
    struct old_reduced r = {&part, sizeof part, (void*)set_one, 0, (void*)multiply, 0};
    int32_t const me = __kmpc_global_thread_num(0);
    __kmpc_task_reduction_modifier_init(0, me, 0, 1, &r);
#pragma omp task shared(part)
    *(long*)__kmpc_task_reduction_get_th_data(__kmpc_global_thread_num(0), 0, &part) *= 3;
    __kmpc_task_reduction_modifier_fini(0, me, 0);
#pragma omp critical
    total *= part;
  }
  check(total == 81);
}

int main(int argc, char** argv) {
  int const rounds = argc > 1 ? atoi(argv[1]) : 10;
  for (int r = 0; r < rounds; ++r) {
#pragma omp parallel
#pragma omp single
    {
      loop(1, 6, 1, 7);
      loop(2, 6, 1, 6);
      loop(1, 50, 1, 1);
      loop(2, 50, 1, 40);
      loop(1, 6, 0, 6);
      loop(2, 7, 0, 7);
      proxies();
      old_form();
    }
    proxies();
    old_modifier();
  }
  if (wrong) return printf("%d wrong\n", wrong), 1;
  puts("ok");
}
