#pragma once

/// What a sender is told of its surroundings.
///
///     work | execution::write_env(execution::prop(execution::get_scheduler, pool))

#include <utility>

#include "amity/future/execution/adapted.hpp"
#include "amity/future/execution/closure.hpp"
#include "amity/future/execution/then.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {

namespace detail {

struct write_env_kind : passing_on {
  template <class Env, class Data>
  using env_beneath = execution::env<Data, Env>;
  template <class Beneath, class>
  using signatures = Beneath;
  template <class Operation>
  static auto environment(const Operation& o) noexcept {
    return typename Operation::env_type(o.data, execution::get_env(o.to));
  }
};
using write_env_call = adaptor_with<write_env_kind>;

}  // namespace detail

/// write_env(sender, environment): the sender, told of the receiver's environment that it answers as `environment`
/// does, and where that doesn't, as before.
inline constexpr detail::write_env_call write_env{};

}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
