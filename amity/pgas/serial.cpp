#include "amity/pgas/serial.hpp"

#include <stdlib.h>

#include <atomic>
#include <mutex>
#include <string_view>
#include <utility>

#include "amity/base/report.hpp"
#include "amity/pgas/remote_call.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity {
namespace pgas::detail {
namespace {

/// One call at most is queued for the workers or runs; it has the turn. All others are here, from the first to come.
/// The lock orders what two calls that follow one another read and write.
struct {
  sys::spin_lock lock;
  bool taken = false;
  arrived_call* first = nullptr;
  arrived_call* last = nullptr;
} turn;

}  // namespace

void wait_for_turn(arrived_call& c) noexcept {
  {
    std::lock_guard const held(turn.lock);
    if (std::exchange(turn.taken, true)) {
      c.next_in_turn = nullptr;
      (turn.first == nullptr ? turn.first : turn.last->next_in_turn) = &c;
      turn.last = &c;
      return;
    }
  }
  sched::enqueue_arrived(c);
}

void end_turn() noexcept {
  arrived_call* next;
  {
    std::lock_guard const held(turn.lock);
    next = turn.first;
    if (next == nullptr)
      turn.taken = false;
    else
      turn.first = next->next_in_turn;
  }
  if (next != nullptr) sched::enqueue_arrived(*next);
}

namespace {

bool by_setting() noexcept {
  const char* const text = getenv("AMITY_SERIAL_CALLS");
  if (text == nullptr || *text == '\0') return false;
  std::string_view const said(text);
  if (said == "on" || said == "off") return said == "on";
  base::warn("AMITY_SERIAL_CALLS='%s' is neither on nor off; off is used", base::quoted(text).text);
  return false;
}

/// Relaxed: calls that come while it changes may be of either kind.
std::atomic<bool>& all_are_serial() noexcept {
  static std::atomic<bool> all{by_setting()};
  return all;
}

}  // namespace
}  // namespace pgas::detail

void set_serial_calls(bool all) noexcept { pgas::detail::all_are_serial().store(all, std::memory_order_relaxed); }
bool serial_calls() noexcept { return pgas::detail::all_are_serial().load(std::memory_order_relaxed); }

}  // namespace amity
