#include "amity/sync/mutex.hpp"

#include "amity/sync/brief_spin.hpp"
#include "amity/sync/parking.hpp"

namespace amity::sync {
namespace {

constexpr int wakes_in_vain = 3;  // then the mutex is handed over

}  // namespace

bool mutex::lock_slow(sched::instant deadline) noexcept {
  using std::memory_order_acquire;
  using std::memory_order_relaxed;
  std::uint32_t mine = held;  // what the word becomes when we take it
  brief_spin spin;
  for (int wakes = 0;;) {
    std::uint32_t now = word_.load(memory_order_relaxed);
    if (now == free) {
      if (word_.compare_exchange_weak(now, mine, memory_order_acquire, memory_order_relaxed))
        return true;  // pairs with unlock
      continue;
    }
    if (spin.once()) continue;
    // Relaxed: the word only says that there is somebody to look for; the queue's lock orders the rest.
    if (now == held && !word_.compare_exchange_weak(now, contended, memory_order_relaxed, memory_order_relaxed))
      continue;
    // A waiter that gives up has made the word contended: if it was woken meanwhile, the other waiters still are known
    // of.
    if (deadline != sched::never && sched::now() >= deadline) return false;
    const parked how =
        park_at(this, [this] { return word_.load(memory_order_relaxed) == contended; },
                {wakes >= wakes_in_vain, deadline, sched::wait_kind::mutex, __builtin_return_address(0)});
    if (how == parked::handed_over) return true;  // the wake ordered the holder's work before this
    if (how == parked::woken) ++wakes;
    mine = contended;
    spin = {};
  }
}

void mutex::unlock_slow() noexcept {
  unpark_one(this, [this](queue_view view) {
    const bool hand_over = view.found && view.wants_hand_over;
    // Release: pairs with try_lock and lock_slow. When handed over the word never becomes free, so nobody can barge in.
    word_.store(hand_over ? (view.more ? contended : held) : free, std::memory_order_release);
    return hand_over;
  });
}

}  // namespace amity::sync
