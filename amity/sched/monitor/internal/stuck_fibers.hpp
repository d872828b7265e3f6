#pragma once

/// Ready fibers whose carrier does not come to them, because user code keeps it: the monitor sends them to OS
/// threads of their own (README.md).

#include <cstdint>

#include "amity/sched/monitor/internal/pace.hpp"

namespace amity::sched {

/// A look of the monitor's at all carriers, an interval of `interval_ns` after the last. Says to `looks` whether the
/// next ones are to come soon. True if some fiber is ready.
bool look_for_stuck_fibers(pace& looks, long interval_ns) noexcept;

}  // namespace amity::sched
