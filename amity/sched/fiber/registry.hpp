#pragma once

/// All fibers and all carriers that look for fibers, for those who have to go through them: thieves, the monitor,
/// reports. Both lists only grow; their objects are never freed. The child of a fork begins with empty ones.

#include <atomic>

#include "amity/base/config.hpp"
#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/fiber/fiber.hpp"

namespace amity::sched {

/// The head of the list of fibers; another process may read it (monitor/report_table.hpp).
extern std::atomic<fiber*> known_fibers;

/// Adds it, for ever.
void note_fiber(fiber& f) noexcept;
/// The first of all fibers, linked by `next_known`; null: there are none.
[[nodiscard]] inline fiber* first_known() noexcept {
  return known_fibers.load(std::memory_order_acquire);  // pairs with note_fiber
}

/// Adds a helper or a guest, for ever. Under the pool's lock.
void link_scheduler(carrier& c) noexcept;
/// The first of all helpers and guests, linked by `next_scheduler`.
[[nodiscard]] AMITY_API carrier* first_scheduler() noexcept;

/// OS threads that are to run fibers at the same time, the thread that comes first included. Set when the pool
/// starts; 1 before.
[[nodiscard]] int wanted_carriers() noexcept;
void want_carriers(int number) noexcept;

/// The child of a fork has none.
void forget_fibers() noexcept;

}  // namespace amity::sched
