#pragma once

/// What a fiber waits for, for those who ask why a program stands still (`amity dump`). Written where a wait is slow
/// anyway, just before it parks; read by others at any time, even from another process.
///
///     wait_noted noted(*self(), wait_kind::mutex, &m, __builtin_return_address(0));
///     while (!mine) park();

#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/sched/fiber.hpp"
#include "amity/sys/clock.hpp"

namespace amity::sched {

class wait_noted {
 public:
  /// `where`: an address in the code that waits; null: unknown.
  wait_noted(fiber& f, wait_kind kind, const void* object, const void* where) noexcept : note_(f.waits) {
    note_.object.store(object, std::memory_order_relaxed);
    note_.where.store(where, std::memory_order_relaxed);
    note_.since.store(sys::ticks(), std::memory_order_relaxed);
    note_.kind.store(kind, std::memory_order_release);  // whoever reads it sees the rest, or what came later
  }
  wait_noted(const wait_noted&) = delete;
  wait_noted& operator=(const wait_noted&) = delete;
  ~wait_noted() { note_.kind.store(wait_kind::none, std::memory_order_release); }

 private:
  wait_note& note_;
};

}  // namespace amity::sched
