#pragma once

/// What the launcher of this process says: who launched it, as which of how many.

#include <cstdint>

namespace amity::launching {

/// How the processes of the job tell one another their addresses.
enum class wiring : std::uint8_t { none, pmix, pmi1 };

struct membership {
  int rank = 0;
  int size = 1;
  int local_rank = 0;  ///< among those of this node
  int local_size = 1;
  wiring by = wiring::none;
  const char* launcher = "no launcher";
};

/// From the environment. `problem`: null, or why this process can't be one of its job, in words.
[[nodiscard]] membership read_membership(const char** problem) noexcept;

}  // namespace amity::launching
