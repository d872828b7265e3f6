#pragma once

/// The end of a job (README.md, L1 to L4).

namespace amity::net {

/// Serves messages until all ranks have called this, and no counted message, nor anything that one has led to, is left
/// anywhere. Blocks the fiber.
void serve_until_all_leave() noexcept;

/// In place of the launcher's last fence. Requires: each rank that comes here expects that it loses others, so that one
/// may close as soon as all are here. Blocks the fiber.
void meet_by_messages() noexcept;

/// A rank was lost: the fiber that leaves looks again.
void wake_leaver() noexcept;

/// As the program's end does, but now: what carries messages is about to be taken away. Blocks the fiber.
void leave_before_network() noexcept;

}  // namespace amity::net
