#pragma once

/// A lock of all processes together.
///
///     amity::shared_lock lock;                                  // made by all processes together, in the same order
///     { std::lock_guard const held(lock); total = total + 1; }
///     lock.async_lock().then([&](auto f) { f.get(); ...; lock.unlock(); });
///
/// Fibers of all processes take it in turn, in the order in which their wishes come to its home. It may be taken by one
/// fiber and given back by another, of another process even. UPC++ 0.1's name.

#include <cstdint>
#include <stdexcept>

#include "amity/base/config.hpp"
#include "amity/future/future.hpp"
#include "amity/pgas/dist_object.hpp"
#include "amity/pgas/remote_call.hpp"

namespace amity {

namespace pgas::detail {

/// At the home of a lock. Thread-safe, none blocks.
[[nodiscard]] AMITY_API future<void> take_lock(std::uint64_t number);
[[nodiscard]] AMITY_API bool try_take_lock(std::uint64_t number);
/// False: nobody has it.
AMITY_API bool give_lock(std::uint64_t number);

}  // namespace pgas::detail

class shared_lock {
 public:
  /// Collective, but waits for nobody. `home`: the process that keeps it. Throws std::out_of_range.
  explicit shared_lock(int home = 0)
      : home_(pgas::detail::checked_rank(home, "shared_lock")), number_(pgas::detail::next_dist_number()) {}

  /// Waits for its turn. Blocks the fiber.
  void lock() const { async_lock().get(); }
  /// False: another has it. Blocks the fiber for the answer of its home.
  [[nodiscard]] bool try_lock() const { return rpc(home_, pgas::detail::try_take_lock, number_).get(); }
  /// UPC++ 0.1's.
  [[nodiscard]] bool trylock() const { return try_lock(); }
  /// The next in turn has it when this returns. Throws std::logic_error where nobody has it.
  void unlock() const {
    if (!rpc(home_, pgas::detail::give_lock, number_).get())
      throw std::logic_error("unlock of a shared_lock that nobody has locked");
  }
  /// The future is ready when the lock is the caller's.
  [[nodiscard]] future<void> async_lock() const { return rpc(home_, pgas::detail::take_lock, number_); }
  /// The process that keeps it.
  [[nodiscard]] int home() const noexcept { return home_; }

 private:
  int home_ = 0;
  std::uint64_t number_ = 0;
};

}  // namespace amity
