// The spinning of one who finds a mutex held, before it parks: up to about what parking and being woken costs, so that
// a wait costs at most twice what it had to (Karlin, Li, Manasse, Owicki: Empirical studies of competitive spinning,
// 1991), and only while nobody else could use the core.
//
//   for (brief_spin spin;;) { if (took_it()) return; if (spin.once()) continue; park; spin = {}; }
//
// One pause a look and never more: where the holder is outside of the mutex about as long as it is inside, longer
// pauses miss the time in which the mutex is free.
#pragma once

#include <cstdint>

#include "amity/base/atomic_shim.hpp"
#include "amity/sync/parking.hpp"
#include "amity/sys/clock.hpp"

namespace amity::sync {

class brief_spin {
 public:
  brief_spin() noexcept : spins_(may_spin()) {}

  // One turn. False: it is time to park.
  [[nodiscard]] bool once() noexcept {
    if (!spins_) return false;
    base::cpu_relax();
    if (++turns_ % turns_per_look == 0) look();
    return true;
  }

 private:
  static constexpr std::uint32_t turns_per_look = 32;
  static constexpr std::uint64_t limit_us = 10;

  void look() noexcept {
    const std::uint64_t now = sys::ticks();
    if (start_ == 0) start_ = now;
    spins_ = now - start_ < sys::ticks_of_microseconds(limit_us) && may_spin() && !core_is_wanted();
  }

  bool spins_;
  std::uint32_t turns_ = 0;
  std::uint64_t start_ = 0;
};

}  // namespace amity::sync
