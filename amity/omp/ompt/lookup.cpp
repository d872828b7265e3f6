/// The entry points that a tool asks for by name.

#include <sched.h>
#include <string.h>

#include "amity/omp/ompt/ancestors.hpp"
#include "amity/omp/ompt/emit.hpp"
#include "amity/sched/loop/pool.hpp"

extern "C" {
int omp_get_num_places();
int omp_get_place_num();
int omp_get_place_num_procs(int number);
void omp_get_place_proc_ids(int number, int* ids);
int omp_get_partition_num_places();
void omp_get_partition_place_nums(int* numbers);
}

namespace amity::omp::ompt {

namespace {

struct named {
  int value;
  const char* name;
};

constexpr named states[] = {
    {0x102, "ompt_state_undefined"},
    {0x000, "ompt_state_work_serial"},
    {0x001, "ompt_state_work_parallel"},
    {0x002, "ompt_state_work_reduction"},
    {0x011, "ompt_state_wait_barrier_implicit_parallel"},
    {0x012, "ompt_state_wait_barrier_implicit_workshare"},
    {0x014, "ompt_state_wait_barrier_explicit"},
    {0x015, "ompt_state_wait_barrier_implementation"},
    {0x016, "ompt_state_wait_barrier_teams"},
    {0x020, "ompt_state_wait_taskwait"},
    {0x021, "ompt_state_wait_taskgroup"},
    {0x041, "ompt_state_wait_lock"},
    {0x042, "ompt_state_wait_critical"},
    {0x043, "ompt_state_wait_atomic"},
    {0x044, "ompt_state_wait_ordered"},
    {0x100, "ompt_state_idle"},
    {0x101, "ompt_state_overhead"},
};

/// Every mutex is of one kind: it spins for a moment, then suspends its fiber.
constexpr named mutexes[] = {{0, "ompt_mutex_impl_none"}, {1, "amity_mutex_impl_suspending"}};

/// The entry behind `current`; 0 when there is none.
template <std::size_t N>
int enumerate(const named (&list)[N], int current, int* next, const char** next_name) {
  for (std::size_t i = 0; i + 1 < N; ++i)
    if (list[i].value == current) {
      *next = list[i + 1].value;
      *next_name = list[i + 1].name;
      return 1;
    }
  return 0;
}

int enumerate_states(int current, int* next, const char** name) { return enumerate(states, current, next, name); }
int enumerate_mutex_impls(int current, int* next, const char** name) { return enumerate(mutexes, current, next, name); }

// --- callbacks

/// What is told of an event. gcc's code does some constructs without a call: loops with a static schedule, masked,
/// atomic, most reductions, flush. clang's does target regions on the host without one.
set_result how_often(event e) noexcept {
  switch (e) {
    case event::thread_begin:
    case event::thread_end:
    case event::parallel_begin:
    case event::parallel_end:
    case event::task_create:
    case event::task_schedule:
    case event::implicit_task:
    case event::control_tool:
    case event::sync_region:
    case event::sync_region_wait:
    case event::dependences:
    case event::task_dependence:
    case event::lock_init:
    case event::lock_destroy:
    case event::nest_lock:
    case event::cancel:
    case event::error:
      return set_result::always;
    case event::work:
    case event::masked:
    case event::reduction:
    case event::mutex_acquire:
    case event::mutex_acquired:
    case event::mutex_released:
    case event::target:
    case event::target_emi:
      return set_result::sometimes_paired;
    case event::dispatch:
    case event::flush:
      return set_result::sometimes;
    default:
      return set_result::never;  // of devices: there are none
  }
}

bool is_event(event e) noexcept { return static_cast<int>(e) > 0 && static_cast<int>(e) < events; }

set_result set_callback(event e, function f) {
  if (!is_event(e)) return set_result::error;
  set_result const answer = how_often(e);
  if (answer != set_result::never) callbacks[static_cast<int>(e)].store(f, std::memory_order_relaxed);
  return answer;
}

int get_callback(event e, function* f) {
  if (!is_event(e) || f == nullptr) return 0;
  *f = callbacks[static_cast<int>(e)].load(std::memory_order_relaxed);
  return *f != nullptr;
}

// --- the calling thread

thread_record* impersonated = nullptr;

thread_record* caller() noexcept { return impersonated != nullptr ? impersonated : known_self(); }

data* get_thread_data() {
  thread_record* const self = caller();
  return self == nullptr ? nullptr : &self->data;
}

/// A thread that OpenMP does not know works by itself.
state get_state(wait_id* id) {
  thread_record* const self = caller();
  if (id != nullptr) *id = self == nullptr ? 0 : self->waits_for;
  return self == nullptr ? state::work_serial : self->state;
}

/// Unique in the process. Relaxed: a number that orders nothing.
std::uint64_t get_unique_id() {
  static std::atomic<std::uint64_t> taken{0};
  return taken.fetch_add(1, std::memory_order_relaxed) + 1;
}

// --- tasks

int get_task_memory(void** address, std::size_t* size, int block) {
  if (address == nullptr || size == nullptr) return 0;
  *address = nullptr;
  *size = 0;
  task* const x = current_thread == nullptr ? nullptr : current_thread->current;
  if (x == nullptr || x->is_implicit || block != 0) return 0;
  auto const& e = static_cast<explicit_task&>(*x);
  *address = e.arguments;
  *size = e.argument_bytes;
  return 0;  // no more blocks
}

// --- the machine

int get_num_procs() { return sched::concurrency(); }  // asking makes no thread of OpenMP's
int get_num_places() { return omp_get_num_places(); }
int get_place_num() { return known_self() == nullptr ? -1 : omp_get_place_num(); }
int get_proc_id() { return known_self() == nullptr ? -1 : sched_getcpu(); }
int get_num_devices() { return 1; }  // the host
int get_target_info(std::uint64_t*, std::uint64_t*, std::uint64_t*) { return 0; }

int get_place_proc_ids(int place, int size, int* ids) {
  int const count = omp_get_place_num_procs(place);
  if (ids != nullptr && size >= count) omp_get_place_proc_ids(place, ids);
  return count;
}

int get_partition_place_nums(int size, int* numbers) {
  if (known_self() == nullptr) return 0;
  int const count = omp_get_partition_num_places();
  if (numbers != nullptr && size >= count) omp_get_partition_place_nums(numbers);
  return count;
}

void finalize_tool() { finish(); }

struct entry_point {
  const char* name;
  function f;
};
template <class F>
entry_point entry(const char* name, F* f) noexcept {
  return {name, reinterpret_cast<function>(f)};
}

}  // namespace

void impersonate(thread_record* other) noexcept { impersonated = other; }

function lookup(const char* name) noexcept {
  const entry_point all[] = {
      entry("ompt_set_callback", set_callback),
      entry("ompt_get_callback", get_callback),
      entry("ompt_enumerate_states", enumerate_states),
      entry("ompt_enumerate_mutex_impls", enumerate_mutex_impls),
      entry("ompt_get_thread_data", get_thread_data),
      entry("ompt_get_state", get_state),
      entry("ompt_get_unique_id", get_unique_id),
      entry("ompt_get_parallel_info", get_parallel_info),
      entry("ompt_get_task_info", get_task_info),
      entry("ompt_get_task_memory", get_task_memory),
      entry("ompt_get_num_procs", get_num_procs),
      entry("ompt_get_num_places", get_num_places),
      entry("ompt_get_place_num", get_place_num),
      entry("ompt_get_place_proc_ids", get_place_proc_ids),
      entry("ompt_get_partition_place_nums", get_partition_place_nums),
      entry("ompt_get_proc_id", get_proc_id),
      entry("ompt_get_num_devices", get_num_devices),
      entry("ompt_get_target_info", get_target_info),
      entry("ompt_finalize_tool", finalize_tool),
  };
  for (const entry_point& e : all)
    if (strcmp(e.name, name) == 0) return e.f;
  return nullptr;
}

}  // namespace amity::omp::ompt
