#pragma once

/// The memory that all processes have at the same addresses. It is one file without a name, mapped by each:
///
///     base                    heap of process 0 | heap of process 1 | ... | stacks of process 0 | ...
///     elsewhere (modules.hpp) the writable data of the program and its libraries, each at its address

#include <cstddef>
#include <cstdint>

#include "amity/sys/stack.hpp"

namespace amity::nodes {

/// Process 0 decides, the others do the same.
struct memory_plan {
  std::uintptr_t base = 0;
  std::size_t heap = 0;    ///< bytes of each process
  std::size_t stacks = 0;  ///< bytes of each process
};

/// For process 0. Needs room for `count` processes in the address space.
[[nodiscard]] memory_plan plan_memory() noexcept;

/// Maps heaps and stacks; process 0 gives the file its length. Ends the process where it can't.
void map_memory(const memory_plan& plan) noexcept;

/// Where in the file the data of modules begin.
[[nodiscard]] std::size_t modules_offset() noexcept;

struct range {
  std::uintptr_t from = 0, to = 0;
  [[nodiscard]] bool contains(const void* p) const noexcept {
    return reinterpret_cast<std::uintptr_t>(p) - from < to - from;
  }
};
[[nodiscard]] const range& all_heaps() noexcept;
[[nodiscard]] const range& own_heap() noexcept;

/// As sys::map_stack and sys::unmap_stack, from the stacks of this process.
[[nodiscard]] sys::stack take_stack(std::size_t bytes) noexcept;
void give_stack_back(const sys::stack& s) noexcept;

}  // namespace amity::nodes
