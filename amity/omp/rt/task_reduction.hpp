#pragma once

/// Reductions with a `task` modifier over a region or a worksharing construct: every member of the team registers its
/// part, and all use what the first one there made. Constructs nest without a barrier in between, so several may be
/// under way; members meet them in the same order, and find each by its number.
///
///     std::uint64_t const number = t.tasks.commons_met++;
///     void* common = commons.enter(number, mine, prepare, dispose);
///     if (commons.leave(number, team_size)) dispose(common);

#include <cstdint>

#include "amity/sync/mutex.hpp"

namespace amity::omp {

class common_reductions {
 public:
  /// Makes a member's part ready, under the lock, and returns what all share; `common` is that, or null for the first
  /// one there, which makes it. May block the fiber: in a team over several processes these agree on what all share.
  using preparation = void* (*)(void* mine, void* common);
  using disposal = void (*)(void* common);

  /// Returns what all share. `dispose` is called for it if the region ends and not all members have left the construct.
  void* enter(std::uint64_t number, void* mine, preparation prepare, disposal dispose) noexcept;

  /// True for the last member.
  [[nodiscard]] bool leave(std::uint64_t number, int members) noexcept;

  /// The region is over. It was cancelled, and some members did not come to all of its constructs.
  void abandon() noexcept;

 private:
  struct construct {
    std::uint64_t number;
    void* common;
    disposal dispose;
    int left;
    construct* next;
  };
  construct** find(std::uint64_t number) noexcept;

  sync::mutex lock_;  ///< no spin lock, on whose holder a carrier would wait in vain: see `preparation`
  construct* constructs_ = nullptr;
};

}  // namespace amity::omp
