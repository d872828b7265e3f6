#include "amity/net/internal/naps.hpp"

#include <cstdint>

#include "amity/sys/clock.hpp"

namespace amity::net {
namespace {

using std::memory_order_relaxed;

constexpr unsigned short_nap_us = 50;
/// So long after a message the naps are short.
constexpr std::uint64_t lively_us = 5000;

/// Ticks. Relaxed: a nap that is too long by a race is one of many.
std::atomic<std::uint64_t> last_message{0};

bool is_lively(const sched::progress_source&) noexcept {
  return sys::ticks() - last_message.load(memory_order_relaxed) < sys::ticks_of_microseconds(lively_us);
}

int poll_nothing(sched::progress_source&) noexcept { return 0; }

/// The length of a source's nap is fixed, and the shortest of those that are wanted is taken: so this one is wanted
/// while messages come and go.
constinit sched::progress_source short_naps{poll_nothing, is_lively};

}  // namespace

std::atomic<bool> detail::are_napping{false};

bool detail::enliven() noexcept {
  bool const was_lively = is_lively(short_naps);
  last_message.store(sys::ticks(), memory_order_relaxed);
  return !was_lively;
}

int begin_naps(sched::progress_source& engine, unsigned longest_us) noexcept {
  engine.nap_us = longest_us;
  short_naps.nap_us = short_nap_us;
  detail::are_napping.store(true, memory_order_relaxed);
  return sched::attend(short_naps);
}

void end_naps() noexcept {
  if (detail::are_napping.exchange(false, memory_order_relaxed)) sched::dismiss(short_naps);
}

}  // namespace amity::net
