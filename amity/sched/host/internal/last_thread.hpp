#pragma once

/// The end of a process whose initial thread has left by pthread_exit: it ends with the program's last thread, as by
/// exit(0) (POSIX, pthread_exit). The pool's own threads would keep it alive, asleep, and deaf to signals.

namespace amity::sched {

/// The monitor's, now and then: whether it waits for that, and what it does when they have ended. It looks of itself,
/// too, whether the initial thread has left where no guest is there.
[[nodiscard]] bool awaits_the_last() noexcept;
void end_if_all_have_gone() noexcept;

}  // namespace amity::sched
