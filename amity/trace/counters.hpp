#pragma once

/// What the runtime did, counted where it happens: one block of counters per OS thread, written by that thread
/// alone, summed when somebody asks.
///
///     trace::count(block.steals);                 // the owner; a plain add
///     trace::totals t = trace::sum_counters();    // anybody, at any time

#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"

namespace amity::trace {

/// Written by one thread, read by others. Relaxed throughout: a statistic orders nothing.
using counter = std::atomic<std::uint64_t>;

inline void count(counter& c, std::uint64_t amount = 1) noexcept {
  c.store(c.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

struct alignas(base::cache_line) counters {
  counter regions{0};   ///< parallel regions begun with more than one thread
  counter serial{0};    ///< parallel regions begun with one
  counter tasks{0};     ///< explicit tasks run
  counter steals{0};    ///< tasks or fibers taken from another thread
  counter switches{0};  ///< from one fiber to another
  counter waits{0};     ///< waits that outlasted the spinning
  counter sleeps{0};    ///< OS thread went to sleep
  counter rescues{0};   ///< fibers sent to their own OS thread by the monitor
  counter asleep{0};    ///< ticks that it slept
  counters* next = nullptr;
};

struct totals {
  std::uint64_t regions = 0, serial = 0, tasks = 0, steals = 0, switches = 0, waits = 0, sleeps = 0, rescues = 0,
                asleep = 0;
};

/// Adds a block to those that sum_counters() reads. The block must live as long as the process.
AMITY_API void register_counters(counters& block) noexcept;

[[nodiscard]] AMITY_API totals sum_counters() noexcept;

}  // namespace amity::trace
