#pragma once

/// The same call many times, on all workers if the sender beneath ends on Amity's tasks.
///
///     execution::just(std::move(image)) | execution::bulk(rows, [](std::size_t y, picture& image) { blur(image, y); })
///
/// Where it ends on another scheduler, or nobody says where, all calls are made there, in order: bulk doesn't leave the
/// place where it is. It is known of Amity's senders, of those that answer get_completion_scheduler, and of what is
/// started where get_scheduler of the receiver's environment says: sync_wait, spawn and as_future say Amity's tasks.
///
/// On tasks, the thread that ends the sender beneath makes calls itself, and tasks in the finish around that do the
/// same. They take indices until there are none left; the last of them to end sends the values on, from where it is. So
/// nobody waits. A finish, or a stop token, that asks to stop ends it with set_stopped once the calls that have begun
/// are over.

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "amity/future/async.hpp"
#include "amity/future/execution/adapted.hpp"
#include "amity/future/execution/closure.hpp"
#include "amity/future/execution/slot.hpp"
#include "amity/future/execution/task_scheduler.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {

namespace detail {

/// `f` of each index, of pieces of them: first and end; or of each index by a task that has no other for certain.
enum class bulk_form : std::uint8_t { each, pieces, singly };

/// An execution policy (amity/algo/execution.hpp), or a type that says as much.
template <class P>
concept says_if_parallel = requires {
  { std::remove_cvref_t<P>::is_parallel } -> std::convertible_to<bool>;
};

/// The policies of the standard library, and those that libraries of senders bring along where it has none, have no
/// trait in common that could be asked without including either. They have the names of their classes.
template <class P>
[[nodiscard]] consteval std::string_view name_of_policy() noexcept {
  std::string_view name = __PRETTY_FUNCTION__;
  name = name.substr(name.find("P = ") + 4);
  name = name.substr(0, name.find_first_of(";]"));
  return name.substr(name.find_last_of(':') + 1);
}
template <class P>
inline constexpr bool is_parallel_by_name =
    name_of_policy<P>() == "parallel_policy" || name_of_policy<P>() == "parallel_unsequenced_policy";
template <class P>
inline constexpr bool is_sequential_by_name = name_of_policy<P>() == "sequenced_policy" || name_of_policy<P>() ==
                                                                                               "unsequenced_policy";
template <class P>
concept bulk_policy =
    says_if_parallel<P> || is_parallel_by_name<std::remove_cvref_t<P>> || is_sequential_by_name<std::remove_cvref_t<P>>;
template <class P>
[[nodiscard]] consteval bool asks_for_parallel() noexcept {
  if constexpr (says_if_parallel<P>)
    return std::remove_cvref_t<P>::is_parallel;
  else
    return is_parallel_by_name<std::remove_cvref_t<P>>;
}

template <bulk_form Form, bool Parallel, class Shape, class F>
struct bulk_data {
  static constexpr bulk_form form = Form;
  static constexpr bool parallel = Parallel;
  using shape_type = Shape;
  Shape shape;
  F f;
  /// Neither keeping these for the calls, nor the calls, throw.
  template <class... T>
  static constexpr bool is_quiet = kept_quietly<T...> &&
                                   (Form == bulk_form::pieces
                                        ? std::is_nothrow_invocable_v<F&, Shape, Shape, std::decay_t<T>&...>
                                        : std::is_nothrow_invocable_v<F&, Shape, std::decay_t<T>&...>);
};

template <class Data, class Tuple>
inline constexpr bool calls_quietly = false;
template <class Data, class... T>
inline constexpr bool calls_quietly<Data, std::tuple<T...>> = Data::template is_quiet<T...>;

/// Where the operation of an environment is started, as far as it says so.
template <class Env>
constexpr auto find_start() {
  if constexpr (requires(const Env& e) { execution::get_scheduler(e); })
    return std::type_identity<std::remove_cvref_t<decltype(execution::get_scheduler(std::declval<const Env&>()))>>{};
  else
    return std::type_identity<somewhere>{};
}
/// Its values come where tasks may be made of what follows.
template <class S, class Env>
inline constexpr bool ends_on_tasks =
    std::is_same_v<end_of<S, typename decltype(find_start<Env>())::type, Env>, task_scheduler>;

struct bulk_kind : passing_on {
  template <class Operation, class... T>
  static void value(Operation& o, T&&... x) noexcept {
    o.begin(std::forward<T>(x)...);
  }
};

template <class S, class R, class Data>
class bulk_operation {
 public:
  using operation_state_concept = operation_state_t;

