#pragma once

/// call_once, as in std: the first caller runs the function, the others wait for its end, without blocking a core. If
/// it throws, it has not been called, and the next caller tries.
///
///     static sync::once_flag ready;
///     sync::call_once(ready, [] { table = make_table(); });

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

#include "amity/sync/parking.hpp"

namespace amity::sync {

/// What call_once remembers. As std::once_flag; 4 bytes.
class once_flag {
 public:
  constexpr once_flag() noexcept = default;
  once_flag(const once_flag&) = delete;
  once_flag& operator=(const once_flag&) = delete;

 private:
  template <class F, class... Args>
  friend void call_once(once_flag& flag, F&& f, Args&&... args);

  static constexpr std::uint32_t untouched = 0, running = 1, done = 2;

  // True: the caller is to run it.
  bool begin() noexcept {
    for (;;) {
      std::uint32_t now = untouched;
      if (state_.compare_exchange_strong(now, running, std::memory_order_acquire,  // pairs with end
                                         std::memory_order_acquire))
        return true;
      if (now == done) return false;
      park_at(this, [this] { return state_.load(std::memory_order_relaxed) == running; },
              {.kind = sched::wait_kind::once});
    }
  }
  void end(std::uint32_t how) noexcept {
    state_.store(how, std::memory_order_release);  // pairs with begin and call_once
    unpark_all(this);
  }

  std::atomic<std::uint32_t> state_{untouched};
};

/// Memory ordering: what `f` did happens before the return of every call.
template <class F, class... Args>
void call_once(once_flag& flag, F&& f, Args&&... args) {
  if (flag.state_.load(std::memory_order_acquire) == once_flag::done) [[likely]]  // pairs with end
    return;
  if (!flag.begin()) return;
  try {
    std::invoke(std::forward<F>(f), std::forward<Args>(args)...);
  } catch (...) {
    flag.end(once_flag::untouched);
    throw;
  }
  flag.end(once_flag::done);
}

}  // namespace amity::sync
