#pragma once

/// The file of `amity run --trace`: what the runtime writes, and `amity trace` reads.
///
///     timeline_head                      at 0
///     timeline_row[most_rows]            at rows_at
///     chunks of chunk_bytes each         at chunks_at: a timeline_chunk, and events behind it
///
/// The file is mapped and grows by whole chunks, so that it can be read at any moment, also when the program was
/// killed. The chunks of a carrier are chained in the order in which it has filled them. When the file is as large as
/// it may be, a carrier writes over its oldest chunk: then its chain begins with the one after that.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "amity/sched/profile/rows.hpp"

namespace amity::sched::profile {

inline constexpr std::uint64_t timeline_magic = 0x33'4c'54'59'54'49'4d'41;  // "AMITYTL3"

/// One moment on two clocks.
struct clock_pair {
  std::atomic<std::uint64_t> ticks;  ///< the processor's counter
  std::atomic<std::uint64_t> ns;     ///< since 1970, so that machines' traces can be put together
};

struct timeline_head {
  std::uint64_t magic;
  std::uint32_t process;
  std::int32_t rank;                  ///< in a job, or the number of the node; -1: in none
  std::uint64_t ticks_in_us;          ///< about
  std::uint64_t most_chunks;          ///< how many the file may have
  std::atomic<std::uint64_t> chunks;  ///< how many have been begun, perhaps more than there may be
  std::atomic<std::uint64_t> lost;    ///< events for which there was no room at all
  clock_pair first, last;             ///< `last`: when the newest chunk was begun, and the end
  std::uint32_t is_node;
  char program[256];
};

struct timeline_row {
  std::atomic<std::uint64_t> is_there;  ///< written last
  std::uint64_t what;                   ///< construct
  std::uint64_t code, file_begin;       ///< in memory; 0: it has no place
  char file[480];                       ///< or the name, where is_beside(what)
};

struct timeline_event {
  std::uint64_t ticks;
  std::uint64_t bits;  ///< row << 40 | column << 32 | number of the OpenMP thread, or no_thread
};
/// In the place of the column: a message to or from another rank. Then the row is that rank, and the thread's number
/// the message's key.
inline constexpr unsigned kind_sent = 4, kind_handled = 5;
/// Of an operation of a device, one after the other: its begin, where the thread's number is the row of its track, and
/// its end, where that is its key. Where it was handed over is an arrow with the same key.
inline constexpr unsigned kind_begun = 6, kind_ended = 7, kind_arrow = 8;
inline constexpr unsigned kind_instant = 9;
inline constexpr std::uint32_t no_thread = 0;  ///< the event is of the carrier alone

struct timeline_chunk {
  std::uint32_t carrier;  ///< 0, 1, ... in the order of their first events
  std::uint32_t os_thread;
  std::atomic<std::uint32_t> used;  ///< events
  std::uint32_t round;              ///< how often the carrier had filled chunks before this
};

inline constexpr std::size_t chunk_bytes = 1 << 16;
inline constexpr std::size_t events_of_chunk = (chunk_bytes - sizeof(timeline_chunk)) / sizeof(timeline_event);
inline constexpr std::size_t rows_at = 4096;
inline constexpr std::size_t chunks_at = rows_at + most_rows * sizeof(timeline_row);
static_assert(sizeof(timeline_head) <= rows_at && sizeof(timeline_row) == 512 && chunks_at % 4096 == 0);

}  // namespace amity::sched::profile
