// What a tool is told besides which construct it is: kinds of dependences, how tasks end, chunks, hints, target
// regions; and that all that has begun ends, cancelled or not. Run with OMP_CANCELLATION=true.
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "notes.h"
#include "ompt.h"

// Neither gcc's libgomp nor its omp.h have them.
extern void omp_init_lock_with_hint(omp_lock_t*, omp_sync_hint_t) __attribute__((weak));
extern void omp_init_nest_lock_with_hint(omp_nest_lock_t*, omp_sync_hint_t) __attribute__((weak));

enum { cancel_activated = 0x10, cancel_detected = 0x20, cancel_discarded = 0x40, target = 8, target_emi = 33 };
enum { most_tasks = 4096, most_open = 64 };

// What has become of each task; the tool's word is its number.
static struct { int made, begun, ended[9]; } tasks[most_tasks];
static int tasks_made, activated, detected, discarded, sources, sinks;

// What a thread has begun and not ended.
static __thread struct {
  char what;
  int kind;
} open[most_open];
static __thread int depth;

static void begins(char what, int kind) {
  CHECK(depth < most_open);
  open[depth].what = what;
  open[depth++].kind = kind;
}
static void ends(char what, int kind) {
  --depth;
  CHECK(depth >= 0 && open[depth].what == what && open[depth].kind == kind);
}
static void at(int endpoint, char what, int kind) { (endpoint == ompt_scope_begin ? begins : ends)(what, kind); }
static int add(int* to) { return __atomic_add_fetch(to, 1, __ATOMIC_RELAXED); }

// --- callbacks

static void implicit_task(int endpoint, ompt_data_t* region, ompt_data_t* task, unsigned size, unsigned index,
                          int flags) {
  (void)region, (void)task, (void)size, (void)index;
  if ((flags & ompt_task_initial) == 0) at(endpoint, 'i', 0);
}
static void work(int kind, int endpoint, ompt_data_t* region, ompt_data_t* task, uint64_t count, const void* code) {
  (void)region, (void)task, (void)count, (void)code;
  at(endpoint, 'w', kind);
}
static void sync_region(int kind, int endpoint, ompt_data_t* region, ompt_data_t* task, const void* code) {
  (void)region, (void)task, (void)code;
  at(endpoint, 's', kind);
}
static void task_create(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* created, int flags, int depends,
                        const void* code) {
  (void)task, (void)frame, (void)depends, (void)code;
  note("create%s ", (flags & ompt_task_taskwait) != 0 ? ":wait" : "");
  created->value = (uint64_t)add(&tasks_made);
  CHECK(created->value < most_tasks);
  tasks[created->value].made = (flags & ompt_task_taskwait) == 0;
}
static void task_schedule(ompt_data_t* prior, int status, ompt_data_t* next) {
  note("%d ", status);
  if (prior->value != 0 && status != ompt_task_switch && status != ompt_task_yield)
    add(&tasks[prior->value].ended[status]);
  if (next != NULL && next->value != 0) add(&tasks[next->value].begun);
}
static void dependences(ompt_data_t* task, const ompt_dependence_t* list, int count) {
  enum { source = 5, sink = 6 };
  (void)task;
  if (list[0].dependence_type == source || list[0].dependence_type == sink) {
    add(list[0].dependence_type == source ? &sources : &sinks);
    CHECK(count == 2 && list[1].dependence_type == list[0].dependence_type);
    CHECK(list[0].variable.value < 6 && list[1].variable.value < 5);
    return;
  }
  for (int i = 0; i < count; ++i) note("%d@%d ", list[i].dependence_type, *(int*)list[i].variable.ptr);
}
static void dispatch(ompt_data_t* region, ompt_data_t* task, int kind, ompt_data_t instance) {
  (void)region, (void)task;
  const ompt_dispatch_chunk_t* const chunk = instance.ptr;
  if (kind == ompt_dispatch_section)
    note("section ");
  else
    note("chunk%d:%d+%d ", kind, (int)chunk->start, (int)chunk->iterations);
}
static void lock_init(int kind, unsigned hint, unsigned impl, uint64_t id, const void* code) {
  (void)impl, (void)id, (void)code;
  note("init%d:%u ", kind, hint);
}
static void cancel(ompt_data_t* task, int flags, const void* code) {
  note("cancel%#x ", (unsigned)flags);
  if ((flags & cancel_activated) != 0) add(&activated);
  if ((flags & cancel_detected) != 0) add(&detected);
  if ((flags & cancel_discarded) == 0) return;
  add(&discarded);
  CHECK(code == NULL && tasks[task->value].begun == 0);
}
static void targets(int kind, int endpoint, int device, ompt_data_t* task, uint64_t id, const void* code) {
  (void)task;
  CHECK(device == omp_get_initial_device() && id != 0 && code != NULL);
  note("target%d%s ", kind, endpoint == ompt_scope_begin ? "+" : "-");
}
static void targets_emi(int kind, int endpoint, int device, ompt_data_t* task, ompt_data_t* target_task,
                        ompt_data_t* word, const void* code) {
  static uint64_t given;
  (void)task, (void)device, (void)code;
  CHECK(target_task == NULL && word->value == (endpoint == ompt_scope_begin ? 0 : given));
  word->value = ++given;
  (void)kind;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* tool) {
  (void)device, (void)tool;
  ompt_set_callback_t const set = (ompt_set_callback_t)lookup("ompt_set_callback");
  set(ompt_callback_implicit_task, (ompt_function_t)implicit_task);
  set(ompt_callback_work, (ompt_function_t)work);
  set(ompt_callback_sync_region, (ompt_function_t)sync_region);
  set(ompt_callback_task_create, (ompt_function_t)task_create);
  set(ompt_callback_task_schedule, (ompt_function_t)task_schedule);
  set(ompt_callback_dependences, (ompt_function_t)dependences);
  set(ompt_callback_dispatch, (ompt_function_t)dispatch);
  set(ompt_callback_lock_init, (ompt_function_t)lock_init);
  set(ompt_callback_cancel, (ompt_function_t)cancel);
  set(target, (ompt_function_t)targets);
  set(target_emi, (ompt_function_t)targets_emi);
  return 1;
}
static void finalize(ompt_data_t* tool) { (void)tool; }
ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return version >= 201811 && runtime != NULL ? &result : NULL;
}

