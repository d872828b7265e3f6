#pragma once

/// A sender that runs once and ends often, and one that has begun already. After revision 7 of P2300; C++26 has
/// neither.
///
///     auto image = execution::split(load(name));             // loaded when the first of them starts
///     execution::when_all(image | execution::then(blur), image | execution::then(histogram));
///     auto next = execution::ensure_started(load(other));    // is being loaded now

#include <memory>
#include <type_traits>
#include <utility>

#include "amity/future/execution/closure.hpp"
#include "amity/future/execution/shared.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {

namespace detail {

/// Values and errors as references to what is kept.
struct referring_signatures : same_signatures {
  template <class... T>
  using value = completion_signatures<set_value_t(const std::decay_t<T>&...)>;
  template <class Error>
  using error = completion_signatures<set_error_t(const std::decay_t<Error>&)>;
};

template <class S>
struct split_sender : sender_base<split_sender<S>> {
  template <class... Env>
  using signatures = all_signatures<mapped<typename shared_operation<S>::signatures, referring_signatures>,
                                    completion_signatures<set_error_t(const std::exception_ptr&)>, may_stop>;
  template <class Start, class Env>
  using ends_at = typename same_end<Start, end_of<S, task_scheduler, shared_env>>::type;
  std::shared_ptr<shared_operation<S>> shared;

  explicit split_sender(S&& s) : shared(std::make_shared<shared_operation<S>>(std::move(s))) {}
  template <receiver R>
  [[nodiscard]] sharing_operation<S, R, false> connect(R r) const {
    return {shared, std::move(r)};
  }
};

template <class S>
struct started_sender : sender_base<started_sender<S>> {
  template <class... Env>
  using signatures =
      all_signatures<mapped<typename shared_operation<S>::signatures, kept_signatures>, may_throw, may_stop>;
  template <class Start, class Env>
  using ends_at = typename same_end<Start, end_of<S, task_scheduler, shared_env>>::type;
  std::shared_ptr<shared_operation<S>> shared;

  explicit started_sender(S&& s) : shared(std::make_shared<shared_operation<S>>(std::move(s))) {
    shared->start_within_finish();
  }
  started_sender(started_sender&&) noexcept = default;
  started_sender& operator=(started_sender&& other) noexcept {
    started_sender before(std::move(*this));
    shared = std::move(other.shared);
    return *this;
  }
  ~started_sender() {
    if (shared != nullptr) shared->request_stop();  // nobody wants it any more
  }
  template <receiver R>
  [[nodiscard]] sharing_operation<S, R, true> connect(R r) && {
    return {std::move(shared), std::move(r)};
  }
};

struct split_call {
  template <sender S>
  [[nodiscard]] auto operator()(S&& s) const {
    return split_sender<std::remove_cvref_t<S>>(std::remove_cvref_t<S>(std::forward<S>(s)));
  }
  [[nodiscard]] auto operator()() const { return bind_adaptor(*this); }
};
struct ensure_started_call {
  template <sender S>
  [[nodiscard]] auto operator()(S&& s) const {
    return started_sender<std::remove_cvref_t<S>>(std::remove_cvref_t<S>(std::forward<S>(s)));
  }
  [[nodiscard]] auto operator()() const { return bind_adaptor(*this); }
};

}  // namespace detail

/// split(sender): may be copied and connected as often as one likes. The sender is started once, with the first of
/// them; all get its values, or its error, by const reference. It is asked to stop if any of those that wait is. One
/// that was asked before it starts is stopped alone. Allocates what they share.
inline constexpr detail::split_call split{};
/// ensure_started(sender): starts it here, counted in the finish around, and gives a sender of what it ends with, which
/// may be connected once. It is asked to stop if that one is, and if that one goes without having been started.
inline constexpr detail::ensure_started_call ensure_started{};

}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
