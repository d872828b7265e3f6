#pragma once

/// Fibers of the pool that may run tasks beyond the number of cores, because others are blocked. The monitor says how
/// many (monitor/starved_tasks.cpp).

#include <cstdint>

namespace amity::sched {

/// How many. A hint.
[[nodiscard]] int extra_workers() noexcept;

/// A fiber of the pool on an OS thread of its own asks, between two tasks: are there too many by now? True for one
/// of them only.
[[nodiscard]] bool is_one_too_many() noexcept;

/// A worker that has tasks for others calls this when no carrier sleeps that could be woken for them.
void nobody_sleeps() noexcept;

/// The monitor's, at each look. `too_many`: one of them is to stop.
void allow_extra_workers(int number, bool too_many) noexcept;
/// The monitor's: it has given a fiber of the pool an OS thread of its own at `now`, in ticks. For a while nobody
/// waits for a look.
void note_extra_worker(std::uint64_t now) noexcept;

/// In the child of a fork.
void forget_extra_workers() noexcept;

}  // namespace amity::sched
