// A tool that says when it starts and ends, and how many regions and threads it has seen.
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "ompt.h"

static atomic_int regions, threads;
static int without_code;

static void parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* region, unsigned wanted,
                           int flags, const void* code) {
  (void)task, (void)frame, (void)region, (void)wanted, (void)flags;
  ++regions;
  if (code == NULL) ++without_code;
}
static void thread_begin(int kind, ompt_data_t* thread) {
  (void)kind, (void)thread;
  ++threads;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* tool) {
  (void)device, (void)tool;
  ompt_set_callback_t const set = (ompt_set_callback_t)lookup("ompt_set_callback");
  set(ompt_callback_parallel_begin, (ompt_function_t)parallel_begin);
  set(ompt_callback_thread_begin, (ompt_function_t)thread_begin);
  return 1;
}
static void finalize(ompt_data_t* tool) {
  (void)tool;
  printf("%s tool: %d region, %d threads, %d without code\n", NAME, atomic_load(&regions), atomic_load(&threads),
         without_code);
}

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  (void)version, (void)runtime;
  return strcmp(NAME, "declining") == 0 ? NULL : &result;
}
