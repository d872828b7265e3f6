// What a tool checks of what it is told: begins and ends pair and nest, numbers are those that were given out, tasks
// are made, run and ended once, and every word that belongs to the tool is zero at first. The file that includes this
// one says in check_code() what a code pointer may be, and in a function `finalize` what is due at the end.
#pragma once
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "ompt.h"

static void check_code(const void* code, const char* who);

enum { most_open = 4096, most_things = 1 << 26 };
enum kind { a_thread, a_region, an_initial_task, an_implicit_task, a_task, a_taskwait, a_league_s_task };

// What stands behind each of the tool's words.
struct thing {
  enum kind kind;
  atomic_int ended;
  int started, flags;
  unsigned size;
};
static struct thing* things;
static atomic_uint made;
static atomic_int mistakes;
static atomic_int seen[64];
static int others_may_end_it;   // set: a worker that serves C++ tasks when the tool ends
static atomic_int open_scopes;  // begun and not ended, by whatever thread

// What a thread has begun and not ended.
struct open_scope {
  char what;
  int kind;
  uint64_t task;
  uint64_t around;  // what ran there before; of an initial task, which may begin within another
};
struct thread {
  struct open_scope open[most_open];
  int depth;
  uint64_t wanted;  // a mutex
  uint64_t running;
  const ompt_data_t* began;
};

static ompt_get_thread_data_t get_thread_data;
static ompt_get_state_t get_state;
static ompt_get_task_info_t get_task_info;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_callback_t get_callback;

__attribute__((format(printf, 1, 2))) static void wrong(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (atomic_fetch_add(&mistakes, 1) < 20) {
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
  }
  va_end(arguments);
}

static struct thing* new_thing(ompt_data_t* data, enum kind kind) {
  if (data->value != 0) wrong("a new word is not zero but %lu", data->value);
  unsigned const n = atomic_fetch_add(&made, 1) + 1;
  if (n >= most_things) abort();
  data->value = n;
  things[n].kind = kind;
  return &things[n];
}
static struct thing* thing_of(const ompt_data_t* data, const char* who) {
  if (data == NULL || data->value == 0 || data->value > atomic_load(&made)) {
    wrong("%s: a word that was never given out: %lu", who, data == NULL ? 0 : data->value);
    return &things[0];
  }
  return &things[data->value];
}

static __thread struct thread me;

static void begin(char what, int kind, const ompt_data_t* task) {
  if (me.depth == most_open) abort();
  me.open[me.depth++] = (struct open_scope){what, kind, task == NULL ? 0 : task->value, me.running};
  ++open_scopes;
}
static void end(char what, int kind, const ompt_data_t* task) {
  if (me.depth == 0) {
    wrong("an end of %c %d without a begin", what, kind);
    return;
  }
  struct open_scope const o = me.open[--me.depth];
  --open_scopes;
  if (o.what != what || o.kind != kind || o.task != (task == NULL ? 0 : task->value))
    wrong("%c %d of task %lu ends where %c %d of task %lu is open", what, kind, task == NULL ? 0 : task->value, o.what,
          o.kind, o.task);
}

// --- callbacks

static void thread_begin(int kind, ompt_data_t* thread) {
  ++seen[ompt_callback_thread_begin];
  new_thing(thread, a_thread);
  me.began = thread;
  if (kind != ompt_thread_initial && kind != ompt_thread_worker) wrong("thread of kind %d", kind);
  if (get_thread_data() != thread) wrong("thread_begin: another word than ompt_get_thread_data's");
}
static void thread_end(ompt_data_t* thread) {
  ++seen[ompt_callback_thread_end];
  if (atomic_fetch_add(&thing_of(thread, "thread_end")->ended, 1) != 0) wrong("a thread ends twice");
  if (get_thread_data() != thread) wrong("thread_end: another word than ompt_get_thread_data's");
  if (me.began != thread && !others_may_end_it) wrong("a thread's end is told on another thread");
}

