#pragma once

/// Executors of the program's own, and the customization points by which HPX's programs write them.
///
///     struct on_my_threads {                                  // by member functions
///       template <class F, class... Args>
///       amity::future<...> async_execute(F&& f, Args&&... args) const;
///     };
///     struct traced {                                         // or by tag_invoke
///       template <class F, class... Args>
///       friend auto tag_invoke(amity::execution::experimental::async_execute_t, const traced&, F&& f, Args&&... args)
///       {
///         return amity::async(std::forward<F>(f), std::forward<Args>(args)...);
///       }
///     };
///     amity::async(traced(), work);
///     amity::for_each(amity::execution::par.on(traced()), v.begin(), v.end(), f);
///
/// An executor needs one of async_execute, sync_execute and bulk_async_execute; the others are made of what it has.
/// If it has async_execute or bulk_async_execute, these give amity::future. An algorithm has as many calls made as
/// there are workers, each of which does chunks until there are none left; the caller does the chunks that are left in
/// the end. It waits until each call has begun or was dropped: threads that all wait in algorithms by their own
/// executor wait for ever.

#include <atomic>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/algo/chunk_team.hpp"
#include "amity/algo/executor.hpp"
#include "amity/future/async.hpp"
#include "amity/sched/tasks/policy.hpp"

