// Memory by OpenMP's allocators: predefined ones and those made of a memory space with traits. All spaces are the
// host's ordinary memory; what an allocator adds is alignment, a limit on how much it gives out, and what happens
// beyond that.
#pragma once

#include <cstddef>
#include <cstdint>

namespace amity::omp {

using allocator_handle = std::uintptr_t;
inline constexpr allocator_handle null_allocator = 0;

struct alloc_trait {  // omp_alloctrait_t of both headers
  int key;
  std::uintptr_t value;
};

/// One of the predefined ones, by the number of either header. 0, the default one in gcc's, is none: in clang's it is
/// the null handle, and only that has routines that ask.
[[nodiscard]] bool is_memory_space(std::uintptr_t space) noexcept;
[[nodiscard]] allocator_handle make_allocator(std::uintptr_t space, int traits, const alloc_trait* trait) noexcept;
void destroy_allocator(allocator_handle handle) noexcept;
void set_default_allocator(allocator_handle handle) noexcept;
[[nodiscard]] allocator_handle get_default_allocator() noexcept;

// `handle` null: the default allocator. Null when there is no memory, `size` is 0 or `alignment` is no power of two.
[[nodiscard]] void* allocate(std::size_t alignment, std::size_t size, allocator_handle handle, bool zeroed) noexcept;
[[nodiscard]] void* allocate_array(std::size_t alignment, std::size_t count, std::size_t size,
                                   allocator_handle handle) noexcept;
[[nodiscard]] void* reallocate(void* pointer, std::size_t size, allocator_handle handle,
                               allocator_handle freeing) noexcept;
void deallocate(void* pointer) noexcept;

}  // namespace amity::omp