// --- the program

static int volatile counter;

// Values of the variables name them.
static void kinds_of_dependences(void) {
  int x = 1, y = 2, z = 3;
#pragma omp parallel num_threads(1)
  {
    omp_depend_t object;
#pragma omp depobj(object) depend(inout : z)
#pragma omp task depend(in : x)
    ++counter;
    EXPECT("create 1@1 7 1");
#pragma omp task depend(out : y)
    ++counter;
    EXPECT("create 3@2 7 1");
#pragma omp task depend(mutexinoutset : x)
    ++counter;
    EXPECT("create 4@1 7 1");
#pragma omp task depend(depobj : object)
    ++counter;
    EXPECT("create 3@3 7 1");
#pragma omp taskwait depend(in : y)
    EXPECT("create:wait 1@2 8");
#pragma omp depobj(object) destroy
  }
}

static void chunks(void) {
#pragma omp parallel num_threads(1)
  {
#pragma omp for schedule(static, 3) nowait
    for (int i = 0; i < 7; ++i) ++counter;
    EXPECT(BY_COMPILER("", "chunk3:0+3"));  // gcc's code deals them out, clang's all but the first
#pragma omp for schedule(dynamic, 3) nowait
    for (int i = 10; i < 17; ++i) ++counter;
    EXPECT("chunk3:0+7");  // a team of one has all at once
#pragma omp sections nowait
    {
#pragma omp section
      ++counter;
#pragma omp section
      ++counter;
    }
    EXPECT(BY_COMPILER("section section", "section"));
#pragma omp taskloop num_tasks(2)
    for (int i = 0; i < 6; ++i) ++counter;
    EXPECT("create 7 chunk4:0+3 1 create 7 chunk4:3+3 1");
  }
}

