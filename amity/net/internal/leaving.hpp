#pragma once

/// The end of a job (README.md, L1 to L4).

namespace amity::net {

/// Serves messages until all ranks have called this, and no counted message, nor anything that one has led to, is left
/// anywhere. Blocks the fiber.
void serve_until_all_leave(int rank, int size) noexcept;

}  // namespace amity::net
