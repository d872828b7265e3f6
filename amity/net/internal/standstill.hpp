#pragma once

/// A job in which nothing can go on any more says so (README.md, "A job that stands still").

namespace amity::net {

/// From now on this process tells the coordinator when nothing can go on here. After the process has joined.
/// `foreign_before`: threads that were not the scheduler's before the libraries of the job were opened.
void begin_to_watch_standstill(int foreign_before) noexcept;

}  // namespace amity::net
