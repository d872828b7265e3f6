#pragma once

/// The process's carriers: helpers, guests and shells. Starts at first use, from any thread; takes nothing before.

#include <cstddef>
#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/fiber/identity.hpp"
#include "amity/sched/fiber/registry.hpp"
#include "amity/sys/stack.hpp"

namespace amity::sched {

/// What the pool is made with. Set before the first use; later changes of `stack_size` hold for new shells.
struct pool_setting {
  int carriers = 0;            ///< running OS threads, the encountering one included; 0: the cores that may be used
  std::size_t stack_size = 0;  ///< bytes of a fiber's stack; 0: 8 MiB or the soft limit, as the kernel gives a thread
  /// Where the stacks of fibers come from and go to, with the thread-local variables on top. As sys::map_stack and
  /// sys::unmap_stack; those of scheduling loops come from these in any case. Called under the pool's lock, or by a
  /// thread that is about to make another one.
  sys::stack (*map_stack)(std::size_t bytes) noexcept = sys::map_stack;
  void (*unmap_stack)(const sys::stack& s) noexcept = sys::unmap_stack;
  /// What the program asks of the kernel by syscall(SYS_futex, ...), as std::atomic::wait does, is for all processes
  /// that have the word's memory.
  bool futexes_are_shared = false;
  /// A thread that waits by it may be meant by a process whose wake-ups don't get here. So it goes on after so long, as
  /// by a wake-up without a reason. 0: as the program says.
  long longest_futex_wait_ns = 0;
  /// The number of this process in a program over several nodes; -1: it is in none. For profiles.
  int node = -1;
};
AMITY_API extern pool_setting setting;

inline constexpr std::size_t least_stack_size = 64 * 1024;  ///< a smaller `stack_size` counts as this one

/// Running OS threads that the pool aims at. Starts the pool.
[[nodiscard]] AMITY_API int concurrency() noexcept;

/// When the pool started, in sys::ticks(); 0: it has not.
[[nodiscard]] std::uint64_t started_at() noexcept;

/// Takes a parked fiber with an identity of its own, making one if none is free. `slot` asks for the one whose own
/// OS thread is that helper. Null if the system refuses another thread.
[[nodiscard]] AMITY_API fiber* acquire_shell(int slot) noexcept;

/// Why the system refused a thread, for messages: what was asked of it, and errno (0: it has not).
struct refusal {
  const char* what = "";
  int error = 0;
};
[[nodiscard]] AMITY_API refusal last_refusal() noexcept;
void note_refusal(refusal why) noexcept;

/// Gives it back. Its entry has returned or is about to, and nobody will unpark it for its old work.
AMITY_API void release_shell(fiber* f) noexcept;

/// Ends the OS threads of the shells that nobody has taken, so that what hangs on their identities is destroyed;
/// returns when it is. Helpers get new ones at once, and with them another identity. One that carries another fiber for
/// a long time stays. The caller is a guest.
AMITY_API void end_idle_shells() noexcept;

/// Runs `entry` once on each shell that nobody has taken, with the shell's identity, one after the other; returns
/// afterwards. The caller's fiber parks meanwhile.
AMITY_API void run_on_idle_shells(void (*entry)()) noexcept;

/// Gives `f` a seat in `group` and work to begin at its next permit. `f` comes from acquire_shell. True: it runs, or
/// is about to leave its carrier, which may have looked at its seat already; await_landings() is due before the
/// permit.
[[nodiscard]] AMITY_API bool assign(fiber& f, ready_group& group, int bit, void (*entry)(void*),
                                    void* argument) noexcept;

/// After that, a carrier that lands a fiber sees its new seat, or has cleared its claim before (README.md, S3). Once
/// for all that were assigned. Costs microseconds.
AMITY_API void await_landings() noexcept;

/// Takes `f` out of its seat. Late permits for that seat become wakes without cause.
AMITY_API void withdraw(fiber& f) noexcept;

/// A group whose fibers `home` runs; from its free ones or new.
[[nodiscard]] AMITY_API ready_group* acquire_group(carrier& home) noexcept;
AMITY_API void release_group(ready_group* group) noexcept;

/// The helper at `slot` (1 <= slot < all_helpers), started if it is not there; null if the system refuses a thread.
/// Slots below concurrency() are for everybody; the others for layers that bind threads to CPUs which have no helper.
[[nodiscard]] AMITY_API carrier* helper(int slot) noexcept;

/// Called in the child of a fork, after the pool has forgotten the threads that are gone. A few hooks, in the order in
/// which they came.
AMITY_API void on_fork_child(void (*hook)()) noexcept;

/// Called on a guest thread that ends, while its fiber is still whole.
AMITY_API void on_guest_exit(void (*hook)()) noexcept;

}  // namespace amity::sched
