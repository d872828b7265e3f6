// omp_*: devices. There is one, the host.
#include <cstddef>
#include <string_view>

#include "amity/omp/api/fortran.hpp"
#include "amity/omp/rt/host_device.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/omp/settings/settings.hpp"

using namespace amity::omp;
using namespace amity::omp::fortran;

namespace {

constexpr const char* host_name = "OMP_INITIAL_DEVICE";
int device_named(std::string_view name) noexcept {
  return name == host_name ? device_number::initial : device_number::invalid;
}

}  // namespace

extern "C" {

// Any number: whether there is such a device is asked where it is used.
void omp_set_default_device(int device) {
  if (device != device_number::by_default) own_icvs(this_thread()).default_device = device;
}
void omp_set_default_device_(const int4* device) { omp_set_default_device(*device); }
void omp_set_default_device_8_(const int8* device) { omp_set_default_device(narrow(device)); }

int omp_get_default_device() { return icvs(this_thread()).default_device; }
int4 omp_get_default_device_() { return omp_get_default_device(); }

int omp_get_num_devices() { return 0; }
int4 omp_get_num_devices_() { return 0; }

int omp_get_initial_device() { return 0; }  // the number of devices, by the standard
int4 omp_get_initial_device_() { return 0; }

int omp_get_device_num() { return 0; }
int4 omp_get_device_num_() { return 0; }

int omp_is_initial_device() { return 1; }
int4 omp_is_initial_device_() { return 1; }

// Names of devices; the host's is libgomp's for it.
const char* omp_get_uid_from_device(int device) { return is_host(device) ? host_name : nullptr; }
void omp_get_uid_from_device_(const char** string, std::size_t* length, int4 device) {
  give_string(omp_get_uid_from_device(device), string, length);
}
void omp_get_uid_from_device_8_(const char** string, std::size_t* length, int8 device) {
  give_string(omp_get_uid_from_device(narrow(&device)), string, length);
}
int omp_get_device_from_uid(const char* name) { return name == nullptr ? device_number::invalid : device_named(name); }
int4 omp_get_device_from_uid_(const char* name, std::size_t length) { return device_named({name, length}); }

// What OMP_TARGET_OFFLOAD says: 0 disabled, 1 default, 2 mandatory.
int __kmpc_get_target_offload() {
  switch (environment().target_offload) {
    case offload::disabled:
      return 0;
    case offload::mandatory:
      return 2;
    default:
      return 1;
  }
}

}  // extern "C"
