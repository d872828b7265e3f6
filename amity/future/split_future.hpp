#pragma once

/// A future of several things, taken apart.
///
///     auto [quotient, remainder] = amity::split_future(amity::async([] { return std::pair(7 / 2, 7 % 2); }));

#include <array>
#include <tuple>
#include <utility>

#include "amity/future/async.hpp"
#include "amity/future/caught.hpp"

namespace amity {

namespace detail {
/// `Parts`: the types of what std::get gives of a `Whole`.
template <class... Parts, class Whole>
std::tuple<future<Parts>...> split(future<Whole> whole) {
  std::tuple<promise<Parts>...> promises;
  auto futures = std::apply([](auto&... p) { return std::tuple<future<Parts>...>(p.get_future()...); }, promises);
  auto pass_parts = [promises = std::move(promises)](future<Whole> f) mutable {
    auto const error = caught([&] {
      auto values = f.get();
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (std::get<I>(promises).set_value(std::get<I>(std::move(values))), ...);
      }
      (std::index_sequence_for<Parts...>());
    });
    auto tell = [&](auto& p) { static_cast<void>(caught([&] { p.set_exception(error); })); };  // or has a value
    if (error != nullptr) std::apply([&](auto&... p) { (tell(p), ...); }, promises);
  };
  std::move(whole).then(launch::sync, as_glue{std::move(pass_parts)});
  return futures;
}
}  // namespace detail

/// A tuple of futures of a future of a tuple. An exception goes to each of them.
template <class... T>
std::tuple<future<T>...> split_future(future<std::tuple<T...>> whole) {
  return detail::split<T...>(std::move(whole));
}
/// The same of a pair.
template <class A, class B>
std::pair<future<A>, future<B>> split_future(future<std::pair<A, B>> whole) {
  return std::make_from_tuple<std::pair<future<A>, future<B>>>(detail::split<A, B>(std::move(whole)));
}
/// The same of an array.
template <class T, std::size_t N>
std::array<future<T>, N> split_future(future<std::array<T, N>> whole) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto parts = detail::split<std::tuple_element_t<I, std::array<T, N>>...>(std::move(whole));
    return std::array<future<T>, N>{std::get<I>(std::move(parts))...};
  }
  (std::make_index_sequence<N>());
}

}  // namespace amity
