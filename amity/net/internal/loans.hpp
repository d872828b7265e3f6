#pragma once

/// Large messages that processes of a node read where their senders have written them: README-memory.md, Y1 to Y5.

#include <cstddef>
#include <cstdint>

namespace amity::net {

/// From so many bytes on, memory for messages can be lent.
inline constexpr std::size_t least_lent = 4 * 1024;
/// What each process has for them; it is taken as it is used.
inline constexpr std::size_t bytes_for_loans = std::size_t{64} << 20;

/// This process's memory for them lies in the file from `offset` on, bytes_for_loans long. Room to map that of
/// `neighbours` others. False: the system refuses it, or it has been opened before: one rank of a process has them
/// (Y5).
[[nodiscard]] bool open_loans(int fd, std::size_t offset, std::size_t neighbours) noexcept;
/// The same of a neighbour, from 0 on, in its file. False: the system refuses it.
[[nodiscard]] bool map_loans_of(std::size_t neighbour, int fd, std::size_t offset) noexcept;

/// Null: there is no room, or no neighbour. By any thread, as the next one.
[[nodiscard]] std::byte* take_lendable(std::size_t size) noexcept;
/// False: it is none of those, but of malloc. What was borrowed goes back to its owner.
bool give_lendable(std::byte* memory) noexcept;

/// Where a borrower finds it.
struct loan {
  std::uint64_t offset = 0, size = 0;
};
/// Lends memory of take_lendable: from here on it is the borrower's. False: it is none of that.
[[nodiscard]] bool lend(std::byte* memory, std::size_t size, loan& l) noexcept;
/// It has not been sent after all.
void take_back(std::byte* memory) noexcept;
/// Null: a neighbour can have lent nothing there.
[[nodiscard]] std::byte* borrow(std::size_t neighbour, const loan& l) noexcept;

}  // namespace amity::net
