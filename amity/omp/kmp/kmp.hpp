#pragma once

/// What the files of clang's ABI share: the types that its code passes.

#include <cstdint>

#include "amity/omp/rt/thread.hpp"

namespace amity::omp::kmp {

/// Describes a place in the source; made by the compiler, never changed here.
struct ident {
  std::int32_t reserved_1;
  std::int32_t flags;
  std::int32_t reserved_2;
  std::int32_t reserved_3;
  const char* source;  ///< ";file;function;line;column;;"
};

/// ident::flags: the compiler also emitted a reduction by atomic operations.
inline constexpr std::int32_t ident_atomic_reduce = 0x10;

using microtask = void (*)(std::int32_t* global_number, std::int32_t* number, ...);

/// Schedules as clang passes them. Ordered ones are 32 higher; `nonmonotonic` and `monotonic` are flags beside them.
enum schedule_code : std::int32_t {
  static_chunked = 33,
  static_block = 34,
  dynamic_chunked = 35,
  guided_chunked = 36,
  runtime_ = 37,
  automatic_ = 38,
  static_balanced_chunked = 45,  ///< 45 to 47: schedule(simd: ...)
  guided_simd = 46,
  runtime_simd = 47,
  ordered_offset = 32,
  ordered_first = 65,
  ordered_last = 70,
  distribute_chunked = 91,
  distribute_block = 92,
  nomerge_offset = 128,  ///< the same again, 161 and up: "do not merge with another loop"
  nomerge_first = 160,
};
inline constexpr std::int32_t schedule_monotonic = 1 << 29;
inline constexpr std::int32_t schedule_nonmonotonic = 1 << 30;

}  // namespace amity::omp::kmp

extern "C" {
/// Calls `code(global_number, number, arguments[0], ..., arguments[count - 1])`: clang passes each captured variable on
/// its own. `exit_frame`: where to put the frame that calls `code`; null: nobody wants to know.
void amity_invoke_microtask(amity::omp::kmp::microtask code, std::int32_t* global_number, std::int32_t* number,
                            std::int64_t count, void** arguments, void** exit_frame) noexcept;
}
