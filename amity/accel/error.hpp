#pragma once

/// What operations on devices fail with.
///
///     try {
///       total.read().get();
///     } catch (const amity::accel::build_error& e) {
///       std::cerr << e.log();
///     }

#include <atomic>
#include <stdexcept>
#include <string>
#include <utility>

#include "amity/base/config.hpp"
#include "amity/base/language.hpp"

namespace amity::accel {

/// A device or its driver refused something, or failed. what() names the operation, the device and the driver's error.
/// An operation that depends on one that failed fails with the error of that one.
class device_error : public std::runtime_error {
 public:
  /// `what`: what() says it; `code`: code().
  explicit device_error(const std::string& what, int code = 0) : std::runtime_error(what), code_(code) {}
  /// The driver's number of the error; 0: it is none of the driver's.
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  int code_;
};

/// There is no device of the kind that is asked for. what() says why.
class no_such_device : public device_error {
 public:
  using device_error::device_error;
};

/// There is not that much memory on the device.
class out_of_memory : public device_error {
 public:
  using device_error::device_error;
};

/// A program could not be built: its file can't be read, or the compiler refuses it.
class build_error : public device_error {
 public:
  /// `log`: log(); the others as of device_error.
  build_error(const std::string& what, std::string log, int code = 0)
      : device_error(what, code), log_(std::move(log)) {}
  /// What the compiler wrote, or why the file can't be read.
  [[nodiscard]] const std::string& log() const noexcept { return log_; }

 private:
  std::string log_;
};

/// A kernel is not in its program, or takes other arguments than its caller says.
class kernel_error : public device_error {
 public:
  using device_error::device_error;
};

/// A handle was used that stands for nothing: it was made by default, or moved from.
class empty_handle : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

namespace detail {

/// Devices that the parent of this process has opened. A driver has threads of its own, and they stay there.
AMITY_API extern std::atomic<bool> is_child_of_user;

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_empty(const char* what) {
  throw empty_handle(std::string(what) + " is used that stands for nothing: it was made by default, or moved from");
}
[[nodiscard]] inline device_error error_of_child() {
  return device_error(
      "a device that the parent of this process has opened: the child of a fork has no part in it. Open devices after "
      "the fork alone, or start another program");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_child() { throw error_of_child(); }

/// What a handle stands for. Throws empty_handle, and device_error in the child of a process that uses devices.
template <class Object>
[[nodiscard]] Object& behind_handle(Object* of, const char* what) {
  if (of == nullptr) refuse_empty(what);
  // Relaxed: written by the child's only thread, before it returns from the fork.
  if (is_child_of_user.load(std::memory_order_relaxed)) refuse_child();
  return *of;
}

}  // namespace detail

}  // namespace amity::accel
