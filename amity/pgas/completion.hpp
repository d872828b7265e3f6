#pragma once

/// Notification of the parts of a copy: UPC++'s completions.
///
///     using namespace amity;
///     rput(values.data(), there, n, operation_cx::as_promise(done));
///     rput(values.data(), there, n, remote_cx::as_rpc([](int from) { has_come(from); }, rank_me()));
///     auto [free, arrived] = rput(values.data(), there, n, source_cx::as_future() | operation_cx::as_future());
///
/// The **operation** is complete when its data have arrived, the **source** when its memory may be used again. The
/// **remote** side is notified by a call in its process, after the data have arrived. Each is asked for by an object
/// that `as_future` and the like give, and `|` joins several of them. A copy gives back what was asked for as a future:
/// one future, or a std::tuple of several in the order in which they were asked for; otherwise nothing.

#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>

#include "amity/base/later.hpp"
#include "amity/future/future.hpp"
#include "amity/pgas/completion_list.hpp"
#include "amity/pgas/one_sided.hpp"
#include "amity/pgas/remote_call.hpp"

namespace amity {

namespace pgas::detail {

enum class part { operation, source };

template <part P>
struct by_future {};
template <part P>
struct by_promise {
  promise<void>* told;
};
template <part P, class F>
struct by_task {
  F f;
};
template <part P>
struct by_blocking {};
template <class F, class... Args>
struct by_remote_call {
  F f;
  std::tuple<Args...> arguments;
};

template <class X>
struct gives_a_future : std::false_type {};
template <part P>
struct gives_a_future<by_future<P>> : std::true_type {};

/// Puts a promise when `of` is ready.
template <class L = void>
void pass_on(shared_future<void> of, promise<void>& told) {
  base_detail::later<L>(of).then(launch::sync, [&told](shared_future<void> f) {
    if (std::exception_ptr const error = f.get_exception_ptr())
      told.set_exception(error);
    else
      told.set_value();
  });
}

/// Does what one of the wishes asks for; a tuple of its future, or an empty one. `source`, `done`: the two parts.
template <part P>
auto fulfil(by_future<P>, const shared_future<void>& source, const shared_future<void>& done, int) {
  return std::tuple(future<void>((P == part::source ? source : done).then(launch::sync, [](auto f) { f.get(); })));
}
template <part P>
std::tuple<> fulfil(by_promise<P> w, const shared_future<void>& source, const shared_future<void>& done, int) {
  pass_on(P == part::source ? source : done, *w.told);
  return {};
}
template <part P, class F>
std::tuple<> fulfil(by_task<P, F> w, const shared_future<void>& source, const shared_future<void>& done, int) {
  (P == part::source ? source : done).then([f = std::move(w.f)](shared_future<void> ready) mutable {
    ready.get();
    f();
  });
  return {};
}
template <part P>
std::tuple<> fulfil(by_blocking<P>, const shared_future<void>& source, const shared_future<void>& done, int) {
  (P == part::source ? source : done).get();
  return {};
}
template <class F, class... Args>
std::tuple<> fulfil(by_remote_call<F, Args...> w, const shared_future<void>&, const shared_future<void>& done,
                    int rank) {
  // Where the copy was made at once, so is the call: before this returns.
  done.then(launch::sync, [w = std::move(w), rank](shared_future<void> f) {
    f.get();
    std::apply([&](const Args&... each) { rpc_ff(rank, w.f, each...); }, w.arguments);
  });
  return {};
}

/// `is_free`: the source is memory here, which was copied: into a message, if not to its place. What is elsewhere may
/// be read until it has arrived.
template <class... Each>
auto fulfil_all(completions<Each...> wishes, future<void> done, int rank, bool is_free) {
  shared_future<void> const arrived = done.share();
  shared_future<void> const source = is_free ? make_ready_future().share() : arrived;
  auto futures = std::apply(
      [&](Each&... each) { return std::tuple_cat(fulfil(std::move(each), source, arrived, rank)...); }, wishes.each);
  constexpr std::size_t count = std::tuple_size_v<decltype(futures)>;
  if constexpr (count == 1)
    return std::get<0>(std::move(futures));
  else if constexpr (count > 1)
    return futures;
}

/// The wishes about one of the parts.
template <part P>
struct wishes_for {
  /// Asks for a future of it.
  static completions<by_future<P>> as_future() { return {}; }
  /// Puts `told`, or its exception. Requires: `told` stays until then.
  static completions<by_promise<P>> as_promise(promise<void>& told) { return {{by_promise<P>{&told}}}; }
  /// Runs `f()` as a task, in this process; not after a failure. UPC++'s name is as_lpc.
  template <class F>
  static completions<by_task<P, F>> as_task(F f) {
    return {{by_task<P, F>{std::move(f)}}};
  }
  /// The copy returns when it is complete. Blocks the fiber; throws what the copy fails with.
  static completions<by_blocking<P>> as_blocking() { return {}; }
  /// UPC++'s names: futures of ours are ready at once where the copy was made at once.
  static auto as_eager_future() { return as_future(); }
  static auto as_defer_future() { return as_future(); }
  static auto as_eager_promise(promise<void>& told) { return as_promise(told); }
  static auto as_defer_promise(promise<void>& told) { return as_promise(told); }
};

}  // namespace pgas::detail

/// Notification of the data's arrival: `operation_cx::as_future()`, `as_promise(p)`, `as_task(f)`, `as_blocking()`.
/// as_future asks for a future, which the copy gives back. as_promise(p) puts `p`, which must stay until then, or puts
/// the error into it. as_task(f) runs `f()` as a task of this process, but not after a failure; UPC++'s name is as_lpc.
/// as_blocking has the copy return when its data have arrived, and throw what it fails with. The names as_eager_future,
/// as_defer_future, as_eager_promise and as_defer_promise mean the same as those without `eager` and `defer`.
struct operation_cx : pgas::detail::wishes_for<pgas::detail::part::operation> {};
/// Notification that the source's memory may be used again. It has the functions of operation_cx. Messages hold copies
/// of what they carry, so a source in memory of this process, or within its reach (global_ptr::is_local), is complete
/// when the call returns. One that is elsewhere is complete when the operation is.
struct source_cx : pgas::detail::wishes_for<pgas::detail::part::source> {};
/// Notification of the process whose memory is written (of rget: read).
struct remote_cx {
  /// Asks for a call of `f(args...)` there as a task, when the data have arrived; not after a failure. Function and
  /// arguments travel as for rpc_ff: captures of `f` are bytes, arguments are serialised.
  template <class F, class... Args>
  static pgas::detail::completions<pgas::detail::by_remote_call<std::decay_t<F>, std::decay_t<Args>...>> as_rpc(
      F&& f, Args&&... args) {
    return {{pgas::detail::by_remote_call<std::decay_t<F>, std::decay_t<Args>...>{
        std::forward<F>(f), std::tuple<std::decay_t<Args>...>(std::forward<Args>(args)...)}}};
  }
};

/// rput of `n` elements, with the notifications that `wishes` asks for; gives the futures among them. Throws as rput.
template <pgas::detail::transferable T, pgas::detail::some_completions C>
auto rput(const T* from, global_ptr<T> to, std::size_t n, C wishes) {
  return pgas::detail::fulfil_all(std::move(wishes), rput(from, to, n), to.where(), true);
}
/// rput of one value, which is copied, with the notifications that `wishes` asks for. Throws as rput.
template <pgas::detail::transferable T, pgas::detail::some_completions C>
auto rput(const T& value, global_ptr<T> to, C wishes) {
  return pgas::detail::fulfil_all(std::move(wishes), rput(value, to), to.where(), true);
}
/// rget of `n` elements, with the notifications that `wishes` asks for; the remote side is the process that is read.
/// Throws as rget.
template <class T, pgas::detail::some_completions C>
auto rget(global_ptr<T> from, std::remove_const_t<T>* to, std::size_t n, C wishes) {
  return pgas::detail::fulfil_all(std::move(wishes), rget(from, to, n), from.where(), from.is_local());
}
/// async_copy between any two processes, with the notifications that `wishes` asks for; the remote side is the process
/// that is written. UPC++'s name is copy. Throws as async_copy.
template <class T, class U, pgas::detail::some_completions C>
auto async_copy(global_ptr<T> from, global_ptr<U> to, std::size_t n, C wishes) {
  return pgas::detail::fulfil_all(std::move(wishes), async_copy(from, to, n), to.where(), from.is_local());
}

}  // namespace amity
