#pragma once

/// Doacross loops: `ordered(n)` with depend(source) and depend(sink: vector). A thread that has posted an iteration
/// vector lets those go on that wait for it.
///
///     begin_doacross(t, n, dimensions);
///     begin_loop(t, ...);                          // or deal_doacross(t, schedule, total), if the compiler deals out
///     while (next_chunk(t)) for (...) { wait_doacross(t, sink); ...; post_doacross(t, here); }
///     end_loop(t);                                 // or end_doacross(t)
///
/// No flag for each iteration. The dealt iterations are those of the first dimension, or of the first few if they are
/// collapsed. A thread runs its chunks in increasing order and a chunk from its beginning to its end, so one word, the
/// position of the last post in lexicographic order, tells about a chunk all that there is to know. Every thread can
/// compute which chunk a vector is in. So:
///
///   * static: a slot for each thread, with the position up to which all of its iterations are posted;
///   * dynamic, guided: a ring of 2 * threads slots, in which chunk k uses slot k % size.
///
/// The thread that takes chunk k waits first, until chunk k - size is done. So a ring slot's position only grows too,
/// and a position beyond the vector says that it was posted, whichever chunk said so.
///
/// No deadlock: each wait is for an iteration lexicographically before that of the waiting thread.
///
/// A space of more than 2^63 iterations: positions count as many leading dimensions as fit, and a wait is for the end
/// of the inner loops.

#include <cstddef>
#include <cstdint>

#include "amity/omp/rt/doacross_state.hpp"
#include "amity/omp/settings/icv.hpp"

namespace amity::omp {

struct thread;

/// One loop of the nest in the ABI's numbers: iteration i of `count` is lower + i * stride.
struct doacross_dimension {
  std::uint64_t count;
  std::int64_t lower;
  std::int64_t stride;
};

/// Compilers refuse deeper nests long before.
inline constexpr std::size_t most_doacross_dimensions = 128;

/// Joins the team's next doacross loop; before begin_loop(). Requires: 1 <= n <= most_doacross_dimensions.
void begin_doacross(thread& t, std::size_t n, const doacross_dimension* dimensions) noexcept;

/// Says how `total` iterations, the product of the first few dimensions, are dealt out. begin_loop() does it by itself.
void deal_doacross(thread& t, const schedule& how, std::uint64_t total) noexcept;

/// For loop.cpp, around the taking of a chunk of a dynamic or guided loop.
void finish_doacross_chunk(thread& t) noexcept;
void begin_doacross_chunk(thread& t) noexcept;

/// Dimensions of the vectors below; 0: they do nothing.
[[nodiscard]] std::size_t doacross_dimensions(const thread& t) noexcept;

/// Memory ordering: what happened before the post happens before the return of the waits for its vector and for those
/// before it.
void post_doacross(thread& t, const std::int64_t* vector) noexcept;

/// Blocks until `vector` was posted; returns at once if it is not in the iteration space.
void wait_doacross(thread& t, const std::int64_t* vector) noexcept;

/// For a member that does not come to the loop: nobody waits for what is its own.
void be_absent_from_doacross(thread& t, loop_descriptor& joined) noexcept;

/// Leaves the loop: all that was this thread's counts as posted. end_loop() does it by itself; a second call does
/// nothing.
void end_doacross(thread& t) noexcept;

}  // namespace amity::omp
