#pragma once

/// What a site takes an operation for. Each message of an operation carries its sender's intention: all sites of one
/// operation must have the same, or they would run different algorithms against one another.

#include <string.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "amity/base/config.hpp"
#include "amity/base/language.hpp"

namespace amity::collectives::detail {

enum class kind : std::uint8_t {
  barrier = 1,
  broadcast,
  reduce,
  scatter,
  gather,
  all_reduce,
  all_gather,
  all_to_all,
  inclusive_scan,
  exclusive_scan,
  reduce_scatter,
  split
};

/// What it is about.
enum class form : std::uint8_t {
  nothing,
  value,    ///< objects, which are serialised where they don't go as bytes
  span,     ///< elements where they lie, equally many at all sites
  counted,  ///< the same, each site with a number of its own: the forms that end in _v
};

/// Of types that go as bytes: an int and a float are equally long.
enum class type_class : std::uint8_t { other, whole_number, floating };

template <class T>
[[nodiscard]] constexpr type_class class_of() noexcept {
  if constexpr (std::is_floating_point_v<T>)
    return type_class::floating;
  else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
    return type_class::whole_number;
  else
    return type_class::other;
}

struct intention {
  kind what : 5 = kind{};  ///< 0: it has none yet
  form about : 3 = form::nothing;
  type_class type : 2 = type_class::other;
  std::uint32_t by_engine : 1 = 0;  ///< MPI does it
  std::uint32_t unordered : 1 =
      0;                         ///< sites may be numbered anew, since operands may change places (where that matters)
  std::uint32_t rules : 20 = 0;  ///< which table of algorithms it goes by (rules.hpp)
  std::int32_t root = 0;
  std::uint64_t bytes = 0;    ///< of spans, 1 more than their length; of counts that all give, a mark of them; else 0
  std::uint32_t element = 0;  ///< the size of a value or an element that goes as bytes; 0: it is serialised
  std::int32_t arity = 0;     ///< of the communicator
  /// Without the bits one by one: each message asks.
  bool operator==(const intention& other) const noexcept { return memcmp(this, &other, sizeof *this) == 0; }
  [[nodiscard]] bool is_known() const noexcept { return what != kind{}; }
};
static_assert(sizeof(intention) == 24, "it is part of every message");
static_assert(std::has_unique_object_representations_v<intention>, "it is compared as bytes");

[[nodiscard]] AMITY_API const char* name_of(kind k) noexcept;
/// In words: the operation, its root, and what it is about.
[[nodiscard]] AMITY_API std::string described(const intention& i);

}  // namespace amity::collectives::detail
