// What a tool is told of each construct.
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "notes.h"
#include "ompt.h"

enum { ompt_frame_application = 1 };

static ompt_get_task_info_t get_task_info;
static ompt_get_parallel_info_t get_parallel_info;
static int (*get_num_procs)(void);
static ompt_get_thread_data_t get_thread_data;

// --- callbacks

static const char* end_of(int at) { return at == ompt_scope_begin ? "+" : at == ompt_scope_end ? "-" : ""; }

static void parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* region, unsigned wanted,
                           int flags, const void* code) {
  (void)task, (void)frame, (void)region, (void)code;
  note("%s+%u ", ((unsigned)flags & 0x40000000u) != 0 ? "league" : "parallel", wanted);
}
static void parallel_end(ompt_data_t* region, ompt_data_t* task, int flags, const void* code) {
  (void)task, (void)region, (void)code;
  note("%s- ", ((unsigned)flags & 0x40000000u) != 0 ? "league" : "parallel");
}
static void implicit_task(int at, ompt_data_t* region, ompt_data_t* task, unsigned size, unsigned index, int flags) {
  (void)region, (void)task;
  note("%s%s%u/%u ", (flags & ompt_task_initial) != 0 ? "initial" : "implicit", end_of(at), index, size);
}
static void task_create(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* created, int flags, int depends,
                        const void* code) {
  (void)task, (void)frame, (void)created, (void)code;
  note("task%s%s%s%s%s%s ", (flags & ompt_task_taskwait) != 0 ? ":wait" : "",
       (flags & ompt_task_undeferred) != 0 ? ":now" : "", (flags & ompt_task_untied) != 0 ? ":untied" : "",
       (flags & ompt_task_final) != 0 ? ":final" : "", (flags & 0x40000000) != 0 ? ":mergeable" : "",
       depends ? ":depends" : "");
}
static void task_schedule(ompt_data_t* prior, int status, ompt_data_t* next) {
  (void)prior, (void)next;
  note("schedule%d ", status);
}
static void work(int kind, int at, ompt_data_t* region, ompt_data_t* task, uint64_t count, const void* code) {
  (void)region, (void)task, (void)code;
  note("work%d%s%lu ", kind, end_of(at), count);
}
static void sync_region(int kind, int at, ompt_data_t* region, ompt_data_t* task, const void* code) {
  (void)region, (void)task, (void)code;
  note("sync%d%s ", kind, end_of(at));
}
static void masked(int at, ompt_data_t* region, ompt_data_t* task, const void* code) {
  (void)region, (void)task, (void)code;
  note("masked%s ", end_of(at));
}
static void mutex_acquire(int kind, unsigned hint, unsigned impl, uint64_t id, const void* code) {
  (void)hint, (void)impl, (void)id, (void)code;
  note("want%d ", kind);
}
static void mutex_acquired(int kind, uint64_t id, const void* code) {
  (void)id, (void)code;
  note("have%d ", kind);
}
static void mutex_released(int kind, uint64_t id, const void* code) {
  (void)id, (void)code;
  note("free%d ", kind);
}
static void nest_lock(int at, uint64_t id, const void* code) {
  (void)id, (void)code;
  note("nest%s ", end_of(at));
}
static void lock_init(int kind, unsigned hint, unsigned impl, uint64_t id, const void* code) {
  (void)hint, (void)impl, (void)id, (void)code;
  note("init%d ", kind);
}
static void lock_destroy(int kind, uint64_t id, const void* code) {
  (void)id, (void)code;
  note("destroy%d ", kind);
}
static void cancel(ompt_data_t* task, int flags, const void* code) {
  (void)task, (void)code;
  note("cancel%#x ", (unsigned)flags);
}
static void reduction(int kind, int at, ompt_data_t* region, ompt_data_t* task, const void* code) {
  (void)kind, (void)region, (void)task, (void)code;
  note("reduction%s ", end_of(at));
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* tool) {
  (void)device, (void)tool;
  ompt_set_callback_t const set = (ompt_set_callback_t)lookup("ompt_set_callback");
  get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
  get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
  get_num_procs = (int (*)(void))lookup("ompt_get_num_procs");
  get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
  set(ompt_callback_parallel_begin, (ompt_function_t)parallel_begin);
  set(ompt_callback_parallel_end, (ompt_function_t)parallel_end);
  set(ompt_callback_implicit_task, (ompt_function_t)implicit_task);
  set(ompt_callback_task_create, (ompt_function_t)task_create);
  set(ompt_callback_task_schedule, (ompt_function_t)task_schedule);
  set(ompt_callback_work, (ompt_function_t)work);
  set(ompt_callback_sync_region, (ompt_function_t)sync_region);
  set(ompt_callback_masked, (ompt_function_t)masked);
  set(ompt_callback_mutex_acquire, (ompt_function_t)mutex_acquire);
  set(ompt_callback_mutex_acquired, (ompt_function_t)mutex_acquired);
  set(ompt_callback_mutex_released, (ompt_function_t)mutex_released);
  set(ompt_callback_nest_lock, (ompt_function_t)nest_lock);
  set(ompt_callback_lock_init, (ompt_function_t)lock_init);
  set(ompt_callback_lock_destroy, (ompt_function_t)lock_destroy);
  set(ompt_callback_cancel, (ompt_function_t)cancel);
  set(ompt_callback_reduction, (ompt_function_t)reduction);
  return 1;
}
static void finalize(ompt_data_t* tool) { (void)tool; }
ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return version >= 201811 && runtime != NULL ? &result : NULL;
}

