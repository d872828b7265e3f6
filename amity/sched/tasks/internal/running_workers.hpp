#pragma once

/// How many of the pool's fibers run tasks, or are about to; those that wait do not count. Each carrier moves a number
/// that few others move, so that one count does not go from core to core with each wait.
///
///     running.add(c, -1);                    // on carrier `c`: a fiber of the pool is going to wait
///     running.add(c, 1);                     // on the carrier that it comes back on, perhaps another
///     if (running.sum() < limit) ...
///
/// A fiber that was given a permit and has not come back does not count yet. A carrier takes it before it asks for
/// another, so the sum is right where no fiber is ready; else one too many may be started, which leaves soon.

#include <algorithm>
#include <atomic>

#include "amity/base/config.hpp"
#include "amity/sched/fiber/carrier.hpp"

namespace amity::sched {

class running_workers {
 public:
  /// Requires: nobody has counted yet. `carriers` of the pool.
  void begin(int carriers) noexcept { parts_ = std::clamp(carriers, 1, most_parts); }
  /// In the child of a fork.
  void forget() noexcept {
    for (part& p : part_) p.count.store(0, std::memory_order_relaxed);
  }

  /// Relaxed: a hint, as all that is read of it.
  void add(const carrier& c, int change) noexcept {
    part_[c.slot > 0 ? c.slot % parts_ : 0].count.fetch_add(change, std::memory_order_relaxed);
  }
  /// The same on a thread that may have no carrier.
  void add(int change) noexcept { part_[0].count.fetch_add(change, std::memory_order_relaxed); }

  [[nodiscard]] int sum() const noexcept {
    int all = 0;
    for (int i = 0; i < parts_; ++i) all += part_[i].count.load(std::memory_order_relaxed);
    return all;
  }

 private:
  static constexpr int most_parts = 64;
  struct alignas(base::cache_line) part {
    std::atomic<int> count{0};
  };
  part part_[most_parts];
  int parts_ = 1;
};

extern constinit running_workers running;

}  // namespace amity::sched
