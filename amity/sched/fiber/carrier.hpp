#pragma once

/// A carrier: an OS thread that carries fibers.
///
/// Three kinds. A *helper* is one of the pool's workers: it looks for fibers, and sleeps when there are none. A *guest*
/// is a thread that the program made (the initial thread too): it runs its own fiber, and others while that one waits.
/// A *shell's* carrier sleeps until a fiber is sent there (loop/internal/own_threads.hpp), or until its own fiber has a
/// permit and may run nowhere else (AMITY_IDENTITY=fixed).

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/sched/fiber/fiber.hpp"
#include "amity/sched/fiber/ready_group.hpp"
#include "amity/sched/fiber/steering.hpp"
#include "amity/sched/idle/doubling_while.hpp"
#include "amity/sched/idle/soon_waits.hpp"
#include "amity/sched/idle/stuck.hpp"
#include "amity/sched/idle/turns.hpp"
#include "amity/sys/call_note.hpp"
#include "amity/sys/stack.hpp"
#include "amity/sys/thread_activity.hpp"
#include "amity/trace/counters.hpp"

namespace amity::sched {

enum class carrier_kind : std::uint8_t { helper, guest, shell };

/// Which core the carrier has, who else uses that, and for how long it may be awake there: the room `cores` owns it.
/// Written by the carrier itself unless something else is said; what others read is a hint.
struct core_note {
  doubling_while while_shared;        ///< its core counts as used by others too (contention.hpp)
  turns turn;                         ///< a helper's, with others that use its core
  std::atomic<bool> is_spare{false};  ///< a helper: guests keep its core busy (guest_load.hpp); by any guest
  std::atomic<int> cpu{-1};           ///< where it was when it last looked
  std::atomic<int> locality{0};       ///< what its CPUs are called if it is confined to some; 0: free (locality.hpp)
  std::uint64_t met_at = 0;           ///< ticks; when it last met another carrier on its core (contention.hpp)
  std::uint64_t moved_at = 0;         ///< ticks; when it last moved away from another, or tried to (contention.hpp)
  int moved_to = -1;                  ///< the CPU
  long switches_at_move = -1;         ///< how often it had been preempted then; -1: no such move to be checked
  std::uint64_t wanted_ns = sys::unknown_time;  ///< a guest's, at the last weighing; under its lock (guest_load.hpp)
  std::atomic<bool> has_core{false};            ///< in the mode `fixed` (core_limit.hpp)
  std::atomic<std::uint64_t> ran_at_look{0};  ///< core_limit.cpp's: CPU time when it was last found asleep with a core
  steering steered;                           ///< a helper's, by the carrier that makes or wakes it
};

/// What the monitor has seen of the carrier: its own, but for `call`, which a handler on the carrier reads.
struct monitor_note {
  stuck_watch watch;
  verdict judged = verdict::goes_on;           ///< at this look
  kernel_word asked = kernel_word::not_asked;  ///< at this look
  sys::call_note call;                         ///< of a guest that it may have to interrupt
  std::uint64_t cpu_ns = sys::unknown_time;    ///< at its last look while tasks waited (starved_tasks.cpp)
  int blocked_looks = 0;                       ///< likewise
};

struct alignas(base::cache_line) carrier {
  // --- the OS thread's own
  void* loop_sp = nullptr;         ///< the scheduling loop's context while a fiber runs
  fiber* native = nullptr;         ///< the fiber that this OS thread was made with
  std::uintptr_t installed = 0;    ///< the thread pointer in the register
  std::uint64_t open_signals = 0;  ///< the signal mask to go back to, if it is `deaf`
  bool deaf = false;               ///< a helper in its loop, idle for long: its native fiber may run elsewhere
  ready_group* recent = nullptr;   ///< looked at first: what this carrier ran last
  unsigned in_a_row = 0;           ///< fibers that were taken from there without a look elsewhere
  unsigned vain_looks = 0;         ///< at its own chains since they had a fiber, or a bit of `summary` was cleared
  ready_group* left = nullptr;     ///< what it released last without waking the home for it: it will run that itself
  carrier_kind kind = carrier_kind::shell;
  std::atomic<int> thread_id{0};  ///< the kernel's number for it
  pthread_t thread{};             ///< the C library's name for it
  /// Ticks; when it slept last, and later by what it has spun since (idle_time.hpp). Here, apart from `core`, because
  /// it is written whenever a fiber has spun in vain, and others read that.
  std::uint64_t busy_since = 0;
  soon_waits sleeps;  ///< how long they last: for those who poll for messages
  int slot = -1;      ///< 0 for guests, 1.. for helpers
  int alarm = -1;     ///< a timer of the kernel's that asks for signals again (host/preempt.cpp); -1: none
  const void* wait_frame = nullptr;  ///< a waiting guest's: the frame beneath the loop, for reports
  sys::stack loop_stack;             ///< helpers and shells; a guest's loop runs on top of its waiting fiber
  trace::counters stats;

