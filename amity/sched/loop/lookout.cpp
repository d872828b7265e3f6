#include "amity/sched/loop/lookout.hpp"

#include "amity/sched/cores/contention.hpp"
#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sys/clock.hpp"

namespace amity::sched {

namespace {

// Less than a carrier with nothing to do leaves ready fibers to another (claim_elsewhere).
constexpr std::uint64_t longest_us = 2;

}  // namespace

bool lookout::look() noexcept {
  const carrier& c = *fiber_.on;
  std::uint64_t const now = sys::ticks();
  if (start_ == 0) {
    // A shell's kernel thread may be one of more than there are cores.
    if (c.kind == carrier_kind::shell || is_shared(c, now)) return false;
    start_ = now;
  }
  return now - start_ < sys::ticks_of_microseconds(longest_us) && !others_ready(c);
}

}  // namespace amity::sched
