#pragma once

/// Timers in the order of their deadlines: a pairing heap (Fredman, Sedgewick, Sleator, Tarjan 1986) whose nodes lie
/// with those who wait, so that nothing is allocated. The first is at hand, adding costs O(1), taking out O(log n).
///
///     deadline_heap heap;
///     timer t{deadline, self};
///     heap.add(t);  ...  if (t.queued) heap.remove(t);
///
/// No locking of its own.

#include <utility>

#include "amity/sched/fiber/fiber.hpp"
#include "amity/sched/loop/timer.hpp"

namespace amity::sched {

struct timer {
  instant deadline;
  fiber* who;
  bool only_asks = false;  ///< it ends no wait (park_to_ask)
  bool queued = false;
  timer* child = nullptr;  ///< the first of those below
  timer* next = nullptr;   ///< beside it
  timer* back = nullptr;   ///< the one before it; the first one's is the parent
};

class deadline_heap {
 public:
  /// Null: there is none.
  [[nodiscard]] timer* first() const noexcept { return root_; }

  void add(timer& t) noexcept {
    t.queued = true;
    t.child = t.next = t.back = nullptr;
    root_ = root_ == nullptr ? &t : meld(root_, &t);
  }

  /// Requires: it is queued here.
  void remove(timer& t) noexcept {
    t.queued = false;
    timer* const below = meld_all(std::exchange(t.child, nullptr));
    if (&t == root_) {
      root_ = below;
      return;
    }
    (t.back->child == &t ? t.back->child : t.back->next) = t.next;
    if (t.next != nullptr) t.next->back = t.back;
    if (below != nullptr) root_ = meld(root_, below);
  }

 private:
  /// Two roots; the later one goes below the other.
  static timer* meld(timer* a, timer* b) noexcept {
    if (b->deadline < a->deadline) std::swap(a, b);
    b->next = a->child;
    if (b->next != nullptr) b->next->back = b;
    b->back = a;
    a->child = b;
    return a;
  }

  /// In pairs from the left, then all of those from the right.
  static timer* meld_all(timer* list) noexcept {
    timer* pairs = nullptr;  // linked by `back`
    while (list != nullptr) {
      timer* const a = list;
      timer* const b = a->next;
      list = b == nullptr ? nullptr : b->next;
      a->next = a->back = nullptr;
      if (b != nullptr) b->next = b->back = nullptr;
      timer* const pair = b == nullptr ? a : meld(a, b);
      pair->back = pairs;
      pairs = pair;
    }
    timer* all = nullptr;
    while (pairs != nullptr) {
      timer* const pair = std::exchange(pairs, pairs->back);
      pair->back = nullptr;
      all = all == nullptr ? pair : meld(all, pair);
    }
    return all;
  }

  timer* root_ = nullptr;
};

}  // namespace amity::sched
