// The one device there is, and what is asked for by number.
#pragma once

#include "amity/omp/settings/icv.hpp"

namespace amity::omp {

/// The host's own number is that of the other devices, of which there are none.
[[nodiscard]] constexpr bool is_host(int device) noexcept {
  return device == 0 || device == device_number::initial || device == device_number::by_default;
}

/// For a routine: whether the device is the host, which is the only one that it can do something for. Ends the program
/// where the standard has it so: at omp_invalid_device, and where OMP_TARGET_OFFLOAD=mandatory and the device is not
/// there.
[[nodiscard]] bool is_host_or_end(int device) noexcept;

/// For a construct, which runs on the host if its device is not there; as gcc passes the number: -1 where there is no
/// device clause, -2 for the host where an if clause or omp_initial_device asks for it. Ends the program as
/// is_host_or_end.
void check_device_of_construct(int device) noexcept;

}  // namespace amity::omp
