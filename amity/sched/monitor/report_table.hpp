#pragma once

/// Where what lies that tells what fibers wait for: libamity.so exports one such table as `amity_report_table`, and
/// `amity dump` reads it, and what it points to, from another process (internal/report.hpp).
///
///     auto fiber = read<std::uint64_t>(address_of(table.first_fiber));
///     for (; fiber != 0; fiber = read<std::uint64_t>(fiber + table.fiber_next)) ...

#include <cstdint>

#include "amity/base/config.hpp"

namespace amity::sched {

/// Where an OpenMP thread's number is, for those of them that a fiber is. Offsets in bytes; written before there are
/// such threads. All 0: the process has none.
struct report_threads {
  std::int64_t variable;       ///< from the thread pointer (fiber_identity) on: a pointer to the thread, or null
  std::uint32_t number, team;  ///< in the thread: an int, and a pointer
  std::uint32_t size, level;   ///< in the team: ints
};

/// The numbers are offsets in bytes unless something else is said.
struct report_table {
  char magic[8];                      ///< "amity-r2"
  std::uint32_t size;                 ///< of this table
  std::uint32_t carriers;             ///< 0, or the offset of a pool's number in a later version
  const void* first_fiber;            ///< the address of a fiber*, all linked by fiber_next
  const void* ticks_per_microsecond;  ///< the address of a uint64
  const void* threads;                ///< the address of a report_threads
  std::uint32_t fiber_next, fiber_sp, fiber_native, fiber_claimed, fiber_place, fiber_identity;
  std::uint32_t fiber_kind, fiber_object, fiber_where, fiber_since;
  std::uint32_t carrier_kind, carrier_thread_id, carrier_running, carrier_wait_frame, carrier_slot, carrier_asleep;
  std::uint32_t group_ready;
  std::uint32_t context_frame, context_return;  ///< in what `sp` points to
};

/// OpenMP's runtime fills it in.
AMITY_API extern report_threads threads_of_report;

}  // namespace amity::sched
