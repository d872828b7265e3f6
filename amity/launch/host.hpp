#pragma once

/// Where this process is, so that others can tell whether they are there, too.

#include <string>

namespace amity::launching {

/// Equal for processes that reach one another by the kernel's own sockets and shared memory: a machine may have several
/// such places (containers).
[[nodiscard]] std::string network_host();

/// Equal for processes to which the number of a process means the same, so that they can watch one another, and open
/// one another's descriptors by /proc.
[[nodiscard]] std::string process_host();

/// The same of processes of one network_host that can share memory, as UCX makes it: System V's is the namespace's own.
[[nodiscard]] std::string memory_host();

}  // namespace amity::launching
