#pragma once

/// Which of its transports UCX may take in a job. Some of them listen, and take what anybody sends.

#include <string>

namespace amity::net {

/// In UCX's form of a list.
struct transports {
  std::string list;  ///< empty: what the user's UCX_TLS says leaves none
  std::string left;  ///< those of the user's list that are not taken
};

/// `wanted`: what the user's UCX_TLS says, or null. On one node shared memory alone; else all but TCP. Without
/// `dev_shm`, that file system has no room: System V's shared memory has limits of its own.
[[nodiscard]] transports ucx_transports(const char* wanted, bool one_node, bool dev_shm);

}  // namespace amity::net
