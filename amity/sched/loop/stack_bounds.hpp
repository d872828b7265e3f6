#pragma once

/// Where a fiber's stack lies, for those who nest work on it as long as there is room.
///
///     if (base::stack_pointer() > stack_of(*self()).last(2)) run_in_place(work);

#include <cstddef>

#include "amity/base/config.hpp"
#include "amity/base/stack_pointer.hpp"

namespace amity::sched {

struct fiber;

struct stack_bounds {
  const std::byte* low = nullptr;
  const std::byte* high = nullptr;

  /// Where one `n`th of it is left.
  [[nodiscard]] const std::byte* last(std::ptrdiff_t n) const noexcept { return low + (high - low) / n; }
  /// The caller runs on this stack.
  [[nodiscard]] bool is_here() const noexcept {
    const std::byte* const here = base::stack_pointer();
    return low <= here && here < high;
  }
};

/// Requires: `f` is a shell's, or the caller's. Of a thread of the program's the C library is asked, which may read a
/// file: keep the answer. Where it does not know, low and high are null.
[[nodiscard]] AMITY_API stack_bounds stack_of(const fiber& f) noexcept;

}  // namespace amity::sched
