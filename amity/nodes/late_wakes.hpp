#pragma once

/// Threads that libc has put to sleep on a word of memory which all processes have: the lock of a `FILE`, for example.
/// The kernel knows such a word by its process, so a thread of another process that unlocks it wakes nobody here. A
/// thread that sleeps there is woken now and then, for no reason, and looks at the word again: libc's waits are made
/// for that.
///
/// What can be led elsewhere is (interpose/); this is for what libc does inside.

namespace amity::nodes {

/// How long such a thread may sleep too long, in milliseconds.
inline constexpr int late_wake_ms = 10;

/// By the thread that takes messages, every late_wake_ms: wakes those that it finds asleep there the second time.
void wake_late_ones() noexcept;

}  // namespace amity::nodes
