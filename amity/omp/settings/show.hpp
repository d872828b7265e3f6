// Settings as text, in the form in which the environment would have them.
#pragma once

#include <cstddef>

#include "amity/omp/settings/settings.hpp"

namespace amity::omp::show {

// Writes at most `size` bytes, the terminating zero included.
[[gnu::format(printf, 3, 4)]] void print(char* into, std::size_t size, const char* format, ...) noexcept;

[[nodiscard]] const char* name_of(bool value) noexcept;  // "TRUE", "FALSE"
[[nodiscard]] const char* name_of(proc_bind value) noexcept;
[[nodiscard]] const char* name_of(offload value) noexcept;
void text(const char* value, char* into, std::size_t size) noexcept;  // what is not printable as \xHH
// By clang's programs; false where that cannot be told.
[[nodiscard]] bool is_loaded_as_libomp() noexcept;
void schedule_text(const schedule& value, char* into, std::size_t size) noexcept;
void bytes(std::size_t value, char* into, std::size_t size) noexcept;  // 8388608 -> "8M"
void num_threads(const settings& s, char* into, std::size_t size) noexcept;
void bind_list(const settings& s, char* into, std::size_t size) noexcept;
void places(const settings& s, char* into, std::size_t size) noexcept;  // "{0,1},{2,3}"
void allocator(const allocator_setting& value, char* into, std::size_t size) noexcept;
void duration(std::uint64_t microseconds, char* into, std::size_t size) noexcept;  // "200ms"

}  // namespace amity::omp::show
