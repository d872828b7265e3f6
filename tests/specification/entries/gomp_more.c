// section: 18
// compilers: gcc
//
// What gcc 12's own code calls too rarely, and what libgomps since then have (null where the library lacks it): memory,
// waits for dependences that do not wait, copies that do, and the device that is not there.
#include <errno.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#define LATER __attribute__((weak))
void *GOMP_alloc(size_t, size_t, uintptr_t), GOMP_free(void*, uintptr_t);
void GOMP_offload_register(const void*, int, const void*), GOMP_offload_unregister(const void*, int, const void*);
void GOMP_offload_register_ver(unsigned, const void*, int, const void*);
void GOMP_offload_unregister_ver(unsigned, const void*, int, const void*);
LATER void GOMP_taskwait_depend_nowait(void**);
LATER int omp_target_is_accessible(const void*, size_t, int);
LATER void* omp_get_mapped_ptr(const void*, int);
LATER int omp_target_memcpy_async(void*, const void*, size_t, size_t, size_t, int, int, int, omp_depend_t*);
LATER int omp_target_memcpy_rect_async(void*, const void*, size_t, int, const size_t*, const size_t*, const size_t*,
                                       const size_t*, const size_t*, int, int, int, omp_depend_t*);
LATER int omp_in_explicit_task(void);
LATER void GOMP_add_alloc(void*);
LATER _Bool GOMP_is_alloc(void*);
LATER void GOMP_interop(int, int, void***, const int*, const char**, int, void**, int, void***, unsigned, void**);
LATER void* GOMP_target_map_indirect_ptr(void*);
LATER const char* omp_get_uid_from_device(int);
LATER int omp_get_device_from_uid(const char*);
LATER void omp_get_uid_from_device_(const char**, size_t*, int32_t);
LATER int omp_get_device_from_uid_(const char*, size_t);
LATER void* omp_target_memset(void*, int, size_t, int);
LATER void* omp_target_memset_async(void*, int, size_t, int, int, omp_depend_t*);
LATER const char* omp_get_interop_str(const void*, int, int*);
LATER const char* omp_get_interop_rc_desc(const void*, int);

static void memory(void) {
  omp_alloctrait_t const traits[] = {
      {omp_atk_alignment, 256}, {omp_atk_pool_size, 4096}, {omp_atk_fallback, omp_atv_null_fb}};
  omp_allocator_handle_t const small = omp_init_allocator(omp_default_mem_space, 3, traits);
  int sum = 0;
  for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    char* const p = GOMP_alloc(alignment, 100, 0);
    CHECK(p != NULL && (uintptr_t)p % alignment == 0, "%p for an alignment of %zu", (void*)p, alignment);
    memset(p, 1, 100);
    GOMP_free(p, 0);
  }
  void* const p = GOMP_alloc(8, 512, small);
  SAME((uintptr_t)p % 256, 0);  // the allocator wants more than the variable
  GOMP_free(p, small);
  int mine[50];
#pragma omp parallel private(mine) reduction(+ : sum) allocate(allocator(small), align(128) : mine)
  {
    sum += (uintptr_t)mine % 128 != 0;
    for (int i = 0; i < 50; ++i) mine[i] = i;
    for (int i = 0; i < 50; ++i) sum += mine[i] - i;
  }
  SAME(sum, 0);
  omp_destroy_allocator(small);
}

// gcc 14's taskwait depend(inout: x) nowait: an empty task in front of those that depend on x.
static void wait_without_waiting(void) {
  if (GOMP_taskwait_depend_nowait == NULL) return;
  int x = 0, held = 1, order[3], at = 0, first_too_soon = 0;
#pragma omp parallel shared(x, held, order, at, first_too_soon)
#pragma omp single
  {
    int const others = omp_get_num_threads() > 1;
#pragma omp task depend(out : x) shared(held, order, at) if (others)
    {
      while (others && __atomic_load_n(&held, __ATOMIC_ACQUIRE)) {
#pragma omp taskyield
      }
      order[__atomic_fetch_add(&at, 1, __ATOMIC_RELAXED)] = 1;
    }
    void* depend[] = {(void*)0, (void*)1, (void*)1, (void*)0, (void*)0, &x};
    GOMP_taskwait_depend_nowait(depend);
    first_too_soon = others && at != 0;  // it must not have waited
#pragma omp task depend(in : x) shared(order, at)
    order[__atomic_fetch_add(&at, 1, __ATOMIC_RELAXED)] = 2;
    __atomic_store_n(&held, 0, __ATOMIC_RELEASE);
  }
  SAME(first_too_soon, 0);
  SAME(at, 2);
  SAME(order[0], 1);
  SAME(order[1], 2);
}