namespace amity::execution {

namespace experimental {

namespace detail {

void tag_invoke();  // so that the name is looked up by its arguments alone

template <class Tag, class... Args>
concept is_told = requires(const Tag& tag, Args&&... args) {
  tag_invoke(tag, std::forward<Args>(args)...);
};
template <class Tag, class... Args>
decltype(auto) tell(const Tag& tag, Args&&... args) {
  return tag_invoke(tag, std::forward<Args>(args)...);
}

/// The elements of a shape: a range's, or the numbers below one.
template <class Shape>
decltype(auto) elements_of(const Shape& shape) {
  if constexpr (std::integral<Shape>)
    return std::views::iota(Shape{0}, shape);
  else
    return (shape);
}
template <class Shape>
using element_of_shape = std::ranges::range_value_t<decltype(elements_of(std::declval<const Shape&>()))>;

}  // namespace detail

/// The type of sync_execute.
struct sync_execute_t;
/// The type of bulk_async_execute.
struct bulk_async_execute_t;

/// The type of async_execute.
struct async_execute_t {
  /// By tag_invoke, a member function of that name, what Amity's executors have, or bulk_async_execute of one.
  template <class E, class F, class... Args>
  auto operator()(const E& by, F&& f, Args&&... args) const;
};
struct sync_execute_t {
  /// By tag_invoke, a member function of that name, or async_execute.
  template <class E, class F, class... Args>
  decltype(auto) operator()(const E& by, F&& f, Args&&... args) const;
};
/// The type of post.
struct post_t {
  /// By tag_invoke, a member function of that name, or async_execute, whose future is dropped.
  template <class E, class F, class... Args>
  void operator()(const E& by, F&& f, Args&&... args) const;
};
/// The type of then_execute.
struct then_execute_t {
  /// By tag_invoke, a member function of that name, or async_execute when the future is ready.
  template <class E, class F, class Future, class... Args>
  auto operator()(const E& by, F&& f, Future&& before, Args&&... args) const;
};
struct bulk_async_execute_t {
  /// By tag_invoke, a member function of that name, or async_execute of each.
  template <class E, class F, class Shape, class... Args>
  auto operator()(const E& by, F&& f, const Shape& shape, Args&&... args) const;
};
/// The type of bulk_sync_execute.
struct bulk_sync_execute_t {
  /// By tag_invoke, a member function of that name, or bulk_async_execute.
  template <class E, class F, class Shape, class... Args>
  auto operator()(const E& by, F&& f, const Shape& shape, Args&&... args) const;
};
/// The type of bulk_then_execute.
struct bulk_then_execute_t {
  /// By tag_invoke, a member function of that name, or bulk_sync_execute when the future is ready.
  template <class E, class F, class Shape, class Future, class... Args>
  auto operator()(const E& by, F&& f, const Shape& shape, Future&& before, Args&&... args) const;
};

/// async_execute(executor, f, args...): a future of f(args...).
inline constexpr async_execute_t async_execute{};
/// sync_execute(executor, f, args...): what f(args...) gives, when it is there.
inline constexpr sync_execute_t sync_execute{};
/// post(executor, f, args...): f(args...) is called some time.
inline constexpr post_t post{};
/// then_execute(executor, f, future, args...): a future of f(future, args...), called when the future is ready.
inline constexpr then_execute_t then_execute{};
/// bulk_async_execute(executor, f, shape, args...): a std::vector of futures of f(x, args...), for each element x of a
/// range, or each number below `shape`.
inline constexpr bulk_async_execute_t bulk_async_execute{};
/// bulk_sync_execute(executor, f, shape, args...): the same, of the results, when all are there; nothing if they are
/// void.
inline constexpr bulk_sync_execute_t bulk_sync_execute{};
/// bulk_then_execute(executor, f, shape, future, args...): a future of the same with f(x, future, args...), when the
/// future, a shared one, is ready.
inline constexpr bulk_then_execute_t bulk_then_execute{};

/// What HPX's programs specialise for their executors. Amity looks at what an executor has.
template <class E>
struct is_one_way_executor : std::false_type {};
/// The same.
template <class E>
struct is_never_blocking_one_way_executor : std::false_type {};
/// The same.
template <class E>
struct is_two_way_executor : std::false_type {};
/// The same.
template <class E>
struct is_bulk_one_way_executor : std::false_type {};
/// The same.
template <class E>
struct is_bulk_two_way_executor : std::false_type {};

namespace detail {

/// The shape of a single call: an executor gets a range in any case.
using one_element = decltype(std::views::iota(0, 1));

struct any_call {
  void operator()() const noexcept {}
  void operator()(int) const noexcept {}
};

template <class E>
concept has_async_execute = is_told<async_execute_t, const E&, any_call> || requires(const E& by) {
  by.async_execute(any_call());
};
template <class E>
concept has_sync_execute = is_told<sync_execute_t, const E&, any_call> || requires(const E& by) {
  by.sync_execute(any_call());
};
template <class E>
concept has_bulk_async_execute = is_told<bulk_async_execute_t, const E&, any_call, const one_element&> ||
    requires(const E& by, const one_element& shape) {
  by.bulk_async_execute(any_call(), shape);
};

}  // namespace detail
}  // namespace experimental

/// An executor of the program's own: it has one of async_execute, sync_execute and bulk_async_execute, and is none of
/// Amity's.
template <class E>
concept own_executor = std::copy_constructible<E> && !amity::detail::runs_calls<E> &&
                       (experimental::detail::has_async_execute<E> || experimental::detail::has_sync_execute<E> ||
                        experimental::detail::has_bulk_async_execute<E>);

namespace detail {

/// What a member of a team is to do. It declines if it was not called in the end.
struct member_call {
  algo::team_call call;
  std::atomic<bool> is_taken{false};
  explicit member_call(algo::team_call c) noexcept : call(c) {}
  member_call(const member_call&) = delete;
  member_call& operator=(const member_call&) = delete;
  ~member_call() {
    if (!is_taken.load(std::memory_order_relaxed)) call.decline();  // relaxed: nobody else is left
  }
};

/// A team of calls that the executor makes.
template <class E>
class own_team final : public algo::chunk_team {
 public:
  explicit own_team(const E& by) : by_(by) {}
  [[nodiscard]] unsigned groups() const noexcept override { return 1; }
  [[nodiscard]] unsigned members(unsigned) const noexcept override { return static_cast<unsigned>(worker_count()); }
  void begin(unsigned, unsigned, algo::team_call call) const override {
    auto const member = std::make_shared<member_call>(call);
    try {
      experimental::post(by_, [member] {
        if (!member->is_taken.exchange(true, std::memory_order_relaxed)) member->call();  // relaxed: it is one's alone
      });
    } catch (...) {
      // Where the call was made all the same, it counts. Else who called this does without that one.
      if (!member->is_taken.exchange(true, std::memory_order_relaxed)) throw;
    }
  }
  [[nodiscard]] const E& by() const noexcept { return by_; }

 private:
  E by_;
};

}  // namespace detail

/// An executor of the program's own as one of Amity's: what policies and then_execute make of it. Others that take
/// executors take this one: `dataflow(adapted_executor(mine), f, x)`.
template <class E>
class adapted_executor {
  static_assert(
      own_executor<E>,
      "this is no executor: it has none of async_execute, sync_execute, bulk_async_execute (as member functions "
      "or by tag_invoke), and is none of Amity's");

 public:
  /// A call has ended when the executor has taken it.
  static constexpr bool runs_in_place =
      !experimental::detail::has_async_execute<E> && !experimental::detail::has_bulk_async_execute<E>;
  /// Calls are made by `by`, of which this keeps a copy.
  explicit adapted_executor(const E& by) : team_(std::make_shared<const detail::own_team<E>>(by)) {}

  void put(algo::settings& s) const noexcept { s.team = team_.get(); }
  [[nodiscard]] std::shared_ptr<const void> kept() const noexcept { return team_; }
  template <class F>
  auto run(F&& f) const {
    return experimental::async_execute(team_->by(), std::forward<F>(f));
  }

