#pragma once

/// Mutual exclusion among all threads of all processes, by the address of what the program calls a lock.
///
/// In a process, a token's mutex lets one thread at a time come as far as the token itself, which one process has at a
/// time. A process keeps it until another wants it, so that a lock that one process uses alone costs no message. Its
/// home (a process that follows from the address) knows who has it and who waits. README.md has the rules, T1 to T5.

namespace amity::omp::cluster::tokens {

/// Blocks the fiber until nobody else in any process has it.
void lock(const void* address) noexcept;
/// Requires: this process has locked it.
void unlock(const void* address) noexcept;
/// Asks, but does not wait for a holder.
[[nodiscard]] bool try_lock(const void* address) noexcept;

/// For nestable locks, which belong to a task. How often it has it then; 0: it is free, or somebody else's.
int nest_lock(const void* address) noexcept;
int nest_unlock(const void* address) noexcept;
[[nodiscard]] int nest_try_lock(const void* address) noexcept;

}  // namespace amity::omp::cluster::tokens
