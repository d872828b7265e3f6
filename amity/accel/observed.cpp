#include "amity/accel/internal/observed.hpp"

#include <algorithm>
#include <string>

#include "amity/accel/kernel_object.hpp"
#include "amity/sched/profile/beside.hpp"
#include "amity/sys/clock.hpp"

namespace amity::accel::detail {
namespace {

/// One that only waits for others.
bool does_something(const operation& op) noexcept {
  return op.graph != nullptr || op.what.is != command::kind::nothing;
}

std::string name_of(const operation& op) {
  std::string const what = op.kernel != nullptr ? op.kernel->name : op.name;
  return what + ", " + op.on->words();
}

std::uint64_t bytes_of(const command& c) noexcept {
  using kind = command::kind;
  switch (c.is) {
    case kind::write:
    case kind::read:
    case kind::copy:
    case kind::fill:
      return c.bytes;
    case kind::write_box:
    case kind::read_box:
    case kind::copy_box:
      return c.region[0] * c.region[1] * c.region[2];
    case kind::launch:
    case kind::foreign:
    case kind::nothing:
      break;
  }
  return 0;
}

/// Of all its commands: from the first one's begin to the last one's end.
bool ask_driver(const operation& op, device_times& times) noexcept {
  native_stream& s = *op.stream->native;
  if (!s.times_of(op.native_mark, op.handed_over_at, times)) return false;
  device_times first{};
  if (!op.marks_before.empty() && s.times_of(op.marks_before.front(), op.handed_over_at, first))
    times.begin = std::min(times.begin, first.begin);
  return true;
}

}  // namespace

void note_hand_over_in_profile(operation& op) noexcept {
  if (!does_something(op)) return;
  op.handed_over_at = sys::ticks();
  op.profile_key = sched::profile::note_handed_over(op.handed_over_at);
}

void note_end_in_profile(operation& op) noexcept {
  if (op.handed_over_at == 0 || !does_something(op)) return;
  sched::profile::operation_on_device seen{
      .name = nullptr, .key = op.profile_key, .begin_ticks = op.handed_over_at, .end_ticks = sys::ticks()};
  if (device_times times{}; ask_driver(op, times)) {
    seen.is_devices_own = true;
    // Not before it was handed over nor after now, whatever the driver's clock says.
    seen.begin_ticks = std::clamp(times.begin, seen.begin_ticks, seen.end_ticks);
    seen.end_ticks = std::clamp(times.end, seen.begin_ticks, seen.end_ticks);
  }
  seen.bytes = op.graph != nullptr ? 0 : bytes_of(op.what);
  try {
    std::string const name = name_of(op);
    seen.name = name.c_str();
    stream_object& s = *op.stream;
    // Relaxed: two that make it at once make the same.
    unsigned track = s.track.load(std::memory_order_relaxed);
    if (track == 0) {
      std::string const line = op.on->words() + ", queue " + std::to_string(s.number);
      s.track.store(track = sched::profile::make_track(line.c_str()), std::memory_order_relaxed);
    }
    sched::profile::note_operation(track, seen);
  } catch (const std::bad_alloc&) {  // the profile has it not
  }
}

}  // namespace amity::accel::detail
