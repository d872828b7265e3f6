#pragma once

#include <cstddef>
#include <cstdint>

#include "amity/sched/profile/rows.hpp"

namespace amity::sched::profile {

/// A return address leads behind the call, perhaps to the next line: so much before it is the call.
inline constexpr std::uintptr_t into_call = 1;

/// An address that is in the row's line, or in its function.
[[nodiscard]] inline std::uintptr_t address_in(const void* code, construct what) noexcept {
  return reinterpret_cast<std::uintptr_t>(code) - (is_at_function(what) ? 0 : into_call);
}

/// Where an address of the code lies: in which file, and where that file's address 0 is in memory. False: in none.
/// `path`: of at most `size` bytes. The loader's lock is held for a moment only, so an event may ask while another
/// thread loads a library, whose constructors wait for the event.
[[nodiscard]] bool find_place(const void* code, char* path, std::size_t size, std::uintptr_t& begin) noexcept;

}  // namespace amity::sched::profile
