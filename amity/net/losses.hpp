#pragma once

/// Ranks that can't be reached any more: their processes have ended before the job, or the network has.
///
///     amity::go_on_after_losses();
///     auto answer = amity::rpc(1, work);
///     try {
///       answer.get();
///     } catch (const amity::lost_rank& e) {  // amity/pgas/remote_error.hpp
///       std::cerr << e.what() << '\n';       // amity::is_lost(1) is true from here on
///     }
///
/// As a rule the loss of a rank ends the job. A job that has said go_on_after_losses() goes on: what is sent to a lost
/// rank is dropped, what was asked of it fails with amity::lost_rank, and a collective operation fails at all of its
/// sites. What can't be done without that rank ends the job: barrier_all(), finish_spmd(), a finish that waits for
/// tasks there, and stealing between processes. The launcher must leave the others alone: `amity run --keep-going`.

#include <string>

#include "amity/base/config.hpp"
#include "amity/base/language.hpp"

namespace amity::net {

/// From now on the job goes on where it can when a rank is lost. One process says it for all; the others are sent a
/// message. Waits until these messages have been handed over: a rank that ends afterwards is a loss that the others go
/// on after. Has no effect in a job of one process, or where MPI carries the messages (AMITY_NET=mpi). Joins the job.
AMITY_API void go_on_after_losses() noexcept;

/// Rank `rank` is lost, as far as this process has heard; never waits. Once true, it stays true. Requires:
/// 0 <= rank < rank_n().
[[nodiscard]] AMITY_API bool is_lost(int rank) noexcept;

/// A sentence that says why a rank is lost: "rank 1 was lost: its process has ended". Requires: is_lost(rank).
[[nodiscard]] AMITY_API std::string words_of_loss(int rank);

/// This process has left its job, as its program has ended: all other ranks count as lost. Never waits.
[[nodiscard]] AMITY_API bool has_left_job() noexcept;

}  // namespace amity::net

namespace amity {
using net::go_on_after_losses;
using net::is_lost;
}  // namespace amity
