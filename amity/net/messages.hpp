#pragma once

/// Messages between the processes of the job: a function of the receiver's, a word for it, and bytes.
///
///     inline void greet(net::arrival& m) noexcept { note(m.from, m.bytes, m.size); }
///     net::send(rank, net::code_of<greet>(), word, bytes, size);
///
/// Messages may overtake one another. One to the own rank is handled like any other.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "amity/base/config.hpp"
#include "amity/base/language.hpp"
#include "amity/net/code.hpp"

namespace amity::net {

namespace detail {
AMITY_API bool poll_a_moment(bool (*done)(void*), void* of);
}  // namespace detail

/// A message that has come. Its bytes are gone when the handler returns, unless it takes them.
struct arrival {
  int from = 0;
  std::uint64_t word = 0;
  const std::byte* bytes = nullptr;
  std::size_t size = 0;
  std::byte* owned = nullptr;  ///< the same bytes, if the handler may keep them; null: it has to copy them

  /// The bytes, which are the handler's from now on, until it calls give_buffer. Null: there is no memory.
  [[nodiscard]] AMITY_API std::byte* take() noexcept;
};

/// What a message does for the end of the job, which must not come as long as it may lead to others.
enum class effect : std::uint8_t {
  counted,  ///< it may lead to others: the job does not end before it was handled everywhere
  control   ///< it leads to nothing, or is of the protocol of the end
};

/// Sends bytes, which are copied or sent when this returns. From any fiber, and from handlers. A fiber may have to wait
/// where more waits for that rank than it takes (most_backlog); handlers never do.
AMITY_API void send(int to, std::uint64_t code, std::uint64_t word, const std::byte* bytes, std::size_t size,
                    effect e = effect::counted) noexcept;
/// The same of memory from take_sendable or malloc, which is the callee's from now on.
AMITY_API void send_owned(int to, std::uint64_t code, std::uint64_t word, std::byte* bytes, std::size_t size,
                          effect e = effect::counted) noexcept;

/// Something goes on here that may send messages yet: the end of the job waits for it. From a handler, for what it has
/// put off.
AMITY_API void begin_activity() noexcept;
AMITY_API void end_activity() noexcept;

/// Asks whether the program of `rank` has come to its end, so that nothing but answers comes from there any more. For a
/// fiber that has waited for long for something else from there.
AMITY_API void ask_whether_gone(int rank) noexcept;
/// What ask_whether_gone has found out about `rank` so far.
[[nodiscard]] AMITY_API bool is_known_to_be_gone(int rank) noexcept;

/// Polls for a moment, for a message that may be about to come: a park and a wake take longer. True: `done()`. Gives up
/// at once where the carrier has something else to run.
template <class Done>
[[nodiscard]] bool poll_a_moment(Done done) {
  return detail::poll_a_moment([](void* d) { return (*static_cast<Done*>(d))(); }, &done);
}

/// How many counted messages this process has sent so far.
[[nodiscard]] AMITY_API std::uint64_t messages_sent() noexcept;

/// A fiber that has sent so many bytes to a rank that has not taken them waits before it sends more.
inline constexpr std::size_t most_backlog = std::size_t{32} << 20;

}  // namespace amity::net
