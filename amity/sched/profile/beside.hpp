#pragma once

/// What happens beside the carriers: operations of devices, and what the monitor does. Any OS thread may say it.
///
/// - A device's command queue takes a line of the timeline:
///     `queue = make_track("opencl device 0 (PoCL), queue 1")`.
/// - The thread that hands a kernel to the driver: `key = note_handed_over(sys::ticks())`.
/// - When the kernel is over: `note_operation(queue, {"sum, opencl device 0 (PoCL)", key, begin, end, 0, true})`.
/// - The monitor: `note_instant("rescue: a task blocks")`.
///
/// A device's time is no carrier's: it is in lines of its own, and adds up to nothing. Requires: tasks_are_observed().

#include <cstddef>
#include <cstdint>

#include "amity/base/config.hpp"

namespace amity::sched::profile {

/// The bytes of a name that are kept, with its zero; the rest of a longer one is left out.
inline constexpr std::size_t most_of_a_name = 256;

/// A line of its own in the timeline, for what comes one after the other, such as a queue of a device. Its number; the
/// same for the same name. `name` is copied; without room for it, the number of other lines.
[[nodiscard]] AMITY_API unsigned make_track(const char* name) noexcept;

/// The calling carrier hands an operation over at `ticks`, now. The number is for note_operation, to which an arrow
/// leads from here.
[[nodiscard]] AMITY_API std::uint32_t note_handed_over(std::uint64_t ticks) noexcept;

struct operation_on_device {
  const char* name = nullptr;     ///< "sum, opencl device 0 (PoCL)"; copied
  std::uint32_t key = 0;          ///< note_handed_over's
  std::uint64_t begin_ticks = 0;  ///< sys::ticks, of the device's own times if it has told them
  std::uint64_t end_ticks = 0;
  std::uint64_t bytes = 0;      ///< that were copied or filled; 0: a launch
  bool is_devices_own = false;  ///< else the times are those of the host, which saw it
};
AMITY_API void note_operation(unsigned track, const operation_on_device& o) noexcept;

/// Threads waited for a page of another node. By the thread for pages alone: it takes no lock, since a thread that has
/// one may be waiting for a page. `begin_ticks`: of the first fault. The timeline shows 64 waits at a time.
AMITY_API void note_wait_for_page(std::uint64_t begin_ticks, std::uint64_t end_ticks, std::uint64_t bytes) noexcept;

/// Something that takes no time, on the timeline's line `monitor`.
void note_instant(const char* what) noexcept;

/// In the child of a fork: what the parent had is the parent's.
void begin_beside_anew() noexcept;

/// All operations of one name, until now.
struct device_sums {
  const char* name;
  std::uint64_t calls, ns, bytes;
  std::uint64_t by_host;  ///< of the calls: those whose times are the host's
};
/// False: there is no such row, or it is of something else.
[[nodiscard]] bool device_sum_of(unsigned row, device_sums& into) noexcept;

}  // namespace amity::sched::profile
