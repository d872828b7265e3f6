#pragma once

/// Why a program stands still: what all fibers wait for, told to whoever asks.
///
/// Another process asks by reading this one's memory (`amity dump PID`): nothing runs here, no signal is sent, and it
/// works however stuck the program is. `amity_report_table` says where what lies. The monitor asks when nothing can go
/// on any more, and prints it.

#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/sched/fiber.hpp"
#include "amity/sched/report_table.hpp"

namespace amity::sched {

/// Adds it to those that are reported, for ever.
void note_fiber(fiber& f) noexcept;

/// The child of a fork has none.
void forget_fibers() noexcept;

/// The first of all fibers, linked by `next_known`; null: there are none.
[[nodiscard]] fiber* first_known() noexcept;

/// AMITY_COUNTERS. Read when the pool starts, as what follows.
void read_counters_setting() noexcept;

/// What happens once nothing in the process can go on any more, by AMITY_STALL: nothing (false), a report (true), or a
/// report and the process's end by SIGABRT (abort), for those who would rather see a test fail than wait for its limit.
enum class stall_answer : std::uint8_t { silence, report, abort };

/// Read when the pool starts: the monitor must not look into the environment, which the program may be changing.
extern stall_answer at_stall;
void read_report_setting() noexcept;

/// The monitor's, once a second: says once what everybody waits for if nothing in the process can go on, and ends the
/// process if that was asked for. `quiet`: so it was at the last look. Never a false alarm: in doubt, silence.
[[nodiscard]] bool look_for_stall(bool quiet) noexcept;

}  // namespace amity::sched
