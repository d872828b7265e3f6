#pragma once

/// A sequence of trivial elements, mostly few: the first N lie within.

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>

#include "amity/base/language.hpp"

namespace amity::accel::detail {

template <class T, std::size_t N>
class few {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  few() noexcept = default;
  few(const few&) = delete;
  few& operator=(const few&) = delete;

  void push_back(const T& x) {
    if (size_ == room_) grow();
    data()[size_++] = x;
  }
  /// Appends bytes; where they begin.
  std::size_t append(const T* from, std::size_t n) {
    std::size_t const at = size_;
    for (std::size_t i = 0; i < n; ++i) push_back(from[i]);
    return at;
  }
  void clear() noexcept { size_ = 0; }
  void resize(std::size_t n) noexcept { size_ = n; }  ///< Requires: not more than there are
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] T* data() noexcept { return more_ != nullptr ? more_.get() : reinterpret_cast<T*>(within_); }
  [[nodiscard]] T* begin() noexcept { return data(); }
  [[nodiscard]] T* end() noexcept { return data() + size_; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return data()[i]; }
  [[nodiscard]] operator std::span<const T>() noexcept { return {data(), size_}; }

 private:
  void grow() {
    auto larger = std::make_unique_for_overwrite<T[]>(room_ * 2);
    std::memcpy(static_cast<void*>(larger.get()), data(), size_ * sizeof(T));
    more_ = std::move(larger);
    room_ *= 2;
  }

  alignas(T) std::byte within_[N * sizeof(T)];
  std::unique_ptr<T[]> more_;
  std::size_t size_ = 0, room_ = N;
};

}  // namespace amity::accel::detail
