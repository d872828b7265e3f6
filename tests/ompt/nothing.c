// A tool that does nothing, and asks to be told nothing.
#include <stddef.h>

#include "ompt.h"

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* tool) {
  (void)lookup, (void)device, (void)tool;
  return 1;
}
static void finalize(ompt_data_t* tool) { (void)tool; }

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  (void)version, (void)runtime;
  return &result;
}
