// The spinning of one who finds a mutex held, before it parks: up to about what parking and being woken costs, so that
// a wait costs at most twice what it had to (Karlin, Li, Manasse, Owicki: Empirical studies of competitive spinning,
// 1991), and only while nobody else could use the core. On real machines that is some 10 us; between the cores of a
// virtual one, where a wake ends in the hypervisor, 50, which is the limit everywhere.
//
//   for (brief_spin spin;;) { if (took_it()) return; if (spin.once()) continue; park; spin = {}; }
//
// Each look takes the cache line from the holder, whose next operation on it costs a transfer then: two threads that do
// nothing but lock, 0.1 us of work and unlock, on far cores, lost 0.1 us at each turn to a waiter that looked 16 times
// in the first microsecond, and lose 0.04 now. But where the holder is outside of the mutex about as long
// as it is inside, long pauses miss the time in which the mutex is free. So the pause between two looks is a quarter of
// what was waited already until it is some 1.4 us, and from then on a sixteenth: few percent are lost on average.
#pragma once

#include <algorithm>
#include <cstdint>

#include "amity/base/processor.hpp"
#include "amity/sched/idle/patience.hpp"
#include "amity/sync/parking.hpp"
#include "amity/sys/clock.hpp"

namespace amity::sync {

class brief_spin {
 public:
  brief_spin() noexcept : spins_(may_spin()) {}

  // One turn. False: it is time to park.
  [[nodiscard]] bool once() noexcept {
    if (!spins_) return false;
    const std::uint32_t at_first = std::min(1 + waited_ / 4, most_at_first);
    const std::uint32_t pause = std::max(at_first, waited_ / 16);
    for (std::uint32_t i = 0; i < pause; ++i) base::cpu_relax();
    waited_ += pause;
    if (waited_ >= next_check_) check();
    return true;
  }

 private:
  // All in pauses of the processor.
  static constexpr std::uint32_t most_at_first = 32, pauses_per_check = 32;

  // Whether there is a reason to spin still.
  void check() noexcept {
    next_check_ = waited_ + pauses_per_check;
    const std::uint64_t now = sys::ticks();
    if (start_ == 0) start_ = now;
    spins_ = now - start_ < sys::ticks_of_microseconds(sched::patience::mutex_us) && may_spin() && !core_is_wanted();
  }

  bool spins_;
  std::uint32_t waited_ = 0, next_check_ = pauses_per_check;
  std::uint64_t start_ = 0;
};

}  // namespace amity::sync
