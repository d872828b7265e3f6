#pragma once

/// How a class says by itself in which form it travels: which of its functions are called to write and to read it.
///
///     class point {
///       friend class amity::serialization::access;           // where they are private; HPX's name
///       template <class Archive>
///       void serialize(Archive& ar, unsigned) { ar & x_ & y_; }
///     };
///
/// The forms are those of cereal, Boost and HPX. Looked for are members first, then functions beside the class, found
/// by their arguments. A class uses what it is derived from: one that adds members to a base with a `serialize` needs
/// its own.

#include <cstdint>
#include <type_traits>
#include <utility>

#include "amity/base/language.hpp"

// What `ar(CEREAL_NVP(x))` and the like give. A program that uses them has cereal's headers.
namespace cereal {
template <class T>
class NameValuePair;
template <class T>
struct SizeTag;
template <class T>
struct BinaryData;
template <class Base>
struct base_class;
template <class Base>
struct virtual_base_class;
}  // namespace cereal

namespace amity {

class out_archive;
class in_archive;

namespace serialization {

/// A friend of classes whose functions for this, or whose constructor without arguments, are private. Programs only
/// name it, as above; its members are what the archives call.
class access {
 public:
  /// `x.serialize(ar)`.
  template <class T, class Ar>
  static auto serialize(T& x, Ar& ar) -> decltype(static_cast<void>(x.serialize(ar))) {
    x.serialize(ar);
  }
  /// `x.serialize(ar, 0)`: the version that Boost and HPX hand over is always 0.
  template <class T, class Ar>
  static auto serialize_version(T& x, Ar& ar) -> decltype(static_cast<void>(x.serialize(ar, 0u))) {
    x.serialize(ar, 0u);
  }
  /// `x.save(ar)`.
  template <class T, class Ar>
  static auto save(const T& x, Ar& ar) -> decltype(static_cast<void>(x.save(ar))) {
    x.save(ar);
  }
  /// `x.load(ar)`.
  template <class T, class Ar>
  static auto load(T& x, Ar& ar) -> decltype(static_cast<void>(x.load(ar))) {
    x.load(ar);
  }
  /// `x.save(ar, 0)`.
  template <class T, class Ar>
  static auto save_version(const T& x, Ar& ar) -> decltype(static_cast<void>(x.save(ar, 0u))) {
    x.save(ar, 0u);
  }
  /// `x.load(ar, 0)`.
  template <class T, class Ar>
  static auto load_version(T& x, Ar& ar) -> decltype(static_cast<void>(x.load(ar, 0u))) {
    x.load(ar, 0u);
  }
  /// `x.save_minimal(ar)`: gives the value that stands for `x`.
  template <class T, class Ar>
  static auto save_minimal(const T& x, const Ar& ar) -> decltype(x.save_minimal(ar)) {
    return x.save_minimal(ar);
  }
  /// `x.load_minimal(ar, value)`: `x` becomes what the value stands for.
  template <class T, class Ar, class Value>
  static auto load_minimal(T& x, const Ar& ar, const Value& value)
      -> decltype(static_cast<void>(x.load_minimal(ar, value))) {
    x.load_minimal(ar, value);
  }