static void copies(void) {
  enum { n = 64 };
  static int from[n], to[n];
  int const host = omp_get_initial_device();
  SAME(omp_target_associate_ptr(from, to, sizeof from, 0, host), EINVAL);
  SAME(omp_target_disassociate_ptr(from, host), EINVAL);
  if (omp_target_is_accessible != NULL) {
    SAME(omp_target_is_accessible(from, sizeof from, host), 1);
    SAME(omp_target_is_accessible(from, sizeof from, host + 1), 0);
    SAME(omp_get_mapped_ptr(from, host) == from, 1);
    SAME(omp_get_mapped_ptr(from, host + 1) == NULL, 1);
  }
  if (omp_target_memcpy_async == NULL) return;
  size_t const volume[2] = {4, 3}, to_at[2] = {2, 1}, from_at[2] = {1, 2}, shape[2] = {8, 8};
  int wrong = 0;
#pragma omp parallel shared(wrong)
#pragma omp single
  {
    omp_depend_t objects[2];
#pragma omp depobj(objects[0]) depend(in : from)
#pragma omp depobj(objects[1]) depend(inout : to)
#pragma omp task depend(out : from)
    for (int i = 0; i < n; ++i) from[i] = i + 1;
#pragma omp task depend(out : to)
    for (int i = 0; i < n; ++i) to[i] = 0;
    wrong += omp_target_memcpy_async(to, from, 8 * sizeof *to, 0, 8 * sizeof *to, host, host, 2, objects);
#pragma omp taskwait
    for (int i = 0; i < n; ++i) wrong += to[i] != (i < 8 ? i + 9 : 0);
#pragma omp task depend(out : from)
    for (int i = 0; i < n; ++i) from[i] = 100 + i;
    wrong += omp_target_memcpy_rect_async(to, from, sizeof *to, 2, volume, to_at, from_at, shape, shape, host, host, 2,
                                          objects);
#pragma omp taskwait
    for (int i = 2; i < 6; ++i)
      for (int j = 1; j < 4; ++j) wrong += to[i * 8 + j] != 100 + (i - 1) * 8 + j + 1;
#pragma omp depobj(objects[0]) destroy
#pragma omp depobj(objects[1]) destroy
  }
  SAME(wrong, 0);
  CHECK(omp_target_memcpy_rect_async(NULL, NULL, 1, 0, NULL, NULL, NULL, NULL, NULL, host, host, 0, NULL) >= 3,
        "dimensions");
}

