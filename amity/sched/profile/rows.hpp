#pragma once

/// The rows of a profile: a construct of the program, at a place of its code, and the time of each carrier in it.
///
///     unsigned const row = profile::row_of(code, construct::loop_static);
///     profile::turn_to(row, column::work);                  // from now on the calling carrier's time is counted there
///
/// A carrier is in one row and one column at any time, from the start of the profile to its end. So the columns of all
/// rows add up to the carriers times the time that has passed.

#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"

namespace amity::sched::profile {

/// What a row is of. The numbers are those of the report (cli/profile_report.cpp).
enum class construct : std::uint8_t {
  idle,         ///< a carrier without work, outside of all regions
  serial,       ///< the program outside of all regions and tasks
  others,       ///< what came when the table was full
  region,       ///< parallel
  loop_static,  ///< of clang's code; that of gcc deals static loops out without a call: its region's or its barrier's
  loop_dynamic,
  loop_guided,
  loop,  ///< of another schedule
  sections,
  single,
  distribute,
  taskloop,
  task,
  barrier,
  taskwait,
  taskgroup,
  critical,
  lock,
  ordered,
  reduction,
  cpp_task,   ///< of async, post, finish, futures; its place is its function, not a call
  algorithm,  ///< a parallel algorithm; its place is the function that runs a chunk
  remote,     ///< a remote call from another process; its place is the function that takes the arguments apart
  handler,    ///< of messages from other processes; its place is the function
  // Beside the carriers (beside.hpp); the place is a name.
  operation,  ///< of a device
  track,      ///< of the timeline
  instant,    ///< what the monitor did
};
[[nodiscard]] constexpr bool is_beside(construct what) noexcept { return what >= construct::operation; }
/// The place of such a row is where a function begins. All others are where a call returns to.
[[nodiscard]] constexpr bool is_at_function(construct what) noexcept {
  return what >= construct::cpp_task && !is_beside(what);
}
inline constexpr unsigned idle_row = 0, serial_row = 1, others_row = 2;

/// What a carrier's time goes to.
///
/// * work: the program's code.
/// * waiting: for other threads, at the end of a region or a loop, at a barrier, a taskwait, a critical section. A
///   carrier that runs another member or a task meanwhile is not counted as waiting.
/// * runtime: forking and joining a region.
/// * stolen: it was ready to run and had no core, by the kernel's account: other programs or threads had it.
enum class column : std::uint8_t { work, waiting, runtime, stolen };
inline constexpr unsigned columns = 4;

inline constexpr unsigned most_rows = 2048;

/// The row of a construct at a place of the code, made at its first use; others_row if the table is full. Lock-free.
[[nodiscard]] AMITY_API unsigned row_of(const void* code, construct what) noexcept;

/// The calling carrier's time is counted there from now on. Does nothing where there is no carrier.
AMITY_API void turn_to(unsigned row, column to) noexcept;
/// The same, and one more of it.
void begin_in(unsigned row, column to) noexcept;
/// One more of it.
AMITY_API void count(unsigned row) noexcept;

/// The last turn of the calling fiber, on whichever carrier that was; at first, idle.
struct turn {
  unsigned row;
  column in;
};
[[nodiscard]] turn last_turn() noexcept;
/// The calling fiber has had a turn.
[[nodiscard]] bool has_turned() noexcept;

/// The row of the task of C++ that the calling fiber runs, or serial_row. What OpenMP calls an initial task is in it.
[[nodiscard]] AMITY_API unsigned row_around() noexcept;
/// Says it; gives what it was before.
unsigned set_row_around(unsigned row) noexcept;

/// The timeline's: a message to or from another process, on the calling carrier.
void note_message(bool is_sent, unsigned peer, std::uint32_t key) noexcept;
/// The timeline's: here, on the calling carrier, an arrow begins at `ticks`, to the operation of a device with that
/// key.
void note_arrow(std::uint64_t ticks, std::uint32_t key) noexcept;

/// The profile begins now. Once; again in the child of a fork.
void begin_rows() noexcept;

/// Tells the timeline of all rows that there are: its file has just been opened.
void describe_rows() noexcept;

/// What a row has until now.
struct sums {
  const void* code;
  construct what;
  std::uint64_t calls;
  std::uint64_t ns[columns];
};
struct overview {
  std::uint64_t wall_ns;
  unsigned carriers;
};
/// Counts all carriers' time up to now. While it goes on, others may go on as well: then a row may miss some of it.
[[nodiscard]] overview close_rows() noexcept;
/// False: there is no such row. Requires: close_rows().
[[nodiscard]] bool sum_of(unsigned row, sums& into) noexcept;
/// Requires: close_rows().
[[nodiscard]] std::uint64_t nanoseconds_of(std::uint64_t ticks) noexcept;

}  // namespace amity::sched::profile
