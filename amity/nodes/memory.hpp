#pragma once

/// The memory that all processes have at the same addresses:
///
///     base                    heap of process 0 | heap of process 1 | ... | stacks of process 0 | ...
///     elsewhere (modules.hpp) the writable data of the program and its libraries, each at its address
///
/// There are two ways to have it. *Shared*: all map one file without a name, on one machine. *Pages*: each has a file
/// of its own, and pages go from one to another (amity/dsm). job::memory says which.

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

/// Pages: makes the thread that hands them out. Before any other memory of the program is touched.
void prepare_memory() noexcept;

/// Maps heaps and stacks. Ends the process where it can't.
void map_memory(const memory_plan& plan) noexcept;

/// Puts shared memory in the place of [from, to), with the contents that process 0 has there. All processes do so for
/// the same places in the same order.
void share_in_place(std::uintptr_t from, std::uintptr_t to) noexcept;

/// Pages: from here on those that are elsewhere come when they are used. Once, when all is mapped.
void begin_pages() noexcept;

/// The contents of whole pages are not needed any more; where nobody else has them they go back to the system. Whether
/// all of them are zero now.
bool forget(std::uintptr_t from, std::size_t bytes) noexcept;

/// Memory that all have, with which the kernel compares and on which it sleeps, is one thing in all processes: a thread
/// that waits by futex(2) is woken by one elsewhere.
[[nodiscard]] bool kernel_knows_it_as_one() noexcept;

/// Threads of this process will soon use this memory, to read or also to write: its pages begin to come. A hint.
void will_use(std::uintptr_t from, std::size_t bytes, bool writes) noexcept;

/// A thread of this process waits for a page, just now.
[[nodiscard]] bool waits_for_pages() noexcept;

/// All processes have what is at `p`.
[[nodiscard]] bool all_have(const void* p) noexcept;

/// How long threads of this process have waited for pages, in nanoseconds; and how often the calling OS thread has.
[[nodiscard]] std::uint64_t waited_by_process() noexcept;
[[nodiscard]] std::uint64_t waits_of_thread() noexcept;

/// What pages have cost this process so far; all 0 where memory is shared.
struct page_traffic {
  unsigned long long faults = 0;  ///< for which it had to ask
  unsigned long long messages = 0, contents = 0;
};
[[nodiscard]] page_traffic traffic_of_pages() noexcept;

/// --stats: the same, in words; nothing where it is shared.
void print_page_figures() noexcept;

struct range {
  std::uintptr_t from = 0, to = 0;
  [[nodiscard]] bool contains(const void* p) const noexcept {
    return reinterpret_cast<std::uintptr_t>(p) - from < to - from;
  }
};
[[nodiscard]] const range& all_heaps() noexcept;
[[nodiscard]] const range& own_heap() noexcept;
[[nodiscard]] range heap_of(int process) noexcept;
[[nodiscard]] range stacks_of(int process) noexcept;

/// Pages, by the pager: what this process has of the word at `address`, without a fault; null: it is none of all.
[[nodiscard]] const void* as_the_pager_sees(std::uintptr_t address) noexcept;

/// As sys::map_stack and sys::unmap_stack, from the stacks of this process.
[[nodiscard]] sys::stack take_stack(std::size_t bytes) noexcept;
void give_stack_back(const sys::stack& s) noexcept;

}  // namespace amity::nodes
