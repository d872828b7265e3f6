#pragma once

/// HPX's own words, as far as HPXCL's programs use them, in namespace hpx: futures, waiting, cout, and a main that
/// needs no more than main(). The headers in compat/hpx include it.

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/base/language.hpp"
#include "amity/future/async.hpp"
#include "amity/future/future.hpp"
#include "amity/future/when.hpp"

#define HPX_THROW_EXCEPTION(code, function, words) throw ::hpx::exception(code, std::string(function) + ": " + (words))

namespace hpx {

using amity::async;
using amity::future;
using amity::launch;
using amity::make_ready_future;
using amity::promise;
using amity::shared_future;
using amity::when_all;
namespace lcos {
using amity::future;
using amity::shared_future;
}  // namespace lcos

namespace detail {
template <class T>
concept is_waited_for = requires(T& t) {
  t.wait();
}
&&requires(T& t) { t.valid(); };
template <class T>
void wait_for(T& t) {
  if constexpr (is_waited_for<T>)
    t.wait();
  else if constexpr (requires { t.begin() != t.end(); })
    for (auto& each : t) wait_for(each);
}
}  // namespace detail

/// Waits for all of them: futures, and ranges of futures. What is no future, as a buffer, is ready.
template <class... T>
void wait_all(T&&... all) {
  (detail::wait_for(all), ...);
}

using std::cerr;
using std::cout;
/// Ends a line, and prints what there is.
inline std::ostream& endl(std::ostream& out) { return std::endl(out); }
inline std::ostream& flush(std::ostream& out) { return std::flush(out); }

/// The program's result: nothing has to be ended.
inline int finalize() noexcept { return EXIT_SUCCESS; }
/// How many OS threads run tasks.
[[nodiscard]] inline std::size_t get_os_thread_count() { return static_cast<std::size_t>(amity::worker_count()); }
[[nodiscard]] inline std::string build_string() { return "HPX's names on Amity"; }

enum error { success = 0, no_success = 1 };
/// What the program throws by HPX_THROW_EXCEPTION. Amity's own errors are no such exceptions, but std::exceptions.
class exception : public std::runtime_error {
 public:
  exception(error code, const std::string& what) : std::runtime_error(what), code_(code) {}
  [[nodiscard]] error get_error() const noexcept { return code_; }

 private:
  error code_;
};

namespace util {
struct high_resolution_clock {
  /// Nanoseconds of a clock that goes on steadily.
  [[nodiscard]] static std::uint64_t now() noexcept {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                      std::chrono::nanoseconds(1));
  }
};
/// Seconds since it was made.
class high_resolution_timer {
 public:
  [[nodiscard]] double elapsed() const noexcept {
    return static_cast<double>(high_resolution_clock::now() - begun_) * 1e-9;
  }
  void restart() noexcept { begun_ = high_resolution_clock::now(); }

 private:
  std::uint64_t begun_ = high_resolution_clock::now();
};
}  // namespace util

}  // namespace hpx
