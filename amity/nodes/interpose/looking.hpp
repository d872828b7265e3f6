#pragma once

/// Waits of pthread where memory goes from process to process in pages: the kernel, which lets threads sleep, knows a
/// word in each of them as another one. So who waits looks again after a while.

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

namespace amity::nodes::looking {

/// A wait for what lies at `object` has to be one of these.
[[nodiscard]] bool is_due(const void* object) noexcept;

/// When a wait ends without success; `time` null: never.
struct limit {
  clockid_t clock = CLOCK_REALTIME;
  const timespec* time = nullptr;
};

// As libc's functions of like names. `attempt` is one that does not wait, and says EBUSY where it would have to.
int lock(pthread_mutex_t* m, int (*attempt)(pthread_mutex_t*), const limit& until) noexcept;
int lock(pthread_rwlock_t* l, int (*attempt)(pthread_rwlock_t*), const limit& until) noexcept;
int wait(pthread_cond_t* c, pthread_mutex_t* m, int (*attempt)(pthread_mutex_t*), const limit& until) noexcept;
void wake(pthread_cond_t* c) noexcept;
void begin(pthread_barrier_t* b, unsigned count) noexcept;
int wait(pthread_barrier_t* b) noexcept;
int wait(sem_t* s, const limit& until) noexcept;

/// The clock that a condition's time limits are of.
[[nodiscard]] clockid_t clock_of(const pthread_cond_t* c) noexcept;

}  // namespace amity::nodes::looking
