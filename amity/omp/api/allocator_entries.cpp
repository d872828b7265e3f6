// Allocators as C, Fortran, gcc's and clang's code call them.
#include <cstddef>
#include <cstdint>

#include "amity/omp/api/allocator.hpp"
#include "amity/omp/api/fortran.hpp"

using namespace amity::omp;
using namespace amity::omp::fortran;
using std::size_t;
using std::uintptr_t;

extern "C" {

allocator_handle omp_init_allocator(uintptr_t space, int traits, const alloc_trait* trait) {
  return make_allocator(space, traits, trait);
}
allocator_handle omp_init_allocator_(const uintptr_t* space, const int4* traits, const alloc_trait* trait) {
  return make_allocator(*space, *traits, trait);
}
allocator_handle omp_init_allocator_8_(const uintptr_t* space, const int8* traits, const alloc_trait* trait) {
  return make_allocator(*space, narrow(traits), trait);
}
void omp_destroy_allocator(allocator_handle handle) { destroy_allocator(handle); }
void omp_destroy_allocator_(const allocator_handle* handle) { destroy_allocator(*handle); }
void omp_set_default_allocator(allocator_handle handle) { set_default_allocator(handle); }
void omp_set_default_allocator_(const allocator_handle* handle) { set_default_allocator(*handle); }
allocator_handle omp_get_default_allocator() { return get_default_allocator(); }
allocator_handle omp_get_default_allocator_() { return get_default_allocator(); }

void* omp_alloc(size_t size, allocator_handle handle) { return allocate(1, size, handle, false); }
void* omp_aligned_alloc(size_t alignment, size_t size, allocator_handle handle) {
  return allocate(alignment, size, handle, false);
}
void* omp_calloc(size_t count, size_t size, allocator_handle handle) { return allocate_array(1, count, size, handle); }
void* omp_aligned_calloc(size_t alignment, size_t count, size_t size, allocator_handle handle) {
  return allocate_array(alignment, count, size, handle);
}
void* omp_realloc(void* pointer, size_t size, allocator_handle handle, allocator_handle freeing) {
  return reallocate(pointer, size, handle, freeing);
}
void omp_free(void* pointer, allocator_handle) { deallocate(pointer); }

// The allocate directive and clause.
void* GOMP_alloc(size_t alignment, size_t size, allocator_handle handle) {
  return allocate(alignment == 0 ? 1 : alignment, size, handle, false);
}
void GOMP_free(void* pointer, allocator_handle) { deallocate(pointer); }

void* __kmpc_alloc(int, size_t size, allocator_handle handle) { return allocate(1, size, handle, false); }
void* __kmpc_aligned_alloc(int, size_t alignment, size_t size, allocator_handle handle) {
  return allocate(alignment == 0 ? 1 : alignment, size, handle, false);
}
void* __kmpc_calloc(int, size_t count, size_t size, allocator_handle handle) {
  return allocate_array(1, count, size, handle);
}
void* __kmpc_realloc(int, void* pointer, size_t size, allocator_handle handle, allocator_handle freeing) {
  return reallocate(pointer, size, handle, freeing);
}
void __kmpc_free(int, void* pointer, allocator_handle) { deallocate(pointer); }
allocator_handle __kmpc_init_allocator(int, uintptr_t space, int traits, const alloc_trait* trait) {
  return make_allocator(space, traits, trait);
}
void __kmpc_destroy_allocator(int, allocator_handle handle) { destroy_allocator(handle); }
void __kmpc_set_default_allocator(int, allocator_handle handle) { set_default_allocator(handle); }
allocator_handle __kmpc_get_default_allocator(int) { return get_default_allocator(); }

// libomp has the predefined handles as data, too.
extern const uintptr_t omp_null_allocator, omp_default_mem_alloc, omp_large_cap_mem_alloc, omp_const_mem_alloc,
    omp_high_bw_mem_alloc, omp_low_lat_mem_alloc, omp_cgroup_mem_alloc, omp_pteam_mem_alloc, omp_thread_mem_alloc,
    omp_null_mem_space, omp_default_mem_space, omp_large_cap_mem_space, omp_const_mem_space, omp_high_bw_mem_space,
    omp_low_lat_mem_space;
const uintptr_t omp_null_allocator = 0;
const uintptr_t omp_default_mem_alloc = 1;
const uintptr_t omp_large_cap_mem_alloc = 2;
const uintptr_t omp_const_mem_alloc = 3;
const uintptr_t omp_high_bw_mem_alloc = 4;
const uintptr_t omp_low_lat_mem_alloc = 5;
const uintptr_t omp_cgroup_mem_alloc = 6;
const uintptr_t omp_pteam_mem_alloc = 7;
const uintptr_t omp_thread_mem_alloc = 8;
const uintptr_t omp_null_mem_space = 0;
const uintptr_t omp_default_mem_space = 0;
const uintptr_t omp_large_cap_mem_space = 1;
const uintptr_t omp_const_mem_space = 2;
const uintptr_t omp_high_bw_mem_space = 3;
const uintptr_t omp_low_lat_mem_space = 4;

}  // extern "C"
