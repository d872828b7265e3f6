#pragma once

/// Where what lies that tells what fibers wait for: libamity.so exports one such table as `amity_report_table`, and
/// `amity dump` reads it, and what it points to, from another process (internal/report.hpp).
///
///     auto fiber = read<std::uint64_t>(address_of(table.first_fiber));
///     for (; fiber != 0; fiber = read<std::uint64_t>(fiber + table.fiber_next)) ...

#include <cstdint>

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

}  // namespace amity::sched
