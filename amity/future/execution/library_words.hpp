#pragma once

/// The words of senders as a library has them (library.hpp): its types, so that its concepts know Amity's.
///
/// The signals are sent by calling the member function that a receiver has for them. Receivers of libraries that are
/// older than member functions are told through the library.

#include <type_traits>
#include <utility>

#include "amity/future/execution/library.hpp"

#if defined(AMITY_SENDERS)

/// What a library lacks, of the names that have changed.
namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {
namespace no_names {
struct sender_t {};
struct sender_tag {};
struct receiver_t {};
struct receiver_tag {};
struct operation_state_t {};
struct operation_state_tag {};
struct scheduler_t {};
struct scheduler_tag {};
}  // namespace no_names
}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // the old names, where there are both
/// A name that is looked up from within the library is the library's, or else the one above.
namespace AMITY_SENDERS::names_for_amity {
using namespace ::amity::execution::no_names;
using old_sender = sender_t;
using new_sender = sender_tag;
using old_receiver = receiver_t;
using new_receiver = receiver_tag;
using old_operation = operation_state_t;
using new_operation = operation_state_tag;
using old_scheduler = scheduler_t;
using new_scheduler = scheduler_tag;
using stop_token_query = std::remove_cvref_t<decltype(get_stop_token)>;  // of std::execution's: in std
}  // namespace AMITY_SENDERS::names_for_amity
#pragma GCC diagnostic pop

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {

namespace library = AMITY_SENDERS;
namespace library_names = AMITY_SENDERS::names_for_amity;

namespace detail {
template <class New, class NoName, class Old>
using newest = std::conditional_t<std::is_same_v<New, NoName>, Old, New>;
}  // namespace detail

using sender_t = detail::newest<library_names::new_sender, no_names::sender_tag, library_names::old_sender>;
using receiver_t = detail::newest<library_names::new_receiver, no_names::receiver_tag, library_names::old_receiver>;
using operation_state_t =
    detail::newest<library_names::new_operation, no_names::operation_state_tag, library_names::old_operation>;
using scheduler_t = detail::newest<library_names::new_scheduler, no_names::scheduler_tag, library_names::old_scheduler>;

using library::completion_signatures;
using library::forward_progress_guarantee;
using library::get_completion_scheduler;
using library::get_completion_scheduler_t;
using library::get_forward_progress_guarantee;
using library::get_forward_progress_guarantee_t;
using library::get_scheduler;
using library::get_scheduler_t;
using library::set_error_t;
using library::set_stopped_t;
using library::set_value_t;
using get_stop_token_t = library_names::stop_token_query;
inline constexpr get_stop_token_t get_stop_token{};

namespace detail {

template <class Environment, class Query, class... Arguments>
concept answers = requires(const std::remove_cvref_t<Environment>& e, const Query& q, Arguments&&... x) {
  e.query(q, x...);
};

struct send_value {
  template <class Receiver, class... T>
  constexpr void operator()(Receiver&& r, T&&... x) const noexcept {
    if constexpr (requires { std::forward<Receiver>(r).set_value(std::forward<T>(x)...); })
      std::forward<Receiver>(r).set_value(std::forward<T>(x)...);
    else
      library::set_value(std::forward<Receiver>(r), std::forward<T>(x)...);
  }
};
struct send_error {
  template <class Receiver, class Error>
  constexpr void operator()(Receiver&& r, Error&& e) const noexcept {
    if constexpr (requires { std::forward<Receiver>(r).set_error(std::forward<Error>(e)); })
      std::forward<Receiver>(r).set_error(std::forward<Error>(e));
    else
      library::set_error(std::forward<Receiver>(r), std::forward<Error>(e));
  }
};
struct send_stopped {
  template <class Receiver>
  constexpr void operator()(Receiver&& r) const noexcept {
    if constexpr (requires { std::forward<Receiver>(r).set_stopped(); })
      std::forward<Receiver>(r).set_stopped();
    else
      library::set_stopped(std::forward<Receiver>(r));
  }
};

}  // namespace detail

inline constexpr detail::send_value set_value{};
inline constexpr detail::send_error set_error{};
inline constexpr detail::send_stopped set_stopped{};

}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution

#endif
