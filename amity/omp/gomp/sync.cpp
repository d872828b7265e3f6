/// gcc's entries for barrier, single, critical and what it takes for atomics that the processor lacks.

#include "amity/omp/gomp/gomp.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/rt/critical.hpp"
#include "amity/omp/rt/mutual_exclusion.hpp"
#include "amity/omp/rt/single.hpp"

using namespace amity::omp;

namespace {

bool start_observed_single() noexcept {
  thread& t = this_thread();
  bool const mine = is_single_anywhere(t);
  if (mine)
    ompt::open_work_begins(t, ompt::work_kind::single_executor);
  else
    ompt::work_is_elsewhere(t);
  return mine;
}

void* await_copy_of_single() noexcept {
  thread& t = this_thread();
  t.copies = true;
  return await_copy(t);
}

}  // namespace

extern "C" {

void GOMP_barrier() {
  ompt::entered([] { barrier(this_thread()); },
                [] {
                  ompt::barrier_may_close_work(this_thread());
                  barrier(this_thread());
                });
}

bool GOMP_single_start() {
  return ompt::entered([] { return is_single(this_thread()); }, [] { return start_observed_single(); });
}
/// Null for the thread that runs the block; the others wait for what it hands over.
/// After that they copy, up to the next barrier.
void* GOMP_single_copy_start() {
  return ompt::entered([]() -> void* { return is_single(this_thread()) ? nullptr : await_copy_of_single(); },
                       []() -> void* { return start_observed_single() ? nullptr : await_copy_of_single(); });
}
void GOMP_single_copy_end(void* data) {
  ompt::entered([=] {
    thread& t = this_thread();
    t.copies = true;
    hand_over_copy(t, data);
    if (cold::any()) [[unlikely]]
      ompt::single_is_left();
  });
}

void GOMP_critical_start() { take(unnamed_critical(), ompt::mutex_kind::critical); }
void GOMP_critical_end() { give_up(unnamed_critical(), ompt::mutex_kind::critical); }
void GOMP_critical_name_start(void** name) { take(critical_of(name), ompt::mutex_kind::critical); }
void GOMP_critical_name_end(void** name) { give_up(critical_of(name), ompt::mutex_kind::critical); }
void GOMP_atomic_start() { take(atomic_fallback(), ompt::mutex_kind::atomic); }
void GOMP_atomic_end() { give_up(atomic_fallback(), ompt::mutex_kind::atomic); }

void GOMP_scope_start(std::uintptr_t* reductions) {
  ompt::entered([=] {
    thread& t = this_thread();
    // First, as for a loop: its end comes behind that of the work.
    if (reductions != nullptr) gomp::begin_construct_reductions(t, reductions);
    if (cold::any()) [[unlikely]]
      ompt::open_work_begins(t, ompt::work_kind::scope);
  });
}

}  // extern "C"
