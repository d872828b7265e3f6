#pragma once

/// What programs of HClib and HabaneroUPC++ call by other names. All of it is finish, async, async_await and forasync,
/// whose rules hold: tasks count in the finish around them, which gets what they throw.
///
///     amity::habanero::launch([] {
///       auto left = amity::async_future([] { return 1; }).share();
///       auto both = amity::async_future_await(left, [=] { return left.get() + 1; });
///       amity::forasync2D(amity::loop_domain_2d(30, 40), [](long i, long j) { step(i, j); });
///       both.get();
///     });
///
/// Where a function stands among other arguments, it may be the first one, as there, or the last one, as in async_await
/// and async_at. `_nb`, for tasks that do not wait, is no difference here: a task has no stack until it waits.

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/base/later.hpp"
#include "amity/finish/finish.hpp"
#include "amity/finish/forasync.hpp"
#include "amity/finish/habanero/accumulator.hpp"
#include "amity/finish/habanero/atomic.hpp"
#include "amity/finish/habanero/memory.hpp"
#include "amity/finish/habanero/phaser.hpp"
#include "amity/finish/habanero/promise.hpp"
#include "amity/future/dataflow.hpp"
#include "amity/sync/this_task.hpp"

namespace amity {

namespace detail {

template <class T>
inline constexpr bool is_place_v = std::is_same_v<std::remove_cvref_t<T>, place>;
template <class T>
inline constexpr bool is_awaited_v = is_future_v<T> || is_container_of_futures_v<T>;
template <class F>
concept plain_call = !is_awaited_v<F> && !is_place_v<F> && std::is_invocable_v<std::decay_t<F>&>;

/// Begins `f` at a place when it is called.
template <class F>
struct call_at {
  place where;
  F f;
  auto operator()() { return amity::async(at(where), std::move(f)); }
};

/// async_await of what comes as futures..., f, which is then called at a place.
template <class... Arguments>
auto await_at(place where, Arguments&&... arguments) {
  auto all = std::forward_as_tuple(std::forward<Arguments>(arguments)...);
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    using F = std::decay_t<std::tuple_element_t<sizeof...(I), decltype(all)>>;
    return flattened(
        amity::async_await(std::get<I>(std::move(all))..., call_at<F>{where, std::get<sizeof...(I)>(std::move(all))}));
  }
  (std::make_index_sequence<sizeof...(Arguments) - 1>());
}

/// The same, where the place comes first or last.
template <class First, class... Rest>
auto await_somewhere(First&& first, Rest&&... rest) {
  if constexpr (is_place_v<First>) {
    return await_at(first, std::forward<Rest>(rest)...);
  } else {
    auto all = std::forward_as_tuple(std::forward<Rest>(rest)...);
    constexpr std::size_t last = sizeof...(Rest) - 1;
    static_assert(is_place_v<std::tuple_element_t<last, decltype(all)>>,
                  "(place, futures..., function), or (function, futures..., place)");
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return await_at(std::get<last>(all), std::get<I>(std::move(all))..., std::forward<First>(first));
    }
    (std::make_index_sequence<last>());
  }
}

}  // namespace detail

// --- tasks

/// async_at(f, place): the same as async_at(place, f).
template <detail::plain_call F>
auto async_at(F&& f, place where) {
  return async_at(where, std::forward<F>(f));
}

/// Begins `f(args...)` as a task whose result nobody wants: post.
template <class F, class... Args>
requires std::is_invocable_v<std::decay_t<F>, std::decay_t<Args>...>
void async_nb(F&& f, Args&&... args) { post(std::forward<F>(f), std::forward<Args>(args)...); }
/// The same at a place.
template <detail::plain_call F>
void async_nb_at(place where, F&& f) {
  post(at(where), std::forward<F>(f));
}
/// The same.
template <detail::plain_call F>
void async_nb_at(F&& f, place where) {
  post(at(where), std::forward<F>(f));
}

