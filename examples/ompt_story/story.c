/* A tool that tells what an OpenMP program does: a line for each event, indented by how deep the thread is in its
   regions, with numbers for threads, regions and tasks. README.md tells how to load it.

       [0] parallel region 2 begins: 2 threads wanted, called from 0x401196
       [0]   implicit task 3 of region 2 begins: thread 0 of 2
       [0]     barrier begins
       ...                                                                                                          */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "ompt.h"

struct teller {
  int number, depth;
};

static FILE* out;
static ompt_get_thread_data_t get_thread_data;
static atomic_int threads;
static atomic_ullong ids;

static uint64_t next_id(void) { return atomic_fetch_add(&ids, 1) + 1; }
static uint64_t id_of(const ompt_data_t* data) { return data == NULL ? 0 : data->value; }

static struct teller* me(void) {
  static struct teller nobody = {-1, 0};
  ompt_data_t* const data = get_thread_data();
  return data == NULL || data->ptr == NULL ? &nobody : data->ptr;
}

/* One line of the story, written by one call, so that those of several threads don't mix. `step`: what comes goes one
   deeper (1), or this line ends what went deeper (-1). */
__attribute__((format(printf, 2, 3))) static void tell(int step, const char* format, ...) {
  char text[256];
  struct teller* const t = me();
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (step < 0 && t->depth > 0) --t->depth;
  fprintf(out, "[%d] %*s%s\n", t->number, 2 * t->depth, "", text);
  if (step > 0) ++t->depth;
}

/* --- threads, regions, implicit tasks */

static void thread_begin(int kind, ompt_data_t* thread) {
  struct teller* const t = calloc(1, sizeof *t);
  if (t == NULL) return;
  t->number = atomic_fetch_add(&threads, 1);
  thread->ptr = t;
  tell(1, "%s thread begins",
       kind == ompt_thread_initial  ? "initial"
       : kind == ompt_thread_worker ? "worker"
                                    : "other");
}

static void thread_end(ompt_data_t* thread) {
  tell(-1, "thread ends");
  free(thread->ptr);
  thread->ptr = NULL;
}

static void parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* region, unsigned wanted,
                           int flags, const void* code) {
  (void)task, (void)frame, (void)flags;
  region->value = next_id();
  tell(1, "parallel region %lu begins: %u threads wanted, called from %p", region->value, wanted, code);
}

static void parallel_end(ompt_data_t* region, ompt_data_t* task, int flags, const void* code) {
  (void)task, (void)flags, (void)code;
  tell(-1, "parallel region %lu ends", id_of(region));
}

static void implicit_task(int at, ompt_data_t* region, ompt_data_t* task, unsigned size, unsigned index, int flags) {
  const char* const kind = (flags & ompt_task_initial) != 0 ? "initial" : "implicit";
  if (at == ompt_scope_begin) {
    task->value = next_id();
    if ((flags & ompt_task_initial) != 0 && region->value == 0) region->value = next_id();
    tell(1, "%s task %lu of region %lu begins: thread %u of %u", kind, task->value, id_of(region), index, size);
  } else {
    tell(-1, "%s task %lu ends", kind, task->value);
  }
}

/* --- explicit tasks */

static void task_create(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* created, int flags, int depends,
                        const void* code) {
  (void)frame;
  created->value = next_id();
  tell(0, "task %lu creates %s %lu%s%s%s%s, called from %p", id_of(task),
       (flags & ompt_task_taskwait) != 0 ? "taskwait" : "task", created->value,
       (flags & ompt_task_undeferred) != 0 ? ", undeferred" : "", (flags & ompt_task_untied) != 0 ? ", untied" : "",
       (flags & ompt_task_final) != 0 ? ", final" : "", depends ? ", with dependences" : "", code);
}

static void task_schedule(ompt_data_t* prior, int status, ompt_data_t* next) {
  static const char* const why[] = {"",         "completes",           "yields",        "is cancelled",
                                    "detaches", "was fulfilled early", "was fulfilled", "is interrupted",
                                    "completes"};
  const char* const what = status > 0 && status < 9 ? why[status] : "is left";
  if (next == NULL)
    tell(0, "task %lu %s", id_of(prior), what);
  else
    tell(0, "task %lu %s; task %lu runs", id_of(prior), what, id_of(next));
}

static void dependences(ompt_data_t* task, const ompt_dependence_t* list, int count) {
  static const char* const kind[] = {"", "in", "out", "inout", "mutexinoutset", "source", "sink", "inoutset"};
  for (int i = 0; i < count; ++i) {
    int const type = list[i].dependence_type;
    tell(0, "task %lu depends: %s %p", id_of(task), type > 0 && type < 8 ? kind[type] : "all memory",
         list[i].variable.ptr);
  }
}

static void task_dependence(ompt_data_t* source, ompt_data_t* sink) {
  tell(0, "task %lu waits for task %lu", id_of(sink), id_of(source));
}

/* --- worksharing */

