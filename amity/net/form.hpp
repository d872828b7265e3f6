#pragma once

/// In which form an object travels to another process. It is decided here, and nowhere else: what writes and what reads
/// (archive.hpp) both ask `form_of`, so they can't differ.
///
///     form_of<std::pair<const int, double>>         // bytes, as of pair<int, double>
///     form_of<std::pair<int, std::string>>          // parts: an int, a string
///     why_not<std::vector<void*>, true>()           // pointer: does not compile, with that sentence
///
/// What a type is made of is known for those of the standard library. Of the members of any other class nothing is
/// known: if it can be copied as bytes and says nothing else, it goes as bytes.

// clang-format off: first, because <coroutine> has words of its own for older compilers
#include "amity/base/language.hpp"
// clang-format on

#include <array>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <variant>
#include <vector>

#include "amity/net/customization.hpp"

namespace amity::net::detail {

/// Messages are, and so the views in them.
inline constexpr std::size_t most_aligned = 16;

enum class form : std::uint8_t {
  bytes,      ///< as it lies in memory
  boolean,    ///< a byte, 0 or 1
  nothing,    ///< an empty object
  function,   ///< of a pointer to one: its place in the program
  custom,     ///< as the type's own functions say
  wrapped,    ///< cereal's names and sizes: what they are of
  block,      ///< cereal's binary_data: bytes, whose number the reader knows
  base,       ///< cereal's base_class: the object of the base class
  text,       ///< of a const char*: its characters, and the pointer is to those in the message
  view,       ///< a length, and elements, which arrive as a view of the message
  parts,      ///< pair, tuple: one after the other
  array,      ///< std::array, T[N]
  optional,   ///< whether there is one, and it
  variant,    ///< which, and it
  unique,     ///< unique_ptr: as optional
  container,  ///< a length, and elements
  adaptor,    ///< stack, queue, priority_queue: the container within
  path,       ///< std::filesystem::path: its text
  refused     ///< why_not says why
};

/// Why a type does not travel.
enum class why : std::uint8_t {
  it_does,
  pointer,
  reference,
  member_pointer,
  iterator,
  other_view,
  view_of_objects,
  view_over_aligned,
  shared,
  unique_array,
  unique_polymorphic,
  unique_deleter,
  order_with_state,
  derived_container,
  bound_here,
  half_custom,
  no_constructor,
  unknown
};

// --- what is known of templates

template <class... T>
struct type_list {};

/// `parts`: what travels of it.
template <class T>
struct known {
  static constexpr form is = form::refused;
  static constexpr why because = why::unknown;
  using parts = type_list<>;
};
template <form Is, class... Parts>
struct known_as {
  static constexpr form is = Is;
  static constexpr why because = why::it_does;
  using parts = type_list<std::remove_cv_t<Parts>...>;
};
template <why Because>
struct refused_as {
  static constexpr form is = form::refused;
  static constexpr why because = Because;
  using parts = type_list<>;
};

template <class A, class B>
struct known<std::pair<A, B>> : known_as<form::parts, A, B> {};
template <class... T>
struct known<std::tuple<T...>> : known_as<form::parts, T...> {};
template <class T, std::size_t N>
struct known<std::array<T, N>> : known_as<form::array, T> {};
template <class T, std::size_t N>
struct known<T[N]> : known_as<form::array, T> {};
template <class T>
struct known<std::optional<T>> : known_as<form::optional, T> {};
template <class... T>
struct known<std::variant<T...>> : known_as<form::variant, T...> {};
template <class T>
struct known<std::unique_ptr<T>> : known_as<form::unique, T> {};
template <class T, std::size_t N>
struct known<std::span<T, N>> : known_as<form::view, T> {};
template <class C, class Traits>
struct known<std::basic_string_view<C, Traits>> : known_as<form::view, C> {};

template <class T>
struct known<std::unique_ptr<T[]>> : refused_as<why::unique_array> {};
template <class T, class D>
struct known<std::unique_ptr<T, D>> : refused_as<why::unique_deleter> {};
template <class T>
struct known<std::shared_ptr<T>> : refused_as<why::shared> {};
template <class T>
struct known<std::weak_ptr<T>> : refused_as<why::shared> {};
template <class T>
struct known<std::reference_wrapper<T>> : refused_as<why::reference> {};
template <class T>
struct known<std::initializer_list<T>> : refused_as<why::other_view> {};
template <class P>
struct known<std::coroutine_handle<P>> : refused_as<why::bound_here> {};
template <>
struct known<std::error_code> : refused_as<why::bound_here> {};
template <>
struct known<std::error_condition> : refused_as<why::bound_here> {};
template <>
struct known<std::type_index> : refused_as<why::bound_here> {};

template <class T>
struct known<cereal::NameValuePair<T>> : known_as<form::wrapped, std::remove_reference_t<T>> {};
template <class T>
struct known<cereal::SizeTag<T>> : known_as<form::wrapped, std::remove_reference_t<T>> {};
template <class T>
struct known<cereal::BinaryData<T>> : known_as<form::block> {};
template <class T>
struct known<cereal::base_class<T>> : known_as<form::base, T> {};
template <class T>
struct known<cereal::virtual_base_class<T>> : known_as<form::base, T> {};

// --- containers, iterators, views

/// std::vector, std::map and the like. A forward_list has no size().
template <class C>
concept some_container = requires(C& c, const C& k) {
  typename C::value_type;
  k.begin();
  k.end();
  c.clear();
}
&&(
    requires(const C& k) { k.size(); } || requires(C & c) { c.before_begin(); });

template <class C>
concept map_container = requires {
  typename C::key_type;
  typename C::mapped_type;
};
/// What its elements are made as: a map's keys are not const before they are in it.
template <class C>
struct element_of {
  using type = typename C::value_type;
};
template <map_container C>
struct element_of<C> {
  using type = std::pair<typename C::key_type, typename C::mapped_type>;
};
/// Elements lie one after the other, and there can be so many at once.
template <class C>
concept in_one_block = requires(C& c) {
  { c.data() } -> std::same_as<typename C::value_type*>;
  c.resize(std::size_t{});
}
&&std::is_default_constructible_v<typename C::value_type>;

/// The class that has declared a member function, which may be a base of the one that it was looked for in.
template <class C, class R>
C class_of(R (C::*)());
template <class C, class R>
C class_of(R (C::*)() const);
template <class C, class R>
C class_of(R (C::*)() noexcept);
template <class C, class R>
C class_of(R (C::*)() const noexcept);
template <class T>
concept inherits_clear = requires {
  class_of(&T::clear);
}
&&!std::is_same_v<decltype(class_of(&T::clear)), T>;
template <class T>
concept inherits_size = requires {
  class_of(&T::size);
}
&&!std::is_same_v<decltype(class_of(&T::size)), T>;

/// It is derived from a container and has members of its own, which would stay behind.
template <class T>
constexpr bool has_more_than_container() {
  if constexpr (inherits_clear<T>)
    return sizeof(decltype(class_of(&T::clear))) != sizeof(T);
  else
    return false;
}
/// It is a view by inheritance.
template <class T>
constexpr bool derives_from_view() {
  if constexpr (inherits_size<T>)
    return known<decltype(class_of(&T::size))>::is == form::view;
  else
    return false;
}

/// Comparisons and hashes are not sent: those of the other process are made anew.
template <class T>
constexpr bool order_has_state() {
  bool has = false;
  if constexpr (requires { typename T::key_compare; }) has = has || !std::is_empty_v<typename T::key_compare>;
  if constexpr (
      requires { typename T::value_compare; } && !requires { typename T::key_compare; })
    has = has || !std::is_empty_v<typename T::value_compare>;
  if constexpr (requires { typename T::hasher; }) has = has || !std::is_empty_v<typename T::hasher>;
  if constexpr (requires { typename T::key_equal; }) has = has || !std::is_empty_v<typename T::key_equal>;
  return has;
}

template <class T>
concept some_adaptor = !some_container<T> && requires(T & t, const T& k, const typename T::value_type& x) {
  typename T::container_type;
  t.push(x);
  t.pop();
  k.size();
};

/// std::filesystem::path, without its header.
template <class T>
concept some_path = requires(const T& p) {
  typename T::string_type;
  { p.native() } -> std::same_as<const typename T::string_type&>;
  p.lexically_normal();
}
&&std::is_constructible_v<T, typename T::string_type>;

/// Iterators that lead to memory. (Those that count give numbers.)
template <class T>
concept names_elements = std::is_class_v<T> && std::input_or_output_iterator<T> &&
    (!std::is_arithmetic_v<std::iter_reference_t<T>> || std::is_same_v<T, std::vector<bool>::const_iterator>);

template <class T>
concept names_a_range = std::ranges::range<T> &&(std::ranges::enable_view<T> || std::ranges::enable_borrowed_range<T>);

// --- the form

template <class T>
concept copied_as_bytes = std::is_trivially_copy_constructible_v<std::remove_all_extents_t<T>> &&
    std::is_trivially_destructible_v<std::remove_all_extents_t<T>>;

template <class T>
inline constexpr bool is_function_pointer = std::is_pointer_v<T>&& std::is_function_v<std::remove_pointer_t<T>>;

template <class T>
constexpr form decide_form();

/// Of T, const or not.
template <class T>
inline constexpr form form_of = decide_form<std::remove_cv_t<T>>();

template <class... T>
constexpr bool all_go_as_bytes(type_list<T...>) {
  return ((form_of<T> == form::bytes) && ...);
}

template <class T>
constexpr form decide_form() {
  if constexpr (std::is_same_v<T, bool>) {
    return form::boolean;
  } else if constexpr (std::is_arithmetic_v<T>) {
    return form::bytes;
  } else if constexpr (std::is_null_pointer_v<T>) {
    return form::nothing;
  } else if constexpr (is_function_pointer<T>) {
    return form::function;
  } else if constexpr (std::is_same_v<T, const char*>) {
    return form::text;
  } else if constexpr (std::is_pointer_v<T> || std::is_member_pointer_v<T> || std::is_reference_v<T>) {
    return form::refused;
  } else if constexpr (std::is_array_v<T>) {
    return all_go_as_bytes(typename known<T>::parts()) ? form::bytes : form::array;
  } else if constexpr (custom_of<T> != custom::none) {
    return custom_of<T> == custom::half ? form::refused : form::custom;
  } else if constexpr (std::is_enum_v<T>) {
    return form::bytes;
  } else if constexpr (known<T>::is == form::parts || known<T>::is == form::array) {
    // Where all parts go as bytes, so does the whole, with what lies between them.
    if (std::is_empty_v<T> && copied_as_bytes<T>) return form::nothing;
    return copied_as_bytes<T> && all_go_as_bytes(typename known<T>::parts()) ? form::bytes : known<T>::is;
  } else if constexpr (known<T>::because != why::unknown) {
    return known<T>::is;
  } else if constexpr (names_elements<T> || derives_from_view<T>()) {
    return form::refused;
  } else if constexpr (some_path<T>) {
    return form::path;
  } else if constexpr (some_container<T>) {
    return has_more_than_container<T>() || order_has_state<T>() ? form::refused : form::container;
  } else if constexpr (some_adaptor<T>) {
    return std::is_final_v<T> || order_has_state<T>() ? form::refused : form::adaptor;
  } else if constexpr (names_a_range<T> && !std::is_empty_v<T>) {
    return form::refused;
  } else if constexpr (std::is_empty_v<T> && (copied_as_bytes<T> || std::is_default_constructible_v<T>)) {
    return form::nothing;
  } else if constexpr (copied_as_bytes<T> && std::is_object_v<T>) {
    return form::bytes;
  } else {
    return form::refused;
  }
}

/// It travels as it lies in memory, byte by byte.
template <class T>
concept goes_as_bytes = form_of<T>
== form::bytes || form_of<T> == form::boolean;

/// What travels of one of these.
template <class T>
constexpr auto list_parts() {
  if constexpr (form_of<T> == form::container)
    return type_list<typename element_of<T>::type>();
  else if constexpr (form_of<T> == form::adaptor)
    return type_list<typename T::container_type>();
  else if constexpr (form_of<T> == form::refused || form_of<T> == form::bytes || form_of<T> == form::nothing ||
                     form_of<T> == form::custom || form_of<T> == form::path || form_of<T> == form::text)
    return type_list<>();
  else
    return typename known<T>::parts();
}
template <class T>
using parts_of = decltype(list_parts<std::remove_cv_t<T>>());

// --- questions about it

/// `Made`: it is read as a new object, not into one that is there.
template <class T, bool Made>
constexpr why why_not();

template <bool Made, class... T>
constexpr why first_reason(type_list<T...>) {
  why found = why::it_does;
  static_cast<void>(((found = why_not<T, Made>(), found == why::it_does) && ...));
  return found;
}

/// Why a type of form `refused` is.
template <class T>
constexpr why own_reason() {
  if constexpr (std::is_member_pointer_v<T>)
    return why::member_pointer;
  else if constexpr (std::is_pointer_v<T>)
    return why::pointer;
  else if constexpr (std::is_reference_v<T>)
    return why::reference;
  else if constexpr (custom_of<T> == custom::half)
    return why::half_custom;
  else if constexpr (known<T>::because != why::unknown)
    return known<T>::because;
  else if constexpr (names_elements<T>)
    return why::iterator;
  else if constexpr (some_container<T> || some_adaptor<T>)
    return order_has_state<T>() ? why::order_with_state : why::derived_container;
  else if constexpr (derives_from_view<T>() || names_a_range<T>)
    return why::other_view;
  else
    return why::unknown;
}

/// Why T does not travel, by itself or by what it is made of.
template <class T, bool Made>
constexpr why why_not() {
  using plain = std::remove_cv_t<T>;
  constexpr form its = form_of<plain>;
  if constexpr (its == form::refused) {
    return own_reason<plain>();
  } else if constexpr (its == form::custom) {
    return Made && !access::can_make<plain> ? why::no_constructor : why::it_does;
  } else if constexpr (its == form::unique) {
    using element = typename plain::element_type;
    if constexpr (std::is_polymorphic_v<element> && !std::is_final_v<element>) return why::unique_polymorphic;
    return first_reason<true>(parts_of<plain>());
  } else if constexpr (its == form::view) {
    using element = std::remove_cv_t<typename plain::value_type>;
    if constexpr (why_not<element, false>() != why::it_does) return why_not<element, false>();
    if constexpr (!goes_as_bytes<element>) return why::view_of_objects;
    return alignof(element) > most_aligned ? why::view_over_aligned : why::it_does;
  } else if constexpr (its == form::parts || its == form::array || its == form::wrapped || its == form::base) {
    return first_reason<Made>(parts_of<plain>());
  } else {
    return first_reason<true>(parts_of<plain>());
  }
}

/// Some part of it arrives as a view of the message, and is gone with that.
template <class T>
constexpr bool holds_views();
template <class... T>
constexpr bool any_holds_views(type_list<T...>) {
  return (holds_views<T>() || ...);
}
template <class T>
constexpr bool holds_views() {
  return form_of<T> == form::view || form_of<T> == form::text || any_holds_views(parts_of<T>());
}

/// Bytes that an object takes at least. 0: perhaps none.
template <class T>
constexpr std::size_t least_bytes();
template <class... T>
constexpr std::size_t sum_of_least(type_list<T...>) {
  return (std::size_t{0} + ... + least_bytes<T>());
}
template <class T>
constexpr std::size_t least_bytes() {
  constexpr form its = form_of<T>;
  if constexpr (its == form::bytes || its == form::boolean)
    return sizeof(T);
  else if constexpr (its == form::optional || its == form::unique)
    return 1;
  else if constexpr (its == form::variant)
    return sizeof(std::uint32_t);
  else if constexpr (its == form::container || its == form::adaptor || its == form::path || its == form::view ||
                     its == form::text || its == form::function)
    return sizeof(std::uint64_t);
  else if constexpr (its == form::array && !std::is_array_v<T>)
    return std::tuple_size_v<T> * sum_of_least(parts_of<T>());
  else if constexpr (its == form::parts)
    return sum_of_least(parts_of<T>());
  else
    return 0;
}

/// Its bytes may be copied to another process, where they are copied on both sides: nothing in it, as far as that can
/// be seen, names memory or has functions of its own for this.
template <class T>
constexpr bool may_be_copied();
template <class... T>
constexpr bool all_may_be_copied(type_list<T...>) {
  return (may_be_copied<T>() && ...);
}
template <class T>
constexpr bool may_be_copied() {
  constexpr form its = form_of<T>;
  if constexpr (its == form::bytes || its == form::boolean)
    return true;
  else if constexpr (its == form::parts || its == form::array || its == form::optional || its == form::variant ||
                     its == form::nothing)
    return copied_as_bytes<T> && all_may_be_copied(parts_of<T>());
  else
    return false;
}

/// Says it in a sentence, once for each T.
template <class T, why Why>
struct reason {
  static constexpr bool is_none = Why == why::it_does;

