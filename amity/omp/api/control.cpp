// omp_*: pausing, tools, and showing the environment.
#include <stdio.h>

#include "amity/omp/api/fortran.hpp"
#include "amity/omp/settings/settings.hpp"

using namespace amity::omp;
using namespace amity::omp::fortran;

namespace {

constexpr int pause_soft = 1, pause_stop_tool = 3;  // the first and the last of omp_pause_resource_t
constexpr int initial_device = 0, initial_device_alias = -1;
constexpr int no_tool = -2;  // omp_control_tool_notool

}  // namespace

extern "C" {

// Idle threads cost nothing here, so there is nothing to give back; what a program may rely on after either kind holds
// anyhow.
int omp_pause_resource(int kind, int device) {
  if (kind < pause_soft || kind > pause_stop_tool) return -1;
  return device == initial_device || device == initial_device_alias ? 0 : -1;
}
int4 omp_pause_resource_(const int4* kind, const int4* device) { return omp_pause_resource(*kind, *device); }

int omp_pause_resource_all(int kind) { return omp_pause_resource(kind, initial_device); }
int4 omp_pause_resource_all_(const int4* kind) { return omp_pause_resource_all(*kind); }

int __kmpc_pause_resource(int kind) { return omp_pause_resource_all(kind); }

void omp_display_env(int verbose) { display_environment(stderr, verbose != 0); }
void omp_display_env_(const int4* verbose) { omp_display_env(*verbose); }
void omp_display_env_8_(const int8* verbose) { omp_display_env(*verbose != 0); }

int omp_control_tool(int, int, void*) { return no_tool; }
int omp_control_tool_(const int*, const int*, void*) { return no_tool; }

}  // extern "C"