// gcc 14 to 16: variables of gfortran's that allocators gave, the host's name, and objects that it doesn't have.
static void later(void) {
  if (GOMP_add_alloc == NULL || omp_target_memset == NULL) return;
  enum { pinned = 200, managed = 201, unknown = 300 };
  for (int handle = pinned; handle <= unknown; ++handle) {
    char* const p = omp_alloc(64, (omp_allocator_handle_t)handle);
    if (p == NULL && handle == pinned) continue;  // the system may lock no more pages
    CHECK(p != NULL, "no memory by the allocator %d", handle);
    memset(p, 1, 64);
    omp_free(p, (omp_allocator_handle_t)handle);
  }
  omp_destroy_allocator((omp_allocator_handle_t)managed);
  int some[100];
#pragma omp parallel for
  for (int i = 0; i < 100; ++i) GOMP_add_alloc(&some[i]);
  GOMP_add_alloc(NULL);
  SAME(GOMP_is_alloc(NULL), 0);
  int known = 0;
#pragma omp parallel for reduction(+ : known)
  for (int i = 0; i < 200; ++i) known += GOMP_is_alloc(&some[i % 100]);
  SAME(known, 100);

  int const host = omp_get_initial_device();
  SAME(omp_get_device_from_uid(omp_get_uid_from_device(host)), -1);
  SAME(omp_get_uid_from_device(host + 1) == NULL, 1);
  SAME(omp_get_device_from_uid("another"), -4);
  const char* name = NULL;
  size_t length = 0;
  omp_get_uid_from_device_(&name, &length, -1);
  SAME(length, strlen(omp_get_uid_from_device(-1)));
  SAME(omp_get_device_from_uid_(name, length), -1);
  SAME(omp_get_device_from_uid_(name, length - 1), -4);

  char bytes[8] = {0};
  SAME(omp_target_memset(bytes, 7, 4, host) == bytes, 1);
  SAME(omp_target_memset_async(bytes + 4, 8, 2, host, 0, NULL) == bytes + 4, 1);
  SAME(memcmp(bytes, "\7\7\7\7\10\10\0", 8), 0);

  void *made = bytes, **make[] = {&made}, *gone = bytes, **destroy[] = {&gone};
  int const wanted[] = {1};
  GOMP_interop(host, 1, make, wanted, NULL, 0, NULL, 1, destroy, 0, NULL);
  SAME(made == NULL && gone == NULL, 1);
  int code = 0;
  SAME(omp_get_interop_str(made, -4, &code) == NULL, 1);
  SAME(code, -1);
  SAME(omp_get_interop_str(made, -10, &code) == NULL, 1);
  SAME(code, -2);
  SAME(omp_get_interop_rc_desc(made, -2) != NULL && omp_get_interop_rc_desc(made, 2) == NULL, 1);
  SAME(GOMP_target_map_indirect_ptr(bytes) == bytes, 1);
}

// Copies are tasks: the thread that asks for them may satisfy their dependences afterwards, and its arrays may be gone
// by then.
static void copies_later(void) {
  if (omp_target_memcpy_async == NULL) return;
  int const host = omp_get_initial_device();
  int gate = 0, from[4] = {1, 2, 3, 4}, to[4] = {0}, box[4] = {0};
#pragma omp parallel
#pragma omp single
  {
    omp_depend_t object;
    omp_event_handle_t event;
#pragma omp depobj(object) depend(in : gate)
#pragma omp task detach(event) depend(out : gate) shared(gate, from)
    from[0] = 5;
    omp_target_memcpy_async(to, from, sizeof to, 0, 0, host, host, 1, &object);
    {
      size_t volume[2] = {1, 2}, at[2] = {1, 0}, shape[2] = {2, 2};
      omp_target_memcpy_rect_async(box, from, sizeof *box, 2, volume, at, at, shape, shape, host, host, 1, &object);
      memset(volume, 0, sizeof volume);
      memset(shape, 0, sizeof shape);
    }
    SAME(to[1], 0);
    omp_fulfill_event(event);
#pragma omp taskwait
#pragma omp depobj(object) destroy
  }
  SAME(to[0], 5);
  SAME(to[3], 4);
  SAME(box[0], 0);
  SAME(box[2], 3);
  SAME(box[3], 4);
}

// Code for a device of a kind that is not there.
static void device_code(void) {
  static void* table[4];
  static char image[16];
  enum { nvptx = 5, version = 1 << 16 };
  void* const host_table[] = {table, table, table, table};
  GOMP_offload_register_ver(version, host_table, nvptx, image);
  GOMP_offload_unregister_ver(version, host_table, nvptx, image);
  GOMP_offload_register(host_table, nvptx, image);
  GOMP_offload_unregister(host_table, nvptx, image);
  SAME(omp_get_num_devices(), 0);
}

int main(void) {
  memory();
  wait_without_waiting();
  copies();
  copies_later();
  later();
  device_code();
  return finish();
}
