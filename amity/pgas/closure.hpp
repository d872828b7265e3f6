#pragma once

/// Functions on their way to other processes: what travels of one, and what of one does not compile.
///
///     write_function(out, [me] { return me; });                 // a closure: its bytes
///     write_function(out, &plain_function);                     // its place in the program
///     auto f = read_function<F>(in);
///
/// *Captured references.* What an address in a closure points to can't be seen. But an address of the caller's own
/// stack can be recognized, and there is no such variable in other processes. Not every word that looks like such an
/// address is one: a captured record has parts that were never written, and hold whatever the stack held before. And a
/// pointer may only be handed back later. So
///
/// * a closure that by its type can't hold an address is not looked at;
/// * one of nothing but addresses of the caller's stack, [&] as it is mostly written, is refused;
/// * one of which some words are such is sent, and there is a warning, once.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "amity/base/config.hpp"
#include "amity/net/archive.hpp"

namespace amity::pgas::detail {

template <class F>
inline constexpr bool is_function = net::detail::is_function_pointer<F>;

// --- addresses of the caller's stack

enum class stack_words : std::uint8_t { none, some, all };
/// Aligned words of these bytes that are addresses of the calling fiber's stack, of what lives on it.
[[nodiscard]] AMITY_API stack_words look_for_own_stack(const void* bytes, std::size_t size) noexcept;
/// Once.
AMITY_API void warn_of_stack_words() noexcept;
/// What is to be thrown for them, by the program (border.hpp).
[[nodiscard]] AMITY_API std::exception_ptr refusal_of_stack_words() noexcept;

template <class F>
constexpr bool made_of_zeros() {
  static_cast<void>(std::bit_cast<F>(std::array<std::byte, sizeof(F)>{}));
  return true;
}
/// No pointer, no reference is in it: there bit_cast is no constant expression. Of types that are large, or have no
/// constants, it can't be said.
template <class F>
concept without_addresses = sizeof(F) <= 4096 && std::is_trivially_copyable_v<F>&& requires {
  typename std::bool_constant<made_of_zeros<F>()>;
};

/// The bytes of a closure. What lies between its captures is whatever was there before, and is not to travel, nor to be
/// taken for an address.
template <class F>
struct closure_bytes {
#if __has_builtin(__builtin_clear_padding)  // not in clang 22
  static constexpr bool are_known = true;
  explicit closure_bytes(F f) {
    __builtin_clear_padding(&f);
    std::memcpy(bytes, &f, sizeof f);
  }
#else
  static constexpr bool are_known = std::has_unique_object_representations_v<F>;
  explicit closure_bytes(F f) { std::memcpy(bytes, &f, sizeof f); }
#endif
  alignas(F) std::byte bytes[sizeof(F)];
};

template <class F>
void check_words(const closure_bytes<F>& copy) {
  if constexpr (closure_bytes<F>::are_known && !without_addresses<F>) {
    stack_words const found = look_for_own_stack(copy.bytes, sizeof(F));
    if (found == stack_words::all) std::rethrow_exception(refusal_of_stack_words());
    if (found == stack_words::some) [[unlikely]]
      warn_of_stack_words();
  }
}

/// For code that puts a closure of the user's into one of its own, where it would be looked at together with theirs.
template <class F>
void check_closure(const F& f) {
  if constexpr (net::detail::form_of<F> == net::detail::form::bytes && sizeof(F) <= net::detail::most_on_stack)
    check_words(closure_bytes<F>(f));
}

template <class F>
void write_closure(out_archive& out, const F& f) {
  if constexpr (sizeof(F) > net::detail::most_on_stack) {
    out.write(std::addressof(f), sizeof(F));
  } else {
    closure_bytes<F> const copy(f);
    check_words(copy);
    out.write(copy.bytes, sizeof(F));
  }
}

// --- what travels

/// Where F does not travel, the compiler stops with why.
template <class F>
constexpr bool function_travels() {
  if constexpr (std::is_member_pointer_v<F>) {
    static_assert(!std::is_member_pointer_v<F>,
                  "call a member in a closure: [](T object) { object.member(); }, or by amity::new_");
    return false;
  } else if constexpr (std::is_bind_expression_v<F>) {
    static_assert(!std::is_bind_expression_v<F>,
                  "what std::bind gives holds addresses of this process: pass a closure, and the arguments");
    return false;
  } else if constexpr (is_function<F> || net::detail::form_of<F> == net::detail::form::custom) {
    return net::detail::can_travel<F>;
  } else {
    constexpr bool as_bytes = net::detail::copied_as_bytes<F>;
    static_assert(as_bytes,
                  "this closure captures what can't travel as bytes to another process (a string, a container, a "
                  "future ...): pass that as an argument, amity::rpc(rank, f, args...), and f gets a copy there");
    return as_bytes;
  }
}

template <class F>
void write_function(out_archive& out, const F& f) {
  using net::detail::form;
  if constexpr (net::detail::form_of<F> == form::bytes) {
    write_closure(out, f);
  } else {
    if constexpr (is_function<F>) {
      if (f == nullptr) throw std::invalid_argument("a remote call of no function");
    }
    out(f);
  }
}

template <class F>
F read_function(in_archive& in) {
  return in.make<F>();
}

// --- a function and its arguments, together

/// As what an argument arrives.
template <class T>
struct travels_as {
  using type = T;
};
template <>
struct travels_as<const char*> {
  using type = std::string;
};
template <>
struct travels_as<char*> {
  using type = std::string;
};
template <class T>
using traveller = typename travels_as<std::decay_t<T>>::type;

template <std::size_t I, class T>
struct kept_part {
  T value;
};
/// Made where it stays: large arguments don't pass over the stack of a task.
template <class Numbers, class F, class... Args>
struct kept_parts;
template <std::size_t... I, class F, class... Args>
struct kept_parts<std::index_sequence<I...>, F, Args...> : kept_part<0, F>, kept_part<I + 1, Args>... {
  /// Once: the arguments are moved away.
  decltype(auto) call() {
    return std::invoke(static_cast<kept_part<0, F>&>(*this).value,
                       std::move(static_cast<kept_part<I + 1, Args>&>(*this).value)...);
  }
};
template <class F, class... Args>
using kept_call = kept_parts<std::index_sequence_for<Args...>, F, Args...>;

template <class P>
inline constexpr std::size_t bytes_by_value = sizeof(P);
template <class P>
inline constexpr std::size_t bytes_by_value<P&> = 0;
template <class P>
inline constexpr std::size_t bytes_by_value<P&&> = 0;
template <class C, class R, class... P>
constexpr std::size_t count_parameters(R (C::*)(P...)) {
  return (std::size_t{0} + ... + bytes_by_value<P>);
}
template <class C, class R, class... P>
constexpr std::size_t count_parameters(R (C::*)(P...) const) {
  return (std::size_t{0} + ... + bytes_by_value<P>);
}
template <class C, class R, class... P>
constexpr std::size_t count_parameters(R (C::*)(P...) noexcept) {
  return (std::size_t{0} + ... + bytes_by_value<P>);
}
template <class C, class R, class... P>
constexpr std::size_t count_parameters(R (C::*)(P...) const noexcept) {
  return (std::size_t{0} + ... + bytes_by_value<P>);
}
template <class R, class... P>
constexpr std::size_t count_parameters(R (*)(P...)) {
  return (std::size_t{0} + ... + bytes_by_value<P>);
}
/// Bytes on the stack that a call takes for parameters by value. Not known of generic functions: 0.
template <class F>
constexpr std::size_t bytes_of_parameters() {
  if constexpr (is_function<F>)
    return count_parameters(static_cast<F>(nullptr));
  else if constexpr (requires { count_parameters(&F::operator()); })
    return count_parameters(&F::operator());
  else
    return 0;
}

/// A std::length_error if `bytes` of parameters of `what` don't fit on the calling fiber's stack; otherwise null.
[[nodiscard]] AMITY_API std::exception_ptr why_no_room_for_parameters(const char* what, std::size_t bytes) noexcept;
/// Throws it.
template <class F>
void check_room_for_parameters(const char* what) {
  if constexpr (bytes_of_parameters<F>() > net::detail::most_on_stack)
    if (std::exception_ptr refused = why_no_room_for_parameters(what, bytes_of_parameters<F>()))
      std::rethrow_exception(std::move(refused));
}

/// Calls it, if its parameters fit on the stack.
template <class F, class... Args>
decltype(auto) call_kept(kept_call<F, Args...>& kept) {
  check_room_for_parameters<F>("a remote call");
  return kept.call();
}

}  // namespace amity::pgas::detail
