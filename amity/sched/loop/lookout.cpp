#include "amity/sched/loop/lookout.hpp"

#include "amity/sched/cores/contention.hpp"
#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/idle/patience.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sys/clock.hpp"

namespace amity::sched {

bool lookout::look() noexcept {
  const carrier& c = *fiber_.on;
  std::uint64_t const now = sys::ticks();
  if (start_ == 0) {
    // A shell's OS thread may be one of more than there are cores.
    if (c.kind == carrier_kind::shell || is_shared(c, now)) return false;
    start_ = now;
  }
  return now - start_ < sys::ticks_of_microseconds(patience::lookout_us) && !others_ready(c);
}

}  // namespace amity::sched
