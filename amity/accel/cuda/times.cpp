#include "amity/accel/cuda/times.hpp"

#include <mutex>
#include <utility>

#include "amity/sys/clock.hpp"

namespace amity::accel::cuda {
namespace {

/// Null: the driver refuses.
event_handle recorded(stream_handle s) noexcept {
  event_handle made = nullptr;
  if (driver().create_event(&made, event_with_time) != 0) return nullptr;
  if (driver().record_event(made, s) == 0) return made;
  driver().destroy_event(made);
  return nullptr;
}

}  // namespace

event_times::~event_times() {
  for (event_handle const e : {begun_, ended_})
    if (e != nullptr) driver().destroy_event(e);
}

void stream_times::start(stream_handle s) noexcept {
  if (driver().milliseconds_between == nullptr) return;
  base_ = recorded(s);
  if (base_ == nullptr) return;
  driver().synchronize_stream(s);
  base_ticks_ = sys::ticks();
  has_times_ = true;
}

void stream_times::begin(event_times& of, stream_handle s) const noexcept {
  if (!has_times_) return;
  of.handed_over_ = sys::ticks();
  of.begun_ = recorded(s);
}

void stream_times::end(event_times& of, stream_handle s) const noexcept {
  if (of.begun_ != nullptr) of.ended_ = recorded(s);
}

bool stream_times::ask(event_times& of, detail::device_times& times) noexcept {
  if (of.ended_ == nullptr) return false;
  std::uint64_t const over = sys::ticks();
  std::lock_guard const held(lock_);
  float until_begin = 0, duration = 0;
  if (driver().milliseconds_between(&until_begin, base_, of.begun_) != 0 ||
      driver().milliseconds_between(&duration, of.begun_, of.ended_) != 0 || duration < 0)
    return false;
  const auto ticks_of = [](float ms) {
    return static_cast<std::int64_t>(static_cast<double>(ms) * 1000 * static_cast<double>(sys::ticks_per_microsecond));
  };
  times.begin = base_ticks_ + static_cast<std::uint64_t>(ticks_of(until_begin));
  times.end = times.begin + static_cast<std::uint64_t>(ticks_of(duration));
  std::uint64_t moved = 0;  // modulo 2^64, as one moves back, too
  if (times.end > over) moved = over - times.end;
  if (times.begin + moved < of.handed_over_) moved = of.handed_over_ - times.begin;
  base_ticks_ += moved, times.begin += moved, times.end += moved;
  constexpr float long_ago = 1000;
  if (until_begin > long_ago) {
    std::swap(base_, of.ended_);
    base_ticks_ = times.end;
  }
  return true;
}

}  // namespace amity::accel::cuda
