#pragma once

/// What the task files of clang's ABI share: the compiler's task structure, and its way to ours.

#include <cstddef>
#include <cstdint>

#include "amity/omp/kmp/kmp.hpp"
#include "amity/omp/rt/depend.hpp"
#include "amity/omp/rt/task_run.hpp"

namespace amity::omp::kmp {

using task_entry = std::int32_t (*)(std::int32_t global_number, void* task);

/// The head of what __kmpc_omp_task_alloc returns. Behind it stand the bounds of a taskloop, then the private
/// variables.
struct task_words {
  void* shareds;
  task_entry routine;
  std::int32_t part;  ///< an untied task's next part
  union {
    std::int32_t priority;
    task_entry destructors;
  } first, second;  ///< destructors; priority
};
static_assert(offsetof(task_words, first) == 3 * sizeof(void*));  // task.cpp: destroy_arguments
static_assert(sizeof(task_words) == 40);

/// Bits of the flags of __kmpc_omp_task_alloc.
enum task_flags : std::int32_t {
  task_tied = 1 << 0,
  task_final = 1 << 1,
  task_merged_if0 = 1 << 2,
  task_destructors = 1 << 3,
  task_proxy = 1 << 4,
  task_priority = 1 << 5,
  task_detachable = 1 << 6,
};

struct depend_info {
  std::intptr_t address;
  std::size_t length;
  std::uint8_t flags;  ///< in 1, out 2, mutexinoutset 4, inoutset 8, omp_all_memory 0x80
};
static_assert(sizeof(depend_info) == 24);

inline explicit_task& from_words(void* words) noexcept { return *static_cast<explicit_task**>(words)[-1]; }
inline task_words& words_of(explicit_task& x) noexcept { return *static_cast<task_words*>(x.arguments); }

/// Bytes of the compiler's structure, and of the shared variables behind it.
struct task_sizes {
  std::size_t words;
  std::size_t shareds;
};

/// The task's memory: the structure, then room for the pointers to shared variables.
[[nodiscard]] explicit_task& make_task(thread& t, const birthplace& where, task_sizes sizes) noexcept;

/// What the priority clause says, cut to what is allowed. The compiler writes it into its structure after the
/// allocation.
[[nodiscard]] std::int32_t priority_of(explicit_task& x) noexcept;

/// Hands a task over that the compiler has filled in.
void start_task(thread& t, explicit_task& x) noexcept;

}  // namespace amity::omp::kmp
