#pragma once

/// One thread's view of the doacross loop it is in; see doacross.hpp.

#include <cstdint>

#include "amity/omp/settings/icv.hpp"

namespace amity::omp {

struct loop_descriptor;
struct doacross_shared;
struct doacross_slot;

/// A chunk of the iterations that the schedule deals out.
struct doacross_chunk {
  std::uint64_t number = 0;
  std::uint64_t begin = 0, end = 0;
};

struct doacross_state {
  loop_descriptor* joined = nullptr;  ///< null: in no such loop, or alone and without anybody to wait for
  doacross_shared* shared = nullptr;  ///< lies in the descriptor's memory
  doacross_slot* mine = nullptr;      ///< where our posts go
  bool dealt = false;                 ///< the fields below are set
  schedule_kind kind = schedule_kind::static_;
  std::uint64_t threads = 1;
  std::uint64_t total = 0;  ///< iterations dealt out
  std::uint64_t chunk = 0;  ///< 0: static, a block for each thread
  std::uint32_t lead = 1;   ///< the dimensions whose product `total` is
  std::uint32_t used = 1;   ///< the dimensions that the position counts; fewer than all if it would not fit a word
  std::uint64_t more = 0;   ///< to be added to each dimension's count
  std::uint64_t inner = 1;  ///< positions of one dealt iteration
  /// What others' slots said when last looked at, each where its number leads modulo 4. Progress only grows: what was
  /// enough then still is, and a thread that posts keeps the line that it writes at each iteration.
  struct {
    const doacross_slot* slot = nullptr;
    std::uint64_t progress = 0;
  } seen_of[4];
  bool across = false;            ///< in a team with members in other processes: posts go to one of them
  std::uint64_t loop_across = 0;  ///< the loop's number in the region
  std::uint64_t posted = 0;       ///< what was posted last, for the chunk in hand or, with static, the member
  std::uint64_t known_key = ~std::uint64_t{0}, known_progress = 0;  ///< what was asked for last
  doacross_chunk in_hand;                                           ///< dynamic and guided
  doacross_chunk seen;                                              ///< guided: where the last search for a chunk ended
};

}  // namespace amity::omp
