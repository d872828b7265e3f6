#pragma once

/// Why a program stands still: what all fibers wait for, told to whoever asks.
///
/// Another process asks by reading this one's memory (`amity dump PID`): nothing runs here, no signal is sent, and it
/// works however stuck the program is. `amity_report_table` says where what lies. The monitor asks when nothing can go
/// on any more, and prints it.

#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/sched/fiber/registry.hpp"
#include "amity/sched/monitor/report_table.hpp"

namespace amity::sched {

/// The monitor's, once a second: says once what everybody waits for if nothing in the process can go on, and ends the
/// process if that was asked for. `quiet`: so it was at the last look. Never a false alarm: in doubt, silence.
[[nodiscard]] bool look_for_stall(bool quiet) noexcept;

}  // namespace amity::sched
