#pragma once

/// One call in several processes, and what becomes of the results: HPX's lcos::broadcast, reduce and fold.
///
///     std::vector<int> const ranks = {0, 2, 3};
///     std::vector<double> parts = amity::lcos::broadcast(ranks, part_of, name).get();
///     double sum = amity::lcos::reduce(ranks, part_of, std::plus<>(), name).get();
///     long n = amity::lcos::fold(ranks, count, std::plus<>(), 100L).get();
///
/// Each is a call by rpc to each rank of the list, in which a rank may stand several times; function, arguments and
/// errors are rpc's. The other processes need not call anything. Results are taken in the order of the list. Those with
/// `_with_index` call `f(args..., i)`, where `i` is the place in the list. Nothing waits; a future fails with what the
/// first call of the list that failed has failed with, after all are over.

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/future/when.hpp"
#include "amity/pgas/remote_call.hpp"

namespace amity::lcos {

namespace detail {

/// `call(rank, i)` for each; its results, in the order of the list.
template <class Ranks, class Call>
auto call_each(const Ranks& ranks, Call call) {
  using one = decltype(call(0, std::size_t{0}));
  std::vector<one> all;
  std::size_t i = 0;
  for (int const rank : ranks) all.push_back(call(rank, i++));
  return when_all(std::move(all));
}
template <class R>
struct results {
  using type = std::vector<R>;
};
template <>
struct results<void> {
  using type = void;
};

/// A vector of the results, or nothing.
template <class All>
auto collected(future<All> all) {
  using one = decltype(std::declval<typename All::value_type&>().get());
  return all.then(launch::sync, [](future<All> f) -> typename results<one>::type {
    All each = f.get();
    if constexpr (std::is_void_v<one>) {
      for (auto& x : each) x.get();
    } else {
      std::vector<one> values;
      values.reserve(each.size());
      for (auto& x : each) values.push_back(x.get());
      return values;
    }
  });
}
/// The results combined by `op`, from the left; throws std::invalid_argument if there are none.
template <class All, class Op>
auto reduced(future<All> all, Op op) {
  return collected(std::move(all)).then([op = std::move(op)](auto f) mutable {
    auto values = f.get();
    if (values.empty()) throw std::invalid_argument("lcos::reduce: a list of no ranks has no result");
    auto sum = std::move(values.front());
    for (std::size_t i = 1; i < values.size(); ++i)
      sum = static_cast<decltype(sum)>(op(std::move(sum), std::move(values[i])));
    return sum;
  });
}
template <class All, class Op, class Init>
auto folded(future<All> all, Op op, Init init) {
  return collected(std::move(all)).then([op = std::move(op), init = std::move(init)](auto f) mutable {
    for (auto& value : f.get()) init = static_cast<Init>(op(std::move(init), std::move(value)));
    return std::move(init);
  });
}

}  // namespace detail

/// Calls `f(args...)` in each of these processes; gives the results, or nothing if there are none.
template <class Ranks, class F, class... Args>
[[nodiscard]] auto broadcast(const Ranks& ranks, const F& f, const Args&... args) {
  return detail::collected(detail::call_each(ranks, [&](int rank, std::size_t) { return rpc(rank, f, args...); }));
}
/// The same with the place in the list as the last argument.
template <class Ranks, class F, class... Args>
[[nodiscard]] auto broadcast_with_index(const Ranks& ranks, const F& f, const Args&... args) {
  return detail::collected(detail::call_each(ranks, [&](int rank, std::size_t i) { return rpc(rank, f, args..., i); }));
}
/// The same without results: as rpc_ff.
template <class Ranks, class F, class... Args>
void broadcast_post(const Ranks& ranks, const F& f, const Args&... args) {
  for (int const rank : ranks) rpc_ff(rank, f, args...);
}
/// The same with the place in the list as the last argument.
template <class Ranks, class F, class... Args>
void broadcast_post_with_index(const Ranks& ranks, const F& f, const Args&... args) {
  std::size_t i = 0;
  for (int const rank : ranks) rpc_ff(rank, f, args..., i++);
}

/// Calls `f(args...)` in each of these processes; gives the results combined by `op(left, right)`, which is called in
/// this process. The future fails with std::invalid_argument if the list is empty.
template <class Ranks, class F, class Op, class... Args>
[[nodiscard]] auto reduce(const Ranks& ranks, const F& f, Op op, const Args&... args) {
  return detail::reduced(detail::call_each(ranks, [&](int rank, std::size_t) { return rpc(rank, f, args...); }),
                         std::move(op));
}
/// The same with the place in the list as the last argument.
template <class Ranks, class F, class Op, class... Args>
[[nodiscard]] auto reduce_with_index(const Ranks& ranks, const F& f, Op op, const Args&... args) {
  return detail::reduced(detail::call_each(ranks, [&](int rank, std::size_t i) { return rpc(rank, f, args..., i); }),
                         std::move(op));
}
/// The same, from a first value on: `op(... op(op(init, first), second) ..., last)`.
template <class Ranks, class F, class Op, class Init, class... Args>
[[nodiscard]] auto fold(const Ranks& ranks, const F& f, Op op, Init init, const Args&... args) {
  return detail::folded(detail::call_each(ranks, [&](int rank, std::size_t) { return rpc(rank, f, args...); }),
                        std::move(op), std::move(init));
}
/// The same with the place in the list as the last argument of `f`.
template <class Ranks, class F, class Op, class Init, class... Args>
[[nodiscard]] auto fold_with_index(const Ranks& ranks, const F& f, Op op, Init init, const Args&... args) {
  return detail::folded(detail::call_each(ranks, [&](int rank, std::size_t i) { return rpc(rank, f, args..., i); }),
                        std::move(op), std::move(init));
}

}  // namespace amity::lcos
