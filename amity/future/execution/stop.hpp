#pragma once

/// Stop tokens of several kinds: the one that Amity gives to senders, and what calls back at the request of any.

#include <stop_token>

#include "amity/future/execution/library.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {
namespace detail {

/// std::stop_token with the member that libraries of senders look for, which C++20's lacks.
struct branch_token : std::stop_token {
  template <class F>
  using callback_type = std::stop_callback<F>;
};

/// What calls back at the request of a token of any kind.
template <class Token, class F>
struct callback_of {
  using type = typename Token::template callback_type<F>;
};
template <class F>
struct callback_of<std::stop_token, F> {
  using type = std::stop_callback<F>;
};

}  // namespace detail
}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