// --- the program

static int volatile counter;

static void locks(void) {
  omp_lock_t lock;
  omp_nest_lock_t nestable;
  omp_init_lock(&lock);
  EXPECT("init1");
  omp_set_lock(&lock);
  EXPECT("want1 have1");
  CHECK(!omp_test_lock(&lock));
  EXPECT("want2");
  omp_unset_lock(&lock);
  EXPECT("free1");
  CHECK(omp_test_lock(&lock));
  EXPECT("want2 have2");
  omp_unset_lock(&lock);
  EXPECT("free1");
  omp_destroy_lock(&lock);
  EXPECT("destroy1");
  omp_init_nest_lock(&nestable);
  EXPECT("init3");
  omp_set_nest_lock(&nestable);
  EXPECT("want3 have3");
  omp_set_nest_lock(&nestable);
  EXPECT("want3 nest+");
  CHECK(omp_test_nest_lock(&nestable) == 3);
  EXPECT("want4 nest+");
  omp_unset_nest_lock(&nestable);
  EXPECT("nest-");
  omp_unset_nest_lock(&nestable);
  EXPECT("nest-");
  omp_unset_nest_lock(&nestable);
  EXPECT("free3");
  omp_destroy_nest_lock(&nestable);
  EXPECT("destroy3");
#pragma omp critical
  ++counter;
  EXPECT("want5 have5 free5");
#pragma omp critical(name) hint(omp_sync_hint_contended)
  ++counter;
  EXPECT("want5 have5 free5");
}

static void synchronization(void) {
#pragma omp barrier
  EXPECT("sync3+ sync3-");
#pragma omp taskwait
  EXPECT("sync5+ sync5-");
#pragma omp taskgroup
  ++counter;
  EXPECT("sync6+ sync6-");
#pragma omp masked
  ++counter;
  EXPECT(BY_COMPILER("", "masked+ masked-"));
}

static void worksharing(void) {
#pragma omp for schedule(dynamic) nowait
  for (int i = 0; i < 7; ++i) ++counter;
  EXPECT("work11+7 work11-7");
#pragma omp for schedule(guided) nowait
  for (int i = 0; i < 7; ++i) ++counter;
  EXPECT("work12+7 work12-7");
#pragma omp for schedule(dynamic)
  for (int i = 0; i < 7; ++i) ++counter;
  EXPECT("work11+7 work11-7 sync8+ sync8-");
#pragma omp for schedule(static) nowait
  for (int i = 0; i < 7; ++i) ++counter;
  EXPECT(BY_COMPILER("", "work10+7 work10-7"));
#pragma omp for ordered schedule(dynamic) nowait
  for (int i = 0; i < 2; ++i)
#pragma omp ordered
    ++counter;
  EXPECT("work11+2 want7 have7 free7 want7 have7 free7 work11-2");
#pragma omp sections nowait
  {
#pragma omp section
    ++counter;
#pragma omp section
    ++counter;
  }
  EXPECT("work2+2 work2-2");
#pragma omp single
  ++counter;
  EXPECT("work3+1 work3-1 sync8+ sync8-");
#pragma omp single nowait
  ++counter;
  EXPECT(BY_COMPILER("work3+1", "work3+1 work3-1"));  // gcc doesn't say where it ends
#pragma omp critical
  ++counter;
  EXPECT("want5 have5 free5");
#pragma omp for schedule(dynamic) nowait
  for (int i = 0; i < 7; ++i) ++counter;
  EXPECT(BY_COMPILER("work3-1 work11+7 work11-7", "work11+7 work11-7"));
#pragma omp barrier
  EXPECT("sync3+ sync3-");
  int copied;
#pragma omp single copyprivate(copied)
  copied = counter;
  counter = copied;
  // The copies are made between two barriers.
  EXPECT(BY_COMPILER("work3+1 work3-1 sync4+ sync4- sync8+ sync8-", "work3+1 work3-1 sync4+ sync4- sync4+ sync4-"));
}

