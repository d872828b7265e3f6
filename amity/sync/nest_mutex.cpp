#include "amity/sync/nest_mutex.hpp"

#include "amity/base/report.hpp"
#include "amity/sync/brief_spin.hpp"
#include "amity/sync/parking.hpp"

namespace amity::sync {
namespace {

constexpr int wakes_in_vain = 3;  // as mutex

}  // namespace

void nest_mutex::too_deep() noexcept {
  base::fatal("a nestable lock was set %d times without being unset, which is as deep as it goes",
              static_cast<int>(deepest));
}

int nest_mutex::lock_slow(const void* owner, sched::instant deadline) noexcept {
  using std::memory_order_acquire;
  using std::memory_order_relaxed;
  std::uint64_t mine = held_by(owner);
  brief_spin spin;
  for (int wakes = 0;;) {
    std::uint64_t now = word_.load(memory_order_relaxed);
    if (now == 0) {
      if (word_.compare_exchange_weak(now, mine, memory_order_acquire, memory_order_relaxed))
        return 1;  // pairs with unlock
      continue;
    }
    if (spin.once()) continue;
    if ((now & waiters) == 0 &&
        !word_.compare_exchange_weak(now, now | waiters, memory_order_relaxed, memory_order_relaxed))
      continue;
    // As in mutex: the waiters' bit is set.
    if (deadline != sched::never && sched::now() >= deadline) return 0;
    const parked how =
        park_at(this, [this] { return (word_.load(memory_order_relaxed) & waiters) != 0; },
                {wakes >= wakes_in_vain, deadline, sched::wait_kind::mutex, __builtin_return_address(0)});
    if (how == parked::handed_over) {
      // The word says "held, by nobody yet": the old owner could not know our name.
      std::uint64_t reserved = word_.load(memory_order_relaxed);
      while (!word_.compare_exchange_weak(reserved, held_by(owner) | (reserved & waiters), memory_order_acquire,
                                          memory_order_relaxed)) {
      }
      return 1;
    }
    if (how == parked::woken) ++wakes;
    mine = held_by(owner) | waiters;  // others may still wait
    spin = {};
  }
}

void nest_mutex::unlock_slow() noexcept {
  unpark_one(this, [this](queue_view view) {
    const bool hand_over = view.found && view.wants_hand_over;
    // Release: pairs with try_lock and lock_slow. Owner 0 at depth 1 is nobody's name, so only the one woken can go on.
    word_.store(hand_over ? (1 | (view.more ? waiters : 0)) : 0, std::memory_order_release);
    return hand_over;
  });
}

}  // namespace amity::sync
