#pragma once

/// MPI's own collective operations in place of ours, where MPI carries the messages and the table of algorithms says so
/// (method::mpi). For spans of the communicator of all processes alone: MPI wants all its operations in one order.
/// MPI begins one when all sites have agreed on it.

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

#include "amity/base/config.hpp"
#include "amity/coll/call.hpp"
#include "amity/coll/choice.hpp"
#include "amity/coll/communicator.hpp"
#include "amity/coll/mailbox.hpp"
#include "amity/coll/rules.hpp"
#include "amity/net/engine_collectives.hpp"

namespace amity::collectives::detail {

/// As which number MPI knows `E`; nothing: it does not.
template <class E>
[[nodiscard]] constexpr std::optional<net::number> number_of() noexcept {
  using net::number;
  if constexpr (std::is_same_v<E, float>) return number::f32;
  if constexpr (std::is_same_v<E, double>) return number::f64;
  if constexpr (std::integral<E> && !std::is_same_v<E, bool> && sizeof(E) <= 8) {
    constexpr number of_size[2][4] = {{number::u8, number::u16, number::u32, number::u64},
                                      {number::i8, number::i16, number::i32, number::i64}};
    constexpr int size = sizeof(E) == 1 ? 0 : sizeof(E) == 2 ? 1 : sizeof(E) == 4 ? 2 : 3;
    return of_size[std::is_signed_v<E>][size];
  }
  return {};
}

template <class Op, class E, template <class> class Standard>
inline constexpr bool is_standard = std::is_same_v<Op, Standard<void>> || std::is_same_v<Op, Standard<E>>;

/// As what MPI knows `Op`.
template <class Op, class E>
[[nodiscard]] constexpr std::optional<net::combination> combination_of() noexcept {
  using net::combination;
  if constexpr (is_standard<Op, E, std::plus>) return combination::sum;
  if constexpr (is_standard<Op, E, std::multiplies>) return combination::product;
  if constexpr (std::integral<E>) {
    if constexpr (is_standard<Op, E, std::bit_and>) return combination::bit_and;
    if constexpr (is_standard<Op, E, std::bit_or>) return combination::bit_or;
    if constexpr (is_standard<Op, E, std::bit_xor>) return combination::bit_xor;
  }
  return {};
}

/// Whether the table has MPI do it. `bytes` as of the table, `count` as of net::engine_call.
[[nodiscard]] AMITY_API bool is_for_mpi(const communicator& c, tuning::operation o, std::size_t bytes,
                                        std::size_t count) noexcept;

/// They have the same numbers in both.
[[nodiscard]] constexpr net::engine_operation engine_operation_of(tuning::operation o) noexcept {
  static_assert(static_cast<int>(net::engine_operation::broadcast) == static_cast<int>(tuning::operation::broadcast));
  static_assert(static_cast<int>(net::engine_operation::gather) == static_cast<int>(tuning::operation::gather));
  static_assert(static_cast<int>(net::engine_operation::all_to_all) == static_cast<int>(tuning::operation::all_to_all));
  return static_cast<net::engine_operation>(o);
}

/// What MPI is to do, or nothing.
using engine_wish = std::optional<net::engine_call>;

template <class E, class Op>
[[nodiscard]] engine_wish combined_by_mpi(const communicator& c, tuning::operation o, std::span<E> elements) noexcept {
  constexpr auto type = number_of<E>();
  constexpr auto op = combination_of<Op, E>();
  if constexpr (type.has_value() && op.has_value())
    if (is_for_mpi(c, o, elements.size_bytes(), elements.size())) {
      return net::engine_call{engine_operation_of(o), 0, *op, *type, nullptr, elements.data(), elements.size()};
    }
  return {};
}

/// `bytes`: from one site to another.
[[nodiscard]] inline engine_wish moved_by_mpi(const communicator& c, tuning::operation o, const void* from, void* to,
                                              std::size_t bytes) noexcept {
  if (!is_for_mpi(c, o, bytes, bytes)) return {};
  return net::engine_call{engine_operation_of(o), 0, {}, net::number::u8, from, to, bytes};
}

/// An operation that MPI is to do, from its call to its end (README-agreement.md, E1 to E5).
struct engine_turn;
/// Gives it up, if MPI has not begun it.
struct give_up_turn {
  AMITY_API void operator()(engine_turn* t) const noexcept;
};
using own_turn = std::unique_ptr<engine_turn, give_up_turn>;

/// Counts the operation, and has the sites agree on it, both in one order for all threads. Of a refused call the others
/// hear by that. The job does not end before it has gone.
[[nodiscard]] AMITY_API own_turn take_turn(const call& k, const net::engine_call& its) noexcept;
[[nodiscard]] AMITY_API std::uint64_t number_of(const engine_turn& turn) noexcept;

/// Waits for its end. Blocks the fiber. Where the sites don't agree on what the operation is, `problem` says so, and
/// MPI has not begun it.
AMITY_API void await_engine_turn(engine_turn& turn, const communicator::state& s, const intention& what,
                                 failure& problem) noexcept;

}  // namespace amity::collectives::detail
