#pragma once

/// Small messages within a node by memory that both processes map, in front of any engine.

#include <string>
#include <vector>

#include "amity/net/internal/engine.hpp"

namespace amity::net {

class rings;

/// Makes memory for what others send this rank; `place` is where they find it, without blanks. Null: there is none, as
/// AMITY_NET_RINGS=off says, or the system refuses it.
[[nodiscard]] rings* open_rings(const engine_facts& facts, std::string& place);

/// `next`, with rings to those ranks whose text tells of some that this process can reach. `next` itself: to none, and
/// `r`, which may be null, is gone.
[[nodiscard]] open_engine put_rings_before(const open_engine& next, rings* r, const std::vector<std::string>& of_ranks);

}  // namespace amity::net
