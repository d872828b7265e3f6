#include "amity/omp/rt/host_device.hpp"

#include <stdio.h>
#include <stdlib.h>

#include "amity/base/report.hpp"
#include "amity/omp/rt/initial.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/omp/settings/settings.hpp"

namespace amity::omp {
namespace {

// As gcc passes them to constructs.
constexpr int by_icv = -1, by_if_clause = -2;

int default_now() noexcept { return icvs(this_thread()).default_device; }

// A wrong setting or argument of the program's, so an exit and no abort: files are flushed, destructors run.
[[noreturn, gnu::cold]] void end() noexcept {
  fflush(stdout);
  exit(EXIT_FAILURE);
}

// For a device that is not there.
[[gnu::cold]] void check_missing(int device) noexcept {
  if (environment().target_offload == offload::mandatory) {
    base::warn(
        "OMP_TARGET_OFFLOAD=mandatory, and device %d%s is asked for: there is no device but the host (0, or "
        "omp_initial_device); the program ends. With 'default' the host does what is meant for devices",
        device, device == device_number::invalid ? " (omp_invalid_device)" : "");
    end();
  }
  if (device != device_number::invalid) return;
  base::warn(
      "device %d (omp_invalid_device) is asked for, which stands for none; the program ends. The host is 0, or "
      "omp_initial_device",
      device);
  end();
}

}  // namespace

bool is_host_or_end(int device) noexcept {
  if (device == device_number::by_default) device = default_now();
  if (is_host(device)) [[likely]]
    return true;
  check_missing(device);
  return false;
}

void check_device_of_construct(int device) noexcept {
  if (device == by_if_clause) return;
  if (device == by_icv || device == device_number::by_default) device = default_now();
  if (!is_host(device)) [[unlikely]]
    check_missing(device);
}

}  // namespace amity::omp
