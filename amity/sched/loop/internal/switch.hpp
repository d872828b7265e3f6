#pragma once

/// The parts of park.cpp that shells, guests and the monitor share. See README.md for the protocol.

#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/fiber/fiber.hpp"
#include "amity/sched/fiber/ready_group.hpp"
#include "amity/sched/loop/internal/sleep.hpp"
#include "amity/sched/loop/park.hpp"

namespace amity::sched {

/// Runs fibers on `c` until the process ends. Never touches TLS: the carrier's own block may be in use elsewhere.
[[noreturn]] void scheduling_loop(carrier& c) noexcept;

/// Leaves the running fiber for the loop without a seat to be woken at; returns when somebody assigned one and woke
/// it.
void park_unplaced() noexcept;

/// Clears the claim of the fiber that `c` has just switched away from. To be called first on every landing.
void land(carrier& c) noexcept;

/// The permits of `mask` have been set: sees to it that somebody runs their fibers.
void publish(ready_group& g, std::uint64_t mask, wake how, carrier* waker) noexcept;

/// Adds a group to its home's chains, for ever.
void attach(ready_group& group) noexcept;

/// As unpark(), for OS threads in their loop and without a fiber: touches no TLS.
void unpark_from(carrier* waker, fiber* f, wake how = wake::now) noexcept;

/// yield() for the caller's fiber; `how`: whether its home is woken, where it is somebody else's.
void yield(fiber& f, wake how) noexcept;

/// The same in favour of a fiber at home on a carrier whose core is not its own just now. False: there is none.
[[nodiscard]] bool yield_to_shared(fiber& f, std::uint64_t now) noexcept;

/// If `f`, the caller's, stands on the stack of a guest: goes on elsewhere, so that handlers which last keep no other
/// thread's OS thread. Takes its signals on the way.
void leave_guest_for_signals(fiber& f) noexcept;

}  // namespace amity::sched
