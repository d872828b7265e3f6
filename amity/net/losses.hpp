#pragma once

/// Ranks that can't be reached any more (README.md, "Losses").
///
/// As a rule the loss of a rank ends the job. A job that has said go_on_after_losses() goes on: what is sent to a lost
/// rank is dropped, what was asked of it fails, and only what can't be done without it ends the job.

#include <string>

#include "amity/base/config.hpp"
#include "amity/base/language.hpp"

namespace amity::net {

/// From now on the job goes on where it can when a rank is lost. All processes are told. Does nothing where the engine
/// can't go on (AMITY_NET=mpi).
AMITY_API void go_on_after_losses() noexcept;

/// Once true it stays so.
[[nodiscard]] AMITY_API bool is_lost(int rank) noexcept;

/// "rank 1 was lost: its process has ended". Requires: is_lost(rank).
[[nodiscard]] AMITY_API std::string words_of_loss(int rank);

/// This process has left its job, since its program has ended: all others count as lost.
[[nodiscard]] AMITY_API bool has_left_job() noexcept;

}  // namespace amity::net

namespace amity {
using net::go_on_after_losses;
using net::is_lost;
}  // namespace amity
