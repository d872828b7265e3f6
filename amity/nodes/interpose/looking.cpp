#include "amity/nodes/interpose/looking.hpp"

#include <errno.h>
#include <sys/syscall.h>

#include <algorithm>
#include <atomic>

#include "amity/nodes/job.hpp"
#include "amity/nodes/memory.hpp"
#include "amity/sys/raw_syscall.hpp"

namespace amity::nodes::looking {
namespace {

bool is_over(const limit& until) noexcept {
  if (until.time == nullptr) return false;
  timespec now;
  clock_gettime(until.clock, &now);
  return now.tv_sec != until.time->tv_sec ? now.tv_sec > until.time->tv_sec : now.tv_nsec >= until.time->tv_nsec;
}

/// Sleeps a little longer each time: each look may bring a page here, which others work with.
class patience {
 public:
  void rest() noexcept {
    timespec const a_moment{0, nanoseconds_};
    sys::raw_syscall(SYS_nanosleep, reinterpret_cast<long>(&a_moment), 0);
    nanoseconds_ = std::min(2 * nanoseconds_, 500'000L);
  }

 private:
  long nanoseconds_ = 20'000;
};

template <class Attempt>
int look_until(const limit& until, Attempt attempt) noexcept {
  for (patience p;; p.rest()) {
    if (int const result = attempt(); result != EBUSY) return result;
    if (is_over(until)) return ETIMEDOUT;
  }
}

// Libc's condition and barrier are of at least these bytes, zero when they begin; by pages, these functions alone use
// them.
std::atomic<unsigned>& wakes_of(pthread_cond_t* c) noexcept { return reinterpret_cast<std::atomic<unsigned>&>(*c); }

struct barrier {
  std::atomic<unsigned> round, arrived;
  unsigned count;
};
static_assert(sizeof(barrier) <= sizeof(pthread_barrier_t));

}  // namespace

bool is_due(const void* object) noexcept { return is_on && !kernel_knows_it_as_one() && all_have(object); }

int lock(pthread_mutex_t* m, int (*attempt)(pthread_mutex_t*), const limit& until) noexcept {
  int const kind = m->__data.__kind & 3;
  bool const may_be_held_twice = kind == PTHREAD_MUTEX_RECURSIVE_NP || kind == PTHREAD_MUTEX_ERRORCHECK_NP;
  return look_until(until, [&] {
    // To look takes a copy of the page; to try takes the page.
    if (!may_be_held_twice && __atomic_load_n(&m->__data.__lock, __ATOMIC_RELAXED) != 0) return EBUSY;
    int const result = attempt(m);
    bool const is_own = result == EBUSY && kind == PTHREAD_MUTEX_ERRORCHECK_NP &&
                        m->__data.__owner == static_cast<int>(sys::raw_syscall(SYS_gettid));
    return is_own ? EDEADLK : result;
  });
}

int lock(pthread_rwlock_t* l, int (*attempt)(pthread_rwlock_t*), const limit& until) noexcept {
  return look_until(until, [&] { return attempt(l); });
}

int wait(pthread_cond_t* c, pthread_mutex_t* m, int (*attempt)(pthread_mutex_t*), const limit& until) noexcept {
  unsigned const before = wakes_of(c).load(std::memory_order_acquire);
  pthread_mutex_unlock(m);
  int const result =
      look_until(until, [&] { return wakes_of(c).load(std::memory_order_acquire) == before ? EBUSY : 0; });
  int const locked = lock(m, attempt, {});
  return locked != 0 ? locked : result;
}

// All that wait go on; for those for whom it is not meant, that is a wake-up without a reason, which POSIX allows.
void wake(pthread_cond_t* c) noexcept { wakes_of(c).fetch_add(1, std::memory_order_release); }

clockid_t clock_of(const pthread_cond_t* c) noexcept {
  constexpr unsigned is_monotonic = 2;  // pthread_cond_common.c
  return (c->__data.__wrefs & is_monotonic) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

void begin(pthread_barrier_t* b, unsigned count) noexcept {
  auto& of = reinterpret_cast<barrier&>(*b);
  of.round.store(0, std::memory_order_relaxed);
  of.arrived.store(0, std::memory_order_relaxed);
  of.count = count;
}

int wait(pthread_barrier_t* b) noexcept {
  auto& of = reinterpret_cast<barrier&>(*b);
  unsigned const round = of.round.load(std::memory_order_acquire);
  if (of.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == of.count) {
    of.arrived.store(0, std::memory_order_relaxed);
    of.round.store(round + 1, std::memory_order_release);
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  return look_until({}, [&] { return of.round.load(std::memory_order_acquire) == round ? EBUSY : 0; });
}

int wait(sem_t* s, const limit& until) noexcept {
  int const result = look_until(until, [s] { return sem_trywait(s) == 0 ? 0 : errno == EAGAIN ? EBUSY : errno; });
  if (result == 0) return 0;
  errno = result;
  return -1;
}

}  // namespace amity::nodes::looking