/// A future of `f(args...)`, begun as a task: async.
template <class F, class... Args>
requires std::is_invocable_v<std::decay_t<F>, std::decay_t<Args>...>
[[nodiscard]] auto async_future(F&& f, Args&&... args) {
  return async(std::forward<F>(f), std::forward<Args>(args)...);
}
/// The same.
template <class F, class... Args>
requires std::is_invocable_v<std::decay_t<F>, std::decay_t<Args>...>
[[nodiscard]] auto async_nb_future(F&& f, Args&&... args) {
  return async(std::forward<F>(f), std::forward<Args>(args)...);
}
/// A future of `f()`, begun as a task at a place: (place, f) or (f, place).
template <class A, class B>
requires((detail::is_place_v<A> && detail::plain_call<B>) || (detail::plain_call<A> && detail::is_place_v<B>))
    [[nodiscard]] auto async_future_at(A&& a, B&& b) {
  return async_at(std::forward<A>(a), std::forward<B>(b));
}
/// The same.
template <class A, class B>
requires((detail::is_place_v<A> && detail::plain_call<B>) || (detail::plain_call<A> && detail::is_place_v<B>))
    [[nodiscard]] auto async_nb_future_at(A&& a, B&& b) {
  return async_at(std::forward<A>(a), std::forward<B>(b));
}

// --- tasks that wait for futures before they begin

/// async_await(f, futures...): the same as async_await(futures..., f).
template <detail::plain_call F, class... Futures>
requires(sizeof...(Futures) != 0 && (detail::is_awaited_v<Futures> && ...)) auto async_await(F&& f,
                                                                                             Futures&&... futures) {
  return async_await(std::forward<Futures>(futures)..., std::forward<F>(f));
}
/// (place, futures..., f) or (f, futures..., place): `f()` as a task at the place, when all futures are ready; futures
/// and containers of futures. A future of its result, which may be thrown away. It counts in the finish around from now
/// on.
template <class... Arguments>
auto async_await_at(Arguments&&... arguments) {
  return detail::await_somewhere(std::forward<Arguments>(arguments)...);
}
/// The same as async_await, either way round; without a result.
template <class... Arguments>
void async_nb_await(Arguments&&... arguments) {
  static_cast<void>(async_await(std::forward<Arguments>(arguments)...));
}
/// The same as async_await_at, without a result.
template <class... Arguments>
void async_nb_await_at(Arguments&&... arguments) {
  static_cast<void>(async_await_at(std::forward<Arguments>(arguments)...));
}
/// The same as async_await, either way round: a future of the function's result.
template <class... Arguments>
[[nodiscard]] auto async_future_await(Arguments&&... arguments) {
  return async_await(std::forward<Arguments>(arguments)...);
}
/// The same.
template <class... Arguments>
[[nodiscard]] auto async_nb_future_await(Arguments&&... arguments) {
  return async_await(std::forward<Arguments>(arguments)...);
}
/// The same as async_await_at.
template <class... Arguments>
[[nodiscard]] auto async_future_await_at(Arguments&&... arguments) {
  return async_await_at(std::forward<Arguments>(arguments)...);
}
/// The same.
template <class... Arguments>
[[nodiscard]] auto async_nb_future_await_at(Arguments&&... arguments) {
  return async_await_at(std::forward<Arguments>(arguments)...);
}

// --- loops

/// One side of a loop: low, low + stride, ... before high.
struct loop_domain_t {
  long low = 0;     ///< the first
  long high = 0;    ///< behind the last
  long stride = 1;  ///< not 0; if it is negative, the loop goes down
  long tile = 0;    ///< iterations of one task, at most; 0: chosen from the number of workers
  /// How many iterations. Throws std::invalid_argument if the stride is 0.
  [[nodiscard]] std::uint64_t size() const {
    if (stride == 0) throw std::invalid_argument("amity::forasync: a loop_domain's stride is 0");
    auto const from = static_cast<std::uint64_t>(low), to = static_cast<std::uint64_t>(high);  // wrap as they must
    auto const step = static_cast<std::uint64_t>(stride);
    if (stride > 0) return low < high ? (to - from - 1) / step + 1 : 0;
    return high < low ? (from - to - 1) / (0 - step) + 1 : 0;
  }
  /// That of iteration i.
  [[nodiscard]] long nth(long i) const noexcept {
    return static_cast<long>(static_cast<std::uint64_t>(low) +
                             static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(stride));
  }
};

