#pragma once

/// The engine in use, and who may call it.

#include <cstddef>
#include <cstdint>

#include "amity/net/internal/engine.hpp"

namespace amity::net {

/// Events of engines, for their facts.
extern const engine_events transport_events;

/// From now on messages go by `e`, which knows all addresses, and idle workers poll it. 0, or the system's error.
[[nodiscard]] int start_transport(const open_engine& e, int rank, int size) noexcept;

/// The process of a rank has ended: a loss, once what it had sent is handed on (S6). Not under the engine's lock.
void see_end(int rank, const char* why) noexcept;
/// A rank can't be reached any more, for that reason: README-end.md, "Losses". In a poll or on any fiber; several
/// times.
void lose_rank(int rank, const char* why) noexcept;
/// The engine in use can go on without a rank.
[[nodiscard]] bool engine_can_forget() noexcept;
/// Why others of this node may not be heard of any more after a loss, in words. Null: they are.
[[nodiscard]] const char* hazard_of_losses() noexcept;
/// What waits to be sent there is dropped. Nothing is sent there after this, which is seen to by is_lost().
void forget_rank(int rank) noexcept;
/// Returns when all that was sent has left. Blocks the fiber.
void flush_transport() noexcept;
/// After that nothing is sent or received, and no thread calls the engine. Requires: lose_all. `why_over`: the program
/// goes on, so what it sends ends it with these words. Null: it ends, and what is sent is dropped.
void stop_transport(const char* why_over) noexcept;
/// The program that went on ends now.
void drop_what_comes_late() noexcept;

/// What has been counted so far: messages sent and handled but for those of lost ranks, and activities that go on.
struct traffic {
  std::uint64_t losses = 0;  ///< which ranks those are (mark_of_losses)
  std::uint64_t sent = 0;
  std::uint64_t handled = 0;
  long active = 0;
};
[[nodiscard]] traffic traffic_so_far() noexcept;

}  // namespace amity::net
