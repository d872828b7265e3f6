#pragma once

/// What one thread has seen of the system call in which another waits, before it interrupts that one.
///
///     note.look(thread_id);                        // by the thread that watches, now and then
///     call_note::content const seen = note.read(); // a signal handler on the thread that is watched

#include <array>
#include <atomic>
#include <cstdint>

#include "amity/sys/clock.hpp"
#include "amity/sys/thread_activity.hpp"

namespace amity::sys {

/// One writer, the thread that watches; the handler on the watched thread reads. A sequence lock: the number is odd
/// while the rest is written.
class call_note {
 public:
  struct content {
    kernel_call call;
    std::uint64_t since_ns = 0;  ///< monotonic_ns(); it has been in the call at least since then
  };

  /// Looks at the thread. False: it was in no call just now, and the handler might not know the one that it
  /// is in by then; better look again. It is true all the same at every third such look in a row.
  bool look(int thread_id) noexcept;
  /// What it saw at its last look; a call with the number -1 if the thread was in none.
  [[nodiscard]] content read() const noexcept;

 private:
  static constexpr int words = 10;
  void write(const content& now) noexcept;

  std::atomic<std::uint32_t> sequence_{0};
  std::array<std::atomic<std::uint64_t>, words> word_{};
  int vain_looks_ = 0;                   ///< the writer's own
  content last_;                         ///< the writer's own copy
  std::uint64_t cpu_ns_ = unknown_time;  ///< the writer's own: the thread's time on a core at the last look
};

}  // namespace amity::sys
