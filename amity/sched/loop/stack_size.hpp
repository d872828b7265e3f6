#pragma once

#include <cstddef>

#include "amity/base/config.hpp"

namespace amity::sched {

/// Bytes of "64M", "512 k", "100000", the last being kilobytes, as OpenMP has it; 0: it is no size. "0" is 0 as well.
[[nodiscard]] std::size_t read_stack_size(const char* text, bool* is_one) noexcept;

/// Bytes of a fiber's stack where nobody has said otherwise: by AMITY_STACKSIZE or OMP_STACKSIZE, or as the kernel
/// gives a thread. For programs that don't use OpenMP: its settings know these variables and more, and say what is
/// wrong.
[[nodiscard]] std::size_t default_stack_size() noexcept;
/// As the kernel gives a thread: 8 MiB, or the soft limit.
[[nodiscard]] AMITY_API std::size_t stack_size_of_the_kernel() noexcept;

}  // namespace amity::sched
