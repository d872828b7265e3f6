#pragma once

/// Reckoning with completion_signatures: what adaptors make of those of the senders beneath them.
///
///     struct map : detail::same_signatures {
///       template <class... T> using value = completion_signatures<set_value_t(std::size_t)>;
///     };
///     detail::mapped<completion_signatures<set_value_t(int), set_stopped_t()>, map>   // set_value_t(size_t), stopped

#include <cstddef>
#include <exception>
#include <tuple>
#include <type_traits>
#include <variant>

#include "amity/future/execution/concepts.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {
namespace detail {

template <class... T>
struct list {};

/// The lists together, each type once.
template <class Known, class... More>
struct together {
  using type = Known;
};
template <template <class...> class List, class... Known, class... More>
struct together<List<Known...>, List<>, More...> : together<List<Known...>, More...> {};
template <template <class...> class List, class... Known, class New, class... Others, class... More>
struct together<List<Known...>, List<New, Others...>, More...>
    : together<std::conditional_t<(std::is_same_v<Known, New> || ...), List<Known...>, List<Known..., New>>,
               List<Others...>, More...> {};

template <class... Signatures>
using all_signatures = typename together<completion_signatures<>, Signatures...>::type;
template <class... Lists>
using all_types = typename together<list<>, Lists...>::type;

/// A map that changes nothing. Those that change something derive from it.
struct same_signatures {
  template <class... T>
  using value = completion_signatures<set_value_t(T...)>;
  template <class Error>
  using error = completion_signatures<set_error_t(Error)>;
  template <class Nothing>
  using stopped = completion_signatures<set_stopped_t()>;
};

template <class Map, class Signature>
struct map_signature;
template <class Map, class... T>
struct map_signature<Map, set_value_t(T...)> {
  using type = typename Map::template value<T...>;
};
template <class Map, class Error>
struct map_signature<Map, set_error_t(Error)> {
  using type = typename Map::template error<Error>;
};
template <class Map>
struct map_signature<Map, set_stopped_t()> {
  using type = typename Map::template stopped<void>;
};

template <class Signatures, class Map>
struct map_signatures;
template <class... Signatures, class Map>
struct map_signatures<completion_signatures<Signatures...>, Map> {
  using type = all_signatures<typename map_signature<Map, Signatures>::type...>;
};
/// What `Map` makes of them.
template <class Signatures, class Map>
using mapped = typename map_signatures<Signatures, Map>::type;

/// A list of what `Map` gives for each of them: lists, too.
template <class Signatures, class Map>
struct collect_types;
template <class... Signatures, class Map>
struct collect_types<completion_signatures<Signatures...>, Map> {
  using type = all_types<typename map_signature<Map, Signatures>::type...>;
};
template <class Signatures, class Map>
using collected = typename collect_types<Signatures, Map>::type;

/// For collected: nothing of anything.
struct no_types {
  template <class...>
  using value = list<>;
  template <class>
  using error = list<>;
  template <class>
  using stopped = list<>;
};

/// A list of `Make` of the values of each way to end with values.
template <template <class...> class Make>
struct values_as : no_types {
  template <class... T>
  using value = list<Make<T...>>;
};
template <class Signatures, template <class...> class Make>
using of_values = collected<Signatures, values_as<Make>>;

/// A list of the errors, decayed.
struct errors_decayed : no_types {
  template <class Error>
  using error = list<std::decay_t<Error>>;
};

template <class... T>
using decayed_tuple = std::tuple<std::decay_t<T>...>;
template <class... T>
using decayed_values = completion_signatures<set_value_t(std::decay_t<T>...)>;

/// Values and errors as what was kept for later.
struct kept_signatures : same_signatures {
  template <class... T>
  using value = completion_signatures<set_value_t(std::decay_t<T>...)>;
  template <class Error>
  using error = completion_signatures<set_error_t(std::decay_t<Error>)>;
};

using may_throw = completion_signatures<set_error_t(std::exception_ptr)>;
using may_stop = completion_signatures<set_stopped_t()>;
/// For what throws if it is not known to be quiet.
template <bool Quiet>
using throws_unless = std::conditional_t<Quiet, completion_signatures<>, may_throw>;

/// To keep these, decayed, throws nothing.
template <class... T>
inline constexpr bool kept_quietly = (std::is_nothrow_constructible_v<std::decay_t<T>, T> && ...);
/// kept_signatures, with what keeping them may throw.
struct kept_or_thrown : same_signatures {
  template <class... T>
  using value =
      all_signatures<completion_signatures<set_value_t(std::decay_t<T>...)>, throws_unless<kept_quietly<T...>>>;
  template <class Error>
  using error =
      all_signatures<completion_signatures<set_error_t(std::decay_t<Error>)>, throws_unless<kept_quietly<Error>>>;
};

/// How a call ends that a receiver is told the result of.
template <class F, class... T>
struct call_signatures {
  using result = std::invoke_result_t<F, T...>;
  template <class R>
  struct of {
    using type = completion_signatures<set_value_t(R)>;
  };
  template <class R>
  requires std::is_void_v<R>
  struct of<R> {
    using type = completion_signatures<set_value_t()>;
  };
  using ends = typename of<result>::type;
  using type = std::conditional_t<std::is_nothrow_invocable_v<F, T...>, ends, all_signatures<ends, may_throw>>;
};

template <template <class...> class To, class List>
struct rename_list;
template <template <class...> class To, class... T>
struct rename_list<To, list<T...>> {
  using type = To<T...>;
};
/// The types of a list, for another template.
template <template <class...> class To, class List>
using renamed = typename rename_list<To, List>::type;

template <class List>
inline constexpr std::size_t length = 0;
template <class... T>
inline constexpr std::size_t length<list<T...>> = sizeof...(T);

/// The type in a list of one; of none: nothing.
template <class List>
struct only_type {};
template <class T>
struct only_type<list<T>> {
  using type = T;
};
template <>
struct only_type<list<>> {
  using type = std::tuple<>;
};
/// The only way a sender ends with values, as a tuple of them; an empty one if it never does.
template <class Signatures>
using only_values = typename only_type<of_values<Signatures, decayed_tuple>>::type;
/// There is no other way with values.
template <class Signatures>
inline constexpr bool has_one_way = length<of_values<Signatures, decayed_tuple>> <= 1;
/// For those who wait for it.
template <class Signatures>
constexpr void ask_for_one_way() {
  static_assert(has_one_way<Signatures>,
                "this sender may end with values in more than one way: "
                "into_variant makes one of them");
}
/// It may end with values.
template <class Signatures>
inline constexpr bool has_values = length<of_values<Signatures, decayed_tuple>> != 0;

/// A std::variant of these, each once; of none, what stands for it.
template <class... T>
struct variant_of {
  using type = renamed<std::variant, all_types<list<std::decay_t<T>>...>>;
};
template <>
struct variant_of<> {
  struct type {
    type() = delete;
  };
};
template <class... T>
using variant_or_empty = typename variant_of<T...>::type;
template <class Signatures>
inline constexpr bool has_stopped = false;
template <class... Signatures>
inline constexpr bool has_stopped<completion_signatures<Signatures...>> =
    (std::is_same_v<Signatures, set_stopped_t()> || ...);
struct errors_as_they_are : no_types {
  template <class Error>
  using error = list<Error>;
};

}  // namespace detail

/// `Variant` of a `Tuple` of the values of each way in which a sender may end with values.
template <class S, class Env = env<>, template <class...> class Tuple = detail::decayed_tuple,
          template <class...> class Variant = detail::variant_or_empty>
requires sender_in<S, Env>
using value_types_of_t = detail::renamed<Variant, detail::of_values<completion_signatures_of_t<S, Env>, Tuple>>;
/// `Variant` of its errors.
template <class S, class Env = env<>, template <class...> class Variant = detail::variant_or_empty>
requires sender_in<S, Env>
using error_types_of_t =
    detail::renamed<Variant, detail::collected<completion_signatures_of_t<S, Env>, detail::errors_as_they_are>>;
/// It may say that it was stopped.
template <class S, class Env = env<>>
requires sender_in<S, Env>
inline constexpr bool sends_stopped = detail::has_stopped<completion_signatures_of_t<S, Env>>;

}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
