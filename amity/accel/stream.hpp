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

/// A handle of a stream; of none, unless a device has made it.
class stream {
 public:
  stream() noexcept = default;
  [[nodiscard]] explicit operator bool() const noexcept { return of_ != nullptr; }
  friend bool operator==(const stream&, const stream&) noexcept = default;
  explicit stream(std::shared_ptr<detail::stream_object> s) noexcept : of_(std::move(s)) {}
  [[nodiscard]] detail::stream_object* object() const noexcept { return of_.get(); }

 private:
  std::shared_ptr<detail::stream_object> of_;
};

}  // namespace amity::accel