static void vectors(void) {
#pragma omp parallel num_threads(2)
#pragma omp for ordered(2) schedule(static, 1)
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 5; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      ++counter;
#pragma omp ordered depend(source)
    }
  CHECK(sources == 6 * 5);
  CHECK(sinks == 5 * 5 + 6 * 4);
}

static void hints(void) {
  omp_lock_t lock;
  omp_nest_lock_t nestable;
  if (omp_init_lock_with_hint == NULL) return;
  omp_init_lock_with_hint(&lock, omp_sync_hint_contended);
  EXPECT("init1:2");
  omp_init_nest_lock_with_hint(&nestable, omp_sync_hint_speculative);
  EXPECT("init3:8");
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nestable);
}

static void ends_of_tasks(void) {
#pragma omp parallel num_threads(1)
  {
    omp_event_handle_t event;
#pragma omp task detach(event)
    ++counter;
#pragma omp taskyield
    EXPECT("create 2 4");
    omp_fulfill_event(event);
    EXPECT("6");
#pragma omp task detach(event)
    ++counter;
    omp_fulfill_event(event);
    EXPECT("create 5");
#pragma omp taskwait
    EXPECT("7 1");
#pragma omp task untied if (0)
    ++counter;
    EXPECT(BY_COMPILER("create 7 1", "create 7 7 7 1"));  // clang's has two parts
  }
}

static void host(void) {
#ifndef __clang__  // clang's code runs them by itself
  int x = 0;
#pragma omp target map(tofrom : x)
  ++x;
  EXPECT("target1+ target1-");
#pragma omp target data map(tofrom : x)
  {
    EXPECT("target2+ target2-");
    ++x;
  }
  EXPECT("target3+ target3-");
#pragma omp target enter data map(to : x)
  EXPECT("target2+ target2-");
#pragma omp target update to(x)
  EXPECT("target4+ target4-");
#pragma omp target exit data map(from : x)
  EXPECT("target3+ target3-");
#endif
}

// --- cancellation

enum { threads = 4 };

// One thread cancels; the others look until they see it.
static void cancelled_region(void) {
  activated = detected = 0;
#pragma omp parallel num_threads(threads)
  {
    if (omp_get_thread_num() == 1) {
#pragma omp cancel parallel
    }
    for (;;) {
#pragma omp cancellation point parallel
    }
  }
  CHECK(activated == 1 && detected == threads - 1);
}

static void cancelled_loops(void) {
  activated = detected = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 100; ++i) {
#pragma omp cancel for if (i == 0)
      if (i == 0) ++counter;
    }
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i) {
#pragma omp cancel for
      ++counter;
    }
#pragma omp sections
    {
#pragma omp section
      {
#pragma omp cancel sections
        ++counter;
      }
#pragma omp section
      ++counter;
    }
#pragma omp single
    ++counter;
  }
  CHECK(activated >= 3);
}

static void cancelled_tasks(void) {
  int const first = tasks_made + 1;
  int made = 0, ran = 0, cancelled = 0;
  activated = discarded = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
#pragma omp taskgroup
  for (int i = 0; i < 100; ++i) {
#pragma omp task
    {
      ++counter;
#pragma omp cancel taskgroup
      ++counter;
    }
  }
  for (int i = first; i <= tasks_made; ++i) {
    made += tasks[i].made;
    CHECK(tasks[i].begun <= 1);
    ran += tasks[i].begun;
    cancelled += tasks[i].ended[ompt_task_cancel];
    CHECK(tasks[i].begun == tasks[i].ended[ompt_task_cancel]);
  }
  CHECK(activated >= 1 && cancelled == ran);
  CHECK(made == ran + discarded);
}

int main(void) {
  omp_set_dynamic(0);
  listens = omp_get_num_threads();
  kinds_of_dependences();
  chunks();
  hints();
  ends_of_tasks();
  host();
  vectors();
  if (!omp_get_cancellation()) return puts("cancellation is off"), 1;
  for (int round = 0; round < 20; ++round) {
    cancelled_region();
    cancelled_loops();
    cancelled_tasks();
    told[0] = '\0';
  }
  CHECK(depth == 0);
  if (mistakes != 0) return printf("%d mistakes\n", mistakes), 1;
  puts("ok");
}