  bulk_operation(S&& s, R&& r,
                 Data&& d) noexcept(std::is_nothrow_move_constructible_v<R>&&
                                        std::is_nothrow_move_constructible_v<Data>&& connects_quietly<S, receiver_type>)
      : to(std::move(r)), data_(std::move(d)), child_(execution::connect(std::forward<S>(s), receiver_type{this})) {}
  bulk_operation(const bulk_operation&) = delete;
  bulk_operation& operator=(const bulk_operation&) = delete;
  ~bulk_operation() = default;
  void start() & noexcept { execution::start(child_); }

  template <class... T>
  void begin(T&&... x) noexcept {
    using tuple = std::tuple<std::decay_t<T>...>;
    bool const kept = attempt<kept_quietly<T...>>(
        [&] { kept_.template emplace<tuple>([&] { return tuple(std::forward<T>(x)...); }); },
        [&](auto error) { execution::set_error(std::move(to), std::move(error)); });
    if (kept) begin_parts<tuple>();
  }

  R to;

 private:
  using shape = typename Data::shape_type;
  using count = std::uint64_t;
  using receiver_type = hearing<bulk_kind, bulk_operation, env_of_t<R>>;
  using beneath = completion_signatures_of_t<S, env_of_t<R>>;
  static constexpr bool parallel = Data::parallel && ends_on_tasks<S, env_of_t<R>>;
  static constexpr std::uint8_t all_called = 0, was_stopped = 1, failed = 2;

  template <class Tuple>
  void begin_parts() noexcept {
    auto const all = data_.shape > 0 ? static_cast<count>(data_.shape) : count{0};
    auto const workers = static_cast<count>(parallel ? std::max(worker_count(), 1) : 1);
    if (Data::form != bulk_form::singly) piece_ = std::max<count>(1, all / (workers * 8));
    auto const parts = std::max<count>(1, std::min((all + piece_ - 1) / piece_, workers));
    left_.store(parts, std::memory_order_relaxed);  // passed on with the tasks
    if constexpr (parallel) {
      count posted = 1;
      auto const error = amity::detail::caught([&] {
        for (; posted < parts; ++posted) post(amity::detail::as_glue{[this]() noexcept { run_part<Tuple>(); }});
      });
      // Without memory for more tasks, those that there are do it; this one is counted, so that they aren't the last.
      if (error != nullptr) left_.fetch_sub(parts - posted, std::memory_order_relaxed);
    }
    run_part<Tuple>();
  }

  template <class Tuple>
  void run_part() noexcept {
    auto const all = data_.shape > 0 ? static_cast<count>(data_.shape) : count{0};
    auto error = amity::detail::caught([&] {
      while (how_.load(std::memory_order_relaxed) == all_called) {
        if (next_.load(std::memory_order_relaxed) >= all) break;
        if (asked_to_stop()) {
          std::uint8_t going_on = all_called;
          how_.compare_exchange_strong(going_on, was_stopped, std::memory_order_relaxed);
          break;
        }
        count const first = next_.fetch_add(piece_, std::memory_order_relaxed);
        if (first >= all) break;
        call(static_cast<shape>(first), static_cast<shape>(std::min(first + piece_, all)), kept_.template get<Tuple>());
      }
    });
    if (error != nullptr && how_.exchange(failed, std::memory_order_relaxed) != failed) error_ = std::move(error);
    // Acquire and release: the last one knows what all have done.
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) finish<Tuple>();
  }

  [[nodiscard]] bool asked_to_stop() const noexcept {
    if (execution::stop_requested(to)) return true;
    const sched::worker* const w = sched::current_worker;  // null: another scheduler's thread
    return w != nullptr && amity::detail::stopped(w->current);
  }

  template <class Tuple>
  void call(shape first, shape end, Tuple& values) {
    if constexpr (Data::form == bulk_form::pieces) {
      std::apply([&](auto&... x) { std::invoke(data_.f, first, end, x...); }, values);
    } else {
      for (shape i = first; i < end; ++i) std::apply([&](auto&... x) { std::invoke(data_.f, i, x...); }, values);
    }
  }

