#pragma once

/// Which engines there are, and which of them a job takes.

#include <string>
#include <vector>

#include "amity/launch/membership.hpp"
#include "amity/launch/wire_up.hpp"
#include "amity/net/internal/engine.hpp"
#include "amity/net/internal/rings.hpp"

namespace amity::net {

struct known_engine {
  const char* name;
  const engine* table;  ///< null: it can't be used here
  std::string why_not;
  bool only_beside = false;             ///< it is here for those that another engine does not reach
  engine_instance* instance = nullptr;  ///< once it is open
};

/// Those to choose from, in the order in which they are taken, if all ranks have them.
struct known_engines {
  std::vector<known_engine> all;
  rings* before = nullptr;  ///< opened with them; null: there are none
};

/// What AMITY_NET says.
enum class net_wish : std::uint8_t { best, ucx, sockets, mpi };
/// False: it is none of those.
[[nodiscard]] bool read_net_wish(net_wish& wish) noexcept;

[[nodiscard]] known_engines candidates(net_wish wish, launching::wiring by, bool all_share_memory);

/// Fills in what facts say of UCX's transports, by the user's UCX_TLS.
void choose_ucx_transports(engine_facts& facts);

/// "|ucx>ADDRESS|within>ucx|sockets>ADDRESS|rings>PLACE|", of those that can be used here, which of them does not reach
/// beyond shared memory, and where the rings are; "|": none. Without spaces: PMI-1 has none in values.
[[nodiscard]] std::string open_engines(known_engines& known, const engine_facts& facts);

/// The first that all have, by what each rank has said of its own; where that does not reach all, together with the
/// next one, which does; with rings before it. Empty: none. The others are closed. `problem`: null, or what is wrong.
[[nodiscard]] open_engine choose_engine(known_engines& known, const std::vector<std::string>& of_ranks,
                                        const engine_facts& facts, const char** problem);

/// Wiring up by MPI, for a job that goes by MPI. Null: `why` says in words what is missing.
[[nodiscard]] const launching::wire_up* mpi_wire_up(launching::wiring by, const char** why) noexcept;

}  // namespace amity::net
