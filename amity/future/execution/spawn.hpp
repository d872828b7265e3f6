#pragma once

/// Senders that are begun here and end some time: in a finish, or in a future.
///
///     amity::finish([&] {
///       for (auto& file : files) execution::spawn(read(file) | execution::then(parse));
///     });                                                   // all have ended; throws the first error
///     amity::future<int> answer = execution::as_future(std::move(work));

#include <exception>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "amity/future/execution/associate.hpp"
#include "amity/future/execution/closure.hpp"
#include "amity/future/execution/sync_wait.hpp"
#include "amity/future/future.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {

namespace detail {

/// An operation that owns itself, and is counted in the finish around its begin. `Sink` hears how it ends.
template <class S, class Sink>
class spawned {
 public:
  spawned(S&& s, Sink&& sink)
      : sink_(std::move(sink)), operation_(execution::connect(std::forward<S>(s), receiver_type{this})) {}

  static void begin(S&& s, Sink&& sink) {
    auto made = std::make_unique<spawned>(std::forward<S>(s), std::move(sink));
    auto& w = sched::this_worker();
    made->within_ = w.current;
    sched::begin_within(made->within_, w);
    execution::start(made.release()->operation_);
  }

 private:
  struct receiver_type {
    using receiver_concept = receiver_t;
    spawned* me;
    template <class... T>
    void set_value(T&&... x) && noexcept {
      me->sink_.value(std::forward<T>(x)...);
      me->end();
    }
    template <class Error>
    void set_error(Error&& e) && noexcept {
      me->sink_.error(me->within_, as_exception(std::forward<Error>(e)));
      me->end();
    }
    void set_stopped() && noexcept {
      me->sink_.stopped();
      me->end();
    }
    [[nodiscard]] static task_env get_env() noexcept { return {}; }
  };

  void end() noexcept {
    sched::scope* const within = within_;
    delete this;  // before the finish ends
    sched::end_within(within, sched::this_worker());
  }

  sched::scope* within_ = nullptr;
  Sink sink_;
  connect_result_t<S, receiver_type> operation_;
};

/// Nobody wants the values; the finish wants the error.
struct finish_sink {
  template <class... T>
  static void value(T&&...) noexcept {}
  static void error(sched::scope* within, std::exception_ptr e) noexcept {
    if (within == nullptr) std::terminate();  // nobody could be told
    amity::detail::report_error(within, std::move(e));
  }
  static void stopped() noexcept {}
};

template <class T>
struct future_sink {
  promise<T> to;
  template <class... V>
  void value(V&&... x) noexcept {
    auto e = amity::detail::caught([&] {
      if constexpr (std::is_void_v<T>)
        to.set_value();
      else
        to.set_value(T(std::forward<V>(x)...));
    });
    if (e != nullptr) to.set_exception(std::move(e));
  }
  void error(sched::scope*, std::exception_ptr e) noexcept { to.set_exception(std::move(e)); }
  void stopped() noexcept { to.set_exception(std::make_exception_ptr(future_error(future_errc::cancelled))); }
};

/// One value as itself, none as void, several as their tuple.
template <class Values>
struct joined_values {
  using type = Values;
};
template <>
struct joined_values<std::tuple<>> {
  using type = void;
};
template <class T>
struct joined_values<std::tuple<T>> {
  using type = T;
};
template <class S>
using joined_values_of = typename joined_values<only_values<completion_signatures_of_t<S, task_env>>>::type;

struct spawn_call {
  template <sender S>
  void operator()(S&& s) const {
    using kept = std::remove_cvref_t<S>;
    spawned<kept, finish_sink>::begin(kept(std::forward<S>(s)), {});
  }
  /// As a part of a scope; its values are dropped.
  template <sender S, scope_token Token>
  void operator()(S&& s, const Token& token) const {
    auto ours = associate_call{}(std::forward<S>(s), token);
    using errors = collected<completion_signatures_of_t<decltype(ours), task_env>, errors_as_they_are>;
    static_assert(length<errors> == 0,
                  "spawn(sender, token): nobody hears of an error of this sender: handle it before, as by upon_error");
    if (ours.in) (*this)(std::move(ours));
  }
};
struct as_future_call {
  template <sender S>
  [[nodiscard]] auto operator()(S&& s) const {
    using kept = std::remove_cvref_t<S>;
    ask_for_one_way<completion_signatures_of_t<kept, task_env>>();
    using T = joined_values_of<kept>;
    promise<T> p;
    future<T> result = p.get_future();
    spawned<kept, future_sink<T>>::begin(kept(std::forward<S>(s)), {std::move(p)});
    return result;
  }
  [[nodiscard]] auto operator()() const { return bind_adaptor(*this); }
};

}  // namespace detail

/// spawn(sender): begins it here; it counts in the finish around, as a task does. Its values are dropped, its error is
/// the finish's, and ends the program where there is no finish. Doesn't wait. Throws what connecting throws.
/// spawn(sender, token): the same as a part of the token's scope (counting_scope.hpp), unless that takes no more; the
/// sender must have no errors.
inline constexpr detail::spawn_call spawn{};
/// The same, by the name that it had in the proposal.
inline constexpr detail::spawn_call start_detached{};
/// as_future(sender): begins it here, and gives an amity::future of its value: of void if it has none, of a tuple if it
/// has several. It counts in the finish around. The future holds its error; future_error, cancelled, if it was stopped.
inline constexpr detail::as_future_call as_future{};
/// HPX's name for it.
inline constexpr detail::as_future_call make_future{};

}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