 private:
  std::shared_ptr<const detail::own_team<E>> team_;
};
template <class E>
inline constexpr bool is_executor_v<adapted_executor<E>> = true;

// --- the customization points

namespace experimental {

template <class E, class F, class... Args>
auto async_execute_t::operator()(const E& by, F&& f, Args&&... args) const {
  if constexpr (detail::is_told<async_execute_t, const E&, F, Args...>) {
    return detail::tell(*this, by, std::forward<F>(f), std::forward<Args>(args)...);
  } else if constexpr (requires { by.async_execute(std::forward<F>(f), std::forward<Args>(args)...); }) {
    return by.async_execute(std::forward<F>(f), std::forward<Args>(args)...);
  } else if constexpr (amity::detail::runs_calls<E>) {
    return by.run(amity::detail::bind_call(std::forward<F>(f), std::forward<Args>(args)...));
  } else if constexpr (detail::has_bulk_async_execute<E>) {
    // Shared, since a call for many is copied, and this one need not be copyable.
    using call = amity::detail::closure_of<F, Args...>;
    auto const kept = std::make_shared<call>(amity::detail::bind_call(std::forward<F>(f), std::forward<Args>(args)...));
    auto one = [kept](int) -> decltype(auto) { return std::move(*kept)(); };
    auto all = bulk_async_execute(by, std::move(one), std::views::iota(0, 1));
    return std::move(*std::begin(all));
  } else {
    return amity::async(launch::sync, [&]() -> decltype(auto) {
      return sync_execute(by, std::forward<F>(f), std::forward<Args>(args)...);
    });
  }
}

template <class E, class F, class... Args>
decltype(auto) sync_execute_t::operator()(const E& by, F&& f, Args&&... args) const {
  if constexpr (detail::is_told<sync_execute_t, const E&, F, Args...>)
    return detail::tell(*this, by, std::forward<F>(f), std::forward<Args>(args)...);
  else if constexpr (requires { by.sync_execute(std::forward<F>(f), std::forward<Args>(args)...); })
    return by.sync_execute(std::forward<F>(f), std::forward<Args>(args)...);
  else
    return async_execute(by, std::forward<F>(f), std::forward<Args>(args)...).get();
}

template <class E, class F, class... Args>
void post_t::operator()(const E& by, F&& f, Args&&... args) const {
  if constexpr (detail::is_told<post_t, const E&, F, Args...>)
    static_cast<void>(detail::tell(*this, by, std::forward<F>(f), std::forward<Args>(args)...));
  else if constexpr (requires { by.post(std::forward<F>(f), std::forward<Args>(args)...); })
    static_cast<void>(by.post(std::forward<F>(f), std::forward<Args>(args)...));
  else
    static_cast<void>(async_execute(by, std::forward<F>(f), std::forward<Args>(args)...));
}

template <class E, class F, class Future, class... Args>
auto then_execute_t::operator()(const E& by, F&& f, Future&& before, Args&&... args) const {
  if constexpr (detail::is_told<then_execute_t, const E&, F, Future, Args...>) {
    return detail::tell(*this, by, std::forward<F>(f), std::forward<Future>(before), std::forward<Args>(args)...);
  } else if constexpr (requires {
                         by.then_execute(std::forward<F>(f), std::forward<Future>(before), std::forward<Args>(args)...);
                       }) {
    return by.then_execute(std::forward<F>(f), std::forward<Future>(before), std::forward<Args>(args)...);
  } else {
    auto call = [f = std::decay_t<F>(std::forward<F>(f)), kept = std::tuple<std::decay_t<Args>...>(std::forward<Args>(
                                                              args)...)](auto&& ready) mutable -> decltype(auto) {
      return std::apply(
          [&](auto&... each) -> decltype(auto) {
            return std::invoke(std::move(f), std::forward<decltype(ready)>(ready), std::move(each)...);
          },
          kept);
    };
    if constexpr (amity::detail::runs_calls<E>)
      return std::forward<Future>(before).then(by, std::move(call));
    else
      return std::forward<Future>(before).then(adapted_executor<E>(by), std::move(call));
  }
}

template <class E, class F, class Shape, class... Args>
auto bulk_async_execute_t::operator()(const E& by, F&& f, const Shape& shape, Args&&... args) const {
  if constexpr (std::integral<Shape>) {
    return (*this)(by, std::forward<F>(f), detail::elements_of(shape), std::forward<Args>(args)...);
  } else if constexpr (detail::is_told<bulk_async_execute_t, const E&, F, const Shape&, Args...>) {
    return detail::tell(*this, by, std::forward<F>(f), shape, std::forward<Args>(args)...);
  } else if constexpr (requires { by.bulk_async_execute(std::forward<F>(f), shape, std::forward<Args>(args)...); }) {
    return by.bulk_async_execute(std::forward<F>(f), shape, std::forward<Args>(args)...);
  } else {
    using element = detail::element_of_shape<Shape>;
    std::vector<decltype(async_execute(by, std::declval<std::decay_t<F>>(), std::declval<element>(), args...))> all;
    try {
      for (auto&& each : shape) all.push_back(async_execute(by, std::decay_t<F>(f), element(each), args...));
    } catch (...) {
      for (auto& each : all) each.wait();  // what they use may end with the caller
      throw;
    }
    return all;
  }
}

template <class E, class F, class Shape, class... Args>
auto bulk_sync_execute_t::operator()(const E& by, F&& f, const Shape& shape, Args&&... args) const {
  if constexpr (std::integral<Shape>) {
    return (*this)(by, std::forward<F>(f), detail::elements_of(shape), std::forward<Args>(args)...);
  } else if constexpr (detail::is_told<bulk_sync_execute_t, const E&, F, const Shape&, Args...>) {
    return detail::tell(*this, by, std::forward<F>(f), shape, std::forward<Args>(args)...);
  } else if constexpr (requires { by.bulk_sync_execute(std::forward<F>(f), shape, std::forward<Args>(args)...); }) {
    return by.bulk_sync_execute(std::forward<F>(f), shape, std::forward<Args>(args)...);
  } else {
    auto all = bulk_async_execute(by, std::forward<F>(f), shape, std::forward<Args>(args)...);
    for (auto& each : all) each.wait();  // all have ended before one throws
    using result = decltype(all.front().get());
    if constexpr (std::is_void_v<result>) {
      for (auto& each : all) each.get();
    } else {
      std::vector<std::decay_t<result>> results;
      for (auto& each : all) results.push_back(each.get());
      return results;
    }
  }
}

template <class E, class F, class Shape, class Future, class... Args>
auto bulk_then_execute_t::operator()(const E& by, F&& f, const Shape& shape, Future&& before, Args&&... args) const {
  if constexpr (std::integral<Shape>)
    return (*this)(by, std::forward<F>(f), detail::elements_of(shape), std::forward<Future>(before),
                   std::forward<Args>(args)...);
  else if constexpr (detail::is_told<bulk_then_execute_t, const E&, F, const Shape&, Future, Args...>)
    return detail::tell(*this, by, std::forward<F>(f), shape, std::forward<Future>(before),
                        std::forward<Args>(args)...);
  else if constexpr (requires {
                       by.bulk_then_execute(std::forward<F>(f), shape, std::forward<Future>(before),
                                            std::forward<Args>(args)...);
                     })
    return by.bulk_then_execute(std::forward<F>(f), shape, std::forward<Future>(before), std::forward<Args>(args)...);
  else
    return std::forward<Future>(before).then(
        [by, f = std::decay_t<F>(std::forward<F>(f)), shape,
         kept = std::tuple<std::decay_t<Args>...>(std::forward<Args>(args)...)](auto&& ready) mutable {
          return std::apply([&](auto&... each) { return bulk_sync_execute(by, std::move(f), shape, ready, each...); },
                            kept);
        });
}

}  // namespace experimental
}  // namespace amity::execution