/// D of them, the outermost first.
template <std::size_t D>
struct loop_domain_nd {
  std::array<loop_domain_t, D> side;  ///< the outermost first
};
/// Of forasync1D.
struct loop_domain_1d : loop_domain_nd<1> {
  /// From 0.
  explicit loop_domain_1d(long high) : loop_domain_1d(0, high) {}
  /// Of a side.
  explicit loop_domain_1d(const loop_domain_t& only) : loop_domain_nd<1>{{{only}}} {}
  /// As of loop_domain_t.
  loop_domain_1d(long low, long high, long stride = 1, long tile = 0)
      : loop_domain_nd<1>{{{{low, high, stride, tile}}}} {}
};
/// Of forasync2D.
struct loop_domain_2d : loop_domain_nd<2> {
  /// From 0.
  loop_domain_2d(long high0, long high1) : loop_domain_2d(0, high0, 0, high1) {}
  /// With strides of 1.
  loop_domain_2d(long low0, long high0, long low1, long high1) : loop_domain_nd<2>{{{{low0, high0}, {low1, high1}}}} {}
  /// Of sides with strides and tiles.
  loop_domain_2d(const loop_domain_t& outer, const loop_domain_t& inner) : loop_domain_nd<2>{{{outer, inner}}} {}
};
/// Of forasync3D.
struct loop_domain_3d : loop_domain_nd<3> {
  /// From 0.
  loop_domain_3d(long high0, long high1, long high2) : loop_domain_3d(0, high0, 0, high1, 0, high2) {}
  /// With strides of 1.
  loop_domain_3d(long low0, long high0, long low1, long high1, long low2, long high2)
      : loop_domain_nd<3>{{{{low0, high0}, {low1, high1}, {low2, high2}}}} {}
  /// Of sides with strides and tiles.
  loop_domain_3d(const loop_domain_t& outer, const loop_domain_t& middle, const loop_domain_t& inner)
      : loop_domain_nd<3>{{{outer, middle, inner}}} {}
};

/// How the tasks of a loop are made.
enum forasync_mode : int {
  FORASYNC_MODE_FLAT = 0,      ///< by the caller, one for each tile: chunked
  FORASYNC_MODE_RECURSIVE = 1  ///< the loop is halved, by tasks, until a tile is left: recursive
};

namespace detail {

template <std::size_t D, class F>
void forasync_domain(const loop_domain_nd<D>& domain, F&& f, int mode) {
  if (mode != FORASYNC_MODE_FLAT && mode != FORASYNC_MODE_RECURSIVE)
    throw std::invalid_argument(
        "amity::forasync: a mode that is neither FORASYNC_MODE_FLAT (0) nor FORASYNC_MODE_RECURSIVE (1)");
  std::array<basic_range<std::uint64_t>, D> iterations = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array{basic_range<std::uint64_t>(0, domain.side[I].size())...};
  }
  (std::make_index_sequence<D>());
  tile_sides tile{};
  for (std::size_t d = 0; d < D; ++d)
    tile[d] = domain.side[d].tile > 0 ? static_cast<std::uint64_t>(domain.side[d].tile) : 0;
  auto body = [side = domain.side, f = std::forward<F>(f)](auto... i) mutable {
    std::apply([&](const auto&... s) { f(s.nth(static_cast<long>(i))...); }, side);
  };
  if (mode == FORASYNC_MODE_FLAT)
    for_all_of<D, std::uint64_t>(iterations, chunked{tile}, std::move(body));
  else
    for_all_of<D, std::uint64_t>(iterations, recursive{tile}, std::move(body));
}

/// Behind the mode may stand a place, at which the tasks are made, and then futures to be waited for.
template <std::size_t D, class F>
void forasync_after(const loop_domain_nd<D>& domain, F&& f, int mode) {
  forasync_domain(domain, std::forward<F>(f), mode);
}
template <std::size_t D, class F, class... Futures>
void forasync_after(const loop_domain_nd<D>& domain, F&& f, int mode, place where, Futures&&... futures) {
  auto loop = [domain, f = std::forward<F>(f), mode]() mutable { forasync_domain(domain, std::move(f), mode); };
  if constexpr (sizeof...(Futures) == 0)
    post(at(where), std::move(loop));
  else
    static_cast<void>(await_at(where, std::forward<Futures>(futures)..., std::move(loop)));
}
template <std::size_t D, class F, class Future, class... Futures>
requires is_awaited_v<Future>
void forasync_after(const loop_domain_nd<D>& domain, F&& f, int mode, Future&& future, Futures&&... futures) {
  auto loop = [domain, f = std::forward<F>(f), mode]() mutable { forasync_domain(domain, std::move(f), mode); };
  static_cast<void>(
      amity::async_await(std::forward<Future>(future), std::forward<Futures>(futures)..., std::move(loop)));
}

