#pragma once

#include "amity/sched/monitor/standstill.hpp"

/// A job in which nothing can go on any more says so (README-standstill.md).

namespace amity::net {

/// From now on this process tells the coordinator when nothing can go on here. After the process has joined.
/// `before`: what there was before the libraries of the job were opened.
void begin_to_watch_standstill(const sched::outsiders& before) noexcept;

}  // namespace amity::net