static void parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* region, unsigned wanted,
                           int flags, const void* code) {
  ++seen[ompt_callback_parallel_begin];
  thing_of(task, "parallel_begin")->started++;
  struct thing* const r = new_thing(region, a_region);
  r->size = wanted;
  if (wanted == 0) wrong("a region of no threads");
  if (((unsigned)flags & 0xc0000000u) == 0 || (flags & 3) == 0) wrong("parallel_begin: flags %#x", (unsigned)flags);
  // A league's team has a region that the runtime begins by itself.
  if (frame->enter_frame.ptr == NULL && things[task->value].kind != a_league_s_task)
    wrong("parallel_begin: no enter frame");
  check_code(code, "parallel_begin");
  begin('p', 0, region);
}
static void parallel_end(ompt_data_t* region, ompt_data_t* task, int flags, const void* code) {
  ++seen[ompt_callback_parallel_end];
  (void)flags;
  thing_of(task, "parallel_end");
  check_code(code, "parallel_end");
  if (atomic_fetch_add(&thing_of(region, "parallel_end")->ended, 1) != 0) wrong("a region ends twice");
  end('p', 0, region);
  me.running = task->value;
}

static void implicit_task(int at, ompt_data_t* region, ompt_data_t* task, unsigned size, unsigned index, int flags) {
  ++seen[ompt_callback_implicit_task];
  int const is_initial = (flags & ompt_task_initial) != 0;
  if (at == ompt_scope_begin) {
    struct thing* const t = new_thing(task, is_initial ? an_initial_task : an_implicit_task);
    t->size = size;
    if (is_initial && region->value == 0) {
      if (size != 1 || index != 1) wrong("initial task: %u of %u", index, size);
      new_thing(region, a_region);
    } else if (is_initial) {  // of a team in a league
      t->kind = a_league_s_task;
      if (index >= size || things[region->value].kind != a_region) wrong("initial task: %u of %u teams", index, size);
    } else {
      struct thing* const r = thing_of(region, "implicit_task");
      if (r->kind != a_region || atomic_load(&r->ended)) wrong("an implicit task of no region");
      if (index >= size || size > r->size) wrong("implicit task %u of %u, %u wanted", index, size, r->size);
    }
    begin('i', flags & (ompt_task_initial | ompt_task_implicit), task);
    me.running = task->value;
  } else {
    if (atomic_fetch_add(&thing_of(task, "implicit_task")->ended, 1) != 0) wrong("an implicit task ends twice");
    end('i', flags & (ompt_task_initial | ompt_task_implicit), task);
    if (is_initial) me.running = me.open[me.depth].around;
  }
}

static void task_create(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* created, int flags, int depends,
                        const void* code) {
  ++seen[ompt_callback_task_create];
  (void)depends;
  thing_of(task, "task_create");
  struct thing* const t = new_thing(created, (flags & ompt_task_taskwait) != 0 ? a_taskwait : a_task);
  t->flags = flags;
  if ((flags & (ompt_task_explicit | ompt_task_taskwait)) == 0) wrong("task_create: flags %#x", (unsigned)flags);
  if (frame->enter_frame.ptr == NULL) wrong("task_create: no enter frame");
  check_code(code, "task_create");
}
static void task_schedule(ompt_data_t* prior, int status, ompt_data_t* next) {
  ++seen[ompt_callback_task_schedule];
  struct thing* const p = thing_of(prior, "task_schedule");
  if (status == ompt_task_early_fulfill || status == ompt_task_late_fulfill) {
    if (next != NULL) wrong("a fulfilled event schedules a task");
    if (status == ompt_task_late_fulfill && atomic_fetch_add(&p->ended, 1) != 0) wrong("a detached task ends twice");
    return;
  }
  if (status == ompt_taskwait_complete) {
    if (p->kind != a_taskwait) wrong("what completes as a taskwait is none");
    atomic_fetch_add(&p->ended, 1);
    return;
  }
  if (me.running != prior->value) wrong("task %lu is left where %lu runs", prior->value, me.running);
  struct thing* const n = thing_of(next, "task_schedule");
  if (atomic_load(&n->ended) != 0) wrong("task %lu runs after its end", next->value);
  if (status == ompt_task_complete || status == ompt_task_cancel) {
    if (p->kind != a_task) wrong("what completes is no explicit task");
    if (atomic_fetch_add(&p->ended, 1) != 0) wrong("a task ends twice");
  }
  ++n->started;
  me.running = next->value;
}