  // --- written by others
  alignas(base::cache_line)
      /// Bit i: some group of chain[i] may hold a permit. Set after the permit, cleared by a carrier that found none.
      std::atomic<std::uint64_t> summary{0};
  std::atomic<fiber*> wanted{nullptr};   ///< shells: the fiber that is to run here (send_to_own_threads)
  std::atomic<std::uint32_t> ends{0};    ///< 1: its OS thread is to end, by way of its native fiber (shell.hpp)
  std::atomic<std::uint32_t> asleep{0};  ///< futex word: 1 while the OS thread sleeps or is about to
  /// It sleeps on the events of sources of progress, not on `asleep` (progress.hpp). Written before `asleep`.
  std::atomic<bool> sleeps_on_events{false};
  /// A fiber without a seat that is to take its signals here; its claim is held by the thread that wants that.
  std::atomic<fiber*> signalled{nullptr};

  // --- written by the owner, read by others
  alignas(base::cache_line) std::atomic<fiber*> running{nullptr};  ///< null while in the loop
  std::atomic<fiber*> leaving{nullptr};  ///< switches away; the landing side releases its claim
  /// Its own fiber, a guest's, is in the loop, or others are on top of it. As `leaving`, written by begin_to_leave
  /// (park.cpp) and read by raise_there (host/program_signals.cpp) behind a barrier that all threads pass.
  std::atomic<bool> guest_waits{false};
  std::atomic<std::uint64_t> events{0};        ///< switches; stands still while user code runs (stuck_fibers.cpp)
  std::atomic<std::uint64_t> asleep_since{0};  ///< ticks; 0: it does not sleep
  // Apart from `running`, which others look at: written after each task and chunk.
  alignas(base::cache_line) std::atomic<std::uint64_t> steps_passed{
      0};                                 ///< pieces of work done without a switch (between_steps, park.hpp)
  std::atomic<bool> yield_is_due{false};  ///< the monitor's: some that are ready here have waited for long

  // --- hardly ever written
  alignas(base::cache_line) core_note core;
  std::atomic<bool> is_there{false};  ///< its OS thread has begun and not ended
  std::atomic<ready_group*> chain[64] = {};
  std::atomic<std::uint32_t> groups{0};
  ready_group* free_groups = nullptr;  ///< under the pool's lock
  ready_group solo;                    ///< the native fiber's permit while it is in no team
  carrier* next_scheduler = nullptr;   ///< all helpers and guests; never unlinked
  carrier* next_free = nullptr;        ///< guests whose thread has ended
  void* profiled = nullptr;            ///< a profile's block, which the carrier itself writes

  // --- the monitor's
  alignas(base::cache_line) monitor_note seen;
};

/// One more than the highest slot of a helper.
inline constexpr int most_helpers = 4096;

/// Slots from here on are for carriers that run what is at home there and nothing else: the workers of policies that
/// bind them (domain.hpp), 1024 for those of a process, and as many for places.
inline constexpr int first_bound_slot = most_helpers, all_helpers = most_helpers + 2048;
[[nodiscard]] inline bool is_reserved(const carrier& c) noexcept { return c.slot >= first_bound_slot; }

/// A guest whose thread has ended. The object stays, and late wakers may still give it a permit.
[[nodiscard]] inline bool has_gone(const carrier& c) noexcept {
  return c.kind == carrier_kind::guest && !c.is_there.load(std::memory_order_relaxed);
}

/// For how long its OS thread has been on a core, or sys::unknown_time. One that was made and has not begun has had
/// none yet.
[[nodiscard]] inline std::uint64_t time_on_a_core(const carrier& c) noexcept {
  int const thread = c.thread_id.load(std::memory_order_relaxed);
  bool const is_to_begin = thread == 0 && c.is_there.load(std::memory_order_relaxed);
  return is_to_begin ? 0 : sys::cpu_time_ns(thread);
}

}  // namespace amity::sched
