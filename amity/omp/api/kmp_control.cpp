// kmp_*: libomp's controls of waiting, stacks and warnings.
#include <stdlib.h>
#include <string.h>

#include <climits>

#include "amity/base/report.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/omp/settings/parse.hpp"
#include "amity/omp/settings/settings.hpp"
#include "amity/sched/cores/spin.hpp"
#include "amity/sched/loop/pool.hpp"

using namespace amity::omp;
using std::size_t;

extern "C" int omp_get_max_threads();

namespace {

enum library : int { serial = 1, turnaround = 2, throughput = 3 };
int library_in_use = throughput;
int threads_before_serial = 0;

// What is set by a call holds against the environment, so that must have been read before.
void read_environment() noexcept { static_cast<void>(this_thread()); }

void spin_for(std::uint64_t microseconds) noexcept {
  read_environment();
  amity::sched::spin_setting = amity::sched::spin_up_to(microseconds);
}

// What a variable says of the calling thread's control variables, if it does.
void adopt_setting(const char* name) noexcept {
  icv_set& own = own_icvs(this_thread());
  const icv_set said = initial_icvs();
  const auto is = [name](const char* other) { return strcmp(name, other) == 0; };
  if (is("OMP_NUM_THREADS")) own.num_threads = said.num_threads;
  if (is("OMP_DYNAMIC")) own.dynamic = said.dynamic;
  if (is("OMP_MAX_ACTIVE_LEVELS") || is("OMP_NESTED")) own.max_active_levels = said.max_active_levels;
  if (is("OMP_DEFAULT_DEVICE")) own.default_device = said.default_device;
  if (is("OMP_SCHEDULE")) {
    own.run_schedule = said.run_schedule;
    own.schedule_chosen = said.schedule_chosen;
  }
}

// libomp lets the call win over the environment; so does this.
void set_variable(const char* name, const char* value) noexcept {
  switch (change_of(name)) {
    case setting_change::unknown:
      amity::base::warn("kmp_set_defaults: '%s' is not a variable that Amity supports; it has no effect", name);
      return;
    case setting_change::before_start:
      if (runtime_started()) {
        amity::base::warn("kmp_set_defaults: %s has no effect once OpenMP has been used", name);
        return;
      }
      break;
    case setting_change::any_time:
      break;
  }
  if (!runtime_started())
    setenv(name, value, 1);
  else if (change_setting(name, value))
    adopt_setting(name);
}

// "NAME=value|NAME=value", as kmp_set_defaults takes it.
void set_variables(const char* text) noexcept {
  char* const copy = strdup(text);
  if (copy == nullptr) return;
  char* rest = nullptr;
  for (char* one = strtok_r(copy, "|", &rest); one != nullptr; one = strtok_r(nullptr, "|", &rest)) {
    char* const equals = strchr(one, '=');
    if (equals == nullptr) {
      amity::base::warn("kmp_set_defaults: '%s' is not NAME=value; it has no effect", one);
      continue;
    }
    *equals = '\0';
    set_variable(one, equals + 1);
  }
  free(copy);
}

}  // namespace

extern "C" {

// Milliseconds.
void kmp_set_blocktime(int milliseconds) {
  spin_for(milliseconds < 0 ? 0 : static_cast<std::uint64_t>(milliseconds) * 1000);
}
void kmp_set_blocktime_(const int* milliseconds) { kmp_set_blocktime(*milliseconds); }
void kmpc_set_blocktime(int milliseconds) { kmp_set_blocktime(milliseconds); }
int kmp_get_blocktime() {
  read_environment();
  const std::uint64_t microseconds = amity::sched::spin_setting.most;
  if (microseconds >= static_cast<std::uint64_t>(parse::for_ever_us)) return INT_MAX;
  return static_cast<int>(microseconds / 1000);
}
int kmp_get_blocktime_() { return kmp_get_blocktime(); }

// Holds for threads that are made from now on.
void kmp_set_stacksize_s(size_t bytes) {
  read_environment();
  if (bytes == 0) return;
  amity::sched::setting.stack_size = bytes < amity::sched::least_stack_size ? amity::sched::least_stack_size : bytes;
}
void kmp_set_stacksize_s_(const size_t* bytes) { kmp_set_stacksize_s(*bytes); }
void kmpc_set_stacksize_s(size_t bytes) { kmp_set_stacksize_s(bytes); }
void kmp_set_stacksize(int bytes) { kmp_set_stacksize_s(bytes > 0 ? static_cast<size_t>(bytes) : 0); }
void kmp_set_stacksize_(const int* bytes) { kmp_set_stacksize(*bytes); }
void kmpc_set_stacksize(int bytes) { kmp_set_stacksize(bytes); }
size_t kmp_get_stacksize_s() {
  static_cast<void>(amity::sched::concurrency());  // the pool knows the system's default
  return amity::sched::setting.stack_size;
}
size_t kmp_get_stacksize_s_() { return kmp_get_stacksize_s(); }
int kmp_get_stacksize() {
  const size_t bytes = kmp_get_stacksize_s();
  return bytes > INT_MAX ? INT_MAX : static_cast<int>(bytes);
}
int kmp_get_stacksize_() { return kmp_get_stacksize(); }

void kmp_set_library(int which) {
  if (which < serial || which > throughput) return;
  read_environment();
  int& threads = own_icvs(this_thread()).num_threads;
  if (which == serial && library_in_use != serial) threads_before_serial = threads;
  if (which == serial) threads = 1;
  if (which != serial && library_in_use == serial) threads = threads_before_serial;
  library_in_use = which;
  if (which == turnaround) spin_for(300'000'000);
  if (which == throughput) amity::sched::spin_setting = {};
}
void kmp_set_library_(const int* which) { kmp_set_library(*which); }
void kmpc_set_library(int which) { kmp_set_library(which); }
int kmp_get_library() { return library_in_use; }
int kmp_get_library_() { return library_in_use; }
void kmp_set_library_serial() { kmp_set_library(serial); }
void kmp_set_library_serial_() { kmp_set_library(serial); }
void kmp_set_library_turnaround() { kmp_set_library(turnaround); }
void kmp_set_library_turnaround_() { kmp_set_library(turnaround); }
void kmp_set_library_throughput() { kmp_set_library(throughput); }
void kmp_set_library_throughput_() { kmp_set_library(throughput); }

// As if the environment said so. Once OpenMP was used, for the caller's control variables, and for what is looked up
// from then on; not for those of other threads that there are. What cannot be followed any more is warned of.
void kmp_set_defaults(const char* text) {
  if (text != nullptr) set_variables(text);
}
void kmp_set_defaults_(const char* text, int length) {
  char* const copy = strndup(text, length > 0 ? static_cast<size_t>(length) : 0);
  if (copy != nullptr) set_variables(copy);
  free(copy);
}
void kmpc_set_defaults(const char* text) { kmp_set_defaults(text); }

// Warnings are of settings, which are read only once.
void kmp_set_warnings_on() {}
void kmp_set_warnings_on_() {}
void kmp_set_warnings_off() {}
void kmp_set_warnings_off_() {}

// Loops under way at once need no buffers of the user's choosing.
void kmp_set_disp_num_buffers(int) {}
void kmp_set_disp_num_buffers_(const int*) {}
void kmpc_set_disp_num_buffers(int) {}

int kmp_get_num_known_threads() { return omp_get_max_threads(); }
int kmp_get_num_known_threads_() { return kmp_get_num_known_threads(); }

}  // extern "C"
