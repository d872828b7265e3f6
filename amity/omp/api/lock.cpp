// omp_*_lock: a sync::mutex in the first four bytes of gcc's four and clang's eight, a sync::nest_mutex in the first
// eight of gcc's sixteen and clang's eight. A nestable lock belongs to the task that set it.
#include <new>

#include "amity/omp/hooks/race.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/rt/mutual_exclusion.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/sync/mutex.hpp"
#include "amity/sync/nest_mutex.hpp"

namespace ompt = amity::omp::ompt;
namespace race = amity::omp::race;
using amity::sync::mutex;
using amity::sync::nest_mutex;

namespace {

static_assert(alignof(amity::omp::task) % 8 == 0);  // as nest_mutex wants its owners

const void* owner() noexcept { return amity::omp::name_of_task(amity::omp::this_thread()); }

// What the entries below are: each once with its usual half, and once with that for an OMPT tool.

[[gnu::always_inline]] inline void init(mutex* lock, unsigned hint) noexcept {
  new (lock) mutex;
  ompt::entered([] {}, [=] { ompt::lock_made(ompt::mutex_kind::lock, lock, hint); });
}
[[gnu::always_inline]] inline void init(nest_mutex* lock, unsigned hint) noexcept {
  new (lock) nest_mutex;
  ompt::entered([] {}, [=] { ompt::lock_made(ompt::mutex_kind::nest_lock, lock, hint); });
}
[[gnu::always_inline]] inline void destroy(mutex* lock) noexcept {
  ompt::entered([] {}, [=] { ompt::lock_destroyed(ompt::mutex_kind::lock, lock); });
}
[[gnu::always_inline]] inline void destroy(nest_mutex* lock) noexcept {
  ompt::entered([] {}, [=] { ompt::lock_destroyed(ompt::mutex_kind::nest_lock, lock); });
}

[[gnu::always_inline]] inline void set(mutex* lock) noexcept { amity::omp::take(*lock, ompt::mutex_kind::lock); }
[[gnu::always_inline]] inline void unset(mutex* lock) noexcept { amity::omp::give_up(*lock, ompt::mutex_kind::lock); }
[[gnu::always_inline]] inline int test(mutex* lock) noexcept {
  return amity::omp::try_take(*lock, ompt::mutex_kind::test_lock);
}

/// A nestable lock is held for the first time, or for one time more.
void tell_depth(ompt::mutex_kind kind, const nest_mutex* lock, int depth) noexcept {
  if (depth == 1) {
    race::acquire(lock);
    ompt::mutex_held(kind, lock);
  } else if (depth > 1) {
    ompt::nest_lock(ompt::endpoint::begin, lock);
  } else {
    ompt::mutex_missed();
  }
}
[[gnu::always_inline]] inline void set(nest_mutex* lock) noexcept {
  amity::omp::note_mutex();
  ompt::entered([=] { lock->lock(owner()); },
                [=] {
                  ompt::mutex_wanted(ompt::mutex_kind::nest_lock, lock);
                  tell_depth(ompt::mutex_kind::nest_lock, lock, lock->lock(owner()));
                });
}
[[gnu::always_inline]] inline void unset(nest_mutex* lock) noexcept {
  ompt::entered([=] { lock->unlock(); },
                [=] {
                  race::release(lock);
                  if (lock->unlock() == 0)
                    ompt::mutex_free(ompt::mutex_kind::nest_lock, lock);
                  else
                    ompt::nest_lock(ompt::endpoint::end, lock);
                });
}
[[gnu::always_inline]] inline int test(nest_mutex* lock) noexcept {
  amity::omp::note_mutex();
  return ompt::entered([=] { return lock->try_lock(owner()); },
                       [=] {
                         ompt::mutex_wanted(ompt::mutex_kind::test_nest_lock, lock);
                         int const depth = lock->try_lock(owner());
                         tell_depth(ompt::mutex_kind::test_nest_lock, lock, depth);
                         return depth;
                       });
}

}  // namespace

extern "C" {

void omp_init_lock(mutex* lock) { init(lock, 0); }
void omp_init_lock_with_hint(mutex* lock, int hint) { init(lock, static_cast<unsigned>(hint)); }
void omp_destroy_lock(mutex* lock) { destroy(lock); }
void omp_set_lock(mutex* lock) { set(lock); }
void omp_unset_lock(mutex* lock) { unset(lock); }
int omp_test_lock(mutex* lock) { return test(lock); }

void omp_init_nest_lock(nest_mutex* lock) { init(lock, 0); }
void omp_init_nest_lock_with_hint(nest_mutex* lock, int hint) { init(lock, static_cast<unsigned>(hint)); }
void omp_destroy_nest_lock(nest_mutex* lock) { destroy(lock); }
void omp_set_nest_lock(nest_mutex* lock) { set(lock); }
void omp_unset_nest_lock(nest_mutex* lock) { unset(lock); }
int omp_test_nest_lock(nest_mutex* lock) { return test(lock); }

// gfortran's lock variables are integers of 4 and 8 bytes. libgomp keeps a pointer in the larger one, we the lock
// itself.
void omp_init_lock_(mutex* lock) { init(lock, 0); }
void omp_init_lock_with_hint_(mutex* lock, const int* hint) { init(lock, static_cast<unsigned>(*hint)); }
void omp_destroy_lock_(mutex* lock) { destroy(lock); }
void omp_set_lock_(mutex* lock) { set(lock); }
void omp_unset_lock_(mutex* lock) { unset(lock); }
int omp_test_lock_(mutex* lock) { return test(lock); }

void omp_init_nest_lock_(nest_mutex* lock) { init(lock, 0); }
void omp_init_nest_lock_with_hint_(nest_mutex* lock, const int* hint) { init(lock, static_cast<unsigned>(*hint)); }
void omp_destroy_nest_lock_(nest_mutex* lock) { destroy(lock); }
void omp_set_nest_lock_(nest_mutex* lock) { set(lock); }
void omp_unset_nest_lock_(nest_mutex* lock) { unset(lock); }
int omp_test_nest_lock_(nest_mutex* lock) { return test(lock); }

// clang's forms, for code that it makes itself.
void __kmpc_init_lock(void*, int, mutex* lock) { init(lock, 0); }
void __kmpc_init_lock_with_hint(void*, int, mutex* lock, unsigned long hint) {
  init(lock, static_cast<unsigned>(hint));
}
void __kmpc_destroy_lock(void*, int, mutex* lock) { destroy(lock); }
void __kmpc_set_lock(void*, int, mutex* lock) { set(lock); }
void __kmpc_unset_lock(void*, int, mutex* lock) { unset(lock); }
int __kmpc_test_lock(void*, int, mutex* lock) { return test(lock); }
void __kmpc_init_nest_lock(void*, int, nest_mutex* lock) { init(lock, 0); }
void __kmpc_init_nest_lock_with_hint(void*, int, nest_mutex* lock, unsigned long hint) {
  init(lock, static_cast<unsigned>(hint));
}
void __kmpc_destroy_nest_lock(void*, int, nest_mutex* lock) { destroy(lock); }
void __kmpc_set_nest_lock(void*, int, nest_mutex* lock) { set(lock); }
void __kmpc_unset_nest_lock(void*, int, nest_mutex* lock) { unset(lock); }
int __kmpc_test_nest_lock(void*, int, nest_mutex* lock) { return test(lock); }

}  // extern "C"
