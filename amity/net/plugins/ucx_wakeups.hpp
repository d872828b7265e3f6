#pragma once

#include <vector>

namespace amity::net {

/// UCX's shared memory wakes a process by datagrams to sockets of the machine, at which any of its users can aim. UCX
/// (1.13) takes an empty one for the end of the socket, and ends the process. From this object's making on it knows
/// which sockets there are; those that come later are UCX's.
class ucx_wakeups {
 public:
  ucx_wakeups();
  /// The kernel drops empty datagrams to the sockets that have come since. False: it refuses.
  [[nodiscard]] bool guard() const;

 private:
  std::vector<int> before_;
};

}  // namespace amity::net
