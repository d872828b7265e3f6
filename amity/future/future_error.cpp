#include "amity/future/future_error.hpp"

namespace amity {

const char* describe(future_errc code) noexcept {
  switch (code) {
    case future_errc::broken_promise:
      return "amity: broken_promise: the promise was destroyed before it had a value or an exception";
    case future_errc::future_already_retrieved:
      return "amity: future_already_retrieved: get_future() may be called once";
    case future_errc::promise_already_satisfied:
      return "amity: promise_already_satisfied: a promise is put once, and has a value or an exception already";
    case future_errc::no_state:
      return "amity: no_state: the future or promise is empty: it was moved from, or its value was taken";
    case future_errc::cancelled:
      return "amity: cancelled: the task was not begun, because its finish was asked to stop";
  }
  return "amity: unknown error of a future";
}

}  // namespace amity
