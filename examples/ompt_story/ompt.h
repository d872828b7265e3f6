/* The part of OpenMP's tool interface (OpenMP 5.2, chapter 19) that the story needs. All of it is in <omp-tools.h>,
   which an installed Amity brings and clang does; gcc has no such header, so the example carries its own. */
#ifndef AMITY_EXAMPLES_OMPT_H
#define AMITY_EXAMPLES_OMPT_H

#include <stddef.h>
#include <stdint.h>

typedef union {
  uint64_t value;
  void* ptr;
} ompt_data_t;

typedef struct {
  ompt_data_t exit_frame, enter_frame;
  int exit_frame_flags, enter_frame_flags;
} ompt_frame_t;

typedef struct {
  ompt_data_t variable;
  int dependence_type;
} ompt_dependence_t;

typedef struct {
  uint64_t start, iterations;
} ompt_dispatch_chunk_t;

typedef void (*ompt_function_t)(void);
typedef ompt_function_t (*ompt_function_lookup_t)(const char* name);
typedef int (*ompt_set_callback_t)(int event, ompt_function_t callback);
typedef int (*ompt_get_callback_t)(int event, ompt_function_t* callback);
typedef ompt_data_t* (*ompt_get_thread_data_t)(void);
typedef int (*ompt_get_state_t)(uint64_t* wait_id);
typedef int (*ompt_get_task_info_t)(int level, int* flags, ompt_data_t** task, ompt_frame_t** frame,
                                    ompt_data_t** parallel, int* thread_num);
typedef int (*ompt_get_parallel_info_t)(int level, ompt_data_t** parallel, int* size);
typedef void (*ompt_finalize_tool_t)(void);

typedef struct {
  int (*initialize)(ompt_function_lookup_t lookup, int initial_device_num, ompt_data_t* tool_data);
  void (*finalize)(ompt_data_t* tool_data);
  ompt_data_t tool_data;
} ompt_start_tool_result_t;

enum {
  ompt_callback_thread_begin = 1,
  ompt_callback_thread_end = 2,
  ompt_callback_parallel_begin = 3,
  ompt_callback_parallel_end = 4,
  ompt_callback_task_create = 5,
  ompt_callback_task_schedule = 6,
  ompt_callback_implicit_task = 7,
  ompt_callback_target = 8,
  ompt_callback_control_tool = 11,
  ompt_callback_sync_region_wait = 16,
  ompt_callback_mutex_released = 17,
  ompt_callback_dependences = 18,
  ompt_callback_task_dependence = 19,
  ompt_callback_work = 20,
  ompt_callback_masked = 21,
  ompt_callback_sync_region = 23,
  ompt_callback_lock_init = 24,
  ompt_callback_lock_destroy = 25,
  ompt_callback_mutex_acquire = 26,
  ompt_callback_mutex_acquired = 27,
  ompt_callback_nest_lock = 28,
  ompt_callback_flush = 29,
  ompt_callback_cancel = 30,
  ompt_callback_reduction = 31,
  ompt_callback_dispatch = 32,
  ompt_callback_error = 37
};

enum {
  ompt_set_error = 0,
  ompt_set_never = 1,
  ompt_set_sometimes = 3,
  ompt_set_sometimes_paired = 4,
  ompt_set_always = 5
};
enum { ompt_scope_begin = 1, ompt_scope_end = 2 };
enum { ompt_thread_initial = 1, ompt_thread_worker = 2 };
enum { ompt_dispatch_section = 2, ompt_dispatch_ws_loop_chunk = 3, ompt_dispatch_taskloop_chunk = 4 };
enum {
  ompt_task_initial = 0x1,
  ompt_task_implicit = 0x2,
  ompt_task_explicit = 0x4,
  ompt_task_taskwait = 0x10,
  ompt_task_undeferred = 0x08000000,
  ompt_task_untied = 0x10000000,
  ompt_task_final = 0x20000000
};
enum {
  ompt_task_complete = 1,
  ompt_task_yield = 2,
  ompt_task_cancel = 3,
  ompt_task_detach = 4,
  ompt_task_early_fulfill = 5,
  ompt_task_late_fulfill = 6,
  ompt_task_switch = 7,
  ompt_taskwait_complete = 8
};

#endif