static void work(int kind, int at, ompt_data_t* region, ompt_data_t* task, uint64_t count, const void* code) {
  static const char* const name[] = {
      "",         "loop",  "sections", "single, mine", "single, another's", "workshare",   "distribute",
      "taskloop", "scope", "",         "static loop",  "dynamic loop",      "guided loop", "loop"};
  (void)region, (void)task, (void)code;
  tell(at == ompt_scope_begin ? 1 : -1, "%s of %lu %s", kind > 0 && kind < 14 ? name[kind] : "work", count,
       at == ompt_scope_begin ? "begins" : "ends");
}

static void dispatch(ompt_data_t* region, ompt_data_t* task, int kind, ompt_data_t instance) {
  const ompt_dispatch_chunk_t* const chunk = instance.ptr;
  (void)region, (void)task;
  if (kind == ompt_dispatch_section)
    tell(0, "section at %p", instance.ptr);
  else
    tell(0, "iterations %lu to %lu", chunk->start, chunk->start + chunk->iterations - 1);
}

static void masked(int at, ompt_data_t* region, ompt_data_t* task, const void* code) {
  (void)region, (void)task, (void)code;
  tell(at == ompt_scope_begin ? 1 : -1, "masked %s", at == ompt_scope_begin ? "begins" : "ends");
}

/* --- waiting */

static void sync_region(int kind, int at, ompt_data_t* region, ompt_data_t* task, const void* code) {
  static const char* const name[] = {"",
                                     "barrier",
                                     "implicit barrier",
                                     "explicit barrier",
                                     "inner barrier",
                                     "taskwait",
                                     "taskgroup",
                                     "reduction",
                                     "barrier of a worksharing construct",
                                     "barrier at the region's end",
                                     "barrier of teams"};
  (void)region, (void)task, (void)code;
  tell(at == ompt_scope_begin ? 1 : -1, "%s %s", kind > 0 && kind < 11 ? name[kind] : "synchronisation",
       at == ompt_scope_begin ? "begins" : "ends");
}

static const char* mutex_name(int kind) {
  static const char* const name[] = {"mutex",    "lock",   "lock (test)", "nestable lock", "nestable lock (test)",
                                     "critical", "atomic", "ordered"};
  return kind > 0 && kind < 8 ? name[kind] : name[0];
}
static void mutex_acquire(int kind, unsigned hint, unsigned impl, uint64_t id, const void* code) {
  (void)hint, (void)impl, (void)code;
  tell(0, "%s %#lx wanted", mutex_name(kind), id);
}
static void mutex_acquired(int kind, uint64_t id, const void* code) {
  (void)code;
  tell(0, "%s %#lx held", mutex_name(kind), id);
}
static void mutex_released(int kind, uint64_t id, const void* code) {
  (void)code;
  tell(0, "%s %#lx released", mutex_name(kind), id);
}

/* --- start and end */

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* tool) {
  static const struct {
    int event;
    ompt_function_t f;
  } all[] = {
      {ompt_callback_thread_begin, (ompt_function_t)thread_begin},
      {ompt_callback_thread_end, (ompt_function_t)thread_end},
      {ompt_callback_parallel_begin, (ompt_function_t)parallel_begin},
      {ompt_callback_parallel_end, (ompt_function_t)parallel_end},
      {ompt_callback_implicit_task, (ompt_function_t)implicit_task},
      {ompt_callback_task_create, (ompt_function_t)task_create},
      {ompt_callback_task_schedule, (ompt_function_t)task_schedule},
      {ompt_callback_dependences, (ompt_function_t)dependences},
      {ompt_callback_task_dependence, (ompt_function_t)task_dependence},
      {ompt_callback_work, (ompt_function_t)work},
      {ompt_callback_dispatch, (ompt_function_t)dispatch},
      {ompt_callback_masked, (ompt_function_t)masked},
      {ompt_callback_sync_region, (ompt_function_t)sync_region},
      {ompt_callback_reduction, (ompt_function_t)sync_region},
      {ompt_callback_mutex_acquire, (ompt_function_t)mutex_acquire},
      {ompt_callback_mutex_acquired, (ompt_function_t)mutex_acquired},
      {ompt_callback_mutex_released, (ompt_function_t)mutex_released},
  };
  ompt_set_callback_t const set = (ompt_set_callback_t)lookup("ompt_set_callback");
  (void)device, (void)tool;
  get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
  if (set == NULL || get_thread_data == NULL) return 0;
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) set(all[i].event, all[i].f);
  return 1;
}

static void finalize(ompt_data_t* tool) {
  (void)tool;
  fprintf(out, "the end: %d threads, %llu regions and tasks\n", atomic_load(&threads), atomic_load(&ids));
  if (out != stderr) fclose(out);
}

/* What the runtime looks for. */
ompt_start_tool_result_t* ompt_start_tool(unsigned omp_version, const char* runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  const char* const file = getenv("OMPT_STORY");
  out = file == NULL ? stderr : fopen(file, "w");
  if (out == NULL) return NULL;
  fprintf(out, "the story of a program on %s, OpenMP %u\n", runtime, omp_version);
  return &result;
}
