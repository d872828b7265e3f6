#pragma once

/// A task whose result goes to a future: how it runs, what becomes of exceptions, and how one waits for its inputs.

#include <cstddef>
#include <functional>
#include <memory>
#include <tuple>

#include "amity/future/caught.hpp"
#include "amity/future/state.hpp"

namespace amity::detail {

// --- exceptions on their way to the scope

struct scope_error {
  std::exception_ptr error;
  scope_error* next;
};

/// Adds what a task threw to what its scope will throw. Memory ordering: released; pairs with the join.
[[gnu::cold, gnu::noinline]] inline void report_error(sched::scope* s, std::exception_ptr error) {
  if (s == nullptr) return;
  auto* node = new scope_error{std::move(error), nullptr};
  void* first = s->errors.load(std::memory_order_relaxed);
  do node->next = static_cast<scope_error*>(first);
  while (!s->errors.compare_exchange_weak(first, node, std::memory_order_release, std::memory_order_relaxed));
}

[[gnu::cold, gnu::noinline]] inline bool is_stopped(const sched::scope& s) noexcept {
  for (const sched::scope* x = &s; x != nullptr && x->stop != nullptr; x = x->outer)
    if (x->canceled.load(std::memory_order_relaxed) || x->stop->stop_requested()) return true;
  return false;
}

/// For scopes that can be canceled and are within none that can be stopped.
inline const std::stop_token unstoppable{};

/// Tasks of `s` are not begun any more.
[[nodiscard]] inline bool stopped(const sched::scope* s) noexcept {
  if (s == nullptr || s->stop == nullptr) return false;
  // A task_group's own tasks: one look instead of a call. Elsewhere `unstoppable` may have another address.
  if (s->stop == &unstoppable && s->outer == nullptr) return s->canceled.load(std::memory_order_relaxed);
  return is_stopped(*s);
}

/// Its scope was stopped before it began.
[[gnu::cold, gnu::noinline]] inline void put_cancelled(state& s) noexcept {
  put_error(s, std::make_exception_ptr(future_error(future_errc::cancelled)));
}

// --- running

/// A step of the library's own between the program's calls: it passes on what is ready, or goes on with a coroutine
/// that has begun. A finish that was asked to stop runs it all the same, because somebody waits for what it passes on.
/// What it throws goes to its future alone: the finish has heard of it from the task that threw first.
template <class F>
concept glue = requires {
  requires F::is_glue;
};
/// The same function, as glue.
template <class F>
struct as_glue : F {
  static constexpr bool is_glue = true;
};
template <class F>
as_glue(F) -> as_glue<F>;

/// A larger result does not lie on the stack on its way to the future.
inline constexpr std::size_t most_on_stack = 4096;

/// A task that makes a T by calling an F, once: as an rvalue.
template <class T, class F>
struct call_task {
  static void run(sched::task& t, worker& w, sched::call how) noexcept {
    auto& s = static_cast<state&>(t);
    if (how == sched::call::alone) return run_alone(s, w);
    if (s.detached) [[likely]]
      return run_detached(s, w);
    run_held(s, w, how);
  }

  /// For tasks whose future was thrown away.
  [[gnu::noinline]] static void run_detached(state& s, worker& w) noexcept {
    sched::scope* const within = s.within;
    sched::scope* const outer = std::exchange(w.current, within);
    F& f = behind<F>(s);
    if (glue<F> || !stopped(within)) [[likely]] {
      try {
        static_cast<void>(std::move(f)());
      } catch (...) {
        std::exception_ptr error = caught_here();
        if constexpr (!glue<F>) report_error(within, std::move(error));
      }
    }
    std::destroy_at(std::addressof(f));
    sched::make_exit_calls(w);
    constexpr unsigned size_class = class_of_state;
    sched::give_task_memory(&s, size_class, w);
    w.current = outer;
    sched::end_within(within, w);
  }

  /// For tasks that somebody may hold a future of.
  [[gnu::noinline]] static void run_held(state& s, worker& w, sched::call how) noexcept {
    if (how == sched::call::discard) {
      std::destroy_at(std::addressof(behind<F>(s)));
      return;
    }
    // With the other of two that claim nothing is passed on but by the state itself.
    if (sched::claim(s, how)) {
      sched::scope* const within = s.within;
      sched::scope* const outer = std::exchange(w.current, within);
      make_result(s);
      sched::make_exit_calls(w);
      complete(s);
      w.current = outer;
      // First the reference: a result, or an error, that nobody wants is gone when the finish around it ends.
      if (how == sched::call::from_queue) drop<T>(s);
      sched::end_within(within, w);
    } else if (how == sched::call::from_queue) {
      drop<T>(s);
    }
  }

