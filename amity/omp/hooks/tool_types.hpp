#pragma once

/// The types of OMPT's ABI, with the numbers of the OpenMP specification, 5.2, chapter 19: what a tool and the runtime
/// say to one another. They are our own, so that Amity is built without anybody's omp-tools.h. Tools
/// include omp-tools.h, beside this file, which is installed, or their compiler's; omp_tools_test.cpp compares.

#include <cstddef>
#include <cstdint>

namespace amity::omp::ompt {

/// A word that belongs to the tool: one for each thread, parallel region and task, zero at first.
union data {
  std::uint64_t value;
  void* ptr;
};

/// Where on the stack a task leaves the runtime for its own code, and where it comes back into it.
struct frame {
  data exit_frame;
  data enter_frame;
  int exit_frame_flags;
  int enter_frame_flags;
};
/// Whose frame it is, and what of it the address is.
enum frame_flag : int { frame_runtime = 0, frame_application = 1, frame_cfa = 0x10, frame_pointer = 0x20 };

enum class event : int {
  thread_begin = 1,
  thread_end = 2,
  parallel_begin = 3,
  parallel_end = 4,
  task_create = 5,
  task_schedule = 6,
  implicit_task = 7,
  target = 8,
  target_data_op = 9,
  target_submit = 10,
  control_tool = 11,
  device_initialize = 12,
  device_finalize = 13,
  device_load = 14,
  device_unload = 15,
  sync_region_wait = 16,
  mutex_released = 17,
  dependences = 18,
  task_dependence = 19,
  work = 20,
  masked = 21,
  target_map = 22,
  sync_region = 23,
  lock_init = 24,
  lock_destroy = 25,
  mutex_acquire = 26,
  mutex_acquired = 27,
  nest_lock = 28,
  flush = 29,
  cancel = 30,
  reduction = 31,
  dispatch = 32,
  target_emi = 33,
  target_data_op_emi = 34,
  target_submit_emi = 35,
  target_map_emi = 36,
  error = 37,
};
inline constexpr int events = 38;  ///< one more than the last

/// What ompt_set_callback answers.
enum class set_result : int { error = 0, never = 1, impossible = 2, sometimes = 3, sometimes_paired = 4, always = 5 };

enum class thread_kind : int { initial = 1, worker = 2, other = 3, unknown = 4 };
enum class endpoint : int { begin = 1, end = 2, begin_and_end = 3 };
enum class dispatch_kind : int { iteration = 1, section = 2, loop_chunk = 3, taskloop_chunk = 4, distribute_chunk = 5 };

enum class sync_kind : int {
  barrier_explicit = 3,
  barrier_implementation = 4,
  taskwait = 5,
  taskgroup = 6,
  reduction = 7,
  barrier_implicit_workshare = 8,
  barrier_implicit_parallel = 9,
  barrier_teams = 10,
};

enum class work_kind : int {
  loop = 1,
  sections = 2,
  single_executor = 3,
  single_other = 4,
  workshare = 5,
  distribute = 6,
  taskloop = 7,
  scope = 8,
  loop_static = 10,
  loop_dynamic = 11,
  loop_guided = 12,
  loop_other = 13,
};

enum class mutex_kind : int {
  lock = 1,
  test_lock = 2,
  nest_lock = 3,
  test_nest_lock = 4,
  critical = 5,
  atomic = 6,
  ordered = 7,
};

enum task_flag : int {
  task_initial = 0x1,
  task_implicit = 0x2,
  task_explicit = 0x4,
  task_target = 0x8,
  task_taskwait = 0x10,
  task_undeferred = 0x08000000,
  task_untied = 0x10000000,
  task_final = 0x20000000,
  task_mergeable = 0x40000000,
};

enum class task_status : int {
  complete = 1,
  yield = 2,
  cancel = 3,
  detach = 4,
  early_fulfill = 5,
  late_fulfill = 6,
  switched = 7,
  taskwait_complete = 8,
};

/// What calls the code of the region, and what the region is.
inline constexpr int invoked_by_program = 0x1;
inline constexpr int invoked_by_runtime = 0x2;
inline constexpr int region_league = 0x40000000;
inline constexpr int region_team = static_cast<int>(0x80000000);

enum class dependence_type : int {
  in = 1,
  out = 2,
  inout = 3,
  mutexinoutset = 4,
  source = 5,
  sink = 6,
  inoutset = 7,
  out_all_memory = 34,
  inout_all_memory = 35,
};
struct dependence {
  data variable;
  dependence_type type;
};

enum cancel_flag : int {
  cancel_parallel = 0x1,
  cancel_sections = 0x2,
  cancel_loop = 0x4,
  cancel_taskgroup = 0x8,
  cancel_activated = 0x10,
  cancel_detected = 0x20,
  cancel_discarded_task = 0x40,
};

/// What a target construct is; `target_nowait` besides, if it has that clause.
enum class target_kind : int { region = 1, enter_data = 2, exit_data = 3, update = 4 };
inline constexpr int target_nowait = 8;

enum class severity : int { warning = 1, fatal = 2 };

struct dispatch_chunk {
  std::uint64_t start;
  std::uint64_t iterations;
};

enum class state : int {
  work_serial = 0x000,
  work_parallel = 0x001,
  work_reduction = 0x002,
  wait_barrier_implicit_parallel = 0x011,
  wait_barrier_implicit_workshare = 0x012,
  wait_barrier_explicit = 0x014,
  wait_barrier_implementation = 0x015,
  wait_barrier_teams = 0x016,
  wait_taskwait = 0x020,
  wait_taskgroup = 0x021,
  wait_mutex = 0x040,
  wait_lock = 0x041,
  wait_critical = 0x042,
  wait_atomic = 0x043,
  wait_ordered = 0x044,
  wait_target = 0x080,
  wait_target_map = 0x081,
  wait_target_update = 0x082,
  idle = 0x100,
  overhead = 0x101,
  undefined = 0x102,
};

using function = void (*)();
using lookup_function = function (*)(const char* name);
using wait_id = std::uint64_t;

/// What ompt_start_tool returns.
struct start_result {
  int (*initialize)(lookup_function lookup, int initial_device, data* tool_data);
  void (*finalize)(data* tool_data);
  data tool_data;
};
using start_function = start_result* (*)(unsigned omp_version, const char* runtime_version);

// --- the callbacks, by event

using on_thread_begin = void (*)(thread_kind kind, data* thread);
using on_thread_end = void (*)(data* thread);
using on_parallel_begin = void (*)(data* task, const frame* task_frame, data* parallel, unsigned requested, int flags,
                                   const void* code);
using on_parallel_end = void (*)(data* parallel, data* task, int flags, const void* code);
using on_work = void (*)(work_kind kind, endpoint at, data* parallel, data* task, std::uint64_t count,
                         const void* code);
using on_dispatch = void (*)(data* parallel, data* task, dispatch_kind kind, data instance);
using on_task_create = void (*)(data* task, const frame* task_frame, data* created, int flags, int has_dependences,
                                const void* code);
using on_dependences = void (*)(data* task, const dependence* list, int count);
using on_task_dependence = void (*)(data* source, data* sink);
using on_task_schedule = void (*)(data* prior, task_status status, data* next);
using on_implicit_task = void (*)(endpoint at, data* parallel, data* task, unsigned parallelism, unsigned index,
                                  int flags);
using on_masked = void (*)(endpoint at, data* parallel, data* task, const void* code);
using on_sync_region = void (*)(sync_kind kind, endpoint at, data* parallel, data* task, const void* code);
using on_mutex_acquire = void (*)(mutex_kind kind, unsigned hint, unsigned implementation, wait_id id,
                                  const void* code);
using on_mutex = void (*)(mutex_kind kind, wait_id id, const void* code);
using on_nest_lock = void (*)(endpoint at, wait_id id, const void* code);
using on_flush = void (*)(data* thread, const void* code);
using on_cancel = void (*)(data* task, int flags, const void* code);
using on_target = void (*)(int kind, endpoint at, int device, data* task, std::uint64_t target, const void* code);
using on_target_emi = void (*)(int kind, endpoint at, int device, data* task, data* target_task, data* target,
                               const void* code);
using on_control_tool = int (*)(std::uint64_t command, std::uint64_t modifier, void* argument, const void* code);
using on_error = void (*)(severity how, const char* message, std::size_t length, const void* code);

}  // namespace amity::omp::ompt
