// omp_target_*: memory of devices, of which the host is the only one.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <cstddef>

#include "amity/omp/api/depend_object.hpp"

using amity::omp::wait_for_depend_objects;
using std::size_t;

namespace {

bool is_host(int device) noexcept {
  constexpr int number = 0, omp_initial_device = -1, omp_default_device = -5;  // the last one of gcc
  return device == number || device == omp_initial_device || device == omp_default_device;
}

// Copies a box of `dims` dimensions; the innermost row is contiguous.
void copy_box(char* to, const char* from, size_t element, int dims, const size_t* volume, const size_t* to_offset,
              const size_t* from_offset, const size_t* to_shape, const size_t* from_shape) noexcept {
  if (dims == 1) {
    memmove(to + to_offset[0] * element, from + from_offset[0] * element, volume[0] * element);
    return;
  }
  size_t to_row = element, from_row = element;
  for (int d = 1; d < dims; ++d) {
    to_row *= to_shape[d];
    from_row *= from_shape[d];
  }
  for (size_t i = 0; i < volume[0]; ++i)
    copy_box(to + (to_offset[0] + i) * to_row, from + (from_offset[0] + i) * from_row, element, dims - 1, volume + 1,
             to_offset + 1, from_offset + 1, to_shape + 1, from_shape + 1);
}

}  // namespace

extern "C" {

void* omp_target_alloc(size_t size, int device) { return is_host(device) ? malloc(size) : nullptr; }
void omp_target_free(void* pointer, int device) {
  if (is_host(device)) free(pointer);
}
int omp_target_is_present(const void* pointer, int device) { return pointer == nullptr || is_host(device); }
int omp_target_is_accessible(const void*, size_t, int device) { return is_host(device); }
void* omp_get_mapped_ptr(const void* pointer, int device) {
  return is_host(device) ? const_cast<void*>(pointer) : nullptr;
}

int omp_target_memcpy(void* to, const void* from, size_t length, size_t to_offset, size_t from_offset, int to_device,
                      int from_device) {
  if (!is_host(to_device) || !is_host(from_device)) return EINVAL;
  memmove(static_cast<char*>(to) + to_offset, static_cast<const char*>(from) + from_offset, length);
  return 0;
}

int omp_target_memcpy_rect(void* to, const void* from, size_t element, int dims, const size_t* volume,
                           const size_t* to_offset, const size_t* from_offset, const size_t* to_shape,
                           const size_t* from_shape, int to_device, int from_device) {
  if (to == nullptr && from == nullptr) return INT_MAX;  // how many dimensions are possible
  if (!is_host(to_device) || !is_host(from_device) || dims < 1 || element == 0 || volume == nullptr ||
      to_offset == nullptr || from_offset == nullptr || to_shape == nullptr || from_shape == nullptr)
    return EINVAL;
  copy_box(static_cast<char*>(to), static_cast<const char*>(from), element, dims, volume, to_offset, from_offset,
           to_shape, from_shape);
  return 0;
}

}  // extern "C"

namespace {

// A copy within the host's memory is done as soon as it may begin.
void wait_for(int count, void** objects) noexcept {
  if (count > 0 && objects != nullptr) wait_for_depend_objects(static_cast<size_t>(count), objects);
}

}  // namespace

extern "C" {

int omp_target_memcpy_async(void* to, const void* from, size_t length, size_t to_offset, size_t from_offset,
                            int to_device, int from_device, int count, void** objects) {
  wait_for(count, objects);
  return omp_target_memcpy(to, from, length, to_offset, from_offset, to_device, from_device);
}

int omp_target_memcpy_rect_async(void* to, const void* from, size_t element, int dims, const size_t* volume,
                                 const size_t* to_offset, const size_t* from_offset, const size_t* to_shape,
                                 const size_t* from_shape, int to_device, int from_device, int count, void** objects) {
  if (to != nullptr || from != nullptr) wait_for(count, objects);
  return omp_target_memcpy_rect(to, from, element, dims, volume, to_offset, from_offset, to_shape, from_shape,
                                to_device, from_device);
}

// Of another device than the host there is no memory: nothing is filled.
void* omp_target_memset(void* to, int value, size_t size, int device) {
  return is_host(device) ? memset(to, value, size) : to;
}
void* omp_target_memset_async(void* to, int value, size_t size, int device, int count, void** objects) {
  wait_for(count, objects);
  return omp_target_memset(to, value, size, device);
}

// The host's memory is present by itself; nothing can be associated with it.
int omp_target_associate_ptr(const void*, const void*, size_t, size_t, int) { return EINVAL; }
int omp_target_disassociate_ptr(const void*, int) { return EINVAL; }

}  // extern "C"
