/// gcc's entries for barrier, single, critical and what it takes for atomics that the processor lacks.

#include "amity/omp/gomp/gomp.hpp"
#include "amity/omp/rt/critical.hpp"
#include "amity/omp/rt/single.hpp"

using namespace amity::omp;

extern "C" {

void GOMP_barrier() { barrier(this_thread()); }
/// True would mean that the region was cancelled; cancellation is off.
bool GOMP_barrier_cancel() {
  barrier(this_thread());
  return false;
}

bool GOMP_single_start() { return is_single(this_thread()); }
/// Null for the thread that runs the block; the others wait for what it hands over.
void* GOMP_single_copy_start() {
  thread& t = this_thread();
  return is_single(t) ? nullptr : await_copy(t);
}
void GOMP_single_copy_end(void* data) { hand_over_copy(this_thread(), data); }

void GOMP_critical_start() { unnamed_critical().lock(); }
void GOMP_critical_end() { unnamed_critical().unlock(); }
void GOMP_critical_name_start(void** name) { critical_of(name).lock(); }
void GOMP_critical_name_end(void** name) { critical_of(name).unlock(); }
void GOMP_atomic_start() { atomic_fallback().lock(); }
void GOMP_atomic_end() { atomic_fallback().unlock(); }

void GOMP_scope_start(std::uintptr_t* reductions) {
  if (reductions != nullptr) gomp::begin_construct_reductions(this_thread(), reductions);
}

}  // extern "C"
