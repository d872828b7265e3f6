// Waits of pthread are within a process as a rule: a thread that waits there is never woken by another process. So each
// object is told, before anybody can wait there, that several processes use it; and by pages, who waits looks again
// (looking.hpp).
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include <atomic>

#include "amity/nodes/interpose/looking.hpp"
#include "amity/nodes/interpose/public.hpp"
#include "amity/nodes/job.hpp"
#include "amity/sys/raw_syscall.hpp"

using amity::nodes::is_on;
namespace looking = amity::nodes::looking;

namespace {

// libc's function of that name, looked up once. Two threads may both do that.
template <class... Arguments>
class real {
 public:
  constexpr explicit real(const char* name) noexcept : name_(name) {}
  int operator()(Arguments... arguments) {
    auto* known = known_.load(std::memory_order_relaxed);
    if (known == nullptr) [[unlikely]] {
      known = reinterpret_cast<int (*)(Arguments...)>(dlsym(RTLD_NEXT, name_));
      known_.store(known, std::memory_order_relaxed);
    }
    return known(arguments...);
  }

 private:
  const char* const name_;
  std::atomic<int (*)(Arguments...)> known_{nullptr};
};

// Bits of libc's objects, which its own static initialisers leave open (bits/struct_mutex.h, pthread_cond_common.c,
// bits/struct_rwlock.h).
constexpr int mutex_is_shared = 128;
constexpr unsigned condition_is_shared = 1;

void share(pthread_mutex_t* m) noexcept {
  if (!is_on) return;
  int& kind = m->__data.__kind;
  if ((__atomic_load_n(&kind, __ATOMIC_RELAXED) & mutex_is_shared) == 0)
    __atomic_fetch_or(&kind, mutex_is_shared, __ATOMIC_RELAXED);
}
void share(pthread_cond_t* c) noexcept {
  if (!is_on) return;
  unsigned& references = c->__data.__wrefs;
  if ((__atomic_load_n(&references, __ATOMIC_RELAXED) & condition_is_shared) == 0)
    __atomic_fetch_or(&references, condition_is_shared, __ATOMIC_RELAXED);
}
void share(pthread_rwlock_t* l) noexcept {
  if (is_on) __atomic_store_n(&l->__data.__shared, 1, __ATOMIC_RELAXED);
}

void rest() noexcept {
  timespec const a_moment{0, 50'000};
  amity::sys::raw_syscall(SYS_nanosleep, reinterpret_cast<long>(&a_moment), 0);
}

constinit real<pthread_mutex_t*> real_pthread_mutex_lock{"pthread_mutex_lock"};
constinit real<pthread_mutex_t*> real_pthread_mutex_trylock{"pthread_mutex_trylock"};
constinit real<pthread_mutex_t*, const timespec*> real_pthread_mutex_timedlock{"pthread_mutex_timedlock"};
constinit real<pthread_mutex_t*, clockid_t, const timespec*> real_pthread_mutex_clocklock{"pthread_mutex_clocklock"};
constinit real<pthread_cond_t*, pthread_mutex_t*> real_pthread_cond_wait{"pthread_cond_wait"};
constinit real<pthread_cond_t*, pthread_mutex_t*, const timespec*> real_pthread_cond_timedwait{
    "pthread_cond_timedwait"};
constinit real<pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*> real_pthread_cond_clockwait{
    "pthread_cond_clockwait"};
constinit real<pthread_rwlock_t*> real_pthread_rwlock_rdlock{"pthread_rwlock_rdlock"};
constinit real<pthread_rwlock_t*> real_pthread_rwlock_wrlock{"pthread_rwlock_wrlock"};
constinit real<pthread_rwlock_t*> real_pthread_rwlock_tryrdlock{"pthread_rwlock_tryrdlock"};
constinit real<pthread_rwlock_t*> real_pthread_rwlock_trywrlock{"pthread_rwlock_trywrlock"};
constinit real<pthread_rwlock_t*, const timespec*> real_pthread_rwlock_timedrdlock{"pthread_rwlock_timedrdlock"};
constinit real<pthread_rwlock_t*, const timespec*> real_pthread_rwlock_timedwrlock{"pthread_rwlock_timedwrlock"};
constinit real<pthread_rwlock_t*, clockid_t, const timespec*> real_pthread_rwlock_clockrdlock{
    "pthread_rwlock_clockrdlock"};
constinit real<pthread_rwlock_t*, clockid_t, const timespec*> real_pthread_rwlock_clockwrlock{
    "pthread_rwlock_clockwrlock"};
constinit real<pthread_barrier_t*, const pthread_barrierattr_t*, unsigned> real_pthread_barrier_init{
    "pthread_barrier_init"};
constinit real<pthread_barrier_t*> real_pthread_barrier_wait{"pthread_barrier_wait"};
constinit real<pthread_barrier_t*> real_pthread_barrier_destroy{"pthread_barrier_destroy"};
constinit real<pthread_cond_t*> real_pthread_cond_signal{"pthread_cond_signal"};
constinit real<pthread_cond_t*> real_pthread_cond_broadcast{"pthread_cond_broadcast"};
constinit real<sem_t*, int, unsigned> real_sem_init{"sem_init"};
constinit real<sem_t*> real_sem_wait{"sem_wait"};
constinit real<sem_t*, const timespec*> real_sem_timedwait{"sem_timedwait"};
constinit real<sem_t*, clockid_t, const timespec*> real_sem_clockwait{"sem_clockwait"};
constinit real<pthread_once_t*, void (*)()> real_pthread_once{"pthread_once"};

int try_mutex(pthread_mutex_t* m) noexcept { return real_pthread_mutex_trylock(m); }
int try_to_read(pthread_rwlock_t* l) noexcept { return real_pthread_rwlock_tryrdlock(l); }
int try_to_write(pthread_rwlock_t* l) noexcept { return real_pthread_rwlock_trywrlock(l); }

}  // namespace

extern "C" {

AMITY_PUBLIC int pthread_mutex_lock(pthread_mutex_t* m) {
  if (looking::is_due(m)) return looking::lock(m, try_mutex, {});
  share(m);
  return real_pthread_mutex_lock(m);
}
AMITY_PUBLIC int pthread_mutex_trylock(pthread_mutex_t* m) {
  share(m);
  return real_pthread_mutex_trylock(m);
}
AMITY_PUBLIC int pthread_mutex_timedlock(pthread_mutex_t* m, const timespec* until) {
  if (looking::is_due(m)) return looking::lock(m, try_mutex, {CLOCK_REALTIME, until});
  share(m);
  return real_pthread_mutex_timedlock(m, until);
}
AMITY_PUBLIC int pthread_mutex_clocklock(pthread_mutex_t* m, clockid_t clock, const timespec* until) {
  if (looking::is_due(m)) return looking::lock(m, try_mutex, {clock, until});
  share(m);
  return real_pthread_mutex_clocklock(m, clock, until);
}

AMITY_PUBLIC int pthread_cond_wait(pthread_cond_t* c, pthread_mutex_t* m) {
  if (looking::is_due(c)) return looking::wait(c, m, try_mutex, {});
  share(c);
  return real_pthread_cond_wait(c, m);
}
AMITY_PUBLIC int pthread_cond_timedwait(pthread_cond_t* c, pthread_mutex_t* m, const timespec* until) {
  if (looking::is_due(c)) return looking::wait(c, m, try_mutex, {looking::clock_of(c), until});
  share(c);
  return real_pthread_cond_timedwait(c, m, until);
}
AMITY_PUBLIC int pthread_cond_clockwait(pthread_cond_t* c, pthread_mutex_t* m, clockid_t clock, const timespec* until) {
  if (looking::is_due(c)) return looking::wait(c, m, try_mutex, {clock, until});
  share(c);
  return real_pthread_cond_clockwait(c, m, clock, until);
}

AMITY_PUBLIC int pthread_rwlock_rdlock(pthread_rwlock_t* l) {
  if (looking::is_due(l)) return looking::lock(l, try_to_read, {});
  share(l);
  return real_pthread_rwlock_rdlock(l);
}
AMITY_PUBLIC int pthread_rwlock_wrlock(pthread_rwlock_t* l) {
  if (looking::is_due(l)) return looking::lock(l, try_to_write, {});
  share(l);
  return real_pthread_rwlock_wrlock(l);
}
AMITY_PUBLIC int pthread_rwlock_tryrdlock(pthread_rwlock_t* l) {
  share(l);
  return real_pthread_rwlock_tryrdlock(l);
}
AMITY_PUBLIC int pthread_rwlock_trywrlock(pthread_rwlock_t* l) {
  share(l);
  return real_pthread_rwlock_trywrlock(l);
}
AMITY_PUBLIC int pthread_rwlock_timedrdlock(pthread_rwlock_t* l, const timespec* until) {
  if (looking::is_due(l)) return looking::lock(l, try_to_read, {CLOCK_REALTIME, until});
  share(l);
  return real_pthread_rwlock_timedrdlock(l, until);
}
AMITY_PUBLIC int pthread_rwlock_timedwrlock(pthread_rwlock_t* l, const timespec* until) {
  if (looking::is_due(l)) return looking::lock(l, try_to_write, {CLOCK_REALTIME, until});
  share(l);
  return real_pthread_rwlock_timedwrlock(l, until);
}
AMITY_PUBLIC int pthread_rwlock_clockrdlock(pthread_rwlock_t* l, clockid_t clock, const timespec* until) {
  if (looking::is_due(l)) return looking::lock(l, try_to_read, {clock, until});
  share(l);
  return real_pthread_rwlock_clockrdlock(l, clock, until);
}
AMITY_PUBLIC int pthread_rwlock_clockwrlock(pthread_rwlock_t* l, clockid_t clock, const timespec* until) {
  if (looking::is_due(l)) return looking::lock(l, try_to_write, {clock, until});
  share(l);
  return real_pthread_rwlock_clockwrlock(l, clock, until);
}

AMITY_PUBLIC int pthread_barrier_init(pthread_barrier_t* b, const pthread_barrierattr_t* attributes, unsigned count) {
  if (!is_on) return real_pthread_barrier_init(b, attributes, count);
  if (looking::is_due(b) && count != 0) {
    looking::begin(b, count);
    return 0;
  }
  pthread_barrierattr_t shared;
  pthread_barrierattr_init(&shared);
  pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
  return real_pthread_barrier_init(b, &shared, count);
}

AMITY_PUBLIC int pthread_barrier_wait(pthread_barrier_t* b) {
  return looking::is_due(b) ? looking::wait(b) : real_pthread_barrier_wait(b);
}
AMITY_PUBLIC int pthread_barrier_destroy(pthread_barrier_t* b) {
  return looking::is_due(b) ? 0 : real_pthread_barrier_destroy(b);
}

AMITY_PUBLIC int pthread_cond_signal(pthread_cond_t* c) {
  if (!looking::is_due(c)) return real_pthread_cond_signal(c);
  looking::wake(c);
  return 0;
}
AMITY_PUBLIC int pthread_cond_broadcast(pthread_cond_t* c) {
  if (!looking::is_due(c)) return real_pthread_cond_broadcast(c);
  looking::wake(c);
  return 0;
}

AMITY_PUBLIC int sem_wait(sem_t* s) { return looking::is_due(s) ? looking::wait(s, {}) : real_sem_wait(s); }
AMITY_PUBLIC int sem_timedwait(sem_t* s, const timespec* until) {
  return looking::is_due(s) ? looking::wait(s, {CLOCK_REALTIME, until}) : real_sem_timedwait(s, until);
}
AMITY_PUBLIC int sem_clockwait(sem_t* s, clockid_t clock, const timespec* until) {
  return looking::is_due(s) ? looking::wait(s, {clock, until}) : real_sem_clockwait(s, clock, until);
}

AMITY_PUBLIC int sem_init(sem_t* s, int shared, unsigned value) { return real_sem_init(s, is_on ? 1 : shared, value); }

/// libc's own waits within the process. 0: not begun, 1: under way, 2: done, as libc has it.
AMITY_PUBLIC int pthread_once(pthread_once_t* once, void (*routine)()) {
  if (!is_on) return real_pthread_once(once, routine);
  for (;;) {
    int begun = 0;
    if (__atomic_load_n(once, __ATOMIC_ACQUIRE) == 2) return 0;
    if (__atomic_compare_exchange_n(once, &begun, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) break;
    rest();
  }
  struct undo {
    pthread_once_t* once;
    ~undo() {
      if (once != nullptr) __atomic_store_n(once, 0, __ATOMIC_RELEASE);  // an exception: the next one tries
    }
  } open{once};
  routine();
  open.once = nullptr;
  __atomic_store_n(once, 2, __ATOMIC_RELEASE);
  return 0;
}

// Static objects of a function, as the C++ ABI has them: the first byte is 1 when the object is there. (Those of a
// program with -static-libstdc++ are out of reach.)
constexpr int is_there = 1, is_being_made = 0x100;
AMITY_PUBLIC int __cxa_guard_acquire(int* guard) {
  for (;;) {
    int none = 0;
    if ((__atomic_load_n(guard, __ATOMIC_ACQUIRE) & is_there) != 0) return 0;
    if (__atomic_compare_exchange_n(guard, &none, is_being_made, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return 1;
    rest();
  }
}
AMITY_PUBLIC void __cxa_guard_release(int* guard) { __atomic_store_n(guard, is_there, __ATOMIC_RELEASE); }
AMITY_PUBLIC void __cxa_guard_abort(int* guard) { __atomic_store_n(guard, 0, __ATOMIC_RELEASE); }

}  // extern "C"