  /// T has a constructor without arguments that is public, or that this class may call as a friend.
  template <class T>
  static constexpr bool can_make = requires {
    T();
  };
  /// `T()`.
  template <class T>
  static T make() {
    return T();
  }
};

}  // namespace serialization

namespace net::detail {

using serialization::access;

template <class T, class Ar>
concept has_serialize = requires(T& x, Ar& ar) {
  access::serialize(x, ar);
};
template <class T, class Ar>
concept has_serialize_version = requires(T& x, Ar& ar) {
  access::serialize_version(x, ar);
};
template <class T>
concept has_save_and_load = requires(const T& x, T& y, out_archive& out, in_archive& in) {
  access::save(x, out);
  access::load(y, in);
};
template <class T>
concept has_save_and_load_version = requires(const T& x, T& y, out_archive& out, in_archive& in) {
  access::save_version(x, out);
  access::load_version(y, in);
};
template <class T>
using minimal_value =
    std::remove_cvref_t<decltype(access::save_minimal(std::declval<const T&>(), std::declval<const out_archive&>()))>;
template <class T>
concept has_minimal = requires(T& y, const in_archive& in, const minimal_value<T>& value) {
  access::load_minimal(y, in, value);
};
template <class T, class Ar>
concept has_free_serialize = requires(T& x, Ar& ar) {
  serialize(ar, x);
};
template <class T, class Ar>
concept has_free_serialize_version = requires(T& x, Ar& ar) {
  serialize(ar, x, 0u);
};
template <class T>
concept has_free_save_and_load = requires(const T& x, T& y, out_archive& out, in_archive& in) {
  save(out, x);
  load(in, y);
};
template <class T>
concept has_free_save_and_load_version = requires(const T& x, T& y, out_archive& out, in_archive& in) {
  save(out, x, 0u);
  load(in, y, 0u);
};
template <class T>
using free_minimal_value =
    std::remove_cvref_t<decltype(save_minimal(std::declval<const out_archive&>(), std::declval<const T&>()))>;
template <class T>
concept has_free_minimal = requires(T& y, const in_archive& in, const free_minimal_value<T>& value) {
  load_minimal(in, y, value);
};

/// `half`: it can be written or read, not both.
enum class custom : std::uint8_t {
  none,
  serialize,
  serialize_version,
  save_and_load,
  save_and_load_version,
  minimal,
  free_serialize,
  free_serialize_version,
  free_save_and_load,
  free_save_and_load_version,
  free_minimal,
  half
};

template <class T>
constexpr custom decide_custom() {
  using out = out_archive;
  using in = in_archive;
  if constexpr (!std::is_class_v<T> && !std::is_union_v<T> && !std::is_enum_v<T>)
    return custom::none;
  else if constexpr (has_serialize<T, out> && has_serialize<T, in>)
    return custom::serialize;
  else if constexpr (has_serialize_version<T, out> && has_serialize_version<T, in>)
    return custom::serialize_version;
  else if constexpr (has_save_and_load<T>)
    return custom::save_and_load;
  else if constexpr (has_save_and_load_version<T>)
    return custom::save_and_load_version;
  else if constexpr (has_minimal<T>)
    return custom::minimal;
  else if constexpr (has_free_serialize<T, out> && has_free_serialize<T, in>)
    return custom::free_serialize;
  else if constexpr (has_free_serialize_version<T, out> && has_free_serialize_version<T, in>)
    return custom::free_serialize_version;
  else if constexpr (has_free_save_and_load<T>)
    return custom::free_save_and_load;
  else if constexpr (has_free_save_and_load_version<T>)
    return custom::free_save_and_load_version;
  else if constexpr (has_free_minimal<T>)
    return custom::free_minimal;
  else if constexpr (has_serialize<T, out> || has_serialize<T, in> || has_serialize_version<T, out> ||
                     has_serialize_version<T, in> || has_free_serialize<T, out> || has_free_serialize<T, in>)
    return custom::half;
  else
    return custom::none;
}
template <class T>
inline constexpr custom custom_of = decide_custom<T>();

/// Has `x` written.
template <class Ar, class T>
void write_custom(Ar& ar, const T& x) {
  constexpr custom how = custom_of<T>;
  auto& plain = const_cast<T&>(x);  // a `serialize` that saves changes nothing
  if constexpr (how == custom::serialize)
    access::serialize(plain, ar);
  else if constexpr (how == custom::serialize_version)
    access::serialize_version(plain, ar);
  else if constexpr (how == custom::save_and_load)
    access::save(x, ar);
  else if constexpr (how == custom::save_and_load_version)
    access::save_version(x, ar);
  else if constexpr (how == custom::minimal)
    static_cast<void>(ar(access::save_minimal(x, std::as_const(ar))));
  else if constexpr (how == custom::free_serialize)
    serialize(ar, plain);
  else if constexpr (how == custom::free_serialize_version)
    serialize(ar, plain, 0u);
  else if constexpr (how == custom::free_save_and_load)
    save(ar, x);
  else if constexpr (how == custom::free_save_and_load_version)
    save(ar, x, 0u);
  else
    static_cast<void>(ar(save_minimal(std::as_const(ar), x)));
}

/// Has `x` read.
template <class Ar, class T>
void read_custom(Ar& ar, T& x) {
  constexpr custom how = custom_of<T>;
  if constexpr (how == custom::serialize)
    access::serialize(x, ar);
  else if constexpr (how == custom::serialize_version)
    access::serialize_version(x, ar);
  else if constexpr (how == custom::save_and_load)
    access::load(x, ar);
  else if constexpr (how == custom::save_and_load_version)
    access::load_version(x, ar);
  else if constexpr (how == custom::minimal)
    access::load_minimal(x, std::as_const(ar), ar.template make<minimal_value<T>>());
  else if constexpr (how == custom::free_serialize)
    serialize(ar, x);
  else if constexpr (how == custom::free_serialize_version)
    serialize(ar, x, 0u);
  else if constexpr (how == custom::free_save_and_load)
    load(ar, x);
  else if constexpr (how == custom::free_save_and_load_version)
    load(ar, x, 0u);
  else
    load_minimal(std::as_const(ar), x, ar.template make<free_minimal_value<T>>());
}

}  // namespace net::detail
}  // namespace amity
