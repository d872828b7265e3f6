#pragma once

/// What operations on devices fail with.
///
///     try {
///       total.read().get();
///     } catch (const amity::accel::build_error& e) { std::cerr << e.log(); }

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
  explicit device_error(const std::string& what, int code = 0) : std::runtime_error(what), code_(code) {}
  /// The driver's number of the error; 0: it is none of the driver's.
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  int code_;
};

/// There is not that much memory on the device.
class out_of_memory : public device_error {
 public:
  using device_error::device_error;
};

/// A program could not be built.
class build_error : public device_error {
 public:
  build_error(const std::string& what, std::string log, int code = 0)
      : device_error(what, code), log_(std::move(log)) {}
  /// What the compiler wrote.
  [[nodiscard]] const std::string& log() const noexcept { return log_; }

 private:
  std::string log_;
};

/// A kernel is not in its program, or takes other arguments than its caller says.
class kernel_error : public device_error {
 public:
  using device_error::device_error;
};

}  // namespace amity::accel
