#pragma once

/// The end of a process whose initial thread has left by pthread_exit: it ends with the program's last thread, as by
/// exit(0) (POSIX, pthread_exit). The pool's own threads would keep it alive, asleep, and deaf to signals.

namespace amity::sched {

/// A guest ends, on its own thread, and the process has no other. True: the initial thread has left, so that this may
/// have been the program's last one.
[[nodiscard]] bool may_be_the_last() noexcept;

/// The same, when the thread's other destructors have run: calls exit(0), unless the program has other threads. Then
/// the monitor waits for their end.
void end_with_the_last() noexcept;

/// The monitor's, now and then: whether it waits for that, and what it does when they have ended.
[[nodiscard]] bool awaits_the_last() noexcept;
void end_if_all_have_gone() noexcept;

}  // namespace amity::sched
