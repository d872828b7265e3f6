// What the environment says: every OMP_*, GOMP_*, KMP_* and AMITY_* variable, read once, checked, and explained.
//
//   const settings& env = omp::environment();
//   if (env.cancellation) ...
//
// A value that can't be used gets one line on stderr that names it, what is allowed and what is used instead; it never
// ends the program. table.cpp has the one list of all variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "amity/omp/settings/icv.hpp"
#include "amity/sched/cores/spin.hpp"
#include "amity/sys/topology.hpp"

namespace amity::omp {

enum class display_mode : std::uint8_t { off, on, verbose };
enum class stall_mode : std::uint8_t { off, report, abort };
enum class offload : std::uint8_t { default_, mandatory, disabled };

// A trait of an allocator, with the numbers of omp_alloctrait_key_t and omp_alloctrait_value_t.
struct allocator_trait {
  int key = 0;
  std::uintptr_t value = 0;
};

// OMP_ALLOCATOR: a predefined allocator, or a memory space with traits, of which the allocator is made at first use.
struct allocator_setting {
  std::uintptr_t predefined = 1;  // omp_default_mem_alloc
  std::uintptr_t space = 0;
  int traits = 0;  // 0: `predefined` counts
  allocator_trait trait[8];
};

struct settings {
  static constexpr int most_levels = 32;  // entries of a list, one for each nesting level
  static constexpr int most_active_levels = 255;
  static constexpr std::size_t text_size = 1024;

  // OMP_NUM_THREADS and OMP_PROC_BIND; no entries: the default
  int num_threads[most_levels] = {};
  int num_threads_levels = 0;
  proc_bind bind[most_levels] = {};
  int bind_levels = 0;

  schedule run_schedule;
  bool run_schedule_given = false;
  bool dynamic = false;
  bool nested = false;
  bool nested_given = false;
  int max_active_levels = 1;
  bool max_active_levels_given = false;
  int thread_limit = 0x7fffffff;
  int num_teams = 0;  // 0: none
  int teams_thread_limit = 0;
  bool cancellation = false;
  int max_task_priority = 0;
  int default_device = 0;
  bool default_device_given = false;
  offload target_offload = offload::default_;
  allocator_setting allocator;

  std::size_t stack_size = 0;  // 0: as the scheduler chooses
  sched::spin_limits spin;
  bool wait_active = false;  // OMP_WAIT_POLICY, for display only; `spin` is what counts
  bool wait_given = false;
  std::uint64_t spin_count = 0;       // GOMP_SPINCOUNT as it was given
  std::int64_t blocktime_us = -1;     // KMP_BLOCKTIME; -1: not given
  bool serial = false;                // KMP_LIBRARY=serial
  bool task_throttling = true;        // KMP_ENABLE_TASK_THROTTLING
  bool inherit_float_control = true;  // KMP_INHERIT_FP_CONTROL

  // Places, in order, each cut to the affinity mask; none: no places were asked for.
  sys::cpu_mask_list places;
  char places_text[text_size] = {};
  proc_bind teams_bind = proc_bind::spread;  // KMP_TEAMS_PROC_BIND
  bool resets_binding = false;               // KMP_AFFINITY=reset: initial threads are bound inside regions only
  sys::cpu_mask hw_subset;                   // KMP_HW_SUBSET; empty: the whole machine
  char hw_subset_text[128] = {};
  bool bound_by_cpu_affinity = false;  // the places come from GOMP_CPU_AFFINITY or KMP_AFFINITY

  display_mode display_env = display_mode::off;
  bool display_affinity = false;
  char affinity_format[text_size] = "level %L thread %i affinity %A";
  bool tool = true;
  char tool_libraries[text_size] = {};
  char tool_verbose_init[text_size] = {};  // empty: disabled; stdout, stderr or a file
  bool debug = false;

