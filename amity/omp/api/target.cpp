// omp_target_*: memory of devices, of which the host is the only one.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <cstddef>
#include <new>

#include "amity/omp/api/depend_object.hpp"
#include "amity/omp/rt/host_device.hpp"

using amity::omp::is_host_or_end;
using amity::omp::run_after_depend_objects;
using std::size_t;

namespace {

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

bool is_box(size_t element, int dims, const size_t* volume, const size_t* to_offset, const size_t* from_offset,
            const size_t* to_shape, const size_t* from_shape, int to_device, int from_device) noexcept {
  return is_host_or_end(to_device) && is_host_or_end(from_device) && dims >= 1 && element != 0 && volume != nullptr &&
         to_offset != nullptr && from_offset != nullptr && to_shape != nullptr && from_shape != nullptr;
}

}  // namespace

extern "C" {

void* omp_target_alloc(size_t size, int device) { return is_host_or_end(device) ? malloc(size) : nullptr; }
void omp_target_free(void* pointer, int device) {
  if (is_host_or_end(device)) free(pointer);
}
int omp_target_is_present(const void* pointer, int device) { return is_host_or_end(device) && pointer != nullptr; }
int omp_target_is_accessible(const void*, size_t, int device) { return is_host_or_end(device); }  // null, too: libgomp
void* omp_get_mapped_ptr(const void* pointer, int device) {
  return is_host_or_end(device) ? const_cast<void*>(pointer) : nullptr;
}

int omp_target_memcpy(void* to, const void* from, size_t length, size_t to_offset, size_t from_offset, int to_device,
                      int from_device) {
  if (!is_host_or_end(to_device) || !is_host_or_end(from_device)) return EINVAL;
  memmove(static_cast<char*>(to) + to_offset, static_cast<const char*>(from) + from_offset, length);
  return 0;
}

int omp_target_memcpy_rect(void* to, const void* from, size_t element, int dims, const size_t* volume,
                           const size_t* to_offset, const size_t* from_offset, const size_t* to_shape,
                           const size_t* from_shape, int to_device, int from_device) {
  if (to == nullptr && from == nullptr) return INT_MAX;  // how many dimensions are possible
  if (!is_box(element, dims, volume, to_offset, from_offset, to_shape, from_shape, to_device, from_device))
    return EINVAL;
  copy_box(static_cast<char*>(to), static_cast<const char*>(from), element, dims, volume, to_offset, from_offset,
           to_shape, from_shape);
  return 0;
}

}  // extern "C"

namespace {

// What the routines with a list of dependences do when these are satisfied: each a task of its own, as a copy to
// another device would be.
struct copy_request {
  void* to;
  const void* from;
  size_t length, to_offset, from_offset;
  void operator()() const {
    memmove(static_cast<char*>(to) + to_offset, static_cast<const char*>(from) + from_offset, length);
  }
};

struct fill_request {
  void* to;
  int value;
  size_t size;
  void operator()() const { memset(to, value, size); }
};

// The caller's arrays may be gone by then: they follow, one after the other.
struct box_request {
  void* to;
  const void* from;
  size_t element;
  size_t dims;
  void operator()() const {
    auto* const array = reinterpret_cast<const size_t*>(this + 1);
    copy_box(static_cast<char*>(to), static_cast<const char*>(from), element, static_cast<int>(dims), array,
             array + dims, array + 2 * dims, array + 3 * dims, array + 4 * dims);
  }
};

template <class Request>
void carry_out(void* request) {
  (*static_cast<const Request*>(request))();
}

template <class Request>
void carry_out_after(int count, void** objects, Request& request, size_t bytes = sizeof(Request)) noexcept {
  run_after_depend_objects(count > 0 ? static_cast<size_t>(count) : 0, objects, carry_out<Request>, &request, bytes);
}

}  // namespace

extern "C" {

int omp_target_memcpy_async(void* to, const void* from, size_t length, size_t to_offset, size_t from_offset,
                            int to_device, int from_device, int count, void** objects) {
  if (!is_host_or_end(to_device) || !is_host_or_end(from_device)) return EINVAL;
  copy_request request{to, from, length, to_offset, from_offset};
  carry_out_after(count, objects, request);
  return 0;
}

int omp_target_memcpy_rect_async(void* to, const void* from, size_t element, int dims, const size_t* volume,
                                 const size_t* to_offset, const size_t* from_offset, const size_t* to_shape,
                                 const size_t* from_shape, int to_device, int from_device, int count, void** objects) {
  if (to == nullptr && from == nullptr) return INT_MAX;  // how many dimensions are possible
  if (!is_box(element, dims, volume, to_offset, from_offset, to_shape, from_shape, to_device, from_device))
    return EINVAL;
  auto const n = static_cast<size_t>(dims);
  size_t const bytes = sizeof(box_request) + 5 * n * sizeof(size_t);
  void* const memory = malloc(bytes);
  if (memory == nullptr) return ENOMEM;
  auto* const request = new (memory) box_request{to, from, element, n};
  auto* array = reinterpret_cast<size_t*>(request + 1);
  const size_t* const arrays[] = {volume, to_offset, from_offset, to_shape, from_shape};
  for (const size_t* each : arrays) array = static_cast<size_t*>(mempcpy(array, each, n * sizeof(size_t)));
  carry_out_after(count, objects, *request, bytes);
  free(memory);
  return 0;
}

// Of another device than the host there is no memory: nothing is filled.
void* omp_target_memset(void* to, int value, size_t size, int device) {
  return is_host_or_end(device) ? memset(to, value, size) : to;
}
void* omp_target_memset_async(void* to, int value, size_t size, int device, int count, void** objects) {
  fill_request request{to, value, size};
  if (is_host_or_end(device)) carry_out_after(count, objects, request);
  return to;
}

// The host's memory is present by itself; nothing can be associated with it.
int omp_target_associate_ptr(const void*, const void*, size_t, size_t, int) { return EINVAL; }
int omp_target_disassociate_ptr(const void*, int) { return EINVAL; }

}  // extern "C"
