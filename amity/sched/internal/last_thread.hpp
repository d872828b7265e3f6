#pragma once

/// The end of a process whose initial thread has left by pthread_exit: it ends with the program's last thread, as by
/// exit(0) (POSIX, pthread_exit). The pool's own threads would keep it alive, asleep, and deaf to signals.

namespace amity::sched {

/// A guest ends, on its own thread, under the pool's lock.
void note_leaving_guest() noexcept;

/// The last guest has ended, on its own thread, and so have the destructors of the program that were to run with its
/// own. Calls exit(0) if the initial thread has left and the program has no other threads. If it has, or if the initial
/// thread may just be leaving, the monitor looks again.
void end_with_the_last() noexcept;

/// The monitor's, now and then: whether it waits for that, and what it does when they have ended. It looks of itself,
/// too, whether the initial thread has left where no guest is there.
[[nodiscard]] bool awaits_the_last() noexcept;
void end_if_all_have_gone() noexcept;

/// In the child of a fork: its one thread is its initial thread.
void forget_last_thread() noexcept;

}  // namespace amity::sched
