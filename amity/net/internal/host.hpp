#pragma once

/// Where this process is, so that others can tell whether they are there, too.

#include <string>

namespace amity::net {

/// Equal for processes of one machine, containers or not.
[[nodiscard]] std::string machine();

/// The number of this process's namespace of a kind, as "net" or "pid". 0: nobody tells.
[[nodiscard]] unsigned long own_namespace(const char* kind);

/// Equal for processes that reach one another by the kernel's own sockets and shared memory: a machine may have several
/// such places (containers).
[[nodiscard]] std::string network_host();

/// The same of processes of one network_host that can share memory, as UCX makes it: System V's is the namespace's own.
[[nodiscard]] std::string memory_host();

}  // namespace amity::net
