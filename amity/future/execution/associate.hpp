#pragma once

/// Work that belongs to a scope, which can be told to take no more and be waited for: C++26's associate. The scopes are
/// in counting_scope.hpp.
///
///     auto ours = execution::associate(read(file), scope.get_token());     // stopped if the scope takes no more
///
/// What is associated counts in the scope from then on until it, or the operation that it was connected to, is gone.

#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

#include "amity/future/execution/adapted.hpp"
#include "amity/future/execution/closure.hpp"
#include "amity/future/execution/signatures.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {

namespace detail {
/// A sender that says nothing but that it is one.
struct some_sender {
  using sender_concept = sender_t;
  using is_of_amity = void;
  template <class Self, class... Env>
  static constexpr completion_signatures<set_value_t()> get_completion_signatures() noexcept {
    return {};
  }
};
}  // namespace detail

/// What counts in a scope as long as it is there, if it is true: gives another one, if the scope still takes some.
template <class T>
concept scope_association = std::movable<T> && std::default_initializable<T> && requires(const T& a) {
  { static_cast<bool>(a) }
  noexcept;
  { a.try_associate() } -> std::same_as<T>;
};

/// By which work comes into a scope.
template <class T>
concept scope_token = std::copyable<T> && requires(const T& token) {
  { token.try_associate() } -> scope_association;
  { token.wrap(std::declval<detail::some_sender>()) } -> sender;
};

namespace detail {

template <class Token>
using association_of = decltype(std::declval<const Token&>().try_associate());

/// An operation where it lies.
template <class Operation>
struct in_place {
  Operation operation;
  template <class Make>
  explicit in_place(Make make) : operation(make()) {}
};

template <class S, class Association, class R>
class associated_operation {
 public:
  using operation_state_concept = operation_state_t;
  associated_operation(std::optional<S>&& s, Association&& in, R&& r) : to_(std::move(r)), in_(std::move(in)) {
    if (s.has_value()) beneath_.emplace([&] { return execution::connect(std::move(*s), receiver_type{this}); });
  }
  associated_operation(const associated_operation&) = delete;
  associated_operation& operator=(const associated_operation&) = delete;
  ~associated_operation() = default;

  void start() & noexcept {
    if (beneath_.has_value())
      execution::start(beneath_->operation);
    else
      execution::set_stopped(std::move(to_));
  }

 private:
  struct receiver_type {
    using receiver_concept = receiver_t;
    associated_operation* o;
    template <class... T>
    void set_value(T&&... x) && noexcept {
      execution::set_value(std::move(o->to_), std::forward<T>(x)...);
    }
    template <class Error>
    void set_error(Error&& e) && noexcept {
      execution::set_error(std::move(o->to_), std::forward<Error>(e));
    }
    void set_stopped() && noexcept { execution::set_stopped(std::move(o->to_)); }
    [[nodiscard]] auto get_env() const noexcept { return execution::get_env(o->to_); }
  };

  R to_;
  Association in_;  ///< before what it counts for, which goes first
  std::optional<in_place<connect_result_t<S, receiver_type>>> beneath_;
};

template <class S, class Association>
struct associated_sender : sender_base<associated_sender<S, Association>> {
  template <class... Env>
  requires sender_in<S, Env...>
  using signatures = all_signatures<completion_signatures_of_t<S, Env...>, may_stop>;

  Association in;
  std::optional<S> from;  ///< after what counts for it

  template <class Token, class From>
  associated_sender(const Token& token, From&& s) : in(token.try_associate()) {
    if (in) from.emplace(token.wrap(std::forward<From>(s)));
  }
  associated_sender(associated_sender&&) = default;
  associated_sender(const associated_sender& other) requires std::copy_constructible<S> {
    if (!other.in) return;
    in = other.in.try_associate();
    if (in) from.emplace(*other.from);
  }
  associated_sender& operator=(associated_sender&&) = default;
  ~associated_sender() = default;

  template <receiver R>
  [[nodiscard]] associated_operation<S, Association, R> connect(R r) && {
    return {std::move(from), std::move(in), std::move(r)};
  }
  template <receiver R>
  [[nodiscard]] associated_operation<S, Association, R> connect(R r) const& requires std::copy_constructible<S> {
    return associated_sender(*this).connect(std::move(r));
  }
};

struct associate_call {
  template <sender S, scope_token Token>
  [[nodiscard]] auto operator()(S&& s, const Token& token) const {
    using wrapped = std::remove_cvref_t<decltype(token.wrap(std::remove_cvref_t<S>(std::forward<S>(s))))>;
    return associated_sender<wrapped, association_of<Token>>(token, std::remove_cvref_t<S>(std::forward<S>(s)));
  }
  template <scope_token Token>
  [[nodiscard]] auto operator()(const Token& token) const {
    return bind_adaptor(*this, token);
  }
};

}  // namespace detail

/// associate(sender, token): the sender as a part of the token's scope; one that was stopped, if the scope takes no
/// more. A copy asks the scope anew.
inline constexpr detail::associate_call associate{};

}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
