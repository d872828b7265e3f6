#pragma once

/// Noticing that a core is not one's own.
///
/// A thread that spins looks at the clock every few hundred cycles; a gap of more than `away_limit` means that the kernel (or
/// the hypervisor) ran something else there. From then on, for `shared_window`, the carrier counts as *shared*: it does not spin,
/// others take its ready fibers without delay, and short waits do not wake it. When the window ends it is tried again, so a wrong
/// guess costs a window and a right one costs a time slice in each window.

#include <cstdint>

#include "amity/sched/carrier.hpp"
#include "amity/sys/clock.hpp"

namespace amity::sched {

inline constexpr std::uint64_t away_limit_us = 250;
inline constexpr std::uint64_t shared_window_us = 100'000;

/// Any carrier shared, lately: a hint that spares the others a look at the clock.
AMITY_API extern std::atomic<std::uint64_t> any_shared_until;

inline void mark_shared(carrier& c, std::uint64_t now) noexcept {
    std::uint64_t const until = now + sys::ticks_of_microseconds(shared_window_us);
    c.shared_until.store(until, std::memory_order_relaxed);
    any_shared_until.store(until, std::memory_order_relaxed);
}

[[nodiscard]] inline bool is_shared(const carrier& c, std::uint64_t now) noexcept {
    return now < c.shared_until.load(std::memory_order_relaxed);
}

[[nodiscard]] inline bool any_shared(std::uint64_t now) noexcept {
    return now < any_shared_until.load(std::memory_order_relaxed);
}

}  // namespace amity::sched
