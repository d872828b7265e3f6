// A program with a tool linked in, which checks that what it is told makes sense: begins and ends pair and nest,
// numbers are those that were given out, tasks are made, run and ended once, code pointers point into the program, and
// every word that belongs to the tool is zero at first. The program does a little of everything, over and over.
#include <dlfcn.h>
#include <omp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

// gcc's omp.h and its own runtime lack it.
extern int omp_control_tool(int command, int modifier, void* argument) __attribute__((weak));
extern char __executable_start, etext;

static void check_code(const void* code, const char* who) {
  if ((const char*)code < &__executable_start || (const char*)code >= &etext)
    wrong("%s: code %p is not the program's", who, code);
}

static int control_tool(uint64_t command, uint64_t modifier, void* argument, const void* code) {
  ++seen[ompt_callback_control_tool];
  check_code(code, "control_tool");
  return command == 3 && modifier == 7 && argument == &me ? 0 : 1;
}

static void finalize(ompt_data_t* tool) {
  (void)tool;
  check_ends();
  for (int e = ompt_callback_thread_begin; e <= ompt_callback_implicit_task; ++e)
    if (seen[e] == 0) wrong("no event %d", e);
  static const int by_calls[] = {ompt_callback_control_tool,   ompt_callback_sync_region_wait,
                                 ompt_callback_mutex_released, ompt_callback_dependences,
                                 ompt_callback_work,           ompt_callback_sync_region,
                                 ompt_callback_lock_init,      ompt_callback_lock_destroy,
                                 ompt_callback_mutex_acquire,  ompt_callback_mutex_acquired,
                                 ompt_callback_nest_lock,      ompt_callback_dispatch};
  for (size_t i = 0; i < sizeof by_calls / sizeof by_calls[0]; ++i)
    if (seen[by_calls[i]] == 0) wrong("no event %d", by_calls[i]);
#ifdef __clang__
  static const int by_clang[] = {ompt_callback_masked, ompt_callback_flush, ompt_callback_reduction};
  for (size_t i = 0; i < sizeof by_clang / sizeof by_clang[0]; ++i)
    if (seen[by_clang[i]] == 0) wrong("no event %d", by_clang[i]);
#endif
  if (mistakes == 0) puts("ok");
  fflush(stdout);
  if (mistakes != 0) _Exit(1);
}

static int initialize_all(ompt_function_lookup_t lookup, int device, ompt_data_t* tool) {
  int const goes_on = initialize(lookup, device, tool);
  ((ompt_set_callback_t)lookup("ompt_set_callback"))(ompt_callback_control_tool, (ompt_function_t)control_tool);
  return goes_on;
}

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {initialize_all, finalize, {0}};
  return version >= 201811 && runtime != NULL ? &result : NULL;
}

// --- the program

static void check_where_i_am(int level) {
  ompt_data_t *task, *region;
  ompt_frame_t* frame;
  int flags, number, size;
  if (get_task_info(0, &flags, &task, &frame, &region, &number) != 2) wrong("no task information");
  if (number != omp_get_thread_num()) wrong("thread %d is told that it is %d", omp_get_thread_num(), number);
  if (task->value != me.running)
    wrong("task %lu runs, and %lu of flags %#x is told, in thread %d, level %d", me.running, task->value,
          (unsigned)flags, omp_get_thread_num(), level);
  if (frame->enter_frame.ptr != NULL) wrong("the program runs, and its task is said to be in the runtime");
  if (level > 0 && frame->exit_frame.ptr == NULL) wrong("a task without an exit frame");
  if (get_parallel_info(0, &region, &size) != 2 || size != omp_get_num_threads())
    wrong("a team of %d is told to be %d", omp_get_num_threads(), size);
  if (get_parallel_info(level, &region, NULL) != 2 || get_parallel_info(level + 1, &region, NULL) != 0)
    wrong("not %d regions around", level);
  if (get_state(NULL) != (level > 0)) wrong("state %#x at level %d", (unsigned)get_state(NULL), level);
}

static atomic_long total;

static long sum;

static void loops(void) {
#pragma omp for schedule(dynamic, 3)
  for (int i = 0; i < 50; ++i) total += i;
#pragma omp for schedule(guided) nowait
  for (int i = 0; i < 50; ++i) total += i;
#pragma omp for schedule(static, 4)
  for (int i = 0; i < 50; ++i) total += i;
#pragma omp for ordered schedule(dynamic)
  for (int i = 0; i < 8; ++i) {
#pragma omp ordered
    total += i;
  }
#pragma omp sections
  {
#pragma omp section
    total += 1;
#pragma omp section
    total += 2;
#pragma omp section
    total += 3;
  }
#pragma omp for reduction(+ : sum)
  for (int i = 0; i < 50; ++i) sum += i;
}

static int fib(int n) {
  int a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b) final(n < 4)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static void tasks(void) {
  int x = 0, y = 0;
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp task depend(out : x) shared(x)
      {
        check_where_i_am(omp_get_level());
        x = 1;
      }
#pragma omp task depend(in : x) depend(out : y) shared(x, y)
      y = x;
#pragma omp task if (0) depend(in : y)
      total += 1;
    }
#pragma omp task untied
    {
      total += 1;
#pragma omp taskyield
      total += 1;
    }
#pragma omp task depend(inout : x)
    total += 1;
#pragma omp taskwait depend(in : x)
#pragma omp taskloop grainsize(5)
    for (int i = 0; i < 40; ++i) total += i;
    omp_event_handle_t event;
#pragma omp task detach(event)
    total += 1;
    omp_fulfill_event(event);
    if (fib(8) != 21) wrong("fib");
  }
}

static omp_lock_t lock;
static omp_nest_lock_t nestable;

static void locks(void) {
  omp_set_lock(&lock);
  total += 1;
  omp_unset_lock(&lock);
  if (omp_test_lock(&lock)) omp_unset_lock(&lock);
  omp_set_nest_lock(&nestable);
  omp_set_nest_lock(&nestable);
  omp_unset_nest_lock(&nestable);
  omp_unset_nest_lock(&nestable);
#pragma omp critical
  total += 1;
#pragma omp critical(named)
  total += 1;
}

static void region(int level) {
  int copied;
  check_where_i_am(level);
#pragma omp barrier
  check_where_i_am(level);
#pragma omp single copyprivate(copied)
  copied = 5;
  total += copied;
#pragma omp master
  {
    total += 1;
#pragma omp flush
  }
  loops();
  tasks();
  locks();
  check_where_i_am(level);
}

int main(void) {
  omp_init_lock(&lock);
  omp_init_nest_lock(&nestable);
  omp_set_max_active_levels(2);
  check_where_i_am(0);
  for (int round = 0; round < 5; ++round) {
#pragma omp parallel num_threads(round + 2)
    {
      region(1);
      if (round == 2) {
#pragma omp parallel num_threads(2)
        region(2);
      }
      if (round == 3) {
#pragma omp parallel if (0)
        region(2);
      }
    }
#pragma omp parallel num_threads(1)
    region(1);
#pragma omp parallel for num_threads(3) schedule(dynamic)
    for (int i = 0; i < 20; ++i) total += i;
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
      total += 1;
#pragma omp section
      total += 1;
    }
    check_where_i_am(0);
  }
  if (omp_control_tool == NULL || omp_control_tool(3, 7, &me) != 0)
    wrong("omp_control_tool: the tool's answer got lost");
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nestable);
  return 0;
}
