#pragma once

/// What can be done wrong with a future or a promise, each with a name. In the shape of std's:
///
///     try { promise.set_value(1); } catch (amity::future_error const& e) {
///       e.code() == amity::future_errc::promise_already_satisfied;  // and so it is
///       e.code() == std::future_errc::promise_already_satisfied;
///     }

#include <future>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>

#include "amity/base/config.hpp"

namespace amity {

/// What was done wrong. The first four are std::future_errc's.
enum class future_errc {
  /// The promise went without a value: those that wait for one learn it so.
  broken_promise = static_cast<int>(std::future_errc::broken_promise),
  /// get_future() was called twice.
  future_already_retrieved = static_cast<int>(std::future_errc::future_already_retrieved),
  /// A second put.
  promise_already_satisfied = static_cast<int>(std::future_errc::promise_already_satisfied),
  /// The future or promise was moved from, or its value was taken.
  no_state = static_cast<int>(std::future_errc::no_state),
  /// The task was not begun, because its finish was asked to stop. Also std::errc::operation_canceled.
  cancelled = static_cast<int>(std::errc::operation_canceled)
};

/// In a sentence.
[[nodiscard]] AMITY_API const char* describe(future_errc code) noexcept;

/// Of what std has no code for: `cancelled`. Made here and not in the library, which has a libstdc++ of its own: codes
/// and conditions are compared by the addresses of their categories.
[[nodiscard]] inline const std::error_category& future_category() noexcept {
  struct category : std::error_category {
    [[nodiscard]] const char* name() const noexcept override { return "amity.future"; }
    [[nodiscard]] std::string message(int code) const override { return describe(static_cast<future_errc>(code)); }
    [[nodiscard]] std::error_condition default_error_condition(int code) const noexcept override {
      return {code, std::generic_category()};
    }
  };
  static const category one;
  return one;
}

/// Of std::future_category() where std has that code, so that it is std's; else of future_category().
[[nodiscard]] inline std::error_code make_error_code(future_errc code) noexcept {
  return {static_cast<int>(code), code == future_errc::cancelled ? future_category() : std::future_category()};
}
/// The same as a condition.
[[nodiscard]] inline std::error_condition make_error_condition(future_errc code) noexcept {
  return make_error_code(code).default_error_condition();
}

/// Thrown where a future or promise is misused, and held by futures that get no value.
class future_error : public std::logic_error {
 public:
  /// With that reason.
  explicit future_error(future_errc code) : std::logic_error(describe(code)), code_(code) {}
  /// The reason; it compares with amity::future_errc, and with std::future_errc where that has the name.
  [[nodiscard]] std::error_code code() const noexcept { return make_error_code(code_); }

 private:
  future_errc code_;
};

}  // namespace amity

/// future_errc converts to std::error_code.
template <>
struct std::is_error_code_enum<amity::future_errc> : std::true_type {};