  /// For the holder of the only future, who took the task out himself: nobody else knows it.
  [[gnu::noinline]] static void run_alone(state& s, worker& w) noexcept {
    s.claimed.store(1, std::memory_order_relaxed);
    sched::scope* const within = s.within;
    sched::scope* const outer = std::exchange(w.current, within);
    make_result(s);
    sched::make_exit_calls(w);
    s.waiters.store(done_mark(), std::memory_order_relaxed);
    w.current = outer;
    sched::end_within(within, w);
    s.references.store(1, std::memory_order_relaxed);  // the queue's is gone
  }

  static void make_result(state& s) noexcept {
    F& f = behind<F>(s);
    if (!glue<F> && stopped(s.within)) {
      std::destroy_at(std::addressof(f));
      put_cancelled(s);
      return;
    }
    F* closure = &f;  // the result takes its place
    try {
      if constexpr (std::is_void_v<T>) {
        std::move(f)();
        std::destroy_at(std::exchange(closure, nullptr));
        put_value<T>(s);
      } else if constexpr (std::is_reference_v<T>) {
        auto* const result = std::addressof(static_cast<T>(std::move(f)()));
        std::destroy_at(std::exchange(closure, nullptr));
        put_value<T>(s, result);
      } else if constexpr (sizeof(T) > most_on_stack) {
        std::unique_ptr<T> const result(new T(std::move(f)()));
        std::destroy_at(std::exchange(closure, nullptr));
        put_value<T>(s, std::move(*result));
      } else {
        T result(std::move(f)());
        std::destroy_at(std::exchange(closure, nullptr));
        put_value<T>(s, std::move(result));
      }
    } catch (...) {
      fail(s, closure);
    }
  }

  static constexpr unsigned class_of_state = sched::class_for_task(state_bytes<stored<T>, F>);

 private:
  /// `closure`: null if it was moving the result away that threw.
  [[gnu::cold, gnu::noinline]] static void fail(state& s, F* closure) noexcept {
    std::exception_ptr error = caught_here();
    if (closure != nullptr) std::destroy_at(closure);
    if constexpr (!glue<F>) report_error(s.within, error);
    put_error(s, std::move(error));
  }
};

/// A new state with a closure behind it.
template <class T, class F, class... Args>
[[nodiscard, gnu::always_inline]] inline state& make_state_with(worker& w, Args&&... args) {
  state& s = make_state<stored<T>, F>(w);
  try {
    ::new (place_behind<F>(s)) F(std::forward<Args>(args)...);
  } catch (...) {
    sched::give_task_memory(&s, s.size_class, w);
    throw;
  }
  return s;
}

/// A new task, counted in the current scope and not yet to be had by anybody.
template <class T, class F, class... Args>
[[nodiscard]] state& make_task(worker& w, Args&&... args) {
  state& s = make_state_with<T, F>(w, std::forward<Args>(args)...);
  s.run = &call_task<T, F>::run;
  s.within = w.current;
  sched::begin_within(s.within, w);
  return s;
}

// --- waiting for inputs

/// Where a task that waits for its inputs goes when they are there.
enum class resume : std::uint8_t {
  queued,  ///< anybody may run it
  at_once  ///< run by whoever completes the last input: for what is short
};

/// The last input of `s` is there.
inline void become_ready(state& s, resume how) noexcept {
  worker& w = sched::this_worker();
  bool const here = how == resume::at_once && !sched::stack_is_low(w);
  // Where a policy gets it, nobody may claim it before it is said who.
  if (here || w.policy.of == nullptr) s.claimed.store(0, std::memory_order_release);  // pairs with run_held
  if (!here) return sched::enqueue(s, w);
  sched::without_extras const on_top(w);
  s.run(s, w, sched::call::from_queue);
}

/// Counts the inputs of a task. Lies in its closure, which keeps the inputs' states alive as well.
class gate {
 public:
  struct link : waiter {
    gate* owner = nullptr;
  };

  /// Waits for `inputs`; each link belongs to one of them. The task may have run when this returns.
  /// `s` is the task whose closure holds this gate.
  template <class Inputs, class Links>
  void open_after(state& s, resume how, const Inputs& inputs, Links& links) noexcept {
    task_ = &s;
    how_ = how;
    missing_.store(static_cast<std::uint32_t>(inputs.size()) + 1, std::memory_order_relaxed);
    std::size_t i = 0;
    std::uint32_t ready = 1;  // one for ourselves: it doesn't run while we are in here
    for (state* input : inputs) {
      link& l = links[i++];
      l.owner = this;
      l.ready = [](waiter& w) noexcept { static_cast<link&>(w).owner->count(1); };
      if (input != nullptr) begin_deferred(*input);
      if (input == nullptr || !add_waiter(*input, l)) ++ready;
    }
    count(ready);
  }

 private:
  void count(std::uint32_t ready) noexcept {
    // Release: what is known of one input; acquire: of all, by the last one.
    if (missing_.fetch_sub(ready, std::memory_order_acq_rel) == ready) become_ready(*task_, how_);
  }

  state* task_ = nullptr;
  resume how_ = resume::queued;
  std::atomic<std::uint32_t> missing_{0};
};

}  // namespace amity::detail
