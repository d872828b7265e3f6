#pragma once

/// How often each OS thread has waited for a page: a table by the thread's number. The pager counts; a thread reads
/// its own count, which does not change while it runs.

#include <atomic>
#include <cstdint>

namespace amity::dsm {

class wait_counts {
 public:
  /// By the pager. Nothing where there are more threads than places.
  void count(int thread) noexcept {
    if (slot* const s = slot_of(thread, true); s != nullptr)
      s->waits.store(s->waits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);  // one thread writes
  }

  /// By thread `thread`.
  [[nodiscard]] std::uint64_t of(int thread) noexcept {
    slot* const s = slot_of(thread, false);
    return s == nullptr ? 0 : s->waits.load(std::memory_order_relaxed);
  }

 private:
  static constexpr std::uint32_t room = 1024;
  // Relaxed: a thread is let go on by the kernel after the pager has counted its wait.
  struct slot {
    std::atomic<int> thread{0};
    std::atomic<std::uint64_t> waits{0};
  };

  slot* slot_of(int thread, bool takes_a_free_one) noexcept {
    for (std::uint32_t i = 0; i < room; ++i) {
      slot& s = all_[(static_cast<std::uint32_t>(thread) + i) % room];
      int const has = s.thread.load(std::memory_order_relaxed);
      if (has == thread) return &s;
      if (has != 0) continue;
      if (!takes_a_free_one) return nullptr;
      s.thread.store(thread, std::memory_order_relaxed);
      return &s;
    }
    return nullptr;
  }

  slot all_[room];
};

}  // namespace amity::dsm
