#pragma once

/// A lock of all processes together.
///
///     amity::shared_lock lock;                                  // made by all processes together, in the same order
///     { std::lock_guard const held(lock); total = total + 1; }
///     lock.async_lock().then([&](auto f) { f.get(); ...; lock.unlock(); });
///
/// Fibers of all processes take it in turn, in the order in which their wishes come to its home. It may be taken by one
/// fiber and given back by another, of another process even. It is not recursive: a fiber that locks it twice waits for
/// itself. UPC++ 0.1's name.
///
/// Members that call are templates of nothing (base/README.md, I1).

#include <cstdint>
#include <stdexcept>

#include "amity/base/config.hpp"
#include "amity/base/later.hpp"
#include "amity/future/future.hpp"
#include "amity/pgas/dist_object.hpp"
#include "amity/pgas/remote_call.hpp"

namespace amity {

namespace pgas::detail {

/// At the home of a lock. Thread-safe, none blocks.
[[nodiscard]] AMITY_API future<void> take_lock(std::uint64_t number);
[[nodiscard]] AMITY_API bool try_take_lock(std::uint64_t number);
/// False: it is free.
AMITY_API bool give_lock(std::uint64_t number);

}  // namespace pgas::detail

/// A mutex of all processes, as std::lock_guard and std::unique_lock take one. Copies mean the same lock. It lives as
/// long as the job.
///
/// Memory ordering: what was done before an unlock happens before the return of the lock that comes next; puts to other
/// processes only if they were waited for.
class shared_lock {
 public:
  /// A lock that is free. `home` is the rank that keeps it. Collective: all processes make their shared_locks and
  /// dist_objects in the same order, with the same home. Waits for no other process. Throws std::out_of_range if
  /// there is no such rank.
  explicit shared_lock(int home = 0)
      : home_(pgas::detail::checked_rank(home, "shared_lock")), number_(pgas::detail::next_dist_number()) {}

  /// Waits until the lock is the caller's. Blocks the fiber. Throws lost_rank if its home was lost.
  template <class = void>
  void lock() const {
    async_lock().get();
  }
  /// Takes the lock if it is free; false: it is held. Blocks the fiber until its home has answered. Throws lost_rank if
  /// that was lost.
  template <class L = void>
  [[nodiscard]] bool try_lock() const {
    return pgas::detail::own_rpc(amity::detail::later<L>(home_), pgas::detail::try_take_lock, number_).get();
  }
  /// The same as try_lock: UPC++ 0.1's name.
  template <class = void>
  [[nodiscard]] bool trylock() const {
    return try_lock();
  }
  /// Gives the lock back: when this returns it is free, or belongs to the caller of lock that comes next. Blocks the
  /// fiber until its home has answered. Throws std::logic_error if it is free, lost_rank if its home was lost.
  template <class L = void>
  void unlock() const {
    if (!pgas::detail::own_rpc(amity::detail::later<L>(home_), pgas::detail::give_lock, number_).get())
      throw std::logic_error("unlock of a shared_lock that nobody has locked");
  }
  /// Asks for the lock; the future is ready when the lock is the caller's, which then has to unlock it. It fails with
  /// lost_rank if its home was lost.
  template <class L = void>
  [[nodiscard]] future<void> async_lock() const {
    return pgas::detail::own_rpc(amity::detail::later<L>(home_), pgas::detail::take_lock, number_);
  }
  /// The rank that keeps it.
  [[nodiscard]] int home() const noexcept { return home_; }

 private:
  int home_ = 0;
  std::uint64_t number_ = 0;
};

}  // namespace amity
