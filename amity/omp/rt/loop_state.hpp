#pragma once

/// One thread's share of a worksharing loop that is dealt out by calls.

#include <cstdint>

#include "amity/omp/settings/icv.hpp"

namespace amity::omp {

struct loop_descriptor;

/// Iterations are counted 0 .. total-1 whatever the loop's type, direction and stride; the ABI wrappers translate.
struct loop_state {
  loop_descriptor* shared = nullptr;  ///< the team's descriptor; null: this thread has all iterations to itself
  schedule_kind kind = schedule_kind::static_;
  bool ordered = false;
  bool sections = false;
  bool doacross = false;  ///< tell doacross.cpp about chunks
  bool plain = false;     ///< chunks need only be handed out: no order, no cancellation, no tool that hears of them
  std::uint64_t total = 0;
  std::uint64_t chunk = 1;           ///< static: 0 for one block a thread
  bool own_first = false;            ///< dynamic: the counter has a bit for each chunk (take_own_first)
  bool has_asked = false;            ///< own_first: this thread has asked before
  std::uint64_t chunks = 0;          ///< dynamic
  std::uint64_t unit = 1;            ///< guided: loop_request::unit
  std::uint64_t next = 0;            ///< static: the next chunk; serial: the next iteration; own_first: what to try
  std::uint64_t begin = 0, end = 0;  ///< the chunk in hand
  bool in_hand = false;              ///< a chunk was handed out and its ordered turn not passed on
  // dynamic: chunks taken off the counter and not yet handed out
  std::uint64_t batch_next = 0, batch_end = 0;
  std::uint64_t batch_size = 0;             ///< how many to take next time
  std::uint64_t batch_begun = 0;            ///< ticks
  std::uint64_t seen = 0, seen_before = 0;  ///< the counter when it was last met, and the time before
  // of a plain loop's batch, the chunks but the loop's last (next_of_batch)
  std::uint64_t plain_end = 0;
  std::uint64_t batch_at = 0, batch_step = 0;  ///< in the user's numbers
  // the user's numbers
  std::int64_t lower = 0;
  std::int64_t stride = 1;
  // of a team with members in other processes (hooks/cluster.hpp)
  bool across = false;
  bool has_turn_across = false;                         ///< it is the turn of the chunk in hand
  schedule_kind dealt_across = schedule_kind::static_;  ///< what `kind` was
  std::uint64_t number_across = 0;                      ///< of the region's loops
  void* own_memory = nullptr;                           ///< loop_memory() of a team of one
};

}  // namespace amity::omp
