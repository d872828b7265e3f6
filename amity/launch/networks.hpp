#pragma once

/// By which of its networks this machine speaks to the others of a job.

#include <string>
#include <vector>

namespace amity::launching {

/// "10.77.1.1/24;192.168.0.3/16", of all devices that are up, but for loopback; where `device` is neither null nor
/// empty, of that alone, or of the one with that address. Without white space.
[[nodiscard]] std::string own_networks(const char* device);

/// The address of `own` in the first network that all the others are in, too, each with an address of its own. So it is
/// no bridge for containers, which has the same address everywhere. Where there is none, the one by which the kernel
/// reaches the first of the others. Empty: there is none at all.
[[nodiscard]] std::string choose_address(const std::string& own, const std::vector<std::string>& others);

}  // namespace amity::launching
