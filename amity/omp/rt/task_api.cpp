/// The user's function on task events, and what the environment says of tasks.

#include "amity/base/report.hpp"
#include "amity/omp/rt/task.hpp"
#include "amity/omp/settings/settings.hpp"

namespace amity::omp {

int max_task_priority() noexcept { return environment().max_task_priority; }

}  // namespace amity::omp

extern "C" {

void omp_fulfill_event(std::uintptr_t event) {
  if (event == 0) {
    amity::base::warn("omp_fulfill_event: the event is 0, not one that a detach clause made; ignored");
    return;
  }
  amity::omp::fulfill(event);
}

/// Fortran passes the handle by value, too.
void omp_fulfill_event_(std::uintptr_t event) { omp_fulfill_event(event); }

}  // extern "C"
