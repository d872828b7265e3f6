#pragma once

/// The workers that may have tasks for others. A search looks at these alone: thousands of workers may be blocked, and
/// nearly all of them have nothing.
///
///     roster.list(w);                                     // its owner, before it tells others of a task
///     roster.look(at, [&](worker& v) { return ...; });    // anybody: at each that is listed, until one will do
///     if (roster.weed(now)) announce();                   // a search that has met many that had nothing
///
/// README.md, T6, says why no task is missed.

#include <atomic>
#include <cstdint>

#include "amity/sched/tasks/task.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::sched {

class worker_roster {
 public:
  static constexpr unsigned page_size = 64;

  /// `w` has tasks for others. Relaxed: the caller's push and weed's barrier order the look at the flag (T6).
  void list(worker& w) noexcept {
    if (!w.is_listed.load(std::memory_order_relaxed)) [[unlikely]]
      enter(w);
  }

  /// Calls `take(v)` for each worker that is listed, from entry `first` on and round, until one returns true: that
  /// one's entry, else -1. A worker that is listed meanwhile may be left out.
  template <class Take>
  int look(unsigned first, Take take) const noexcept {
    int const found = look_between(first, ~0u, take);
    return found >= 0 || first == 0 ? found : look_between(0, first, take);
  }

  /// Takes out those that have nothing, if nobody has done so for a while; `now` in ticks. True: some got a task at
  /// that moment, and are back. A carrier that looked meanwhile may have gone to sleep without it, so the caller
  /// announces it.
  [[nodiscard]] bool weed(std::uint64_t now) noexcept;

  /// In the child of a fork.
  void forget() noexcept;

 private:
  struct page {
    std::atomic<std::uint64_t> listed{0};     ///< bit i: entry[i] counts. Release, acquire: the entry
    std::atomic<worker*> entry[page_size]{};  ///< stays when the bit goes; may be another's soon after
    std::atomic<page*> next{nullptr};         ///< release, acquire: its entries
  };

  /// In the half-open range of entries.
  template <class Take>
  int look_between(unsigned first, unsigned end, Take& take) const noexcept {
    unsigned base = 0;
    for (const page* p = &first_; p != nullptr && base < end; p = p->next.load(std::memory_order_acquire)) {
      std::uint64_t rest = base + page_size <= first ? 0 : p->listed.load(std::memory_order_acquire);
      if (first > base && first - base < page_size) rest &= ~std::uint64_t{0} << (first - base);
      for (; rest != 0; rest &= rest - 1) {
        auto const i = static_cast<unsigned>(__builtin_ctzll(rest));
        if (base + i >= end) break;
        if (take(*p->entry[i].load(std::memory_order_relaxed))) return static_cast<int>(base + i);
      }
      base += page_size;
    }
    return -1;
  }

  void enter(worker& w) noexcept;
  bool enter_locked(worker& w) noexcept;
  static bool weed_page(page& p) noexcept;

  sys::spin_lock lock_;                      ///< of those that list and weed
  std::atomic<std::uint64_t> weeded_at_{0};  ///< ticks. Relaxed: a hint
  page first_;
};

extern constinit worker_roster roster;

/// What has been queued at `w` can be taken by others, now or by a raid. A hint.
[[nodiscard]] inline bool has_tasks(const worker& w) noexcept {
  return w.queue.has_any() || w.aside.count.load(std::memory_order_relaxed) != 0;
}

}  // namespace amity::sched
