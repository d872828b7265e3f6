// omp_*: pausing, tools, and showing the environment.
#include <stdio.h>

#include "amity/omp/api/fortran.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/rt/initial.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/omp/settings/settings.hpp"
#include "amity/sched/loop/pool.hpp"

using namespace amity::omp;
using namespace amity::omp::fortran;

namespace {

constexpr int pause_soft = 1, pause_hard = 2, pause_stop_tool = 3;  // omp_pause_resource_t
constexpr int initial_device = 0, initial_device_alias = -1;

int control(int command, int modifier, void* argument) noexcept {
  static_cast<void>(this_thread());
  return ompt::control_tool(static_cast<std::uint64_t>(command), static_cast<std::uint64_t>(modifier), argument);
}

}  // namespace

extern "C" {

// Either kind ends the threads of the calling thread's regions, and with them what is threadprivate there.
int omp_pause_resource(int kind, int device) {
  if (kind < pause_soft || kind > pause_stop_tool) return -1;
  if (device != initial_device && device != initial_device_alias) return -1;
  if (current_thread != nullptr) {
    if (current_thread->team->level > 0) return -1;  // those threads are at work
    release_teams(*current_thread);
  }
  amity::sched::end_idle_shells();
  if (kind >= pause_hard) amity::omp::ompt::finish();
  return 0;
}
int4 omp_pause_resource_(const int4* kind, const int4* device) { return omp_pause_resource(*kind, *device); }

int omp_pause_resource_all(int kind) { return omp_pause_resource(kind, initial_device); }
int4 omp_pause_resource_all_(const int4* kind) { return omp_pause_resource_all(*kind); }

int __kmpc_pause_resource(int kind) { return omp_pause_resource_all(kind); }

void omp_display_env(int verbose) { display_environment(stderr, verbose != 0); }
void omp_display_env_(const int4* verbose) { omp_display_env(*verbose); }
void omp_display_env_8_(const int8* verbose) { omp_display_env(*verbose != 0); }

int omp_control_tool(int command, int modifier, void* argument) {
  return ompt::entered([=] { return control(command, modifier, argument); });
}
int omp_control_tool_(const int* command, const int* modifier, void* argument) {
  return ompt::entered([=] { return control(*command, *modifier, argument); });
}

}  // extern "C"
