#pragma once

/// Scopes of work that begins at many places and is waited for at one: C++26's simple_counting_scope and counting_scope
/// (P3149). A finish (finish/finish.hpp) does the same for what begins within a block.
///
///     execution::counting_scope scope;
///     execution::spawn(serve(request) | execution::upon_error(log), scope.get_token());
///     ...
///     scope.request_stop();
///     execution::sync_wait(scope.join());       // all have ended, and no more begins
///
/// At its end a scope must have been joined, or never have been used: else the program ends.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "amity/future/execution/associate.hpp"
#include "amity/future/execution/spawn.hpp"
#include "amity/future/execution/split.hpp"
#include "amity/future/execution/stop.hpp"
#include "amity/future/execution/when_all.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {

namespace detail {

/// What both scopes have: a count, and who waits until it is 0.
class scope_count {
 public:
  scope_count() noexcept = default;
  scope_count(const scope_count&) = delete;
  scope_count& operator=(const scope_count&) = delete;
  ~scope_count() {
    if (state_ != state::joined && state_ != state::unused && state_ != state::unused_and_closed) std::terminate();
  }

  /// Counts in the scope as long as it is there.
  class association {
   public:
    association() noexcept = default;
    association(association&& other) noexcept : scope_(std::exchange(other.scope_, nullptr)) {}
    association& operator=(association&& other) noexcept {
      association before(std::move(*this));
      scope_ = std::exchange(other.scope_, nullptr);
      return *this;
    }
    ~association() {
      if (scope_ != nullptr) scope_->leave();
    }
    [[nodiscard]] explicit operator bool() const noexcept { return scope_ != nullptr; }
    [[nodiscard]] association try_associate() const noexcept {
      return scope_ != nullptr ? scope_->enter() : association();
    }

   private:
    friend class scope_count;
    explicit association(scope_count* scope) noexcept : scope_(scope) {}
    scope_count* scope_ = nullptr;
  };

  [[nodiscard]] association enter() noexcept {
    std::lock_guard const held(lock_);
    switch (state_) {
      case state::unused:
        state_ = state::open;
        [[fallthrough]];
      case state::open:
      case state::open_and_joining:
        ++count_;
        return association(this);
      default:
        return {};
    }
  }
  void close() noexcept {
    std::lock_guard const held(lock_);
    if (state_ == state::unused) state_ = state::unused_and_closed;
    if (state_ == state::open) state_ = state::closed;
    if (state_ == state::open_and_joining) state_ = state::closed_and_joining;
  }

  /// One that joins; it lies in its operation.
  struct joiner {
    joiner* next = nullptr;
    void (*joined)(joiner&) noexcept = nullptr;
  };
  /// Calls j.joined once the scope is joined: now, or when the last one leaves.
  void join(joiner& j) noexcept {
    {
      std::lock_guard const held(lock_);
      if (count_ == 0) state_ = state::joined;
      if (state_ != state::joined) {
        if (state_ == state::open) state_ = state::open_and_joining;
        if (state_ == state::closed) state_ = state::closed_and_joining;
        j.next = std::exchange(joiners_, &j);
        return;
      }
    }
    j.joined(j);
  }

 private:
  enum class state : std::uint8_t {
    unused,
    unused_and_closed,
    open,
    closed,
    open_and_joining,
    closed_and_joining,
    joined
  };

  void leave() noexcept {
    joiner* all = nullptr;
    {
      std::lock_guard const held(lock_);
      if (--count_ != 0 || (state_ != state::open_and_joining && state_ != state::closed_and_joining)) return;
      state_ = state::joined;
      all = std::exchange(joiners_, nullptr);
    }
    while (all != nullptr) {  // the scope may be gone behind the first
      joiner& j = *std::exchange(all, all->next);
      j.joined(j);
    }
  }

  sys::spin_lock lock_;
  state state_ = state::unused;
  std::size_t count_ = 0;
  joiner* joiners_ = nullptr;
};

class join_sender : public sender_base<join_sender> {
 public:
  using value_types = std::tuple<>;
  template <class... Env>
  using signatures = completion_signatures<set_value_t()>;

  explicit join_sender(scope_count& scope) noexcept : scope_(&scope) {}

  template <class R>
  struct operation : private scope_count::joiner {
    using operation_state_concept = operation_state_t;
    scope_count* scope;
    R to;
    operation(scope_count* s, R&& r) noexcept(std::is_nothrow_move_constructible_v<R>) : scope(s), to(std::move(r)) {}
    operation(const operation&) = delete;
    operation& operator=(const operation&) = delete;
    ~operation() = default;
    void start() & noexcept {
      this->joined = [](joiner& j) noexcept { execution::set_value(std::move(static_cast<operation&>(j).to)); };
      scope->join(*this);
    }
  };
  template <receiver R>
  [[nodiscard]] operation<R> connect(R r) const noexcept(std::is_nothrow_move_constructible_v<R>) {
    return operation<R>(scope_, std::move(r));
  }

 private:
  scope_count* scope_;
};

/// A sender that is asked to stop by a token of its own as well.
template <class S, class R>
class stop_when_operation {
 public:
  using operation_state_concept = operation_state_t;
  using env = branch_env<env_of_t<R>>;
  stop_when_operation(S&& s, std::stop_token also, R&& r)
      : to_(std::move(r)),
        also_(std::move(also)),
        beneath_([&] { return execution::connect(std::forward<S>(s), receiver_type{this}); }) {}
  stop_when_operation(const stop_when_operation&) = delete;
  stop_when_operation& operator=(const stop_when_operation&) = delete;
  ~stop_when_operation() = default;

