#pragma once

/// What can be done wrong with a future or a promise, each with a name.
///
///     try { promise.set_value(1); } catch (amity::future_error const& e) { e.code() == amity::future_errc::... }

#include <stdexcept>

#include "amity/base/config.hpp"

namespace amity {

/// What was done wrong.
enum class future_errc {
  broken_promise,             ///< the promise went without a value; whoever waits learns it so
  future_already_retrieved,   ///< get_future() was called twice
  promise_already_satisfied,  ///< a second put
  no_state,                   ///< the future or promise was moved from, or its value was taken
  cancelled                   ///< the task was not begun, because its finish was asked to stop
};

/// In a sentence.
[[nodiscard]] AMITY_API const char* describe(future_errc code) noexcept;

/// Thrown where a future or promise is misused, and held by futures that get no value.
class future_error : public std::logic_error {
 public:
  /// With that reason.
  explicit future_error(future_errc code) : std::logic_error(describe(code)), code_(code) {}
  /// The reason.
  [[nodiscard]] future_errc code() const noexcept { return code_; }

 private:
  future_errc code_;
};

}  // namespace amity
