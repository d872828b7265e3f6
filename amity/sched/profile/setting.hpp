#pragma once

/// When there is a profile (AMITY_PROFILE) or a trace (AMITY_TRACE) of the process, and its end.
///
/// It begins when the pool starts, and ends with the program, in a function given to atexit. For a program with OpenMP
/// the events of OMPT come to it as well (omp/profile).

#include "amity/base/config.hpp"

namespace amity::sched::profile {

/// One of them is asked for, and begins when the pool starts at the latest.
[[nodiscard]] AMITY_API bool is_on() noexcept;

/// Which process this is, of a job or of a program over several nodes. -1: of neither.
struct process_number {
  int number;
  bool is_node;
};
[[nodiscard]] process_number own_number() noexcept;

/// There is one, or has been until its end.
[[nodiscard]] AMITY_API bool was_on() noexcept;

/// The process ends without exit(), for example one of several nodes: writes what there is.
AMITY_API void end() noexcept;

/// A trace of this process is written to that file, and must not be cut off: threads write to it by its mapping.
[[nodiscard]] AMITY_API bool is_traced_to(const char* path) noexcept;

/// There is to be none: a tool of the program's has the events of OpenMP. A file of the trace is removed.
AMITY_API void drop() noexcept;

}  // namespace amity::sched::profile
