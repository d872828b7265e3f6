#pragma once

/// Small messages within a node by memory that both processes map, in front of any engine.

#include <string>
#include <vector>

#include "amity/net/internal/engine.hpp"

namespace amity::net {

/// Makes this process's memory for what others send it, and gives where they find it, without blanks. Empty: there is
/// none, as AMITY_NET_RINGS=off says, or the system refuses it. Once.
[[nodiscard]] std::string open_rings(const engine_facts& facts);

/// `next`, with rings to those ranks whose text tells of some that this process can reach. `next` itself: to none.
[[nodiscard]] const engine* put_rings_before(const engine& next, const std::vector<std::string>& of_ranks);

}  // namespace amity::net
