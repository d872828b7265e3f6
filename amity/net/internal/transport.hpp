#pragma once

/// The engine in use, and who may call it.

#include <cstddef>

#include "amity/net/internal/engine.hpp"

namespace amity::net {

/// Events of engines, for their facts.
extern const engine_events transport_events;

/// From now on messages go by `e`, which knows all addresses, and idle workers poll it. 0, or the system's error.
[[nodiscard]] int start_transport(const engine& e, int rank, int size) noexcept;

/// The job is about to end: from now on it is no news that a rank can't be reached.
void expect_losses() noexcept;
/// Returns when all that was sent has left. Blocks the fiber.
void flush_transport() noexcept;
/// After that nothing is sent or received. Where the program goes on, it must not send any more: `why_over` says why
/// not. Null: it ends.
void stop_transport(const char* why_over) noexcept;

/// What has been counted so far: messages sent and handled, and activities that go on.
struct traffic {
  std::uint64_t sent = 0;
  std::uint64_t handled = 0;
  long active = 0;
};
[[nodiscard]] traffic traffic_so_far() noexcept;

}  // namespace amity::net
