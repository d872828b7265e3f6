#pragma once

/// Habanero-C++'s constructs as the HabaneroUPC++ paper has them (Kumar, Zheng, Cavé, Budimlić, Sarkar: "HabaneroUPC++:
/// a Compiler-free PGAS Library", PGAS 2014, Figure 3), and its data-driven futures. New programs take async_await,
/// async_phased and forasync.
///
///     using namespace amity::habanero;
///     DDF_t* ddf = ddf_create();
///     finish([&] {
///       asyncAwait(ddf, [=] { use(ddf_get(ddf)); });
///       async([=] { ddf_put(ddf, make()); });
///       forasync(2, FORASYNC_MODE_RECURSIVE, 0, 0, 30, 40, 0, 0, [](long i, long j) { step(i, j); });
///     });
///     ddf_free(ddf);
///
/// The functions of DDF_t are templates of nothing (base/README.md, I1).

#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "amity/finish/habanero.hpp"
#include "amity/finish/habanero/phaser.hpp"
#include "amity/finish/habanero/promise.hpp"

namespace amity::habanero {

// --- data-driven futures

/// A pointer that is put once. asyncAwait and async_await take pointers to it, and lists that end with a null pointer.
using DDF_t = promise_t<void*>;
/// The same.
using ddf_t = DDF_t;

/// A new one, for ddf_free.
template <class T = void*>
[[nodiscard]] promise_t<T>* ddf_create() {
  return new promise_t<T>;
}
/// `count` new ones; where `null_terminated` is set, one less, and a null pointer behind them. Each is for ddf_free,
/// the list for free().
template <class = void>
[[nodiscard]] DDF_t** ddf_create_n(std::size_t count, bool null_terminated) {
  auto** const list = static_cast<DDF_t**>(std::calloc(count != 0 ? count : 1, sizeof(DDF_t*)));
  if (list == nullptr) throw std::bad_alloc();
  std::size_t const made = null_terminated && count != 0 ? count - 1 : count;
  for (std::size_t i = 0; i < made; ++i) list[i] = ddf_create();
  return list;
}
/// A task that still waits for it gets future_error, broken_promise.
template <class = void>
void ddf_free(DDF_t* ddf) {
  delete ddf;
}
/// Starts what waits for it. The second put throws future_error, promise_already_satisfied.
template <class = void>
void ddf_put(DDF_t* ddf, void* datum) {
  ddf->put(datum);
}
/// What was put. Throws std::logic_error if nothing was.
template <class = void>
[[nodiscard]] void* ddf_get(DDF_t* ddf) {
  if (!ddf->future().test())
    throw std::logic_error("amity: ddf_get: nothing was put yet; asyncAwait runs a task when it was, ddf_wait waits");
  return ddf->future().get();
}
/// What was put, or will be: waits for it.
template <class = void>
[[nodiscard]] void* ddf_wait(DDF_t* ddf) {
  return ddf->future().wait();
}

// --- phasers

/// As async_phased takes them.
using PHASER_t = phaser_t;
/// What a task does in one.
using PHASER_m = phaser_mode_t;

namespace detail {

template <class... A, std::size_t... I>
void async_phased_in(std::tuple<A...>&& all, std::index_sequence<I...> /*pairs*/) {
  constexpr std::size_t pairs = sizeof...(I);
  std::array<phaser_t, pairs> phasers{std::get<2 * I>(all)...};
  std::array<phaser_mode_t, pairs> modes{std::get<2 * I + 1>(all)...};
  phased_t const list{static_cast<int>(pairs), phasers.data(), modes.data()};
  static_cast<void>(async_phased_with(list, std::get<2 * pairs>(std::move(all))));
}

/// How often a thing is given for each dimension of a loop: where it begins, its size, its tile.
inline constexpr std::size_t given_for_each = 3;

template <std::size_t D, class... A, std::size_t... I>
void forasync_in(int style, std::tuple<A...>&& all, std::index_sequence<I...> /*dimensions*/) {
  amity::loop_domain_nd<D> const domain{
      {{amity::loop_domain_t{static_cast<long>(std::get<I>(all)),
                             static_cast<long>(std::get<I>(all)) + static_cast<long>(std::get<D + I>(all)), 1,
                             static_cast<long>(std::get<2 * D + I>(all))}...}}};
  amity::detail::forasync_domain(domain, std::get<given_for_each * D>(std::move(all)), style);
}

}  // namespace detail

// --- tasks

/// (ddfs..., f): `f()` as a task, when all of them were put. Pointers to DDF_t, and what async_await takes.
template <class... A>
void asyncAwait(A&&... a) {
  static_cast<void>(amity::async_await(amity::detail::awaited(std::forward<A>(a))...));
}

/// (phaser, mode, phaser, mode, ..., f): `f()` as a task that takes part in these. With f alone: in all that the caller
/// takes part in, with its modes.
template <class... A>
void asyncPhased(A&&... a) {
  static_assert(sizeof...(A) % 2 == 1, "(phaser, mode, ..., function)");
  if constexpr (sizeof...(A) == 1)
    static_cast<void>(amity::async_phased(std::forward<A>(a)...));
  else
    detail::async_phased_in(std::forward_as_tuple(std::forward<A>(a)...), std::make_index_sequence<sizeof...(A) / 2>());
}

/// (dimensions, style, begins..., sizes..., tiles..., f): tasks that call f with each index of 1, 2 or 3 dimensions,
/// the outermost first. `style`: FORASYNC_MODE_FLAT, one task for each tile, or FORASYNC_MODE_RECURSIVE. A tile of 0 is
/// chosen from the number of workers. Throws std::invalid_argument if `dimensions` is not what the rest is for.
template <class... A>
void forasync(int dimensions, int style, A&&... a) {
  constexpr std::size_t D = sizeof...(A) / detail::given_for_each;
  static_assert(sizeof...(A) % detail::given_for_each == 1 && D >= 1 && D <= 3,
                "(dimensions, style, begins..., sizes..., tiles..., function), 1 to 3 of each");
  if (dimensions != static_cast<int>(D))
    throw std::invalid_argument("amity: forasync: " + std::to_string(dimensions) + " dimensions, with begins, sizes " +
                                "and tiles for " + std::to_string(D));
  detail::forasync_in<D>(style, std::forward_as_tuple(std::forward<A>(a)...), std::make_index_sequence<D>());
}

}  // namespace amity::habanero
