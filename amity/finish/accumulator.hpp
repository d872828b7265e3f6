#pragma once

/// A sum (or product, maximum, ...) to which many tasks add without getting into each other's way.
///
///     amity::accumulator<long, std::plus<>> sum(0);
///     amity::finish([&] { for (long i = 1; i <= 1000; ++i) amity::async([&, i] { sum.put(i); }); });
///     sum.get();                                   // 500500
///
/// Requires: the operation is associative and commutative, and the start is its neutral element. get() and reset() are
/// for when nobody puts any more: after the finish.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "amity/base/config.hpp"
#include "amity/sched/task.hpp"
#include "amity/sync/mutex.hpp"

namespace amity {

/// Takes 1 KiB and more: a part for each of several identities, so that they don't wait for one another.
template <class T, class Operation = std::plus<>>
class accumulator {
 public:
  /// `neutral`: what the operation leaves as it is; 0 for a sum.
  explicit accumulator(T neutral = T(), Operation operation = Operation())
      : neutral_(std::move(neutral)), operation_(std::move(operation)), parts_(std::make_unique<part[]>(count)) {
    reset();
  }

  /// Memory ordering: what happened before happens before the return of get(), by way of the finish.
  void put(T value) {
    part& p = parts_[mine()];
    p.lock.lock();
    struct unlock_at_end {
      sync::mutex& m;
      ~unlock_at_end() { m.unlock(); }
    } unlock{p.lock};
    p.value = operation_(std::move(p.value), std::move(value));
  }

  /// All that was put since the begin or the last reset(). Requires: nobody puts meanwhile.
  [[nodiscard]] T get() const {
    T all = neutral_;
    for (std::size_t i = 0; i < count; ++i) all = operation_(std::move(all), parts_[i].value);
    return all;
  }

  /// As new. Requires: nobody puts meanwhile.
  void reset() {
    for (std::size_t i = 0; i < count; ++i) parts_[i].value = neutral_;
  }

 private:
  static constexpr std::size_t count = 16;
  struct alignas(base::cache_line) part {
    sync::mutex lock;  // nearly always free: identities have different parts
    T value{};
  };

  /// Identities are spread over the parts by their address.
  static std::size_t mine() noexcept {
    auto const address = reinterpret_cast<std::uintptr_t>(&sched::this_worker());
    return static_cast<std::size_t>((address * 0x9e3779b97f4a7c15u) >> 60);
  }

  T const neutral_;
  Operation operation_;
  std::unique_ptr<part[]> parts_;
};

}  // namespace amity
