#pragma once

/// When the device was at work on the commands of a stream, for a profile: by CUDA's events, of which one is recorded
/// before a command and one behind it.
///
/// The driver tells how many milliseconds lie between two events, as a float. A *base* is an event of which we know
/// when it was, by the host's clock; all others are so much later than it. The first one is recorded into the empty
/// stream and waited for. A float tells a second to 60 ns, and an hour to 250 us; so a command's end becomes the base
/// when the last one is a second old. That keeps what the base was wrong by, and the device's clock has its own pace: a
/// command that seems to begin before it was handed over, or to end after it was seen to be over, moves the base.

#include "amity/accel/backend.hpp"
#include "amity/accel/cuda/functions.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::accel::cuda {

/// Of one command; they go with it. Null: there are none.
class event_times {
 public:
  event_times() noexcept = default;
  event_times(const event_times&) = delete;
  event_times& operator=(const event_times&) = delete;
  ~event_times();

 private:
  friend class stream_times;
  event_handle begun_ = nullptr, ended_ = nullptr;
  std::uint64_t handed_over_ = 0;  ///< sys::ticks
};

/// Of a stream. What the driver refuses is left out. Requires, of all calls: the stream's context is current.
class stream_times {
 public:
  stream_times() noexcept = default;
  stream_times(const stream_times&) = delete;
  stream_times& operator=(const stream_times&) = delete;

  /// From now on there are times. Waits for the device. Requires: nothing is in the stream.
  void start(stream_handle s) noexcept;
  void begin(event_times& of, stream_handle s) const noexcept;
  void end(event_times& of, stream_handle s) const noexcept;
  /// Any thread. Requires: the command is over. False: it has no times. Its end may become the base, and is then no
  /// longer the command's.
  [[nodiscard]] bool ask(event_times& of, detail::device_times& times) noexcept;

 private:
  bool has_times_ = false;  ///< changes before there are commands
  sys::spin_lock lock_;     ///< of what follows
  event_handle base_ = nullptr;
  std::uint64_t base_ticks_ = 0;
};

}  // namespace amity::accel::cuda