  void start() & noexcept {
    asked_.emplace(execution::get_stop_token(execution::get_env(to_)), forward_stop{this});
    asked_too_.emplace(also_, forward_stop{this});
    execution::start(beneath_.operation);
  }

 private:
  struct receiver_type {
    using receiver_concept = receiver_t;
    stop_when_operation* o;
    template <class... T>
    void set_value(T&&... x) && noexcept {
      o->listen_no_more();
      execution::set_value(std::move(o->to_), std::forward<T>(x)...);
    }
    template <class Error>
    void set_error(Error&& e) && noexcept {
      o->listen_no_more();
      execution::set_error(std::move(o->to_), std::forward<Error>(e));
    }
    void set_stopped() && noexcept {
      o->listen_no_more();
      execution::set_stopped(std::move(o->to_));
    }
    [[nodiscard]] env get_env() const noexcept { return {execution::get_env(o->to_), {o->stop_.get_token()}}; }
  };
  struct forward_stop {
    stop_when_operation* o;
    void operator()() const noexcept {
      std::stop_source kept = o->stop_;  // the stop may end the sender, and this operation be gone then
      kept.request_stop();
    }
  };
  using token = std::remove_cvref_t<decltype(execution::get_stop_token(std::declval<env_of_t<R>>()))>;

  void listen_no_more() noexcept {
    asked_.reset();
    asked_too_.reset();
  }

  R to_;
  std::stop_token also_;
  std::stop_source stop_;  ///< before the sender, which may ask for its token when it is connected
  std::optional<typename callback_of<token, forward_stop>::type> asked_;
  std::optional<std::stop_callback<forward_stop>> asked_too_;
  in_place<connect_result_t<S, receiver_type>> beneath_;
};

template <class S>
struct stop_when_sender : sender_base<stop_when_sender<S>> {
  template <class... Env>
  requires sender_in<S, branch_env<Env>...>
  using signatures = completion_signatures_of_t<S, branch_env<Env>...>;

  S from;
  std::stop_token also;

  stop_when_sender(S&& s, std::stop_token t) : from(std::move(s)), also(std::move(t)) {}
  template <receiver R>
  [[nodiscard]] stop_when_operation<S, R> connect(R r) && {
    return {std::move(from), std::move(also), std::move(r)};
  }
  template <receiver R>
  [[nodiscard]] stop_when_operation<const S&, R> connect(R r) const& {
    return {from, also, std::move(r)};
  }
};

}  // namespace detail

/// Counts what was begun in it. See above.
class simple_counting_scope {
 public:
  /// By which work comes into the scope. Valid as long as that is there.
  class token {
   public:
    /// The sender as it is.
    template <sender S>
    [[nodiscard]] S&& wrap(S&& s) const noexcept {
      return std::forward<S>(s);
    }
    /// Counts in the scope as long as it is there; false: the scope is closed, or joined.
    [[nodiscard]] auto try_associate() const noexcept { return scope_->enter(); }

   private:
    friend class simple_counting_scope;
    explicit token(detail::scope_count* scope) noexcept : scope_(scope) {}
    detail::scope_count* scope_;
  };

  /// Open, and unused.
  simple_counting_scope() noexcept = default;

  /// For spawn, spawn_future and associate.
  [[nodiscard]] token get_token() noexcept { return token(&count_); }
  /// It takes no more. What is in it goes on.
  void close() noexcept { count_.close(); }
  /// A sender of nothing that ends when the scope is empty: at once, or where the last one that is in it ends. From
  /// then on the scope takes no more.
  [[nodiscard]] auto join() noexcept { return detail::join_sender(count_); }

 private:
  detail::scope_count count_;
};

/// The same, whose work can be asked to stop.
class counting_scope {
 public:
  /// As simple_counting_scope's.
  class token {
   public:
    /// The sender, which is asked to stop where the scope is, or its receiver.
    template <sender S>
    [[nodiscard]] auto wrap(S&& s) const {
      return detail::stop_when_sender<std::remove_cvref_t<S>>(std::remove_cvref_t<S>(std::forward<S>(s)),
                                                              scope_->stop_.get_token());
    }
    /// Counts in the scope as long as it is there; false: the scope is closed, or joined.
    [[nodiscard]] auto try_associate() const noexcept { return scope_->count_.enter(); }

   private:
    friend class counting_scope;
    explicit token(counting_scope* scope) noexcept : scope_(scope) {}
    counting_scope* scope_;
  };

  /// Open, and unused.
  counting_scope() = default;

  /// For spawn, spawn_future and associate.
  [[nodiscard]] token get_token() noexcept { return token(this); }
  /// It takes no more. What is in it goes on.
  void close() noexcept { count_.close(); }
  /// Asks all that is in it to stop, and all that comes.
  void request_stop() noexcept {
    std::stop_source kept = stop_;  // the stop may end the last that is in it, and the scope be gone then
    kept.request_stop();
  }
  /// As simple_counting_scope's.
  [[nodiscard]] auto join() noexcept { return detail::join_sender(count_); }

 private:
  std::stop_source stop_;
  detail::scope_count count_;
};

namespace detail {
struct spawn_future_call {
  template <sender S, scope_token Token>
  [[nodiscard]] auto operator()(S&& s, const Token& token) const {
    return ensure_started_call{}(associate_call{}(std::forward<S>(s), token));
  }
};
}  // namespace detail

/// spawn_future(sender, token): begins it here as a part of the scope, and gives a sender of what comes of it, which
/// may be waited for later. Where that is dropped, the work is asked to stop.
inline constexpr detail::spawn_future_call spawn_future{};

}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
