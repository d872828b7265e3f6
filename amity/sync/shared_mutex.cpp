#include "amity/sync/shared_mutex.hpp"

#include <mutex>

#include "amity/sched/fiber/wait_note.hpp"
#include "amity/sched/loop/park.hpp"

namespace amity::sync {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

// On the stack of the fiber that waits. In the queue it is guarded by `lock_`; once taken out it is the waker's, until
// `granted` is stored.
struct shared_mutex::waiter {
  sched::fiber* who;
  std::uint32_t share;  // `writes`, `reader`, `upgrader` or `promotion`
  waiter* next = nullptr;
  std::atomic<bool> granted{false};
};

struct shared_mutex::wake_list {
  waiter* first = nullptr;
  waiter** end = &first;
};

// Whether a word without `queued` allows it.
bool shared_mutex::may_have(std::uint32_t share, std::uint32_t word) noexcept {
  switch (share) {
    case writes:
      return word == 0;
    case reader:
      return (word & writes) == 0;
    case upgrader:
      return (word & (writes | upgrades)) == 0;
    default:
      return word == upgrader;  // promotion: there are no others
  }
}

// Takes out those who can have it now, in the order of arrival: a writer, or all readers before the next one. Under
// `lock_`, with somebody in the queue.
void shared_mutex::pass_on(wake_list& chosen) noexcept {
  std::uint32_t word = word_.load(memory_order_relaxed);  // written under the lock only: `queued` is set
  while (first_ != nullptr) {
    waiter* const w = first_;
    if (!may_have(w->share, word & ~queued)) break;
    first_ = w->next;
    w->next = nullptr;
    *chosen.end = w;
    chosen.end = &w->next;
    word += w->share;
  }
  if (first_ == nullptr) {
    last_ = nullptr;
    word &= ~queued;
  }
  // Release: others may lock by the fast path from here on. A waiter that is passed it gets the same by `granted`.
  word_.store(word, memory_order_release);
}

// Not under the lock: a fiber that is woken may destroy the mutex.
void shared_mutex::wake(waiter* first) noexcept {
  while (first != nullptr) {
    waiter* const next = first->next;
    sched::fiber* const who = first->who;
    first->granted.store(true, memory_order_release);  // pairs with lock_slow; the record is gone from here on
    sched::unpark(who);
    first = next;
  }
}

bool shared_mutex::lock_slow(std::uint32_t share, sched::instant deadline) noexcept {
  const bool impatient = deadline != sched::never && sched::now() >= deadline;
  waiter mine{sched::self(), share};
  {
    std::lock_guard guard(lock_);
    for (std::uint32_t now = word_.load(memory_order_relaxed);;) {
      // The upgrader does not wait behind those that wait for it: nobody would ever go on.
      const bool available = (share == promotion || (now & queued) == 0) && may_have(share, now & ~queued);
      if (!available && (impatient || (now & queued) != 0)) break;
      // Weak, and relaxed on failure: looked at again.
      if (word_.compare_exchange_weak(now, available ? now + share : now | queued, memory_order_acquire,
                                      memory_order_relaxed)) {
        if (available) return true;
        break;
      }
    }
    if (impatient) return false;
    if (share == promotion) {
      mine.next = first_;
      first_ = &mine;
      if (last_ == nullptr) last_ = &mine;
    } else {
      (last_ == nullptr ? first_ : last_->next) = &mine;
      last_ = &mine;
    }
  }
  const sched::wait_noted noted(*mine.who, sched::wait_kind::shared_mutex, this, __builtin_return_address(0));
  while (!mine.granted.load(memory_order_acquire)) {  // pairs with wake
    sched::park_until(deadline);
    if (deadline == sched::never || mine.granted.load(memory_order_acquire) || sched::now() < deadline) continue;
    wake_list chosen;
    {
      std::lock_guard guard(lock_);
      waiter* before = nullptr;
      waiter* w = first_;
      for (; w != nullptr && w != &mine; w = w->next) before = w;
      if (w == nullptr) {
        deadline = sched::never;  // it was chosen, and is about to be told
        continue;
      }
      (before == nullptr ? first_ : before->next) = mine.next;
      if (last_ == &mine) last_ = before;
      pass_on(chosen);  // readers may have stood behind a writer that leaves
    }
    wake(chosen.first);
    return false;
  }
  return true;
}

void shared_mutex::unlock_slow(std::uint32_t share) noexcept {
  for (;;) {
    wake_list chosen;
    {
      std::lock_guard guard(lock_);
      if (first_ != nullptr) {
        // While somebody is in the queue, only the holder of `lock_` changes the word, so the mutex stays. Release:
        // pairs with the fast paths; with those who wait by their records.
        word_.fetch_sub(share, memory_order_release);
        pass_on(chosen);
        share = 0;
      }
    }
    if (share == 0) return wake(chosen.first);
    // The queue has emptied since the caller looked. A fiber that locks and unlocks by the fast paths from here on may
    // destroy the mutex: giving it up is the last that is done to it, not under the lock.
    std::uint32_t now = word_.load(memory_order_relaxed);
    while ((now & queued) == 0)
      if (word_.compare_exchange_weak(now, now - share, memory_order_release,  // pairs with exchange, try_add
                                      memory_order_relaxed))
        return;
  }
}

}  // namespace amity::sync
