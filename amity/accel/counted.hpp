#pragma once

/// Objects that count their references, and such references.

#include <atomic>
#include <cstdint>
#include <utility>

#include "amity/base/language.hpp"

namespace amity::accel::detail {

/// `Self` is deleted by the last one that lets go.
template <class Self>
class counted {
 public:
  counted() noexcept = default;
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  void keep() const noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void let_go() const noexcept {
    // Release: what this owner did; acquire: what the others did, before the end.
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete static_cast<const Self*>(this);
  }

 protected:
  ~counted() = default;

 private:
  mutable std::atomic<std::uint32_t> references_{1};
};

template <class T>
class ref {
 public:
  ref() noexcept = default;
  /// Takes over the reference that a new object begins with.
  [[nodiscard]] static ref adopt(T* p) noexcept {
    ref r;
    r.p_ = p;
    return r;
  }
  /// One more.
  [[nodiscard]] static ref to(T* p) noexcept {
    if (p != nullptr) p->keep();
    return adopt(p);
  }
  ref(const ref& other) noexcept : p_(other.p_) {
    if (p_ != nullptr) p_->keep();
  }
  ref(ref&& other) noexcept : p_(std::exchange(other.p_, nullptr)) {}
  ref& operator=(ref other) noexcept {
    std::swap(p_, other.p_);
    return *this;
  }
  ~ref() {
    if (p_ != nullptr) p_->let_go();
  }
  [[nodiscard]] T* get() const noexcept { return p_; }
  [[nodiscard]] T* release() noexcept { return std::exchange(p_, nullptr); }
  T& operator*() const noexcept { return *p_; }
  T* operator->() const noexcept { return p_; }
  [[nodiscard]] explicit operator bool() const noexcept { return p_ != nullptr; }
  friend bool operator==(const ref&, const ref&) noexcept = default;

 private:
  T* p_ = nullptr;
};

}  // namespace amity::accel::detail
