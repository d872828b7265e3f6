#pragma once

/// What the monitor has seen of the system call in which a kernel thread waits, before it interrupts that one.
///
///     c.call.look(thread_id);                       // the monitor, at each look
///     call_note::content const seen = c.call.read(); // the handler on that kernel thread (interrupted_call.hpp)

#include <array>
#include <atomic>
#include <cstdint>

#include "amity/sys/thread_activity.hpp"

namespace amity::sched {

/// Now, in nanoseconds of CLOCK_MONOTONIC.
[[nodiscard]] std::uint64_t monotonic_ns() noexcept;

/// One writer, the monitor; the handler on the kernel thread reads. A sequence lock: the number is odd while the rest
/// is written.
class call_note {
 public:
  struct content {
    sys::kernel_call call;
    std::uint64_t since_ns = 0;  ///< monotonic_ns(); it has been in the call at least since then
  };

  /// The monitor looks at the thread. False: it was in no call just now, and the handler might not know the one that it
  /// is in by then; better look again. It is true all the same at every third such look in a row.
  bool look(int thread_id) noexcept;
  /// What it saw at its last look; a call with the number -1 if the thread was in none.
  [[nodiscard]] content read() const noexcept;

 private:
  static constexpr int words = 10;
  void write(const content& now) noexcept;

  std::atomic<std::uint32_t> sequence_{0};
  std::array<std::atomic<std::uint64_t>, words> word_{};
  int vain_looks_ = 0;                        ///< the monitor's own
  content last_;                              ///< the monitor's own copy
  std::uint64_t cpu_ns_ = sys::unknown_time;  ///< the monitor's own: the thread's time on a core at the last look
};

}  // namespace amity::sched
