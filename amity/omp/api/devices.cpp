// omp_*: devices. There is one, the host.
#include "amity/omp/api/fortran.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/omp/settings/settings.hpp"

using namespace amity::omp;
using namespace amity::omp::fortran;

extern "C" {

void omp_set_default_device(int device) { own_icvs(this_thread()).default_device = device >= 0 ? device : 0; }
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
