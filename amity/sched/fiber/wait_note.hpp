#pragma once

/// What a fiber waits for, for those who ask why a program stands still (`amity dump`). Written where a wait is slow
/// anyway, just before it parks; read by others at any time, even from another process.
///
///     wait_noted noted(*self(), wait_kind::mutex, &m, __builtin_return_address(0));
///     while (!mine) park();

#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/sched/fiber/fiber.hpp"
#include "amity/sys/clock.hpp"

namespace amity::sched {

/// A layer above that has work of its own for whoever waits, and needs to know that it doesn't do that meanwhile
/// (omp/rt/free_agent.hpp). Called on the waiting fiber, which may block in neither.
struct wait_observer {
  void (*begins)(wait_kind kind) noexcept;
  void (*ends)(wait_kind kind) noexcept;
};
/// Null: there is none. Relaxed: what it points to is constant.
AMITY_API extern std::atomic<const wait_observer*> observer_of_waits;

/// What a profile hears of waits, on the waiting fiber. Called next to the park, so the fiber's time is the wait's.
struct wait_profiler {
  void (*begins)(wait_kind kind) noexcept;
  void (*ends)() noexcept;
  /// The calling fiber has let others run in its place (yield_to_tasks) and goes on.
  void (*went_on)() noexcept;
};
/// Null: there is none. Set when the pool starts and never changed. Relaxed, as above.
AMITY_API extern std::atomic<const wait_profiler*> profiler_of_waits;

class wait_noted {
 public:
  /// `where`: an address in the code that waits; null: unknown.
  wait_noted(fiber& f, wait_kind kind, const void* object, const void* where) noexcept
      : note_(f.waits),
        kind_(kind),
        observer_(observer_of_waits.load(std::memory_order_relaxed)),
        profiler_(profiler_of_waits.load(std::memory_order_relaxed)) {
    note_.object.store(object, std::memory_order_relaxed);
    note_.where.store(where, std::memory_order_relaxed);
    note_.since.store(sys::ticks(), std::memory_order_relaxed);
    note_.kind.store(kind, std::memory_order_release);  // a reader of it sees the rest, or what came later
    if (observer_ != nullptr) observer_->begins(kind);
    if (profiler_ != nullptr) profiler_->begins(kind);
  }
  wait_noted(const wait_noted&) = delete;
  wait_noted& operator=(const wait_noted&) = delete;
  ~wait_noted() {
    if (profiler_ != nullptr) profiler_->ends();
    if (observer_ != nullptr) observer_->ends(kind_);
    note_.kind.store(wait_kind::none, std::memory_order_release);
  }

 private:
  wait_note& note_;
  wait_kind const kind_;
  const wait_observer* const observer_;
  const wait_profiler* const profiler_;
};

}  // namespace amity::sched