// A task that will not run, because its region or taskgroup was cancelled, is told of here alone.
static void cancel(ompt_data_t* task, int flags, const void* code) {
  ++seen[ompt_callback_cancel];
  (void)code;
  enum { discarded_task = 0x40 };
  struct thing* const t = thing_of(task, "cancel");
  if ((flags & discarded_task) == 0) return;
  if (t->kind != a_task || t->started != 0) wrong("a task that has begun is discarded");
  ++t->started;
  if (atomic_fetch_add(&t->ended, 1) != 0) wrong("a task is discarded after its end");
}

static void dependences(ompt_data_t* task, const ompt_dependence_t* list, int count) {
  ++seen[ompt_callback_dependences];
  thing_of(task, "dependences");
  for (int i = 0; i < count; ++i)
    if (list[i].dependence_type < 1 || list[i].dependence_type > 35)
      wrong("dependence of type %d", list[i].dependence_type);
}
static void task_dependence(ompt_data_t* source, ompt_data_t* sink) {
  ++seen[ompt_callback_task_dependence];
  if (thing_of(source, "task_dependence") == thing_of(sink, "task_dependence")) wrong("a task waits for itself");
}

static void work(int kind, int at, ompt_data_t* region, ompt_data_t* task, uint64_t count, const void* code) {
  ++seen[ompt_callback_work];
  (void)count;
  thing_of(region, "work");
  thing_of(task, "work");
  check_code(code, "work");
  (at == ompt_scope_begin ? begin : end)('w', kind, task);
}
static void dispatch(ompt_data_t* region, ompt_data_t* task, int kind, ompt_data_t instance) {
  ++seen[ompt_callback_dispatch];
  thing_of(region, "dispatch");
  thing_of(task, "dispatch");
  if (kind == ompt_dispatch_section)
    check_code(instance.ptr, "section");
  else if (((const ompt_dispatch_chunk_t*)instance.ptr)->iterations == 0)
    wrong("a chunk without iterations");
}
static void masked(int at, ompt_data_t* region, ompt_data_t* task, const void* code) {
  ++seen[ompt_callback_masked];
  thing_of(region, "masked");
  check_code(code, "masked");
  (at == ompt_scope_begin ? begin : end)('m', 0, task);
}

static void sync_region(int kind, int at, ompt_data_t* region, ompt_data_t* task, const void* code) {
  ++seen[ompt_callback_sync_region];
  enum { at_region_end = 9, at_league_end = 10 };
  // The barrier at a region's end: the region is over when it ends, and only its leader was called by the program.
  if (kind != at_region_end) check_code(code, "sync_region");
  if ((kind != at_region_end && kind != at_league_end) || at == ompt_scope_begin) thing_of(region, "sync_region");
  thing_of(task, "sync_region");
  (at == ompt_scope_begin ? begin : end)('s', kind, task);
}
static void sync_region_wait(int kind, int at, ompt_data_t* region, ompt_data_t* task, const void* code) {
  ++seen[ompt_callback_sync_region_wait];
  (void)region, (void)code;
  int const state = get_state(NULL);
  if (at == ompt_scope_begin && (state < 0x10 || state > 0x3f)) wrong("a wait in state %#x", (unsigned)state);
  (at == ompt_scope_begin ? begin : end)('v', kind, task);
}
static void reduction(int kind, int at, ompt_data_t* region, ompt_data_t* task, const void* code) {
  ++seen[ompt_callback_reduction];
  thing_of(region, "reduction");
  check_code(code, "reduction");
  (at == ompt_scope_begin ? begin : end)('r', kind, task);
}

