#pragma once

/// What survives the sender. A message that was sent may still wait in the sender's memory, for a lock or for room on a
/// connection; a process that is killed then takes it along.
///
///     net::send(rank, net::code_of<passed>(), 0, nullptr, 0);
///     net::await_handover(rank);  // from here on, `rank` gets to know of it, if the engine is `sockets` or a ring
///
/// What UCX has taken may still lie in a queue of its own.

#include "amity/base/config.hpp"

namespace amity::net {

/// Waits until nothing that this process has sent to rank `to` so far is in its own hands: it is in memory of the
/// receiver's, or the engine says that it has left. From a fiber, not from a handler. What is for a lost rank is not
/// waited for. In a job that any loss ends, returns at once.
AMITY_API void await_handover(int to) noexcept;

}  // namespace amity::net
