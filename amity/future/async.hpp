#pragma once

/// Tasks: async gives a future of the result, post gives nothing. Both count in the finish around them, if there is
/// one.
///
///     amity::future<int> answer = amity::async([](int a, int b) { return a * b; }, 6, 7);
///     amity::post([] { log("no result, nobody waits"); });
///
/// One allocation a task, from a pool, with the result in it, whatever their alignment. A future that is thrown away
/// costs nothing more. A task is a plain call until it blocks. What it throws goes to the future, and to the finish
/// around it too. Function and arguments are copied or moved once, into the task, and are rvalues in the call, as
/// std::async's.
///
///     amity::async(amity::task_priority::high, f);        // before others; also low, and bound
///     amity::post(amity::on_worker(2), f);                // asks for a worker (sched/tasks/policy.hpp)
///     amity::async_at(amity::place::here().parent(), f);  // or for a part of the machine (sched/tasks/place.hpp)

#include <cstddef>
#include <type_traits>
#include <utility>

#include "amity/future/bound_call.hpp"
#include "amity/future/future.hpp"
#include "amity/future/plain_task.hpp"
#include "amity/sched/tasks/place.hpp"
#include "amity/sched/tasks/policy.hpp"

namespace amity {

namespace detail {

template <class F, class... Args>
auto async_call(F&& f, Args&&... args) {
  using closure = closure_of<F, Args...>;
  using result = std::invoke_result_t<closure>;
  worker& w = sched::this_worker();
  state& s = make_task<result, closure>(w, std::forward<F>(f), std::forward<Args>(args)...);
  sched::enqueue(s, w);
  return future<result>(&s);
}

}  // namespace detail

namespace detail {

/// What is meant to be called, as opposed to a policy, a hint or an executor that says how: a function, or an object
/// with one operator().
template <class F>
concept plain_function = std::is_function_v<std::remove_pointer_t<std::decay_t<F>>> || requires {
  &std::remove_cvref_t<F>::operator();
};

/// A task can be made of it.
template <class F, class... Args>
concept task_call = std::is_invocable_v<std::decay_t<F>, std::decay_t<Args>...> &&
    std::is_constructible_v<std::decay_t<F>, F> &&(std::is_constructible_v<std::decay_t<Args>, Args>&&...);

/// Not with arguments beyond one that it takes: those may be for another overload (habanero.hpp).
template <class F, class... Args>
inline constexpr bool takes_the_first = false;
template <class F, class First, class Second, class... Rest>
inline constexpr bool takes_the_first<F, First, Second, Rest...> =
    std::is_invocable_v<std::decay_t<F>> || std::is_invocable_v<std::decay_t<F>, std::decay_t<First>>;
template <class F, class... Args>
concept no_task_call = plain_function<F> && !task_call<F, Args...> && !takes_the_first<F, Args...>;

/// Refuses it with a sentence that says what is wrong.
template <class F, class... Args>
constexpr void refuse_task_call() {
  constexpr bool kept =
      std::is_constructible_v<std::decay_t<F>, F> && (std::is_constructible_v<std::decay_t<Args>, Args> && ...);
  static_assert(kept,
                "a task keeps its function and arguments, and one of these can't be copied: give it by std::move");
  constexpr bool wants_references = std::is_invocable_v<std::decay_t<F>&, std::decay_t<Args>&...>;
  static_assert(!kept || !wants_references,
                "a task has copies of its arguments, and the function wants a reference to one that it may change: "
                "give it by std::ref, or capture it");
  static_assert(!kept || wants_references, "the task's function can't be called with these arguments");
}

}  // namespace detail

/// Begins `f(args...)` as a task.
template <class F, class... Args>
requires detail::task_call<F, Args...>
auto async(F&& f, Args&&... args) { return detail::async_call(std::forward<F>(f), std::forward<Args>(args)...); }

/// What no task can be made of.
template <class F, class... Args>
requires detail::no_task_call<F, Args...> future<void> async(F&&, Args&&...) {
  detail::refuse_task_call<F, Args...>();
  return {};
}

/// Runs `f(args...)` as a task, waits for it, and gives what it returns, or throws what it threw. HPX's `sync`, whose
/// name is a namespace here.
template <class F, class... Args>
requires std::is_invocable_v<std::decay_t<F>, std::decay_t<Args>...>
decltype(auto) sync_wait(F&& f, Args&&... args) {
  return detail::async_call(std::forward<F>(f), std::forward<Args>(args)...).get();
}

/// The same with a policy: `sync` runs it here and now; `deferred` runs it when a thread waits for the future, and in
/// no finish.
template <class F, class... Args>
requires std::is_invocable_v<std::decay_t<F>, std::decay_t<Args>...>
auto async(launch how, F&& f, Args&&... args) {
  using closure = detail::closure_of<F, Args...>;
  using result = std::invoke_result_t<closure>;
  how = detail::earliest(how);
  if (how == launch::async) return detail::async_call(std::forward<F>(f), std::forward<Args>(args)...);
  detail::worker& w = sched::this_worker();
  if (how == launch::sync) {
    detail::state& s = detail::make_task<result, closure>(w, std::forward<F>(f), std::forward<Args>(args)...);
    future<result> made(&s);
    sched::without_extras const on_top(w);
    s.run(s, w, sched::call::from_queue);
    return made;
  }
  sched::scope* const within =
      std::exchange(w.current, nullptr);  // a deferred task may never run: nobody may wait for it
  detail::state* s;
  try {
    s = &detail::make_task<result, closure>(w, std::forward<F>(f), std::forward<Args>(args)...);
  } catch (...) {
    w.current = within;
    throw;
  }
  w.current = within;
  s->claimed.store(detail::deferred, std::memory_order_relaxed);
  detail::drop<result>(*s);  // it lies in no queue
  return future<result>(s);
}

/// Begins `f(args...)` as a task without a result. Outside of any finish an exception ends the program. To be
/// sure that the task ends before the program does, wait for something that the task does. With assertions on
/// (script/build dev), the process reports at its end the tasks that had not ended.
template <class F, class... Args>
requires detail::task_call<F, Args...>
void post(F&& f, Args&&... args) {
  detail::worker& w = sched::this_worker();
  using closure = detail::closure_of<F, Args...>;
  sched::task& t = detail::make_plain_task<closure>(w, w.current, std::forward<F>(f), std::forward<Args>(args)...);
  sched::spawn(t, w);
}

/// What no task can be made of.
template <class F, class... Args>
requires detail::no_task_call<F, Args...>
void post(F&&, Args&&...) { detail::refuse_task_call<F, Args...>(); }

/// Begins `f(args...)` as a task with a priority or a hint.
template <class F, class... Args>
requires std::is_invocable_v<std::decay_t<F>, std::decay_t<Args>...>
auto async(const scheduling& how, F&& f, Args&&... args) {
  using closure = detail::closure_of<F, Args...>;
  using result = std::invoke_result_t<closure>;
  detail::worker& w = sched::this_worker();
  detail::state& s = detail::make_task<result, closure>(w, std::forward<F>(f), std::forward<Args>(args)...);
  sched::enqueue_as(s, w, how);
  return future<result>(&s);
}
/// The same, with a priority alone.
template <class F, class... Args>
requires std::is_invocable_v<std::decay_t<F>, std::decay_t<Args>...>
auto async(task_priority priority, F&& f, Args&&... args) {
  return async(scheduling{.priority = priority}, std::forward<F>(f), std::forward<Args>(args)...);
}

/// The same, of a task without a result.
template <class F, class... Args>
requires std::is_invocable_v<std::decay_t<F>, std::decay_t<Args>...>
void post(const scheduling& how, F&& f, Args&&... args) {
  detail::worker& w = sched::this_worker();
  using closure = detail::closure_of<F, Args...>;
  sched::task& t = detail::make_plain_task<closure>(w, w.current, std::forward<F>(f), std::forward<Args>(args)...);
  sched::begin_within(t.within, w);
  sched::enqueue_as(t, w, how);
}
/// The same, with a priority alone.
template <class F, class... Args>
requires std::is_invocable_v<std::decay_t<F>, std::decay_t<Args>...>
void post(task_priority priority, F&& f, Args&&... args) {
  post(scheduling{.priority = priority}, std::forward<F>(f), std::forward<Args>(args)...);
}

/// Begins `f(args...)` as a task at a place.
template <class F, class... Args>
requires std::is_invocable_v<std::decay_t<F>, std::decay_t<Args>...>
auto async_at(place where, F&& f, Args&&... args) {
  return async(at(where), std::forward<F>(f), std::forward<Args>(args)...);
}

/// Fibers that run tasks at the same time, at most: the cores that may be used, or AMITY_THREADS.
[[nodiscard]] inline int worker_count() noexcept { return sched::worker_count(); }
/// HPX's names for worker_count().
[[nodiscard]] inline std::size_t get_num_worker_threads() noexcept { return static_cast<std::size_t>(worker_count()); }
/// The same.
[[nodiscard]] inline std::size_t get_os_thread_count() noexcept { return static_cast<std::size_t>(worker_count()); }
/// HPX's name for this_worker_number(); std::size_t(-1) in a thread that isn't one.
[[nodiscard]] inline std::size_t get_worker_thread_num() noexcept {
  return static_cast<std::size_t>(this_worker_number());
}

}  // namespace amity
