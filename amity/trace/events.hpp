#pragma once

/// Event points: one predictable branch while nobody listens.
///
///     trace::emit(trace::event::region_begin, id, threads);
///
/// A listener is one function; it runs on the thread that emits, must not block and must not use OpenMP.

#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"

namespace amity::trace {

enum class event : std::uint32_t {
  region_begin,   ///< a: team id, b: threads
  region_end,     ///< a: team id
  barrier_begin,  ///< a: team id, b: thread number
  barrier_end,
  task_create,  ///< a: task id
  task_begin,
  task_end,
  fiber_park,  ///< a: fiber id
  fiber_resume,
};

using listener = void (*)(event what, std::uint64_t a, std::uint64_t b);

AMITY_API extern std::atomic<listener> current_listener;

inline void emit(event what, std::uint64_t a = 0, std::uint64_t b = 0) noexcept {
  // Relaxed: whoever installs a listener does not expect events that are under way.
  if (listener l = current_listener.load(std::memory_order_relaxed)) [[unlikely]]
    l(what, a, b);
}

/// Installs a listener, or none. Events under way may still reach the old one.
AMITY_API void listen(listener l) noexcept;

}  // namespace amity::trace
