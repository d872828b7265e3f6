#pragma once

/// Calls that come to a process one at a time.
///
///     std::map<std::string, int> counts;                      // of each process; no lock
///     amity::rpc(3, amity::serial, [](std::string word) { ++counts[word]; }, word).wait();
///
/// Serial calls to a process run there one after the other, in the order in which they have come, each as a task on any
/// worker. Each sees what those before it have written. Other tasks and calls, and `main`, run at once with them.
///
/// A serial call that waits keeps its turn. If it waits for a serial call to its own process, neither ends; the monitor
/// says so. A function that gives a future ends its turn when it returns, not when the future is there.

#include "amity/base/config.hpp"

namespace amity {

struct serial_t {
  explicit serial_t() = default;
};
/// `rpc(rank, serial, f, args...)`, and so for async_at and rpc_ff.
inline constexpr serial_t serial{};

/// From now on all calls by rpc, async_at and rpc_ff that come to this process are serial, or only those with `serial`.
/// Tasks of async_any never are. Each process sets it for itself; for a whole job there is AMITY_SERIAL_CALLS=on. Never
/// waits.
AMITY_API void set_serial_calls(bool all) noexcept;
/// What set_serial_calls has set last in this process, or what AMITY_SERIAL_CALLS says (on, off); false otherwise.
[[nodiscard]] AMITY_API bool serial_calls() noexcept;

namespace pgas::detail {

struct arrived_call;

/// `c` waits for its turn: it is queued for the workers when all serial calls before it are over, now if there is none.
void wait_for_turn(arrived_call& c) noexcept;
/// A serial call is over, or never returns: the next one is queued.
void end_turn() noexcept;

}  // namespace pgas::detail

}  // namespace amity
