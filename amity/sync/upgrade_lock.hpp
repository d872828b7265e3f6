#pragma once

/// Guards for the upgrader of a shared_mutex, as Boost's: it reads beside other readers, and may become the writer.
///
///     sync::upgrade_lock reading(m);
///     if (!table.contains(key)) {
///       sync::upgrade_to_unique_lock writing(reading);  // the other readers have gone; nobody has changed anything
///       table.insert(key, value);
///     }                                                 // reads again

#include <mutex>
#include <shared_mutex>
#include <system_error>
#include <utility>

#include "amity/sync/shared_mutex.hpp"

namespace amity::sync {

/// As std::shared_lock, of the upgrader.
template <class Mutex>
class upgrade_lock {
 public:
  /// What is locked.
  using mutex_type = Mutex;

  upgrade_lock() noexcept = default;
  /// Waits for it.
  explicit upgrade_lock(Mutex& m) : mutex_(&m) { lock(); }
  /// Doesn't lock it yet.
  upgrade_lock(Mutex& m, std::defer_lock_t) noexcept : mutex_(&m) {}
  /// If it is to be had at once.
  upgrade_lock(Mutex& m, std::try_to_lock_t) : mutex_(&m), owns_(m.try_lock_upgrade()) {}
  /// Requires: the caller is the upgrader.
  upgrade_lock(Mutex& m, std::adopt_lock_t) noexcept : mutex_(&m), owns_(true) {}
  /// If it is to be had for that long.
  template <class Rep, class Period>
  upgrade_lock(Mutex& m, const std::chrono::duration<Rep, Period>& wait)
      : mutex_(&m), owns_(m.try_lock_upgrade_for(wait)) {}
  /// If it is to be had until that time.
  template <class Clock, class Duration>
  upgrade_lock(Mutex& m, const std::chrono::time_point<Clock, Duration>& time)
      : mutex_(&m), owns_(m.try_lock_upgrade_until(time)) {}
  /// From the writer, who goes on as the upgrader.
  explicit upgrade_lock(std::unique_lock<Mutex>&& writing) : owns_(writing.owns_lock()) {
    mutex_ = writing.release();
    if (owns_) mutex_->unlock_and_lock_upgrade();
  }
  upgrade_lock(upgrade_lock&& other) noexcept
      : mutex_(std::exchange(other.mutex_, nullptr)), owns_(std::exchange(other.owns_, false)) {}
  upgrade_lock& operator=(upgrade_lock&& other) noexcept {
    upgrade_lock(std::move(other)).swap(*this);
    return *this;
  }
  ~upgrade_lock() {
    if (owns_) mutex_->unlock_upgrade();
  }

  /// Waits for it. Throws std::system_error, operation_not_permitted without a mutex, resource_deadlock_would_occur
  /// if it is locked; so do the next three.
  void lock() {
    expect_unlocked();
    mutex_->lock_upgrade();
    owns_ = true;
  }
  /// Never waits.
  bool try_lock() {
    expect_unlocked();
    return owns_ = mutex_->try_lock_upgrade();
  }
  /// Waits for that long at the most.
  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& wait) {
    expect_unlocked();
    return owns_ = mutex_->try_lock_upgrade_for(wait);
  }
  /// Waits until that time at the latest.
  template <class Clock, class Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time) {
    expect_unlocked();
    return owns_ = mutex_->try_lock_upgrade_until(time);
  }
  /// Throws std::system_error, operation_not_permitted, if it is not locked.
  void unlock() {
    if (!owns_) throw std::system_error(std::make_error_code(std::errc::operation_not_permitted), "upgrade_lock");
    mutex_->unlock_upgrade();
    owns_ = false;
  }

  /// Becomes the writer, as soon as the other readers have gone. This is empty afterwards, here and below.
  explicit operator std::unique_lock<Mutex>() && {
    if (owns_) mutex_->unlock_upgrade_and_lock();
    return given_to<std::unique_lock<Mutex>>();
  }
  /// Becomes one reader among others.
  explicit operator std::shared_lock<Mutex>() && {
    if (owns_) mutex_->unlock_upgrade_and_lock_shared();
    return given_to<std::shared_lock<Mutex>>();
  }

  /// Forgets the mutex, which stays as it is.
  Mutex* release() noexcept {
    owns_ = false;
    return std::exchange(mutex_, nullptr);
  }
  /// Exchanges what they hold.
  void swap(upgrade_lock& other) noexcept {
    std::swap(mutex_, other.mutex_);
    std::swap(owns_, other.owns_);
  }
  /// It is locked.
  [[nodiscard]] bool owns_lock() const noexcept { return owns_; }
  /// The same.
  explicit operator bool() const noexcept { return owns_; }
  /// Null: none.
  [[nodiscard]] Mutex* mutex() const noexcept { return mutex_; }

 private:
  void expect_unlocked() const {
    if (mutex_ == nullptr)
      throw std::system_error(std::make_error_code(std::errc::operation_not_permitted), "upgrade_lock");
    if (owns_) throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur), "upgrade_lock");
  }
  template <class Other>
  [[nodiscard]] Other given_to() {
    if (mutex_ == nullptr) return Other();
    Mutex& m = *std::exchange(mutex_, nullptr);
    return std::exchange(owns_, false) ? Other(m, std::adopt_lock) : Other(m, std::defer_lock);
  }

  Mutex* mutex_ = nullptr;
  bool owns_ = false;
};

/// Exchanges what they hold.
template <class Mutex>
void swap(upgrade_lock<Mutex>& a, upgrade_lock<Mutex>& b) noexcept {
  a.swap(b);
}

/// Makes the upgrader the writer, for the time of a block.
template <class Mutex>
class upgrade_to_unique_lock {
 public:
  /// Waits until the other readers have gone. `reading` must be locked, and is left alone meanwhile.
  explicit upgrade_to_unique_lock(upgrade_lock<Mutex>& reading)
      : reading_(&reading), writing_(std::exchange(reading, upgrade_lock<Mutex>())) {}
  upgrade_to_unique_lock(const upgrade_to_unique_lock&) = delete;
  upgrade_to_unique_lock& operator=(const upgrade_to_unique_lock&) = delete;
  /// The upgrader again.
  ~upgrade_to_unique_lock() {
    if (writing_.mutex() != nullptr) *reading_ = upgrade_lock<Mutex>(std::move(writing_));
  }

  /// It writes.
  [[nodiscard]] bool owns_lock() const noexcept { return writing_.owns_lock(); }
  /// The same.
  explicit operator bool() const noexcept { return owns_lock(); }
  /// Null: none.
  [[nodiscard]] Mutex* mutex() const noexcept { return writing_.mutex(); }

 private:
  upgrade_lock<Mutex>* reading_;
  std::unique_lock<Mutex> writing_;
};

}  // namespace amity::sync
