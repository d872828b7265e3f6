#pragma once

/// Names for functions that mean the same in all processes of a job, which run the same program.
///
///     inline void greet(incoming& m) noexcept;
///     send(rank, code_of<greet>(), ...);
///
/// A code is made of a mark of the program or library that has the function, by its build, and of the function's place
/// in it. So nothing has to be agreed on, wherever the loader has put it. A code that comes in a message is only
/// believed if this process has the very function, registered when the program or the library was loaded.

#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/base/language.hpp"

namespace amity::net {

struct arrival;

/// Takes a message, within a poll: it is bounded, never parks, and runs no code of the user's.
using handler = void (*)(arrival&) noexcept;

/// Gives `h` its code; the same each time.
AMITY_API std::uint64_t register_handler(handler h) noexcept;

/// The function that has this code; null: none here.
[[nodiscard]] handler handler_of(std::uint64_t code) noexcept;

/// The place of any function or object of a loaded program or library, by its build; 0: it is in none.
[[nodiscard]] AMITY_API std::uint64_t place_in_program(const void* address) noexcept;
/// What is at that place here. Null: nothing, or, for a `function`, no code.
[[nodiscard]] AMITY_API const void* address_in_program(std::uint64_t place, bool function) noexcept;

/// A mark of the program's build: that of its build id, or of its code where it has none.
[[nodiscard]] std::uint32_t mark_of_program() noexcept;

namespace detail {
template <handler H>
struct registered {
  static inline const std::uint64_t code = register_handler(H);
};
}  // namespace detail

template <handler H>
[[nodiscard]] std::uint64_t code_of() noexcept {
  // Static objects of other files may ask before theirs are made.
  std::uint64_t const code = detail::registered<H>::code;
  return code != 0 ? code : register_handler(H);
}

}  // namespace amity::net
