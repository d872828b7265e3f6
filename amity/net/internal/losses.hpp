#pragma once

/// Which ranks are lost, for the rest of this module (README-end.md, S1 to S7).

#include <atomic>
#include <cstdint>

#include "amity/net/losses.hpp"

namespace amity::net {

/// Before the first message.
void begin_losses(int rank, int size) noexcept;

/// The job goes on after losses.
[[nodiscard]] bool goes_on() noexcept;

/// The end of a rank was seen (S6). It counts as a loss once what the rank had sent is handed on, or after a second.
/// These three under the engine's lock.
void note_end(int rank, const char* why) noexcept;
[[nodiscard]] bool some_ends_are_noted() noexcept;
struct deliveries {
  /// Delivers what has arrived from there. True: nothing more will come.
  bool (*has_handed_on)(int rank) noexcept;
  bool (*holds_some_back)() noexcept;  ///< messages that have arrived, for a test
};
/// Those for which it says so, or which have waited long, are lost now.
void count_ends(const deliveries& d) noexcept;

/// The job is about to end: a loss is no news. In a job that goes on it is still noted.
void expect_losses() noexcept;

/// This process has left the job: the others are as good as lost, and nobody is told. What is sent there later is
/// dropped, and what waits for one of them fails.
void lose_all(const char* why) noexcept;

namespace detail {
extern std::atomic<int> losses;
}
/// How many ranks are lost: it only grows.
[[nodiscard]] inline int count_losses() noexcept { return detail::losses.load(std::memory_order_acquire); }
/// Equal in processes that have noted the same losses.
[[nodiscard]] std::uint64_t mark_of_losses() noexcept;
/// The lowest rank that is not lost.
[[nodiscard]] int lowest_rank() noexcept;

}  // namespace amity::net
