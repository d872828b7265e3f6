// omp_*_lock: a sync::mutex in the first four bytes of gcc's four and clang's eight, a sync::nest_mutex in the first
// eight of gcc's sixteen and clang's eight. A nestable lock belongs to the task that set it.
#include <new>

#include "amity/omp/rt/thread.hpp"
#include "amity/sync/mutex.hpp"
#include "amity/sync/nest_mutex.hpp"

using amity::sync::mutex;
using amity::sync::nest_mutex;

namespace {

static_assert(alignof(amity::omp::task) % 8 == 0);  // as nest_mutex wants its owners

const void* owner() noexcept { return amity::omp::this_thread().current; }

}  // namespace

extern "C" {

void omp_init_lock(mutex* lock) { new (lock) mutex; }
void omp_init_lock_with_hint(mutex* lock, int) { new (lock) mutex; }
void omp_destroy_lock(mutex*) {}
void omp_set_lock(mutex* lock) { lock->lock(); }
void omp_unset_lock(mutex* lock) { lock->unlock(); }
int omp_test_lock(mutex* lock) { return lock->try_lock(); }

void omp_init_nest_lock(nest_mutex* lock) { new (lock) nest_mutex; }
void omp_init_nest_lock_with_hint(nest_mutex* lock, int) { new (lock) nest_mutex; }
void omp_destroy_nest_lock(nest_mutex*) {}
void omp_set_nest_lock(nest_mutex* lock) { lock->lock(owner()); }
void omp_unset_nest_lock(nest_mutex* lock) { lock->unlock(); }
int omp_test_nest_lock(nest_mutex* lock) { return lock->try_lock(owner()); }

// gfortran's lock variables are integers of 4 and 8 bytes. libgomp keeps a pointer in the larger one, we the lock
// itself.
void omp_init_lock_(mutex* lock) { omp_init_lock(lock); }
void omp_init_lock_with_hint_(mutex* lock, const int*) { omp_init_lock(lock); }
void omp_destroy_lock_(mutex*) {}
void omp_set_lock_(mutex* lock) { lock->lock(); }
void omp_unset_lock_(mutex* lock) { lock->unlock(); }
int omp_test_lock_(mutex* lock) { return lock->try_lock(); }

void omp_init_nest_lock_(nest_mutex* lock) { omp_init_nest_lock(lock); }
void omp_init_nest_lock_with_hint_(nest_mutex* lock, const int*) { omp_init_nest_lock(lock); }
void omp_destroy_nest_lock_(nest_mutex*) {}
void omp_set_nest_lock_(nest_mutex* lock) { omp_set_nest_lock(lock); }
void omp_unset_nest_lock_(nest_mutex* lock) { lock->unlock(); }
int omp_test_nest_lock_(nest_mutex* lock) { return omp_test_nest_lock(lock); }

// clang's forms, for code that it makes itself.
void __kmpc_init_lock(void*, int, mutex* lock) { omp_init_lock(lock); }
void __kmpc_init_lock_with_hint(void*, int, mutex* lock, unsigned long) { omp_init_lock(lock); }
void __kmpc_destroy_lock(void*, int, mutex*) {}
void __kmpc_set_lock(void*, int, mutex* lock) { lock->lock(); }
void __kmpc_unset_lock(void*, int, mutex* lock) { lock->unlock(); }
int __kmpc_test_lock(void*, int, mutex* lock) { return lock->try_lock(); }
void __kmpc_init_nest_lock(void*, int, nest_mutex* lock) { omp_init_nest_lock(lock); }
void __kmpc_init_nest_lock_with_hint(void*, int, nest_mutex* lock, unsigned long) { omp_init_nest_lock(lock); }
void __kmpc_destroy_nest_lock(void*, int, nest_mutex*) {}
void __kmpc_set_nest_lock(void*, int, nest_mutex* lock) { omp_set_nest_lock(lock); }
void __kmpc_unset_nest_lock(void*, int, nest_mutex* lock) { lock->unlock(); }
int __kmpc_test_nest_lock(void*, int, nest_mutex* lock) { return omp_test_nest_lock(lock); }

}  // extern "C"
