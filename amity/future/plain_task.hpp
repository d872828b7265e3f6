#pragma once

/// A task whose end is counted and whose result nobody wants: what post and task_group::run make.
///
///     sched::scope* const s = w.current;
///     sched::task& t = detail::new_plain_task(w, s, [] { work(); });
///     sched::begin_within(s, w);
///     sched::enqueue(t, w);

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "amity/future/task_state.hpp"

namespace amity::detail {

/// Room for a closure in a task.
template <class F>
struct closure_room {
  F f;
  template <class... G>
  explicit closure_room(G&&... g) : f(std::forward<G>(g)...) {}
  [[nodiscard]] F& closure() noexcept { return f; }
};
/// The memory's alignment does not do.
template <class F>
requires over_aligned<F>
struct closure_room<F> {
  alignas(base::cache_line) std::byte memory[size_in_line<F>];
  template <class... G>
  explicit closure_room(G&&... g) {
    ::new (aligned_from(memory, alignof(F))) F(std::forward<G>(g)...);
  }
  [[nodiscard]] F& closure() noexcept { return *std::launder(static_cast<F*>(aligned_from(memory, alignof(F)))); }
};

template <class F>
struct plain_task : sched::task {
  closure_room<F> room;  ///< run_once destroys the closure

  template <class... G>
  plain_task(sched::scope* s, sched::frame_pool* where, G&&... g)
      : task(&run_once, s, static_cast<std::uint8_t>(size_class_of()), where), room(std::forward<G>(g)...) {
    detached = true;
  }

  static constexpr unsigned size_class_of() noexcept { return sched::class_for_task(sizeof(plain_task)); }

  static void run_once(sched::task& t, worker& w, sched::call) noexcept {
    auto& me = static_cast<plain_task&>(t);
    sched::scope* const within = me.within;
    sched::scope* const outer = std::exchange(w.current, within);
    if (glue<F> || !stopped(within)) [[likely]] {
      try {
        static_cast<void>(std::move(me.room.closure())());
      } catch (...) {
        std::exception_ptr error = caught_here();
        if (within == nullptr) std::terminate();  // nobody could be told
        report_error(within, std::move(error));
      }
    }
    std::destroy_at(std::addressof(me.room.closure()));
    sched::make_exit_calls(w);
    sched::give_task_memory(&t, size_class_of(), w);
    w.current = outer;
    if (within == nullptr) sched::note_unwaited(-1);
    sched::end_within(within, w);
  }
};

/// A task that calls an F made of `args`. Not counted yet in `s`, and not to be had by anybody. Without an `s` it
/// counts as one that nobody waits for.
template <class F, class... Args>
[[nodiscard]] sched::task& make_plain_task(worker& w, sched::scope* s, Args&&... args) {
  using made = plain_task<F>;
  static_assert(alignof(made) <= base::cache_line);
  sched::frame* const memory = sched::take_task_memory<sizeof(made)>(w);
  if (memory == nullptr) [[unlikely]]
    throw_bad_alloc();
  sched::frame_pool* const home = memory->home;
  if (s == nullptr) sched::note_unwaited(1);
  if constexpr (std::is_nothrow_constructible_v<F, Args...>) {
    return *::new (memory) made(s, home, std::forward<Args>(args)...);
  } else {
    try {
      return *::new (memory) made(s, home, std::forward<Args>(args)...);
    } catch (...) {
      if (s == nullptr) sched::note_unwaited(-1);
      memory->home = home;
      sched::give_task_memory(memory, made::size_class_of(), w);
      throw;
    }
  }
}

/// The same of one function, decayed.
template <class F>
[[nodiscard]] sched::task& new_plain_task(worker& w, sched::scope* s, F&& f) {
  return make_plain_task<std::decay_t<F>>(w, s, std::forward<F>(f));
}

}  // namespace amity::detail
