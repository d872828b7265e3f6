#pragma once

/// HClib's values that many tasks change and one reads in the end. Each is in several parts, as an accumulator's are,
/// so that tasks which change it rarely meet.
///
///     amity::habanero::atomic_sum_t<int> hits(0);
///     amity::finish([&] { for (auto& x : all) amity::async([&] { if (fits(x)) hits += 1; }); });
///     hits.get();
///
/// What reads is for when nobody changes it any more: after the finish.

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

#include "amity/base/config.hpp"
#include "amity/finish/accumulator.hpp"
#include "amity/sync/mutex.hpp"

namespace amity::habanero {

/// Takes 1 KiB and more.
template <class T>
class atomic_t {
 public:
  /// `start`: of each part, and of gather; so it must be neutral for what gathers them.
  // NOLINTNEXTLINE: as in HClib
  atomic_t(T start) : start_(std::move(start)), parts_(std::make_unique<part[]>(how_many)) {
    for (std::size_t i = 0; i < how_many; ++i) parts_[i].value = start_;
  }
  /// Requires: nobody changes `other` meanwhile.
  atomic_t(const atomic_t& other) : atomic_t(other.start_) {
    for (std::size_t i = 0; i < how_many; ++i) parts_[i].value = other.parts_[i].value;
  }
  atomic_t& operator=(const atomic_t&) = delete;
  ~atomic_t() = default;

  /// Some part becomes `f` of what it is. One at a time for each part; `f` must not block for long. What it throws is
  /// thrown here, and the part stays as it was.
  template <class F>
  void update(F&& f) {
    part& own = parts_[amity::detail::own_part(bits)];
    std::lock_guard const hold(own.lock);
    own.value = f(std::as_const(own.value));
  }
  /// reduce(reduce(start, a), b)... of all parts, in no order. Requires: nobody changes it meanwhile.
  template <class F>
  [[nodiscard]] T gather(F&& reduce) const {
    T all = start_;
    for (std::size_t i = 0; i < how_many; ++i) all = reduce(std::move(all), parts_[i].value);
    return all;
  }

 private:
  static constexpr unsigned bits = amity::detail::bits_of_parts(accumulate::mode::lazy);
  static constexpr std::size_t how_many = std::size_t{1} << bits;
  struct alignas(base::cache_line) part {
    sync::mutex lock;  // nearly always free: identities have different parts
    T value{};
  };

  T const start_;
  std::unique_ptr<part[]> parts_;
};

/// A sum.
template <class T>
class atomic_sum_t {
 public:
  /// `start`: what the rest is added to.
  atomic_sum_t(T start) : start_(std::move(start)) {}  // NOLINT: as in HClib
  /// From any task.
  atomic_sum_t& operator+=(T more) {
    parts_.update([&more](const T& now) { return now + more; });
    return *this;
  }
  /// All of it.
  [[nodiscard]] T get() const {
    return start_ + parts_.gather([](const T& a, const T& b) { return a + b; });
  }

 private:
  T start_;
  atomic_t<T> parts_{T()};
};

/// The largest.
template <class T>
class atomic_max_t {
 public:
  /// `start`: the least that it can be.
  atomic_max_t(T start) : parts_(std::move(start)) {}  // NOLINT: as in HClib
  /// From any task.
  void update(T other) {
    parts_.update([&other](const T& now) { return now < other ? other : now; });
  }
  /// Of all.
  [[nodiscard]] T get() const {
    return parts_.gather([](const T& a, const T& b) { return a < b ? b : a; });
  }

 private:
  atomic_t<T> parts_;
};

/// Whether one of them is true.
template <class T>
class atomic_or_t {
 public:
  /// `start`: true stays true.
  atomic_or_t(T start) : parts_(std::move(start)) {}  // NOLINT: as in HClib
  /// From any task.
  atomic_or_t& operator|=(T other) {
    parts_.update([&other](const T& now) { return static_cast<T>(now || other); });
    return *this;
  }
  /// Of all.
  [[nodiscard]] T get() const {
    return parts_.gather([](const T& a, const T& b) { return static_cast<T>(a || b); });
  }

 private:
  atomic_t<T> parts_;
};

}  // namespace amity::habanero
