#pragma once

#include <cstdint>

/// The end of a job (README-end.md, L1 to L4).

namespace amity::net {

/// Serves messages until all ranks have called this, and no counted message, nor anything that one has led to, is left
/// anywhere. Blocks the fiber.
void serve_until_all_leave() noexcept;

/// In place of the launcher's last fence. Requires: each rank that comes here expects that it loses others, so that one
/// may close as soon as all are here. Blocks the fiber.
void meet_by_messages() noexcept;

/// A rank was lost: the fiber that leaves looks again.
void wake_leaver() noexcept;

/// For the watch of standstills (Z5): messages of L1, which no other count has.
struct arrivals {
  std::uint64_t sent = 0, handled = 0;
};
[[nodiscard]] arrivals arrivals_so_far() noexcept;
/// All is over, or a wave is under way: this rank goes on by itself.
[[nodiscard]] bool leaving_goes_on() noexcept;

/// As the program's end does, but now: what carries messages is about to be taken away. Blocks the fiber.
void leave_before_network() noexcept;

}  // namespace amity::net