  template <class Tuple>
  void finish() noexcept {
    switch (how_.load(std::memory_order_relaxed)) {
      case failed:
        if constexpr (!calls_quietly<Data, Tuple>) {
          auto error = std::move(error_);
          execution::set_error(std::move(to), std::move(error));
        }
        return;
      case was_stopped:
        return execution::set_stopped(std::move(to));
      default:
        break;
    }
    std::apply([this](auto&... x) { execution::set_value(std::move(to), std::move(x)...); },
               kept_.template get<Tuple>());
  }

  Data data_;
  renamed<slot, of_values<beneath, decayed_tuple>> kept_;
  count piece_ = 1;
  std::atomic<count> next_{0}, left_{0};
  std::atomic<std::uint8_t> how_{all_called};
  std::exception_ptr error_;
  connect_result_t<S, receiver_type> child_;
};

template <class S, class Data>
struct bulk_sender : sender_base<bulk_sender<S, Data>> {
  struct map : same_signatures {
    template <class... T>
    using value = all_signatures<completion_signatures<set_value_t(std::decay_t<T>...)>,
                                 throws_unless<Data::template is_quiet<T...>>, may_stop>;
  };
  template <class... Env>
  using signatures = mapped<completion_signatures_of_t<S, Env...>, map>;
  template <class Start, class Env>
  using ends_at = end_of<S, Start, Env>;

  S from;
  Data data;

  bulk_sender(S&& s, Data&& d) : from(std::move(s)), data(std::move(d)) {}

  template <receiver R>
  [[nodiscard]] bulk_operation<S, R, Data> connect(R r) && noexcept(
      std::is_nothrow_constructible_v<bulk_operation<S, R, Data>, S, R, Data>) {
    return {std::move(from), std::move(r), std::move(data)};
  }
  template <receiver R>
  [[nodiscard]] bulk_operation<const S&, R, Data> connect(R r) const& noexcept(
      std::is_nothrow_constructible_v<bulk_operation<const S&, R, Data>, const S&, R, Data>&&
          std::is_nothrow_copy_constructible_v<Data>) {
    return {from, std::move(r), Data(data)};
  }
  [[nodiscard]] env_of_t<S> get_env() const noexcept { return execution::get_env(from); }
};

template <bulk_form Form>
struct bulk_call {
  template <sender S, std::integral Shape, class F>
  [[nodiscard]] constexpr auto operator()(S&& s, Shape shape, F&& f) const {
    return made<true>(std::forward<S>(s), shape, std::forward<F>(f));
  }
  template <sender S, bulk_policy Policy, std::integral Shape, class F>
  [[nodiscard]] constexpr auto operator()(S&& s, const Policy&, Shape shape, F&& f) const {
    return made<asks_for_parallel<Policy>()>(std::forward<S>(s), shape, std::forward<F>(f));
  }
  template <bulk_policy Policy, std::integral Shape, class F>
  [[nodiscard]] constexpr auto operator()(const Policy& policy, Shape shape, F&& f) const {
    return bind_adaptor(*this, policy, shape, std::forward<F>(f));
  }
  template <std::integral Shape, class F>
  [[nodiscard]] constexpr auto operator()(Shape shape, F&& f) const {
    return bind_adaptor(*this, shape, std::forward<F>(f));
  }

 private:
  template <bool Parallel, class S, class Shape, class F>
  [[nodiscard]] static constexpr auto made(S&& s, Shape shape, F&& f) {
    using from = std::remove_cvref_t<S>;
    using data = bulk_data<Form, Parallel, Shape, std::decay_t<F>>;
    return bulk_sender<from, data>(from(std::forward<S>(s)), data{shape, std::forward<F>(f)});
  }
};

}  // namespace detail

/// bulk(sender, n, f): calls `f(i, values...)` for all i in [0, n), with the sender's values as lvalues; then sends the
/// values on. One of those exceptions that `f` throws is the error, and no calls are begun after it. Where the sender
/// ends on Amity's tasks, on all workers and in no order; else there, in order. Before `n` may come an execution
/// policy, as in C++26, of Amity, the standard library or a library of senders: with seq and unseq, all calls are made
/// where the sender ends, in order.
inline constexpr detail::bulk_call<detail::bulk_form::each> bulk{};
/// bulk_chunked(sender, n, f): the same with `f(first, end, values...)` for pieces that make up [0, n).
inline constexpr detail::bulk_call<detail::bulk_form::pieces> bulk_chunked{};
/// bulk_unchunked(sender, n, f): as bulk, but no worker takes more than one index at a time: for calls that are long.
inline constexpr detail::bulk_call<detail::bulk_form::singly> bulk_unchunked{};

}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
