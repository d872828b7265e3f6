// A tool for a gcc program, which has no <omp-tools.h> of its own: it counts the regions that it is told of.
#include <omp-tools.h>
#include <stdio.h>

static int regions;

static void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* parallel, unsigned requested,
                              int flags, const void* code) {
  (void)task, (void)frame, (void)parallel, (void)requested, (void)flags, (void)code;
  ++regions;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  (void)device, (void)data;
  ompt_set_callback_t const set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
  ompt_callback_parallel_begin_t const callback = on_parallel_begin;
  return set_callback(ompt_callback_parallel_begin, (ompt_callback_t)callback) == ompt_set_always;
}

static void finalize(ompt_data_t* data) { (void)data; }

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  (void)version, (void)runtime;
  return &result;
}

int main(void) {
#pragma omp parallel num_threads(2)
  {}
  printf("the tool was told of %d region(s)\n", regions);
  return regions != 1;
}
