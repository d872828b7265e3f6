#pragma once

/// Why a program stands still: what all fibers wait for, told to whoever asks.
///
/// Another process asks by reading this one's memory (`amity dump PID`): nothing runs here, no signal is sent, and it
/// works however stuck the program is. `amity_report_table` says where what lies. The monitor asks when nothing can go
/// on any more, and prints it.

#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/sched/fiber.hpp"

namespace amity::sched {

/// The numbers are offsets in bytes unless something else is said.
struct report_table {
  char magic[8];                      ///< "amity-r1"
  std::uint32_t size;                 ///< of this table
  std::uint32_t carriers;             ///< 0, or the offset of a pool's number in a later version
  const void* first_fiber;            ///< the address of a fiber*, all linked by fiber_next
  const void* ticks_per_microsecond;  ///< the address of a uint64
  std::uint32_t fiber_next, fiber_sp, fiber_native, fiber_claimed, fiber_place, fiber_identity;
  std::uint32_t fiber_kind, fiber_object, fiber_where, fiber_since;
  std::uint32_t carrier_kind, carrier_thread_id, carrier_running, carrier_wait_frame, carrier_slot, carrier_asleep;
  std::uint32_t group_ready;
  std::uint32_t context_frame, context_return;  ///< in what `sp` points to
};

/// Adds it to those that are reported, for ever.
void note_fiber(fiber& f) noexcept;

/// The child of a fork has none.
void forget_fibers() noexcept;

/// The first of all fibers, linked by `next_known`; null: there are none.
[[nodiscard]] fiber* first_known() noexcept;

/// AMITY_COUNTERS. Read when the pool starts, as what follows.
void read_counters_setting() noexcept;

/// AMITY_STALL=false asks for silence. Read when the pool starts: the monitor must not look into the environment, which
/// the program may be changing.
extern bool stall_reports;
void read_report_setting() noexcept;

/// The monitor's, once a second: says once what everybody waits for if nothing in the process can go on. `quiet`: so it
/// was at the last look. Never a false alarm: in doubt, silence.
[[nodiscard]] bool look_for_stall(bool quiet) noexcept;

}  // namespace amity::sched