/// What is given for a domain: one, a pointer to one, or an array of the sides, the outermost first.
template <class Domain>
[[nodiscard]] const Domain& domain_of(const Domain& domain) noexcept {
  return domain;
}
template <class Domain>
[[nodiscard]] const Domain& domain_of(const Domain* domain) noexcept {
  return *domain;
}
template <class Domain>
[[nodiscard]] Domain domain_of(const loop_domain_t* sides) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) { return Domain(sides[I]...); }
  (std::make_index_sequence<std::tuple_size_v<decltype(Domain::side)>>());
}

/// forasync1D and its relatives, which differ in what they take for a domain.
template <class Domain, bool Future>
struct forasync_call {
  template <class Given, class F, class Mode = forasync_mode, class... After>
  requires(!std::is_same_v<Mode, bool>) auto operator()(const Given& given, F&& f, Mode mode = FORASYNC_MODE_RECURSIVE,
                                                        After&&... after) const {
    const Domain& domain = domain_of<Domain>(given);
    if constexpr (Future)
      return nonblocking_finish(
          [&] { forasync_after(domain, std::forward<F>(f), mode, std::forward<After>(after)...); });
    else
      forasync_after(domain, std::forward<F>(f), mode, std::forward<After>(after)...);
  }
  /// What older programs say before the mode: all iterations one after the other, in one task.
  template <class Given, class F, std::same_as<bool> Flag, class Mode = forasync_mode, class... After>
  auto operator()(const Given& given, F&& f, Flag one_by_one, Mode mode = FORASYNC_MODE_RECURSIVE,
                  After&&... after) const {
    Domain domain = domain_of<Domain>(given);
    if (one_by_one)
      for (loop_domain_t& side : domain.side) side.tile = std::numeric_limits<long>::max();
    return (*this)(domain, std::forward<F>(f), mode, std::forward<After>(after)...);
  }
};

}  // namespace detail

/// forasync1D(domain, f[, mode[, place][, futures...]]): begins tasks that call f(i) for each i of the domain, of which
/// the address may be given, or that of its sides. Before the mode may stand a bool: one by one. At the place; when the
/// futures are ready. Returns when they are made, or the first one is; the finish around waits for them. One copy of f
/// for all. Throws std::invalid_argument if a stride is 0, or at a mode that there is not; where there are a place or
/// futures, the finish gets that.
inline constexpr detail::forasync_call<loop_domain_1d, false> forasync1D{};
/// The same with f(i, j).
inline constexpr detail::forasync_call<loop_domain_2d, false> forasync2D{};
/// The same with f(i, j, k).
inline constexpr detail::forasync_call<loop_domain_3d, false> forasync3D{};
/// The same, with a future that is ready when all calls have ended, and holds what the first one threw.
inline constexpr detail::forasync_call<loop_domain_1d, true> forasync1D_future{};
/// The same with f(i, j).
inline constexpr detail::forasync_call<loop_domain_2d, true> forasync2D_future{};
/// The same with f(i, j, k).
inline constexpr detail::forasync_call<loop_domain_3d, true> forasync3D_future{};

