#pragma once

/// Condition variables that block the fiber, never the core: condition_variable for sync::mutex, or any lock;
/// condition_variable_any with the waits that a stop_token ends, too.
///
///     std::unique_lock lock(m);
///     changed.wait(lock, [&] { return !queue.empty(); });
///     if (!changed.wait_for(lock, 10ms, [&] { return !queue.empty(); })) give_up();
///
/// What a predicate or a clock throws is passed on, with the lock held; a lock() that throws ends the program, as
/// std's. May wake without cause, as every condition variable. notify_* with nobody waiting is one load. As std's, it
/// may go when all that wait have been notified, though their waits have not returned.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <stop_token>

#include "amity/sync/parking.hpp"

namespace amity::sync {

using std::cv_status;

/// With any lock that has lock() and unlock(): one of Amity's, or a thread that waits for the lock blocks its core.
class condition_variable {
 public:
  condition_variable() noexcept = default;
  condition_variable(const condition_variable&) = delete;
  condition_variable& operator=(const condition_variable&) = delete;

  /// Unlocks, waits to be notified, locks. May return without cause.
  template <class Lock>
  void wait(Lock& lock) noexcept {
    block(lock, sched::never, nothing);
  }
  /// Waits until `done()`, which is called with the lock held.
  template <class Lock, class Predicate>
  void wait(Lock& lock, Predicate done) {
    while (!done()) wait(lock);
  }

  /// As wait(lock), until that time at the latest.
  template <class Lock, class Clock, class Duration>
  cv_status wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& time) {
    // Woken early by a clock that differs from ours: a wake without cause.
    block(lock, sched::instant_of(time), nothing);
    return Clock::now() < time ? cv_status::no_timeout : cv_status::timeout;
  }
  /// As wait(lock), for so long at the most.
  template <class Lock, class Rep, class Period>
  cv_status wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& wait) noexcept {
    return block(lock, sched::instant_after(wait), nothing) == parked::timed_out ? cv_status::timeout
                                                                                 : cv_status::no_timeout;
  }
  /// Until `done()` or that time; what `done()` is then.
  template <class Lock, class Clock, class Duration, class Predicate>
  bool wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& time, Predicate done) {
    while (!done())
      if (wait_until(lock, time) == cv_status::timeout) return done();
    return true;
  }
  /// Until `done()`, or for so long; what `done()` is then.
  template <class Lock, class Rep, class Period, class Predicate>
  bool wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& wait, Predicate done) {
    const sched::instant deadline = sched::instant_after(wait);
    while (!done())
      if (block(lock, deadline, nothing) == parked::timed_out) return done();
    return true;
  }

  /// Wakes one that waits; with or without the lock.
  void notify_one() noexcept {
    if (somebody_waits()) unpark_some(this, 1);
  }
  /// Wakes all that wait; with or without the lock.
  void notify_all() noexcept {
    if (somebody_waits()) unpark_all(this);
  }

 protected:
  /// For block(): never ended.
  static bool nothing() noexcept { return false; }

  /// `ended()` is called when every thread that notifies from then on will find the caller in the queue: it is there
  /// before the lock is free. It must be short. From then on nothing of this is used here.
  template <class Lock, class Ended>
  parked block(Lock& lock, sched::instant deadline, Ended ended,
               sched::wait_kind kind = sched::wait_kind::condition) noexcept {
    const auto unlock = [](void* held) { static_cast<Lock*>(held)->unlock(); };
    const parked how = park_at(this, [&] { return !ended(); },
                               {.deadline = deadline,
                                .kind = kind,
                                .waiters = &waiters_,
                                .when_queued = unlock,
                                .context = std::addressof(lock)});
    if (how != parked::no) lock.lock();
    return how;
  }

  /// For a thread that does not hold the lock of the waiters, after it has made `ended()` true. A waiter that comes
  /// into the queue after this sees that. Nothing of this is used if nobody waits.
  void notify_regardless() noexcept { unpark_all(this); }

 private:
  // Relaxed: a waiter that is to be woken has come into the queue before it unlocked, and the thread that changed what
  // it waits for has had the lock after that.
  [[nodiscard]] bool somebody_waits() const noexcept { return waiters_.load(std::memory_order_relaxed) != 0; }

  std::atomic<std::uint32_t> waiters_{0};
};

/// The same, with waits that a stop_token ends.
class condition_variable_any : public condition_variable {
 public:
  using condition_variable::wait;
  using condition_variable::wait_for;
  using condition_variable::wait_until;

  /// The value of `done()` at the end: false if `stop` was requested first, or the time came.
  template <class Lock, class Predicate>
  bool wait(Lock& lock, std::stop_token stop, Predicate done) {
    return wait_stoppable(lock, stop, sched::never, done);
  }
  /// The same, until that time at the latest.
  template <class Lock, class Clock, class Duration, class Predicate>
  bool wait_until(Lock& lock, std::stop_token stop, const std::chrono::time_point<Clock, Duration>& time,
                  Predicate done) {
    for (;;) {
      if (wait_stoppable(lock, stop, sched::instant_of(time), done)) return true;
      if (stop.stop_requested() || Clock::now() >= time) return done();
    }
  }
  /// The same, for so long at the most.
  template <class Lock, class Rep, class Period, class Predicate>
  bool wait_for(Lock& lock, std::stop_token stop, const std::chrono::duration<Rep, Period>& wait, Predicate done) {
    return wait_stoppable(lock, stop, sched::instant_after(wait), done);
  }

 private:
  template <class Lock, class Predicate>
  bool wait_stoppable(Lock& lock, const std::stop_token& stop, sched::instant deadline, Predicate& done) {
    if (stop.stop_requested()) return done();
    const std::stop_callback when_stopped(stop, [this] { notify_regardless(); });
    while (!done()) {
      const auto ended = [&stop] { return stop.stop_requested(); };
      if (ended()) return false;
      if (block(lock, deadline, ended) == parked::timed_out) return done();
    }
    return true;
  }
};

}  // namespace amity::sync
