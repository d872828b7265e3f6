#pragma once

/// Collective operations that the engine has itself, as MPI does (AMITY_NET=mpi). Those of all ranks together.
///
///     if (net::engine_has_collectives()) {
///       void* const request = net::begin_engine_call(call);      // on all ranks in the same order
///       while (!net::engine_call_is_over(request)) wait a moment;

#include <cstddef>
#include <cstdint>

#include "amity/base/config.hpp"

namespace amity::net {

enum class engine_operation : std::uint8_t { broadcast, reduce, all_reduce, gather, scatter, all_gather, all_to_all };
enum class combination : std::uint8_t { sum, product, bit_and, bit_or, bit_xor, minimum };
enum class number : std::uint8_t { i8, i16, i32, i64, u8, u16, u32, u64, f32, f64 };

struct engine_call {
  engine_operation what = engine_operation::broadcast;
  int root = 0;
  combination op = combination::sum;  ///< of what combines; that is done in place, at `to`
  number type = number::u8;           ///< the same
  const void* from = nullptr;         ///< of what moves; may be the place in `to` where its copy would be
  void* to = nullptr;
  std::size_t count = 0;  ///< of numbers; of what moves: bytes that go from one rank to another
};

/// What the engine counts in; more in one call is not for it.
inline constexpr std::size_t most_of_engine_call = 0x7fffffff;

/// Only of a process that has joined its job.
[[nodiscard]] AMITY_API bool engine_has_collectives() noexcept;
/// Begins it. The memory stays as it is until it is over. If the engine refuses, the job ends.
[[nodiscard]] AMITY_API void* begin_engine_call(const engine_call& c) noexcept;
/// Does not block. True: it is, and the request has gone.
[[nodiscard]] AMITY_API bool engine_call_is_over(void* request) noexcept;

}  // namespace amity::net
