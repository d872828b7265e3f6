#pragma once

/// An explicit order of operations, where the one by buffers is not enough: what is launched on one stream runs one
/// after the other.
///
///     auto first = device.make_stream(), second = device.make_stream();
///     step({.grid = n, .block = 64, .on = first}, a);
///     step({.grid = n, .block = 64, .on = second}, b);       // beside the other, if the device can

#include <memory>

#include "amity/accel/objects.hpp"
#include "amity/base/language.hpp"

namespace amity::accel {

/// A stream of a device. A handle: copies mean the same stream, which device::make_stream gives again when the last of
/// them has gone.
class stream {
 public:
  /// Of no device: a launch that names it takes any stream.
  stream() noexcept = default;
  /// It is a stream of a device.
  [[nodiscard]] explicit operator bool() const noexcept { return of_ != nullptr; }
  /// They mean the same stream, or none.
  friend bool operator==(const stream&, const stream&) noexcept = default;
  /// For device::make_stream.
  explicit stream(std::shared_ptr<detail::stream_object> s) noexcept : of_(std::move(s)) {}
  /// For code that builds on it; null: it is of no device.
  [[nodiscard]] detail::stream_object* object() const noexcept { return of_.get(); }

 private:
  std::shared_ptr<detail::stream_object> of_;
};

}  // namespace amity::accel