  static_assert(Why != why::pointer,
                "a pointer means nothing in another process: pass a value, or an amity::global_ptr");
  static_assert(Why != why::reference, "a reference means nothing in another process: pass a value");
  static_assert(
      Why != why::member_pointer,
      "a pointer to a member does not travel: name the member in a closure, [](T object) { object.member(); }");
  static_assert(Why != why::iterator,
                "an iterator means nothing in another process: pass the elements, or how many lie before");
  static_assert(Why != why::other_view,
                "this is a view of elements that lie elsewhere: pass a container of them, a std::span or a "
                "std::string_view");
  static_assert(Why != why::view_of_objects,
                "the elements of a span travel as bytes, and these can't: pass a container of them");
  static_assert(Why != why::view_over_aligned,
                "a message is aligned to 16 bytes, and the elements of this span to more: pass a container of them");
  static_assert(Why != why::shared,
                "who shares an object can't be said in another process: pass the object itself, or an "
                "amity::object_ref");
  static_assert(Why != why::unique_array,
                "a unique_ptr to an array does not say how many elements there are: pass a std::vector");
  static_assert(Why != why::unique_polymorphic,
                "of which class the object of this unique_ptr is can't be said in another process: pass a "
                "std::variant, or make the class final");
  static_assert(Why != why::unique_deleter,
                "a unique_ptr with a deleter of its own does not travel: pass the object itself");
  static_assert(Why != why::order_with_state,
                "the comparison or hash of this container has values of its own, which don't travel: pass a "
                "std::vector of its elements");
  static_assert(Why != why::derived_container,
                "this class has more than the container that it is derived from: give it a member "
                "template <class Archive> void serialize(Archive& ar) { ar(its, members); }");
  static_assert(Why != why::bound_here, "objects of this type hold an address of their process: pass what they mean");
  static_assert(Why != why::half_custom,
                "this type can be written or read, and not both: it needs a serialize that takes either archive");
  static_assert(Why != why::no_constructor,
                "a type that comes from another process needs a constructor without arguments");
  static_assert(Why != why::unknown,
                "this type can't be sent to another process: give it a member "
                "template <class Archive> void serialize(Archive& ar) { ar(its, members); }");
};

/// Where T does not travel, the compiler stops with why.
template <class T, bool Made = true>
inline constexpr bool can_travel = reason<std::remove_cv_t<T>, why_not<T, Made>()>::is_none;

}  // namespace amity::net::detail
