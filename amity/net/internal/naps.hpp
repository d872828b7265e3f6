#pragma once

/// How long a carrier naps beside an engine that has no descriptor to sleep on: shortly while messages come and go,
/// and longer when none has for a while.

#include <atomic>

#include "amity/sched/loop/progress.hpp"

namespace amity::net {

/// Beside `engine`, which is attended after this. 0, or the system's error.
[[nodiscard]] int begin_naps(sched::progress_source& engine, unsigned longest_us) noexcept;
void end_naps() noexcept;

namespace detail {
extern std::atomic<bool> are_napping;
[[nodiscard]] bool enliven() noexcept;
}  // namespace detail

/// A message came or went. True: whoever naps now does so for too long.
[[nodiscard]] inline bool shortens_naps() noexcept {
  return detail::are_napping.load(std::memory_order_relaxed) && detail::enliven();
}

}  // namespace amity::net