static void mutex_acquire(int kind, unsigned hint, unsigned impl, uint64_t id, const void* code) {
  ++seen[ompt_callback_mutex_acquire];
  (void)kind, (void)hint, (void)impl;
  if (id == 0) wrong("a mutex without a number");
  check_code(code, "mutex_acquire");
  me.wanted = id;
}
static void mutex_acquired(int kind, uint64_t id, const void* code) {
  ++seen[ompt_callback_mutex_acquired];
  (void)kind;
  check_code(code, "mutex_acquired");
  if (me.wanted != id) wrong("mutex %#lx is held where %#lx was wanted", id, me.wanted);
  me.wanted = 0;
}
static void mutex_released(int kind, uint64_t id, const void* code) {
  ++seen[ompt_callback_mutex_released];
  (void)kind, (void)id;
  check_code(code, "mutex_released");
}
static void nest_lock(int at, uint64_t id, const void* code) {
  ++seen[ompt_callback_nest_lock];
  check_code(code, "nest_lock");
  if (at == ompt_scope_begin && me.wanted != id) wrong("nestable lock %#lx where %#lx was wanted", id, me.wanted);
}
static void lock_init(int kind, unsigned hint, unsigned impl, uint64_t id, const void* code) {
  ++seen[ompt_callback_lock_init];
  (void)kind, (void)hint, (void)impl, (void)id;
  check_code(code, "lock_init");
}
static void lock_destroy(int kind, uint64_t id, const void* code) {
  ++seen[ompt_callback_lock_destroy];
  (void)kind, (void)id;
  check_code(code, "lock_destroy");
}
static void flush(ompt_data_t* thread, const void* code) {
  ++seen[ompt_callback_flush];
  if (get_thread_data() != thread) wrong("flush of another thread");
  check_code(code, "flush");
}
static const struct {
  int event;
  ompt_function_t f;
} callbacks[] = {
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
    {ompt_callback_sync_region_wait, (ompt_function_t)sync_region_wait},
    {ompt_callback_reduction, (ompt_function_t)reduction},
    {ompt_callback_mutex_acquire, (ompt_function_t)mutex_acquire},
    {ompt_callback_mutex_acquired, (ompt_function_t)mutex_acquired},
    {ompt_callback_mutex_released, (ompt_function_t)mutex_released},
    {ompt_callback_nest_lock, (ompt_function_t)nest_lock},
    {ompt_callback_lock_init, (ompt_function_t)lock_init},
    {ompt_callback_lock_destroy, (ompt_function_t)lock_destroy},
    {ompt_callback_flush, (ompt_function_t)flush},
    {ompt_callback_cancel, (ompt_function_t)cancel},
};

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* tool) {
  (void)device, (void)tool;
  things = mmap(NULL, most_things * sizeof *things, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                -1, 0);
  if (things == MAP_FAILED) abort();
  ompt_set_callback_t const set = (ompt_set_callback_t)lookup("ompt_set_callback");
  get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
  get_state = (ompt_get_state_t)lookup("ompt_get_state");
  get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
  get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
  get_callback = (ompt_get_callback_t)lookup("ompt_get_callback");
  if (lookup("ompt_no_such_entry") != NULL) wrong("an entry point that doesn't exist was found");
  for (size_t i = 0; i < sizeof callbacks / sizeof callbacks[0]; ++i) {
    int const answer = set(callbacks[i].event, callbacks[i].f);
    if (answer != ompt_set_always && answer != ompt_set_sometimes && answer != ompt_set_sometimes_paired)
      wrong("callback %d: %d", callbacks[i].event, answer);
    ompt_function_t f = NULL;
    if (get_callback(callbacks[i].event, &f) != 1 || f != callbacks[i].f)
      wrong("callback %d is not what was set", callbacks[i].event);
  }
  enum { target_data_op = 9 };
  if (set(target_data_op, (ompt_function_t)flush) != ompt_set_never) wrong("there are devices?");
  return 1;
}

// Whether all that has begun has ended.
static void check_ends(void) {
  unsigned const n = atomic_load(&made);
  for (unsigned i = 1; i <= n; ++i) {
    struct thing* const t = &things[i];
    int const ended = atomic_load(&t->ended);
    if (t->kind == a_region ? ended > 1 : ended != 1) wrong("thing %u of kind %d ended %d times", i, t->kind, ended);
    if (t->kind == a_task && t->started == 0) wrong("task %u never ran", i);
  }
  if (seen[ompt_callback_thread_begin] != seen[ompt_callback_thread_end])
    wrong("%d threads began, %d ended", seen[ompt_callback_thread_begin], seen[ompt_callback_thread_end]);
}