namespace amity {

/// A future of `f(args...)`, by an executor of the program's own.
template <execution::own_executor Executor, class F, class... Args>
auto async(const Executor& executor, F&& f, Args&&... args) {
  return execution::experimental::async_execute(executor, std::forward<F>(f), std::forward<Args>(args)...);
}
/// The same, for what gives no result.
template <execution::own_executor Executor, class F, class... Args>
void post(const Executor& executor, F&& f, Args&&... args) {
  execution::experimental::post(executor, std::forward<F>(f), std::forward<Args>(args)...);
}

/// HPX's names for the customization points.
namespace parallel::execution {
using amity::execution::experimental::async_execute;
using amity::execution::experimental::async_execute_t;
using amity::execution::experimental::bulk_async_execute;
using amity::execution::experimental::bulk_async_execute_t;
using amity::execution::experimental::bulk_sync_execute;
using amity::execution::experimental::bulk_sync_execute_t;
using amity::execution::experimental::bulk_then_execute;
using amity::execution::experimental::bulk_then_execute_t;
using amity::execution::experimental::post;
using amity::execution::experimental::post_t;
using amity::execution::experimental::sync_execute;
using amity::execution::experimental::sync_execute_t;
using amity::execution::experimental::then_execute;
using amity::execution::experimental::then_execute_t;
}  // namespace parallel::execution

}  // namespace amity
