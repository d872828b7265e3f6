#pragma once

/// Watches the launcher and the processes of this machine: a descriptor for each becomes readable when its process
/// ends. An engine may see that a process has gone, or not: one that goes by shared memory does not.

#include <sys/types.h>

#include <string>

namespace amity::net {

/// By which others of this machine know this process, even if its number is another's later: text without white space.
[[nodiscard]] std::string own_life();

/// Begins, in a job of so many ranks. `launcher_ended` is called within a poll if the process that started this one
/// ends before end_watch.
void watch_launcher(int ranks, void (*launcher_ended)(pid_t launcher) noexcept) noexcept;

/// The end of `rank`, which has said `life`, is a loss (losses.hpp). Does nothing where it is of another machine, or of
/// a container whose processes this one does not see.
void watch_rank(int rank, const char* life) noexcept;
/// Known after that, and the same on both sides.
[[nodiscard]] bool is_watched(int rank) noexcept;

/// From now on processes end as they should.
void end_watch() noexcept;

}  // namespace amity::net
