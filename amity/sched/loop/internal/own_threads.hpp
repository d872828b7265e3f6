#pragma once

/// Fibers that are to run on OS threads of their own, beside the carriers: user code keeps the carrier that would
/// run them.

#include <cstdint>

namespace amity::sched {

struct carrier;
struct fiber;
struct ready_group;

/// Sends those of the members of `g` that hold a permit, and that nobody runs, to their own OS threads. `waker`:
/// the calling carrier, or null. How many were sent.
unsigned send_to_own_threads(ready_group& g, std::uint64_t members, carrier* waker) noexcept;

/// An OS thread that is free to run `f`: its own, or, while that one carries another fiber, that fiber's own, and so
/// on. Null: there is none just now.
[[nodiscard]] carrier* free_carrier(const fiber& f) noexcept;

}  // namespace amity::sched
