#pragma once

/// Futures and OpenMP's tasks wait for one another, and no thread waits in between: a future as a dependence of tasks,
/// tasks as a future, a future that ends a detached task. For programs with -fopenmp; without it this header is empty.
///
///     amity::future<int> f = amity::async(read);
///     amity::omp_depend_out(f);                             // from here on f is like what a task writes
///     #pragma omp task depend(in: f) shared(f)              // begins when f is ready
///     use(f.get());
///
///     #pragma omp task depend(out: x) shared(x)
///     x = compute();
///     amity::dataflow(write, amity::omp_depend_in(&x));     // begins when that task has ended
///
///     amity::future<int> g = amity::omp_task([] { return 42; });              // an OpenMP task's result
///     amity::future<void> h = amity::omp_task({.in = {&x}, .inout = {&y}}, [&] { y += x; });
///
///     omp_event_handle_t done;
///     #pragma omp task detach(done) depend(out: y)          // ends when its body has, and h is ready
///     step();
///     amity::omp_fulfill_when(h, done);
///
/// Dependences hold among siblings, as OpenMP has it: all of these count as tasks that the calling task makes, so its
/// taskwait, taskgroup and barrier wait for them. A future with an exception is ready. In a region that is cancelled,
/// futures of tasks that do not run hold future_error, broken_promise.
///
/// Nothing here but OpenMP's own depend and detach: it works with any OpenMP runtime that has those.
///
/// Memory ordering: what happened before the future was ready happens before the tasks that depend on it; what the
/// tasks did, before the future is ready.

#ifdef _OPENMP

#include <omp.h>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>

#include "amity/future/future.hpp"

namespace amity {

namespace detail {

/// Lies in the future's list of waiters; nobody else knows it.
struct event_waiter : waiter {
  omp_event_handle_t event;

  static void fulfill(waiter& w) noexcept {
    std::unique_ptr<event_waiter> const me(static_cast<event_waiter*>(&w));
    omp_fulfill_event(me->event);
  }
};

/// What the task of an omp_task runs. The task and its maker share it: if the task is dropped, the maker is left with
/// it.
template <class R, class F>
struct omp_call {
  explicit omp_call(F&& g) : f(std::move(g)) {}
  explicit omp_call(const F& g) : f(g) {}
  F f;
  promise<R> result;

  void run() noexcept { fulfil(result, f); }
};

template <class F>
auto new_omp_call(F&& f) {
  using call = std::decay_t<F>;
  return std::make_shared<omp_call<std::invoke_result_t<call&>, call>>(std::forward<F>(f));
}

}  // namespace detail

/// Fulfills the event of a detached task when `f` is ready: its value, or an exception, is there.
template <class Future>
requires detail::is_future_v<Future>
void omp_fulfill_when(const Future& f, omp_event_handle_t event) {
  detail::state* const s = f.state_or_null();
  if (s == nullptr) detail::throw_future_error(future_errc::no_state);
  auto waiter = std::make_unique<detail::event_waiter>();
  waiter->ready = detail::event_waiter::fulfill;
  waiter->event = event;
  detail::begin_deferred(*s);
  if (detail::add_waiter(*s, *waiter))
    static_cast<void>(waiter.release());
  else
    omp_fulfill_event(event);
}

/// As if a task with depend(out: *address) had been made that ends when `f` is ready: later tasks that name the address
/// wait for the future.
template <class Future>
requires detail::is_future_v<Future>
void omp_depend_out(const Future& f, const void* address) {
  if (!f.valid()) detail::throw_future_error(future_errc::no_state);
  if (f.is_ready()) return;
  [[maybe_unused]] auto* const place = const_cast<char*>(static_cast<const char*>(address));
  omp_event_handle_t event{};
#pragma omp task depend(out : place[0]) detach(event)
  {}
  omp_fulfill_when(f, event);
}
/// The same for tasks that name the future itself: depend(in: f).
template <class Future>
requires detail::is_future_v<Future>
void omp_depend_out(const Future& f) { omp_depend_out(f, std::addressof(f)); }

/// A future that is ready when a task with depend(in: *address) could begin: those made so far that write it have
/// ended.
[[nodiscard]] inline future<void> omp_depend_in(const void* address) {
  [[maybe_unused]] auto* const place = const_cast<char*>(static_cast<const char*>(address));
  auto reached = std::make_shared<promise<void>>();
  future<void> made = reached->get_future();
#pragma omp task depend(in : place[0]) firstprivate(reached)
  reached->set_value();
  return made;
}
/// The same for depend(inout: *address): those that read it have ended, too; later tasks come after it.
[[nodiscard]] inline future<void> omp_depend_inout(const void* address) {
  [[maybe_unused]] auto* const place = const_cast<char*>(static_cast<const char*>(address));
  auto reached = std::make_shared<promise<void>>();
  future<void> made = reached->get_future();
#pragma omp task depend(inout : place[0]) firstprivate(reached)
  reached->set_value();
  return made;
}

/// What a task of omp_task reads and writes, as in its depend clauses.
struct omp_accesses {
  std::initializer_list<const void*> in = {};
  std::initializer_list<const void*> inout = {};
};

/// Begins `f()` as an OpenMP task; a future of the result.
template <class F>
auto omp_task(F&& f) {
  auto call = detail::new_omp_call(std::forward<F>(f));
  auto made = call->result.get_future();
#pragma omp task firstprivate(call)
  call->run();
  return made;
}
template <class F>
auto omp_task(const omp_accesses& accesses, F&& f) {
  auto call = detail::new_omp_call(std::forward<F>(f));
  auto made = call->result.get_future();
  auto* const in = reinterpret_cast<char* const*>(const_cast<void* const*>(accesses.in.begin()));
  auto* const inout = reinterpret_cast<char* const*>(const_cast<void* const*>(accesses.inout.begin()));
  std::size_t const ins = accesses.in.size(), inouts = accesses.inout.size();
#pragma omp task depend(iterator(std::size_t i = 0                    \
                                 : ins),                              \
                        in                                            \
                        : in[i][0]) depend(iterator(std::size_t j = 0 \
                                                    : inouts),        \
                                           inout                      \
                                           : inout[j][0]) firstprivate(call)
  call->run();
  return made;
}

}  // namespace amity

#endif  // _OPENMP
