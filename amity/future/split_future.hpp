#pragma once

/// A future of several things, taken apart.
///
///     auto [quotient, remainder] = amity::split_future(amity::async([] { return std::pair(7 / 2, 7 % 2); }));

#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include "amity/future/async.hpp"
#include "amity/future/caught.hpp"

namespace amity {

namespace detail {
/// `Parts`: the types of what std::get gives of a `Whole`.
template <class... Parts, class Handle>
std::tuple<future<Parts>...> split(Handle whole) {
  std::tuple<promise<Parts>...> promises;
  auto futures = std::apply([](auto&... p) { return std::tuple<future<Parts>...>(p.get_future()...); }, promises);
  auto pass_parts = [promises = std::move(promises)](Handle f) mutable {
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

/// The same of the first n of a container, all of one type; T: what they are made of.
template <class T, class Handle>
std::vector<future<T>> split_container(Handle whole, std::size_t n) {
  std::vector<promise<T>> promises(n);
  std::vector<future<T>> futures;
  for (auto& p : promises) futures.push_back(p.get_future());
  auto pass_parts = [promises = std::move(promises)](Handle f) mutable {
    std::size_t told = 0;
    auto const error = caught([&] {
      auto values = f.get();
      for (; told < promises.size(); ++told) promises[told].set_value(std::move(values.at(told)));
    });
    if (error != nullptr)
      for (; told < promises.size(); ++told) promises[told].set_exception(error);
  };
  std::move(whole).then(launch::sync, as_glue{std::move(pass_parts)});
  return futures;
}

/// split of an array.
template <class T, std::size_t N, class Handle>
std::array<future<T>, N> split_array(Handle whole) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto parts = split<std::tuple_element_t<I, std::array<T, N>>...>(std::move(whole));
    return std::array<future<T>, N>{std::get<I>(std::move(parts))...};
  }
  (std::make_index_sequence<N>());
}

/// Of what has no parts, what is left: that it is there, or failed.
template <class Handle>
future<void> without_parts(Handle whole) {
  return std::move(whole).then(launch::sync, as_glue{[](Handle f) { static_cast<void>(f.get()); }});
}
}  // namespace detail

/// A tuple of futures of a future of a tuple. An exception goes to each of them.
template <class... T>
std::tuple<future<T>...> split_future(future<std::tuple<T...>> whole) {
  return detail::split<T...>(std::move(whole));
}
/// Of an empty tuple, as HPX: one future of void, which waits for the tuple, and has its exception.
template <class... T>
requires(sizeof...(T) == 0) std::tuple<future<void>> split_future(future<std::tuple<T...>> whole) {
  return {detail::without_parts(std::move(whole))};
}
/// The same of a pair.
template <class A, class B>
std::pair<future<A>, future<B>> split_future(future<std::pair<A, B>> whole) {
  return std::make_from_tuple<std::pair<future<A>, future<B>>>(detail::split<A, B>(std::move(whole)));
}
/// The same of an array.
template <class T, std::size_t N>
std::array<future<T>, N> split_future(future<std::array<T, N>> whole) {
  return detail::split_array<T, N>(std::move(whole));
}
/// Of an empty array, as of an empty tuple.
template <class T>
std::array<future<void>, 1> split_future(future<std::array<T, 0>> whole) {
  return {detail::without_parts(std::move(whole))};
}
/// The first `n` elements of a vector. Those that it does not have throw std::out_of_range.
template <class T>
std::vector<future<T>> split_future(future<std::vector<T>> whole, std::size_t n) {
  return detail::split_container<T>(std::move(whole), n);
}
/// The same of shared futures, which keep their value: the parts are copies.
template <class... T>
std::tuple<future<T>...> split_future(shared_future<std::tuple<T...>> whole) {
  return detail::split<T...>(std::move(whole));
}
/// The same.
template <class A, class B>
std::pair<future<A>, future<B>> split_future(shared_future<std::pair<A, B>> whole) {
  return std::make_from_tuple<std::pair<future<A>, future<B>>>(detail::split<A, B>(std::move(whole)));
}
/// The same.
template <class T, std::size_t N>
std::array<future<T>, N> split_future(shared_future<std::array<T, N>> whole) {
  return detail::split_array<T, N>(std::move(whole));
}
/// The same.
template <class... T>
requires(sizeof...(T) == 0) std::tuple<future<void>> split_future(shared_future<std::tuple<T...>> whole) {
  return {detail::without_parts(std::move(whole))};
}
/// The same.
template <class T>
std::array<future<void>, 1> split_future(shared_future<std::array<T, 0>> whole) {
  return {detail::without_parts(std::move(whole))};
}
/// The same.
template <class T>
std::vector<future<T>> split_future(shared_future<std::vector<T>> whole, std::size_t n) {
  return detail::split_container<T>(std::move(whole), n);
}

}  // namespace amity