  bool warnings = true;                           // KMP_WARNINGS
  bool stats = false;                             // AMITY_STATS; the pool reads it itself (sched/monitor/stats.cpp)
  int workers = 0;                                // AMITY_THREADS; 0: the cores that may be used
  char identity[16] = {};                         // AMITY_IDENTITY; empty: as the machine allows
  stall_mode stall = stall_mode::report;          // AMITY_STALL; the scheduler reads it itself
  char counters[text_size] = {};                  // AMITY_COUNTERS; empty: none
  char profile[text_size] = {};                   // AMITY_PROFILE; empty: none
  char trace[text_size] = {};                     // AMITY_TRACE; empty: none
  std::size_t trace_size = std::size_t{1} << 30;  // AMITY_TRACE_SIZE
  char net[16] = {};                      // AMITY_NET; empty: the best that all processes have. They read it themselves
  char net_device[64] = {};               // AMITY_NET_DEVICE; the same
  char net_rings[8] = "on";               // AMITY_NET_RINGS; the same
  char nodes_memory[16] = "pages";        // AMITY_NODES_MEMORY; `amity run --nodes` reads it itself
  char nodes_regions[16] = "worth";       // AMITY_NODES_REGIONS; the same
  char segment[32] = "256M";              // AMITY_SEGMENT; they read it themselves, too
  char distributed_stealing[16] = "off";  // AMITY_DISTRIBUTED_STEALING; the same
  char serial_calls[8] = "off";           // AMITY_SERIAL_CALLS; the same
  char collectives[text_size] = {};       // AMITY_COLLECTIVES; the same
  char collective_lines[8] = "on";        // AMITY_COLLECTIVE_LINES; the same
  char devices[text_size] = {};           // AMITY_DEVICES; empty: all. The devices' module reads it and the next itself
  char cache[text_size] = {};             // AMITY_CACHE; empty: in the user's folder for such
  char scheduler[32] = "priority-local";  // AMITY_SCHEDULER; the scheduler reads this and the next two itself
  bool stealing = true;                   // AMITY_STEALING
  int high_priority_queues = 0;           // AMITY_HIGH_PRIORITY_QUEUES; 0: as the policy has it
};

// The environment as it was at the first call. Thread-safe; reads hwloc only if a variable asks for places by name.
[[nodiscard]] const settings& environment() noexcept;

// Makes the scheduler follow: stack size, number of carriers, spinning. Call before its first use.
void apply_settings() noexcept;

// When a variable may still be changed by kmp_set_defaults.
enum class setting_change : std::uint8_t { unknown, before_start, any_time };
[[nodiscard]] setting_change change_of(const char* name) noexcept;

// A later value of one variable, from kmp_set_defaults: holds for what is looked up from now on. False: not a variable
// of ours, or not a value of it, which is warned of. Not for use beside other threads that look at the same setting.
bool change_setting(const char* name, const char* value) noexcept;

// The control variables of an initial thread. Starts the scheduler's pool, whose size is the default of num_threads.
[[nodiscard]] icv_set initial_icvs() noexcept;

// The entry of a list for regions at nesting `level` (0: the outermost); the last entry serves all deeper ones.
[[nodiscard]] int num_threads_at(const settings& s, int level, int otherwise) noexcept;
[[nodiscard]] proc_bind bind_at(const settings& s, int level, proc_bind otherwise) noexcept;

// --- for people

enum class setting_source : std::uint8_t {
  default_,
  environment,
  refused,      // given, but not usable
  overridden,   // given, but another variable goes first
  ineffective,  // given, but Amity has nothing for it to change
};

struct setting_view {
  const char* name;
  const char* meaning;
  const char* allowed;        // completes "is not ..."
  const char* default_value;  // valid during the visit
  const char* value;          // the same
  setting_source source;
  const char* why;  // more about the source, or null
  bool works;       // something follows from its value here
};

// Every variable that Amity knows, in the table's order.
void visit_settings(void (*visit)(const setting_view& setting, void* context), void* context) noexcept;

// A table for `amity info`, of those that work here or are set: name, value, source. With `verbose` of all, with
// meaning, default and what is allowed.
void print_settings(std::FILE* out, bool verbose) noexcept;

// OMP_DISPLAY_ENV and omp_display_env(), in the form of the standard and of libgomp.
void display_environment(std::FILE* out, bool verbose) noexcept;

}  // namespace amity::omp
