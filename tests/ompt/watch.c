// A tool for any program: says nothing while what it is told makes sense (checks.h), and else what doesn't, and ends
// the program with 97. Where the program ends within a region, the ends that are missing then are none of its business.
#define _GNU_SOURCE
#include <dlfcn.h>

#include "checks.h"

// In a file that is loaded. It may be the runtime's: where a compiler makes a jump of the last call in a region, there
// is no return address of the program's.
static void check_code(const void* code, const char* who) {
  Dl_info info;
  if (code == NULL || dladdr(code, &info) == 0) wrong("%s: code %p is nobody's", who, code);
}

static void finalize(ompt_data_t* tool) {
  (void)tool;
  if (open_scopes == 0) check_ends();
  if (mistakes == 0) return;
  fprintf(stderr, "the tool was told %d things that make no sense\n", atomic_load(&mistakes));
  fflush(stdout);
  _Exit(97);
}

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  others_may_end_it = 1;
  return version >= 201811 && runtime != NULL ? &result : NULL;
}
