#pragma once

/// A sum (or product, maximum, ...) to which many tasks add without getting into each other's way.
///
///     amity::accumulator<long> sum;                                        // plus, from 0
///     amity::accumulator<int, amity::accumulate::max> most;                // from the least int on
///     amity::finish([&] { for (long i = 1; i <= 1000; ++i) amity::async([&, i] { sum.put(i); }); });
///     sum.get();                                                           // 500500
///
/// Requires: the operation is associative and commutative, may be called by several at once, and the start is its
/// neutral element. get() and reset() are for the time when no task puts any more: after the finish.
/// phaser_accumulator.hpp is for sums of each phase.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "amity/base/config.hpp"
#include "amity/sched/tasks/task.hpp"
#include "amity/sync/mutex.hpp"

namespace amity {

/// Operations of accumulators; functions of a program's own are as good.
namespace accumulate {

/// The sum.
using plus = std::plus<>;
/// The product.
using times = std::multiplies<>;
/// The smaller one.
struct min {
  /// Of both.
  template <class T>
  constexpr T operator()(T a, T b) const {
    return b < a ? std::move(b) : std::move(a);
  }
};
/// The larger one.
struct max {
  /// Of both.
  template <class T>
  constexpr T operator()(T a, T b) const {
    return a < b ? std::move(b) : std::move(a);
  }
};
/// One of those that were put, whichever. T() stands for none, and is its neutral element.
struct any {
  /// The one that was put, or one of both.
  template <class T>
  constexpr T operator()(T a, T b) const {
    return b == T() ? std::move(a) : std::move(b);
  }
};

/// What an operation leaves as it is; of operations that are not known here, T(). The least and the largest of what has
/// no std::numeric_limits have none that is known here.
template <class T, class Operation>
[[nodiscard]] constexpr T neutral() {
  if constexpr (std::is_same_v<Operation, std::multiplies<>> || std::is_same_v<Operation, std::multiplies<T>>) {
    return T(1);
  } else if constexpr (std::is_same_v<Operation, min> && std::numeric_limits<T>::is_specialized) {
    return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  } else if constexpr (std::is_same_v<Operation, max> && std::numeric_limits<T>::is_specialized) {
    return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                : std::numeric_limits<T>::lowest();
  } else {
    static_assert(
        !std::is_same_v<Operation, min> && !std::is_same_v<Operation, max>,
        "amity::accumulator of min or max: give it a neutral element, one that no value is beyond; T() is none");
    return T();
  }
}

/// When the parts of a sum are put together. `lazy`: by get(), so that tasks that put do not meet. `eager`: by put(),
/// so that get() costs nothing and little memory is needed.
enum class mode : std::uint8_t { lazy, eager };

}  // namespace accumulate

namespace detail {

/// Where a calling identity's part is among 2^bits.
[[nodiscard]] inline std::size_t own_part(unsigned bits) noexcept {
  if (bits == 0) return 0;
  auto const address = reinterpret_cast<std::uintptr_t>(&sched::this_worker());
  return static_cast<std::size_t>((address * 0x9e3779b97f4a7c15u) >> (64 - bits));
}
[[nodiscard]] constexpr unsigned bits_of_parts(accumulate::mode how) noexcept {
  return how == accumulate::mode::lazy ? 4 : 0;
}

}  // namespace detail

/// Takes 1 KiB and more if it is lazy: a part for each of several identities, so that they don't wait for one another.
template <class T, class Operation = accumulate::plus>
class accumulator {
 public:
  /// `neutral`: what the operation leaves as it is; 0 for a sum.
  explicit accumulator(T neutral = accumulate::neutral<T, Operation>(), Operation operation = Operation(),
                       accumulate::mode how = accumulate::mode::lazy)
      : neutral_(std::move(neutral)),
        operation_(std::move(operation)),
        bits_(detail::bits_of_parts(how)),
        parts_(std::make_unique<part[]>(parts())) {
    reset();
  }
  /// With the operation's own neutral element.
  explicit accumulator(accumulate::mode how) : accumulator(accumulate::neutral<T, Operation>(), Operation(), how) {}

  /// Memory ordering: what happened before happens before the return of get(), by way of the finish.
  void put(T value) {
    part& p = parts_[detail::own_part(bits_)];
    p.lock.lock();
    struct unlock_at_end {
      sync::mutex& m;
      ~unlock_at_end() { m.unlock(); }
    } unlock{p.lock};
    p.value = operation_(std::move(p.value), std::move(value));
  }

  /// All that was put since the begin or the last reset(). Requires: no task puts meanwhile.
  [[nodiscard]] T get() const {
    T all = neutral_;
    for (std::size_t i = 0; i < parts(); ++i) all = operation_(std::move(all), parts_[i].value);
    return all;
  }

  /// As new. Requires: no task puts meanwhile.
  void reset() {
    for (std::size_t i = 0; i < parts(); ++i) parts_[i].value = neutral_;
  }

 private:
  struct alignas(base::cache_line) part {
    sync::mutex lock;  // nearly always free: identities have different parts
    T value{};
  };
  [[nodiscard]] std::size_t parts() const noexcept { return std::size_t{1} << bits_; }

  T const neutral_;
  mutable Operation operation_;  ///< its call operator may be one that is not const
  unsigned const bits_;          ///< how many parts there are
  std::unique_ptr<part[]> parts_;
};

}  // namespace amity
