#pragma once

/// A fiber: a stack with the identity (thread pointer) that belongs to it, and the permit by which it is woken.
///
///     sched::fiber* me = sched::self();
///     queue.push(me);                         // somebody will take it out and call unpark(me)
///     while (!condition) sched::park();       // a permit may come without cause: always in a loop
///
/// loop/README.md has the states and the proof that no wake is lost.

#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"

namespace amity::sched {

struct carrier;
struct ready_group;
struct worker;

/// What a fiber may wait for. The numbers are read by other processes (wait_note.hpp): new ones go to the end.
enum class wait_kind : std::uint8_t {
  none,  ///< it runs, or nothing was noted
  address,
  mutex,
  condition,
  semaphore,
  latch,
  event,
  barrier,
  shared_mutex,
  once,
  channel,
  future,
  finish,
  phaser,
  sleep,
  tasks,  ///< a fiber of the pool that has none to run
  last_of_kinds
};

struct wait_note {
  std::atomic<wait_kind> kind{wait_kind::none};
  std::atomic<const void*> object{nullptr};
  std::atomic<const void*> where{nullptr};  ///< in the code that waits
  std::atomic<std::uint64_t> since{0};      ///< sys::ticks()
};

/// How often a fiber was interrupted. Its own thread's handlers write it.
struct signal_counts {
  unsigned interruptions = 0;  ///< by the runtime's signal alone
  unsigned taken = 0;          ///< by handlers of signals that the program has sent to it
  unsigned ending = 0;         ///< those of them that end calls which the kernel could begin again
  unsigned put_off = 0;        ///< how often in a row the program's signals have met it in the runtime's code
};

/// Bits of fiber::signalling (host/README.md, H1 to H8).
enum signalling_bits : std::uint8_t {
  signals_due = 1,     ///< some of `signals` wait for the fiber
  signals_coming = 2,  ///< another thread is about to raise them: the fiber must not leave its OS thread
};

struct alignas(base::cache_line) fiber {
  // Written by the fiber or by the holder of its claim.
  void* sp = nullptr;                 ///< saved context, valid while `claimed` is 0
  std::uintptr_t thread_pointer = 0;  ///< its identity; never changes
  carrier* on = nullptr;              ///< the carrier that runs it, or ran it last
  std::uint64_t spin_budget = 0;      ///< ticks it spins before it parks; adapts, see spin.hpp
  /// Ticks; the end of its last wait that spinning had not covered, and later by what it has spun since, weighed by
  /// what has to be done for that (spin.hpp). 0: no such wait yet.
  std::uint64_t busy_since = 0;
  unsigned late_waits = 0;                  ///< waits in a row that ended only when it had stopped spinning
  bool of_guest = false;                    ///< never leaves its own OS thread
  bool keeps_carrier = false;               ///< it is in the midst of what others wait for (loop/progress.cpp). Its own
  std::atomic<std::uint8_t> signalling{0};  ///< bits: signalling_bits

  /// 1 from the moment a carrier claims the fiber until its context is saved again; only the claimer may resume it.
  std::atomic<std::uint32_t> claimed{1};
  /// Where its permit lies: address of a ready_group | bit number; 0 = nowhere.
  std::atomic<std::uintptr_t> seat{0};

  carrier* native = nullptr;                    ///< its own OS thread
  std::atomic<void (*)(void*)> entry{nullptr};  ///< work assigned and not begun
  void* argument = nullptr;
  fiber* next = nullptr;    ///< in the shell pool
  worker* tasks = nullptr;  ///< its queue of tasks once it has made one (task.hpp); stays with the object

  wait_note waits;       ///< its own to write
  signal_counts counts;  ///< its own, and its handlers'
  std::atomic<std::uint64_t> timed_call_since{
      0};                                 ///< sys::monotonic_ns(); 0: in none. Its own, relaxed (program_calls.cpp)
  std::atomic<long> bare_call{-1};        ///< the number given to syscall(2); likewise
  std::atomic<std::uint64_t> signals{0};  ///< that the program has sent to it, the lowest bit for signal 1
  fiber* next_known = nullptr;            ///< all fibers, for ever
};

/// Signals of the program's wait for the fiber. Relaxed: taking them synchronizes.
[[nodiscard]] inline bool signals_are_due(const fiber& f) noexcept {
  return (f.signalling.load(std::memory_order_relaxed) & signals_due) != 0;
}

/// Relaxed: see begin_to_leave (park.cpp).
[[nodiscard]] inline bool signals_are_coming(const fiber& f) noexcept {
  return (f.signalling.load(std::memory_order_relaxed) & signals_coming) != 0;
}

/// The calling thread's fiber; null in a thread that Amity has not seen yet. One word of initial-exec TLS for each
/// identity, written once: compilers may cache its address across a switch, because identity follows the stack.
AMITY_API extern __thread fiber* current_fiber;

inline fiber* self_or_null() noexcept { return current_fiber; }

}  // namespace amity::sched
