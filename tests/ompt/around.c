// A program with a tool linked in, which asks who is around it: tasks and regions by level, through nested regions,
// tasks, leagues and target regions; what lists the tool may read; where the thread runs.
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "notes.h"
#include "ompt.h"

typedef int (*enumerate_t)(int, int*, const char**);
typedef int (*number_t)(void);
typedef int (*place_procs_t)(int, int, int*);
typedef int (*partition_t)(int, int*);

static ompt_get_task_info_t get_task_info;
static ompt_get_parallel_info_t get_parallel_info;
static enumerate_t next_state, next_mutex;
static number_t num_places, place_num, num_procs, proc_id;
static place_procs_t place_procs;
static partition_t partition;
static ompt_finalize_tool_t finalize_tool;
static int finalized;

// Every task and region gets a number when the tool is told of it.
static uint64_t given;
static void number(ompt_data_t* word) {
  if (word != NULL && word->value == 0) word->value = __atomic_add_fetch(&given, 1, __ATOMIC_RELAXED);
}

static int in_league;
static void parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* region, unsigned wanted,
                           int flags, const void* code) {
  (void)task, (void)frame, (void)wanted, (void)code;
  if (((unsigned)flags & 0x40000000u) != 0) __atomic_store_n(&in_league, 1, __ATOMIC_RELAXED);
  number(region);
}
static void implicit_task(int at, ompt_data_t* region, ompt_data_t* task, unsigned size, unsigned index, int flags) {
  (void)size, (void)index, (void)flags;
  if (at == ompt_scope_begin) number(region), number(task);
}
static void task_create(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* created, int flags, int depends,
                        const void* code) {
  (void)task, (void)frame, (void)flags, (void)depends, (void)code;
  number(created);
}

// A new thread is in no task yet, and may be asked all the same.
static void thread_begin(int kind, ompt_data_t* thread) {
  (void)thread;
  int flags, index, size;
  ompt_data_t *task = NULL, *region = NULL;
  ompt_frame_t* frame = NULL;
  if (kind != ompt_thread_worker) return;
  CHECK(get_task_info(0, &flags, &task, &frame, &region, &index) != 2 || task != NULL);
  CHECK(get_task_info(1, &flags, &task, &frame, &region, &index) != 2 || task != NULL);
  get_parallel_info(0, &region, &size);
}

// At a region's end its thread is back in the task that met it.
static void parallel_end(ompt_data_t* region, ompt_data_t* encountering, int flags, const void* code) {
  (void)code;
  ompt_data_t *task = NULL, *around = NULL;
  int index, size, task_flags;
  ompt_frame_t* frame = NULL;
  if (((unsigned)flags & 0x40000000u) != 0) __atomic_store_n(&in_league, 0, __ATOMIC_RELAXED);
  if (((unsigned)flags & 0x80000000u) == 0 || __atomic_load_n(&in_league, __ATOMIC_RELAXED)) return;
  CHECK(get_task_info(0, &task_flags, &task, &frame, &around, &index) == 2 && task == encountering);
  CHECK(get_parallel_info(0, &around, &size) != 2 || around != region);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* tool) {
  (void)device, (void)tool;
  ompt_set_callback_t const set = (ompt_set_callback_t)lookup("ompt_set_callback");
  get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
  get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
  next_state = (enumerate_t)lookup("ompt_enumerate_states");
  next_mutex = (enumerate_t)lookup("ompt_enumerate_mutex_impls");
  num_places = (number_t)lookup("ompt_get_num_places");
  place_num = (number_t)lookup("ompt_get_place_num");
  num_procs = (number_t)lookup("ompt_get_num_procs");
  proc_id = (number_t)lookup("ompt_get_proc_id");
  place_procs = (place_procs_t)lookup("ompt_get_place_proc_ids");
  partition = (partition_t)lookup("ompt_get_partition_place_nums");
  finalize_tool = (ompt_finalize_tool_t)lookup("ompt_finalize_tool");
  set(ompt_callback_thread_begin, (ompt_function_t)thread_begin);
  set(ompt_callback_parallel_end, (ompt_function_t)parallel_end);
  set(ompt_callback_parallel_begin, (ompt_function_t)parallel_begin);
  set(ompt_callback_implicit_task, (ompt_function_t)implicit_task);
  set(ompt_callback_task_create, (ompt_function_t)task_create);
  return 1;
}
static void finalize(ompt_data_t* tool) {
  (void)tool;
  ++finalized;
}
ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return version >= 201811 && runtime != NULL ? &result : NULL;
}

// --- by level

// What is told of the levels, innermost first: each task as i(mplicit), e(xplicit), s(tart: initial), with its number
// in the region; each region by its size.
static void tell(char* tasks, char* regions) {
  uint64_t last = 0;
  for (int level = 0, flags, index, size; level < 10; ++level) {
    ompt_data_t *task = NULL, *region = NULL;
    ompt_frame_t* frame = NULL;
    if (get_task_info(level, &flags, &task, &frame, &region, &index) == 2) {
      tasks += sprintf(tasks, "%c%d ",
                       (flags & ompt_task_initial) != 0    ? 's'
                       : (flags & ompt_task_implicit) != 0 ? 'i'
                                                           : 'e',
                       index);
      CHECK(task != NULL && task->value != 0 && task->value != last);
      CHECK(region != NULL && frame != NULL);
      last = task->value;
    }
    if (get_parallel_info(level, &region, &size) == 2) {
      regions += sprintf(regions, "%d ", size);
      CHECK(region != NULL && region->value != 0);
    }
  }
}

