#pragma once

/// `amity run --trace FILE`: each turn of each carrier, with its time, for a picture of who did what when.
///
///     if (!timeline::open(path, size)) ...                  // it has said why
///     timeline::note(mine, ticks, row, column::work);       // by the carrier, a few nanoseconds
///     timeline::close();

#include <cstdint>

#include "amity/sched/profile/rows.hpp"

namespace amity::sched::profile::timeline {

/// A carrier's place in the file; zero at first.
struct writer {
  void* chunk = nullptr;          ///< which it fills; null: none yet
  std::uint32_t carrier = 0;      ///< its number, from 1 on; 0: it has none yet
  std::uint32_t round = 0;        ///< chunks that it has begun
  std::uint64_t* mine = nullptr;  ///< the numbers of its chunks, the oldest at `round` once the file is full
  std::uint32_t mine_count = 0, mine_room = 0, oldest = 0;
};

/// Events are written there from now on, into a file of at most `bytes`. A process of a job adds its rank to the name,
/// and one that finds the file in use by another its number. False: it can't be, with words.
bool open(const char* path, std::uint64_t bytes) noexcept;
[[nodiscard]] bool is_open() noexcept;
/// The calling fiber is an OpenMP thread: its turns are on a track of its own as well from now on.
AMITY_API void name_thread() noexcept;
/// The calling carrier, `w`, is in that row and column from `ticks` on.
void note(writer& w, std::uint64_t ticks, unsigned row, column in) noexcept;
/// The carrier has had nothing to do since `ticks`, as is known by now: the member that waited there is elsewhere.
void note_idle(writer& w, std::uint64_t ticks) noexcept;
/// A message that was sent to rank `peer`, or is being handled from there (messages.hpp).
void note_message(writer& w, std::uint64_t ticks, bool is_sent, unsigned peer, std::uint32_t key) noexcept;
/// Here an arrow begins, to the operation of a device with that key.
void note_arrow(writer& w, std::uint64_t ticks, std::uint32_t key) noexcept;
/// An operation of a device that is over. Requires: of one writer, one thread at a time.
struct device_operation {
  unsigned row, track;
  std::uint32_t key;
  std::uint64_t begin, end;  ///< ticks
};
void note_operation(writer& w, const device_operation& o) noexcept;
/// What happened at one moment.
void note_instant(writer& w, std::uint64_t ticks, unsigned row) noexcept;
/// A row has been made.
void describe(unsigned row, const void* code, construct what) noexcept;
/// The last moment. Events that come later are lost.
void close() noexcept;
/// There is to be none after all: the file is removed.
void discard() noexcept;
/// In the child of a fork: it has nothing to do with the parent's file, and opens one with its number behind the name
/// at its first event.
void reopen_in_child() noexcept;

}  // namespace amity::sched::profile::timeline