static void tasks(void) {
#pragma omp task if (0)
  ++counter;
  EXPECT("task:now schedule7 schedule1");
#pragma omp task final(1) if (0)
  ++counter;
  EXPECT("task:now:final schedule7 schedule1");
  int x = 0;
#pragma omp task depend(out : x) if (0) shared(x)
  ++x;
  EXPECT("task:wait:now:mergeable:depends schedule8 task:now schedule7 schedule1");
#pragma omp taskloop num_tasks(1) if (0)
  for (int i = 0; i < 5; ++i) ++counter;
  EXPECT("sync6+ work7+5 task:now schedule7 schedule1 work7-5 sync6-");
}

static void of_one(void) {
  EXPECT("parallel+1 implicit+0/1");
  locks();
  synchronization();
  worksharing();
  tasks();
}

// The frames of the tasks around lie on one stack, each outside of the next. Where the program calls a region's or a
// task's code itself, the exit frame is the program's own, and the frame entered from it lies further in.
static void frames(int levels) {
  char here;
  ompt_frame_t* frame;
  uintptr_t inner = (uintptr_t)&here;
  for (int level = 0; level <= levels; ++level) {
    if (get_task_info(level, NULL, NULL, &frame, NULL, NULL) != 2) return check(0, __LINE__, "no such task");
    uintptr_t const enter = (uintptr_t)frame->enter_frame.ptr, exit = (uintptr_t)frame->exit_frame.ptr;
    CHECK((enter == 0) == (level == 0));
    CHECK((exit == 0) == (level == levels));
    if (enter != 0) CHECK(enter >= inner && enter - inner < 1 << 20);
    if (enter != 0) inner = enter;
    if (exit != 0) CHECK(exit >= inner && exit - inner < 1 << 20);
    if (exit != 0 && (frame->exit_frame_flags & ompt_frame_application) == 0) inner = exit;
  }
  CHECK(get_task_info(levels + 1, NULL, NULL, &frame, NULL, NULL) == 0);
}

static void frames_of_regions(void) {
  frames(0);
#pragma omp parallel num_threads(2)
#pragma omp master
  {
    frames(1);
#pragma omp parallel num_threads(1)
    {
      frames(2);
#pragma omp task if (0)
      frames(3);
    }
  }
}

static void of_a_team(int* teams) {
  char here;
  ompt_data_t* region;
  ompt_frame_t* frame;
  int size = 0, flags = 0;
  CHECK(get_task_info(0, &flags, NULL, &frame, NULL, NULL) == 2);
  uintptr_t const exit = (uintptr_t)frame->exit_frame.ptr;
  CHECK(frame->enter_frame.ptr == NULL && exit > (uintptr_t)&here && exit - (uintptr_t)&here < 1 << 20);
  CHECK(get_parallel_info(0, &region, &size) == 2 && size == 1);
  __atomic_fetch_add(teams, 1, __ATOMIC_RELAXED);
}

static void leagues(void) {
  int teams = 0;
#pragma omp teams num_teams(2) shared(teams)
  of_a_team(&teams);
  EXPECT("league+2 initial+0/2 parallel+1 implicit+0/1 implicit-0/1 parallel- sync10+ sync10- initial-0/0 league-");
  CHECK(teams == 2);
  teams = 0;
#pragma omp teams num_teams(5) shared(teams)
  of_a_team(&teams);
  CHECK(teams == 5);
  told[0] = '\0';
}

/// A tool's own thread: asking makes it none of OpenMP's.
static void* stranger(void* unused) {
  CHECK(get_num_procs() >= 1);
  CHECK(get_thread_data() == NULL);
  return unused;
}

int main(void) {
  omp_set_max_active_levels(2);
  omp_set_dynamic(0);
  listens = omp_get_num_threads();
#pragma omp parallel num_threads(1)
  of_one();
  EXPECT("implicit-0/1 parallel-");
  frames_of_regions();
  told[0] = '\0';
  leagues();
  pthread_t other;
  CHECK(pthread_create(&other, NULL, stranger, NULL) == 0 && pthread_join(other, NULL) == 0);
  if (mistakes != 0) return printf("%d mistakes\n", mistakes), 1;
  puts("ok");
}