static void expect_around(int line, const char* tasks, const char* regions) {
  char told_tasks[100] = "", told_regions[100] = "";
  tell(told_tasks, told_regions);
  if (strcmp(told_tasks, tasks) == 0 && strcmp(told_regions, regions) == 0) return;
  fprintf(stderr, "line %d: told \"%s\" and \"%s\"\n  instead of \"%s\" and \"%s\"\n", line, told_tasks, told_regions,
          tasks, regions);
  __atomic_fetch_add(&mistakes, 1, __ATOMIC_RELAXED);
}
#define AROUND(tasks, regions) expect_around(__LINE__, tasks, regions)

static void nested(void) {
  AROUND("s0 ", "1 ");
#pragma omp parallel num_threads(3)
  if (omp_get_thread_num() == 2) {
    AROUND("i2 s0 ", "3 1 ");
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
      AROUND("i1 i2 s0 ", "2 3 1 ");
#pragma omp task if (0)
      {
        AROUND("e1 i1 i2 s0 ", "2 3 1 ");
#pragma omp task if (0)
        AROUND("e1 e1 i1 i2 s0 ", "2 3 1 ");
#pragma omp parallel num_threads(1)
        AROUND("i0 e1 i1 i2 s0 ", "1 2 3 1 ");
      }
    }
  }
  AROUND("s0 ", "1 ");
}

// A task that is run by a member in the barrier at the region's end, after it has done its own part.
static void in_the_last_barrier(void) {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    int begun = 0;
#pragma omp task shared(begun)
    {
      AROUND("e1 i1 s0 ", "2 1 ");
      __atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
    }
    while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) == 0) {
    }
  }
}

static void leagues(void) {
  int teams = 0;
#pragma omp teams num_teams(3) reduction(+ : teams)
  {
    char tasks[] = "i0 s0 s0 ", inside[] = "i1 i0 s0 s0 ", last[] = "e1 i1 i0 s0 s0 ";
    tasks[4] = inside[7] = last[10] = (char)('0' + omp_get_team_num());  // of the team's initial task
    AROUND(tasks, "1 3 1 ");
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == omp_get_num_threads() - 1 && omp_get_num_threads() == 2) {
      AROUND(inside, "2 1 3 1 ");
#pragma omp task if (0)
      AROUND(last, "2 1 3 1 ");
    }
    ++teams;
  }
  CHECK(teams == 3);
  AROUND("s0 ", "1 ");
}

// clang's code runs a target region on the host by itself.
static void target_regions(void) {
#ifndef __clang__
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) {
#pragma omp target
    {
      AROUND("s0 i1 s0 ", "1 2 1 ");
#pragma omp parallel num_threads(2)
      if (omp_get_thread_num() == 1) AROUND("i1 s0 i1 s0 ", "2 1 2 1 ");
    }
  }
#endif
}

// --- lists

static void lists(void) {
  int state = 0x102, mutex = 0, states = 0, mutexes = 0;
  const char* name = NULL;
  for (; next_state(state, &state, &name) == 1; ++states) CHECK(strncmp(name, "ompt_state_", 11) == 0);
  for (; next_mutex(mutex, &mutex, &name) == 1; ++mutexes) CHECK(mutex != 0 && strlen(name) > 0);
  CHECK(states >= 15 && mutexes >= 1);
  CHECK(next_state(12345, &state, &name) == 0);
}

static void places(void) {
  int ids[1024], numbers[1024] = {-1};
  CHECK(num_procs() >= 1 && num_places() == omp_get_num_places());
  CHECK(num_places() >= 1);
#pragma omp parallel num_threads(3) proc_bind(spread) private(ids, numbers)
  {
    cpu_set_t mine;
    int const at = place_num(), here = at < 0 ? 0 : place_procs(at, 1024, ids);
    CPU_ZERO(&mine);
    sched_getaffinity(0, sizeof mine, &mine);
    int inside = 0;
    for (int i = 0; i < here; ++i) inside += CPU_ISSET(ids[i], &mine) != 0;
    CHECK(at == omp_get_place_num() && at >= 0 && here == omp_get_place_num_procs(at) && inside == here);
    CHECK(CPU_COUNT(&mine) == here);
    CHECK(proc_id() >= 0);
    int const parts = partition(1024, numbers);
    CHECK(parts == omp_get_partition_num_places() && parts >= 1 && numbers[0] >= 0);
    ids[0] = numbers[0] = -7;  // lists that are too short are not written
    CHECK(place_procs(at, 0, ids) == here && ids[0] == -7);
    CHECK(partition(0, numbers) == parts && numbers[0] == -7);
  }
  CHECK(place_procs(100000, 1024, ids) == 0 && place_procs(-1, 1024, ids) == 0);
}

int main(void) {
  omp_set_max_active_levels(4);
  omp_set_dynamic(0);
  nested();
  in_the_last_barrier();
  leagues();
  target_regions();
  lists();
  places();
  finalize_tool();
  CHECK(finalized == 1);
  finalize_tool();
  CHECK(finalized == 1);
#pragma omp parallel num_threads(2)
  CHECK(get_task_info(0, NULL, NULL, NULL, NULL, NULL) == 0);
  if (mistakes != 0) return printf("%d mistakes\n", mistakes), 1;
  puts("ok");
}
