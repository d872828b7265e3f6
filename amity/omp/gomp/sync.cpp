/// gcc's entries for barrier, single, critical and what it takes for atomics that the processor lacks.

#include "amity/omp/gomp/gomp.hpp"
#include "amity/omp/rt/critical.hpp"
#include "amity/omp/rt/single.hpp"

using namespace amity::omp;

extern "C" {

void GOMP_barrier() { barrier(this_thread()); }

bool GOMP_single_start() { return is_single(this_thread()); }
/// Null for the thread that runs the block; the others wait for what it hands over.
/// After that they copy, up to the next barrier.
void* GOMP_single_copy_start() {
  thread& t = this_thread();
  if (is_single(t)) return nullptr;
  t.copies = true;
  return await_copy(t);
}
void GOMP_single_copy_end(void* data) {
  thread& t = this_thread();
  t.copies = true;
  hand_over_copy(t, data);
}

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
