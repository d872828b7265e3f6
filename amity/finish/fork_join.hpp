#pragma once

/// Two calls or more that may run at the same time, and the caller waits for all: the cheapest way to fork and join.
/// The closures stay on the caller's stack: no memory is taken, and unless another core takes the second call, forking
/// costs some twenty instructions and no atomic operation.
///
///     long fib(int n) {
///       if (n < 2) return n;
///       auto [a, b] = amity::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
///       return a + b;
///     }
///     amity::parallel_invoke([&] { sort(left); }, [&] { sort(right); });
///
/// The caller runs the first call; then the second, unless another worker has begun it. Then its fiber waits, never the
/// core. With less than half of its stack left, it leaves the second call to other fibers and their stacks: so
/// recursion is bounded by memory. The first is a plain call. If the first throws, the second is not begun any more;
/// fork_join throws the first exception in the order of the arguments, when all that was begun has ended. Tasks that
/// the calls begin by async or post count in the finish around the caller: fork_join does not wait for those. The calls
/// take no part in the caller's phasers.
///
/// Memory ordering: what the calls did happens before the return.

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include "amity/future/caught.hpp"
#include "amity/future/state.hpp"
#include "amity/sched/tasks/stack_task.hpp"

namespace amity {

namespace detail {

/// The second call, on the caller's stack, with room for what a thief brings.
template <class G>
struct forked_call : sched::stack_task {
  using result = std::invoke_result_t<G&>;
  using kept = stored<result>;

  G& g;
  union {  // by `end`
    kept value;
    std::exception_ptr error;
  };

  forked_call(G& call, sched::scope* s) noexcept : stack_task(&run_stolen, s), g(call) {}
  forked_call(const forked_call&) = delete;
  forked_call& operator=(const forked_call&) = delete;
  ~forked_call() {}  // NOLINT(modernize-use-equals-default): the waiter has destroyed what is in the union

  static void run_stolen(sched::task& t, worker& w, sched::call) noexcept {
    auto& me = static_cast<forked_call&>(t);
    sched::scope* const outer = std::exchange(w.current, me.within);
    std::uintptr_t how = done;
    try {
      if constexpr (std::is_void_v<result>) {
        me.g();
        std::construct_at(std::addressof(me.value));
      } else if constexpr (std::is_reference_v<result>) {
        std::construct_at(std::addressof(me.value), std::addressof(static_cast<result>(me.g())));
      } else {
        std::construct_at(std::addressof(me.value), me.g());
      }
    } catch (...) {
      std::construct_at(std::addressof(me.error), caught_here());
      how = failed;
    }
    sched::make_exit_calls(w);
    w.current = outer;
    me.end_as(how);
  }

  /// What the thief brought.
  [[gnu::noinline]] kept take() {
    if (this->end.load(std::memory_order_relaxed) == failed) {  // wait_for has acquired it
      std::exception_ptr thrown = std::move(error);
      std::destroy_at(std::addressof(error));
      std::rethrow_exception(std::move(thrown));
    }
    struct destroyer {
      kept& value;
      ~destroyer() { std::destroy_at(std::addressof(value)); }
    } const at_end{value};
    return std::move(value);
  }
  void forget() noexcept {
    if (this->end.load(std::memory_order_relaxed) == failed)
      std::destroy_at(std::addressof(error));
    else
      std::destroy_at(std::addressof(value));
  }
};

/// What a call gives, as something that can be kept: nothing becomes std::monostate.
template <class F>
decltype(auto) call_for_value(F& f) {
  if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
    f();
    return std::monostate{};
  } else {
    return f();
  }
}
template <class F>
using value_of_call = decltype(call_for_value(std::declval<F&>()));

template <class G>
value_of_call<G> stolen_value(forked_call<G>& second) {
  if constexpr (std::is_void_v<std::invoke_result_t<G&>>) {
    static_cast<void>(second.take());
    return {};
  } else if constexpr (std::is_reference_v<std::invoke_result_t<G&>>) {
    return static_cast<value_of_call<G>>(*second.take());
  } else {
    return second.take();
  }
}

/// The first call has thrown.
template <class G>
[[gnu::cold, gnu::noinline]] void abandon_second(forked_call<G>& second, worker& w, std::uint32_t at) noexcept {
  if (sched::take_back(second, w, at)) return;
  sched::wait_for(second, w);
  second.forget();
}

/// What fork_join gives.
template <class F, class G>
using joined = std::pair<value_of_call<F>, value_of_call<G>>;

/// For a task with phasers: the calls take no part in them, whoever runs them.
template <class Call>
[[gnu::cold, gnu::noinline]] auto call_without_extras(worker& w, Call call) {
  sched::without_extras const calls(w);
  return call();
}

}  // namespace detail

/// Runs `f()` and `g()`, perhaps at the same time; a pair of what they return, with std::monostate for nothing.
template <class F, class G>
requires std::is_invocable_v<F&> && std::is_invocable_v<G&> detail::joined<F, G> fork_join(F&& f, G&& g) {
  using results = detail::joined<F, G>;
  detail::worker& w = sched::this_worker();
  if (w.extras != nullptr) [[unlikely]]
    return detail::call_without_extras(w, [&] { return fork_join<F, G>(std::forward<F>(f), std::forward<G>(g)); });
  detail::forked_call<std::remove_reference_t<G>> second(g, w.current);
  std::uint32_t const at = w.queue.bottom();
  if (!sched::lend(second, w, at)) [[unlikely]] {
    decltype(auto) a = detail::call_for_value(f);
    return results(std::forward<decltype(a)>(a), detail::call_for_value(g));
  }
  auto first = [&]() -> detail::value_of_call<F> {
    try {
      return detail::call_for_value(f);
    } catch (...) {
      detail::abandon_second(second, w, at);
      throw;
    }
  };
  decltype(auto) a = first();
  if (sched::stack_is_low(w)) [[unlikely]]
    sched::leave_to_others(second, w);
  else if (sched::take_back(second, w, at)) [[likely]]
    return results(std::forward<decltype(a)>(a), detail::call_for_value(g));
  sched::wait_for(second, w);
  return results(std::forward<decltype(a)>(a), detail::stolen_value(second));
}

/// Runs all of them, perhaps at the same time; what they return is dropped.
template <class F>
requires std::is_invocable_v<F&>
void parallel_invoke(F&& f) { static_cast<void>(f()); }

/// The same, for two or more.
template <class F, class G, class... Others>
requires std::is_invocable_v<F&> && std::is_invocable_v<G&> &&
    (std::is_invocable_v<Others&>&&...) void parallel_invoke(F&& f, G&& g, Others&&... others) {
  auto first = [&f] { static_cast<void>(f()); };
  auto rest = [&] { parallel_invoke(g, others...); };
  static_cast<void>(fork_join(first, rest));
}

}  // namespace amity
