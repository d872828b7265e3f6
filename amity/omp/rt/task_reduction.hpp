#pragma once

/// Reductions with a `task` modifier over a region or a worksharing construct: every member of the team registers its
/// part, and all use the copies that the first one there made. Constructs nest without a barrier in between, so several
/// may be under way; members meet them in the same order, and find each by its number.
///
///     std::uint64_t const number = t.tasks.commons_met++;
///     void* first = commons.enter(number, mine, team_size, [](void* mine, void* first) { ... });   // first: null for
///     the first one if (commons.leave(number, team_size)) combine(first);

#include <cstdint>

#include "amity/sched/spin_lock.hpp"

namespace amity::omp {

class common_reductions {
 public:
  /// `prepare` runs under the lock. Returns the first member's `mine`. With `leaves` false the construct is forgotten
  /// when all have entered.
  void* enter(std::uint64_t number, void* mine, int members, bool leaves,
              void (*prepare)(void* mine, void* first)) noexcept;

  /// True for the last member.
  [[nodiscard]] bool leave(std::uint64_t number, int members) noexcept;

 private:
  struct construct {
    std::uint64_t number;
    void* first;
    int entered;
    int left;
    construct* next;
  };
  construct** find(std::uint64_t number) noexcept;

  sched::spin_lock lock_;
  construct* constructs_ = nullptr;
};

}  // namespace amity::omp