/// Names that mean something else in namespace amity, or nothing. `namespace hclib = amity::habanero;` is what a
/// program of HClib may begin with. Futures are future_t here and pointers to them (habanero/promise.hpp), places are
/// locale_t and pointers to them; what waits for futures takes these and amity's own.
namespace habanero {

// What is the same. Not all of amity: a program may say `using namespace hclib`, and would not know which it meant.
using amity::async_nb;
using amity::async_phased;
using amity::finish;
using amity::forasync_mode;
using amity::FORASYNC_MODE_FLAT;
using amity::FORASYNC_MODE_RECURSIVE;
using amity::loop_domain_2d;
using amity::loop_domain_3d;
using amity::loop_domain_t;

/// Of forasync1D. Where amity's third number is the stride, HClib's says into how many tiles the loop is cut.
struct loop_domain_1d : amity::loop_domain_1d {
  using amity::loop_domain_1d::loop_domain_1d;
  /// With a stride of 1, in `tiles` parts, at least one.
  loop_domain_1d(long low, long high, long tiles) : amity::loop_domain_1d(low, high) {
    if (tiles < 1) throw std::invalid_argument("amity::habanero::loop_domain_1d: less than one tile");
    if (high > low) side[0].tile = (high - low - 1) / tiles + 1;
  }
  /// As of loop_domain_t.
  loop_domain_1d(long low, long high) : amity::loop_domain_1d(low, high) {}
};

/// Runs `f` here and waits for all tasks that it began, theirs too: finish. Nothing has to be started before.
template <class F>
requires std::is_invocable_v<F&>
void launch(F&& f) { finish(std::forward<F>(f)); }
/// The same. The first two are what HClib loads modules by; none are needed here.
template <class F>
void launch(const char* const* /*modules*/, int /*how_many*/, F&& f) {
  finish(std::forward<F>(f));
}
/// The same. The first two are main's, which some versions of HClib looked at.
template <class F>
void launch(int* /*argc*/, char** /*argv*/, F&& f) {
  finish(std::forward<F>(f));
}

/// worker_count().
[[nodiscard]] inline int num_workers() noexcept { return worker_count(); }
/// The same, as HabaneroUPC++ has it.
[[nodiscard]] inline int numWorkers() noexcept { return worker_count(); }
/// The same.
[[nodiscard]] inline int get_num_workers() noexcept { return worker_count(); }
/// this_worker_number().
[[nodiscard]] inline int current_worker() noexcept { return this_worker_number(); }
/// The same, as HabaneroUPC++ has it.
[[nodiscard]] inline int get_hc_wid() noexcept { return this_worker_number(); }
/// The same.
[[nodiscard]] inline int get_current_worker() noexcept { return this_worker_number(); }

/// this_task::yield.
inline void yield() noexcept { this_task::yield(); }
/// Lets one task go first that is for a worker of this place; from that place's worker, or anywhere else.
template <class Where>
void yield_at(const Where& where) {
  async(at(detail::place_of(where)), [] {}).get();
}

/// finish that does not wait: a future that is ready when all have ended.
template <class F>
future_pointer<void> nonblocking_finish(F&& f) {
  return amity::nonblocking_finish(std::forward<F>(f));
}

/// async, with a future of HClib's.
template <class F, class... Args>
requires std::is_invocable_v<std::decay_t<F>, std::decay_t<Args>...>
[[nodiscard]] auto async_future(F&& f, Args&&... args) {
  return amity::detail::pointer(async(std::forward<F>(f), std::forward<Args>(args)...));
}
/// The same.
template <class F, class... Args>
requires std::is_invocable_v<std::decay_t<F>, std::decay_t<Args>...>
[[nodiscard]] auto async_nb_future(F&& f, Args&&... args) {
  return amity::detail::pointer(async(std::forward<F>(f), std::forward<Args>(args)...));
}

// As the names in namespace amity: a future that async_future and its like give is a future_pointer, others are
// amity's.

/// (f, place) or (place, f).
template <class... A>
auto async_at(A&&... a) {
  return amity::async_at(amity::detail::hclib_argument(std::forward<A>(a))...);
}
/// The same without a result.
template <class... A>
void async_nb_at(A&&... a) {
  amity::async_nb_at(amity::detail::hclib_argument(std::forward<A>(a))...);
}
/// (f, place) or (place, f).
template <class... A>
[[nodiscard]] auto async_future_at(A&&... a) {
  return amity::detail::pointer(amity::async_future_at(amity::detail::hclib_argument(std::forward<A>(a))...));
}
/// The same.
template <class... A>
[[nodiscard]] auto async_nb_future_at(A&&... a) {
  return amity::detail::pointer(amity::async_nb_future_at(amity::detail::hclib_argument(std::forward<A>(a))...));
}
/// (f, futures...) or (futures..., f); a null pointer is nothing to wait for.
template <class... A>
auto async_await(A&&... a) {
  return amity::async_await(amity::detail::hclib_argument(std::forward<A>(a))...);
}
/// (f, futures..., place) or (place, futures..., f).
template <class... A>
auto async_await_at(A&&... a) {
  return amity::async_await_at(amity::detail::hclib_argument(std::forward<A>(a))...);
}
/// As async_await, without a result.
template <class... A>
void async_nb_await(A&&... a) {
  amity::async_nb_await(amity::detail::hclib_argument(std::forward<A>(a))...);
}
/// As async_await_at, without a result.
template <class... A>
void async_nb_await_at(A&&... a) {
  amity::async_nb_await_at(amity::detail::hclib_argument(std::forward<A>(a))...);
}
/// As async_await.
template <class... A>
[[nodiscard]] auto async_future_await(A&&... a) {
  return amity::detail::pointer(amity::async_future_await(amity::detail::hclib_argument(std::forward<A>(a))...));
}
/// The same.
template <class... A>
[[nodiscard]] auto async_nb_future_await(A&&... a) {
  return amity::detail::pointer(amity::async_nb_future_await(amity::detail::hclib_argument(std::forward<A>(a))...));
}
/// As async_await_at.
template <class... A>
[[nodiscard]] auto async_future_await_at(A&&... a) {
  return amity::detail::pointer(amity::async_future_await_at(amity::detail::hclib_argument(std::forward<A>(a))...));
}
/// The same.
template <class... A>
[[nodiscard]] auto async_nb_future_await_at(A&&... a) {
  return amity::detail::pointer(amity::async_nb_future_await_at(amity::detail::hclib_argument(std::forward<A>(a))...));
}
/// (domain, f[, one by one][, mode[, place][, futures...]]).
template <class... A>
void forasync1D(A&&... a) {
  amity::forasync1D(amity::detail::hclib_argument(std::forward<A>(a))...);
}
/// The same.
template <class... A>
void forasync2D(A&&... a) {
  amity::forasync2D(amity::detail::hclib_argument(std::forward<A>(a))...);
}
/// The same.
template <class... A>
void forasync3D(A&&... a) {
  amity::forasync3D(amity::detail::hclib_argument(std::forward<A>(a))...);
}
/// The same, with a future.
template <class... A>
[[nodiscard]] auto forasync1D_future(A&&... a) {
  return amity::detail::pointer(amity::forasync1D_future(amity::detail::hclib_argument(std::forward<A>(a))...));
}
/// The same.
template <class... A>
[[nodiscard]] auto forasync2D_future(A&&... a) {
  return amity::detail::pointer(amity::forasync2D_future(amity::detail::hclib_argument(std::forward<A>(a))...));
}
/// The same.
template <class... A>
[[nodiscard]] auto forasync3D_future(A&&... a) {
  return amity::detail::pointer(amity::forasync3D_future(amity::detail::hclib_argument(std::forward<A>(a))...));
}

using amity::async;
/// C's form: `f(argument)`, when the futures of a list that ends with a null pointer are ready (null: at once),
/// registered with these phasers (null: none), or with all of the caller's where `property` has PHASER_TRANSMIT_ALL.
template <class L = void>  // of nothing (base/README.md, I1)
void async(void (*f)(void*), void* argument, future_base** futures, const phased_t* phasers, int property) {
  std::vector<shared_future<void>> inputs;
  for (; futures != nullptr && *futures != nullptr; ++futures) inputs.push_back((*futures)->done());
  if (phasers == nullptr && (property & PHASER_TRANSMIT_ALL) == 0) {
    static_cast<void>(amity::async_await(std::move(amity::detail::later<L>(inputs)), [=] { f(argument); }));
    return;
  }
  auto call = [f, argument,
               inputs =
                   std::move(amity::detail::later<L>(inputs))] {  // takes part from now on, so it can't begin later
    for (auto const& one : inputs) one.wait();
    f(argument);
  };
  if (phasers != nullptr)
    static_cast<void>(detail::async_phased_with(*phasers, std::move(call)));
  else
    static_cast<void>(async_phased(std::move(call)));
}

}  // namespace habanero

}  // namespace amity
