#pragma once

#include <string>

namespace amity::net {

/// Equal for processes that reach one another by the kernel's own sockets: of one boot and one network namespace.
[[nodiscard]] std::string network_host();

}  // namespace amity::net
