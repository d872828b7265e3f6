#pragma once

/// Up to 64 fibers whose permits lie in one word, so that a barrier releases all of them with one store, and a carrier
/// walks them in a ring without touching anything shared.

#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/sched/idle/doubling_while.hpp"
#include "amity/sched/idle/spin_evidence.hpp"

namespace amity::sched {

struct carrier;
struct fiber;

struct alignas(base::cache_line) ready_group {
  static constexpr int capacity = 64;

  /// Bit i: member i holds a permit. Set by unpark (any thread), cleared by the carrier that claims the fiber or by the
  /// fiber itself.
  std::atomic<std::uint64_t> ready{0};

  std::atomic<std::uint8_t> cursor{0};  ///< the member that was claimed last

  carrier* home = nullptr;                 ///< the carrier that runs these fibers if nobody has to help; fixed for ever
  bool exclusive = false;                  ///< nobody but `home` may run them
  std::uint32_t index = 0;                 ///< bit of home->summary
  ready_group* next = nullptr;             ///< in home's chain; groups are never unlinked
  doubling_while while_spinning;           ///< user code spins for them: each is to run on its own OS thread
  std::atomic<carrier*> left_to{nullptr};  ///< it released them last without waking `home`, and will run them itself

  // --- looked at seldom
  ready_group* next_free = nullptr;  ///< in home's list of groups without a team
  struct {
    std::uint64_t ready = 0;             ///< permits at its last look
    std::uint64_t ready_at_leisure = 0;  ///< the same, at its last look that was not hurried
    std::uint64_t cpu_ns = 0;            ///< the home's time on a core when some were first seen ready
    const carrier* to_blame = nullptr;   ///< if some had to wait: whose user code did not come back
    spin_evidence spinning;              ///< of that one
  } seen;                                ///< what the monitor remembers (stuck_fibers.cpp)

  alignas(base::cache_line) std::atomic<fiber*> members[capacity] = {};
};

[[nodiscard]] inline std::uintptr_t seat_of(ready_group* group, int bit) noexcept {
  static_assert(alignof(ready_group) >= ready_group::capacity);
  return reinterpret_cast<std::uintptr_t>(group) | static_cast<unsigned>(bit);
}
[[nodiscard]] inline ready_group* group_of(std::uintptr_t seat) noexcept {
  return reinterpret_cast<ready_group*>(seat & ~std::uintptr_t{ready_group::capacity - 1});
}
[[nodiscard]] inline std::uint64_t mask_of(std::uintptr_t seat) noexcept {
  return std::uint64_t{1} << (seat & (ready_group::capacity - 1));
}

}  // namespace amity::sched
