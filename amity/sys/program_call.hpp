#pragma once

/// A system call in the program's stead, which a signal handler may keep from being made up to the last instruction.
///
///     long result = amity_program_call(&call, &count, before);
///
/// The call is made if `*count` is still `before`; else it comes to -EINTR. A handler that has moved the count on, and
/// has interrupted code between amity_program_call and amity_program_call_made, lets it go on there with -EINTR as its
/// result: what came between the look and the call is not lost. (As the kernel's restartable sequences, rseq(2).)

#include <cstdint>

#include "amity/sys/thread_activity.hpp"

extern "C" {
/// Returns what the kernel returns: a value >= 0, or -errno.
long amity_program_call(const amity::sys::kernel_call* call, const unsigned* count, unsigned before) noexcept;
extern const char amity_program_call_made[];  ///< the instruction behind the call
extern const char amity_program_call_end[];
}

namespace amity::sys {

/// Whether the address is in there.
[[nodiscard]] inline bool in_program_call(std::uintptr_t address) noexcept {
  return address >= reinterpret_cast<std::uintptr_t>(&amity_program_call) &&
         address < reinterpret_cast<std::uintptr_t>(amity_program_call_end);
}

/// Whether it is in front of the call.
[[nodiscard]] inline bool before_program_call(std::uintptr_t address) noexcept {
  return in_program_call(address) && address < reinterpret_cast<std::uintptr_t>(amity_program_call_made);
}

}  // namespace amity::sys
