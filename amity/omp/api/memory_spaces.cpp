// Memory spaces and allocators of devices, after OpenMP 6.0. The host is the only device: its memory is what all
// devices there are have, and of any other device there is none. A program that asks for such gets the null handle, as
// from libomp.
#include <algorithm>
#include <cstdint>

#include "amity/omp/api/allocator.hpp"
#include "amity/omp/api/fortran.hpp"
#include "amity/omp/rt/host_device.hpp"

using namespace amity::omp;
using namespace amity::omp::fortran;

namespace {

using space_handle = std::uintptr_t;
constexpr space_handle null_space = 0;

/// `space` if it is one and all of these devices have it.
space_handle common_space(int devices, const int* device, bool and_host, space_handle space) noexcept {
  if (devices < 0 || (devices > 0 && device == nullptr) || !is_memory_space(space)) return null_space;
  if (devices == 0 && !and_host) return null_space;
  return std::all_of(device, device + devices, [](int one) { return is_host(one); }) ? space : null_space;
}

/// The predefined allocator of a predefined space.
allocator_handle allocator_of(space_handle space) noexcept {
  constexpr space_handle last_of_standard = 4, devices_begin = 100, devices_end = 103;
  if (space == null_space) return null_allocator;
  if (space <= last_of_standard) return space + 1;
  return space >= devices_begin && space < devices_end ? space : 1;
}

}  // namespace

extern "C" {

space_handle omp_get_devices_memspace(int devices, const int* device, space_handle space) {
  return common_space(devices, device, false, space);
}
space_handle omp_get_device_memspace(int device, space_handle space) { return common_space(1, &device, false, space); }
space_handle omp_get_devices_and_host_memspace(int devices, const int* device, space_handle space) {
  return common_space(devices, device, true, space);
}
space_handle omp_get_device_and_host_memspace(int device, space_handle space) {
  return common_space(1, &device, true, space);
}
space_handle omp_get_devices_all_memspace(space_handle space) { return common_space(0, nullptr, true, space); }

allocator_handle omp_get_devices_allocator(int devices, const int* device, space_handle space) {
  return allocator_of(omp_get_devices_memspace(devices, device, space));
}
allocator_handle omp_get_device_allocator(int device, space_handle space) {
  return allocator_of(omp_get_device_memspace(device, space));
}
allocator_handle omp_get_devices_and_host_allocator(int devices, const int* device, space_handle space) {
  return allocator_of(omp_get_devices_and_host_memspace(devices, device, space));
}
allocator_handle omp_get_device_and_host_allocator(int device, space_handle space) {
  return allocator_of(omp_get_device_and_host_memspace(device, space));
}
allocator_handle omp_get_devices_all_allocator(space_handle space) {
  return allocator_of(omp_get_devices_all_memspace(space));
}

// A predefined space is one resource, and all that a part of it can be.
int omp_get_memspace_num_resources(space_handle space) { return is_memory_space(space) ? 1 : 0; }
space_handle omp_get_submemspace(space_handle space, int /*resources*/, const int* /*resource*/) {
  return is_memory_space(space) ? space : null_space;
}

space_handle omp_get_devices_memspace_(const int4* devices, const int4* device, const space_handle* space) {
  return omp_get_devices_memspace(*devices, device, *space);
}
space_handle omp_get_device_memspace_(const int4* device, const space_handle* space) {
  return omp_get_device_memspace(*device, *space);
}
space_handle omp_get_devices_and_host_memspace_(const int4* devices, const int4* device, const space_handle* space) {
  return omp_get_devices_and_host_memspace(*devices, device, *space);
}
space_handle omp_get_device_and_host_memspace_(const int4* device, const space_handle* space) {
  return omp_get_device_and_host_memspace(*device, *space);
}
space_handle omp_get_devices_all_memspace_(const space_handle* space) { return omp_get_devices_all_memspace(*space); }
allocator_handle omp_get_devices_allocator_(const int4* devices, const int4* device, const space_handle* space) {
  return omp_get_devices_allocator(*devices, device, *space);
}
allocator_handle omp_get_device_allocator_(const int4* device, const space_handle* space) {
  return omp_get_device_allocator(*device, *space);
}
allocator_handle omp_get_devices_and_host_allocator_(const int4* devices, const int4* device,
                                                     const space_handle* space) {
  return omp_get_devices_and_host_allocator(*devices, device, *space);
}
allocator_handle omp_get_device_and_host_allocator_(const int4* device, const space_handle* space) {
  return omp_get_device_and_host_allocator(*device, *space);
}
allocator_handle omp_get_devices_all_allocator_(const space_handle* space) {
  return omp_get_devices_all_allocator(*space);
}
int4 omp_get_memspace_num_resources_(const space_handle* space) { return omp_get_memspace_num_resources(*space); }
space_handle omp_get_submemspace_(const space_handle* space, const int4* resources, const int4* resource) {
  return omp_get_submemspace(*space, *resources, resource);
}

}  // extern "C"
