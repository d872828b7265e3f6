#pragma once

/// Room for one of several objects, made in place: operations, which can't be moved, and what is kept for later.
///
///     slot<std::tuple<int>, std::tuple<>> kept;
///     auto& values = kept.emplace<std::tuple<int>>([&] { return std::tuple<int>(x); });

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "amity/future/execution/library.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {
namespace detail {

template <class... T>
class slot {
 public:
  slot() noexcept = default;
  slot(const slot&) = delete;
  slot& operator=(const slot&) = delete;
  ~slot() { clear(); }

  /// One of `T`: what `make` gives. Throws what `make` throws; there is nothing in it then.
  template <class X, class Make>
  X& emplace(Make&& make) {
    clear();
    X* const made = ::new (static_cast<void*>(memory_)) X(std::forward<Make>(make)());
    destroy_ = [](void* x) noexcept { std::destroy_at(static_cast<X*>(x)); };
    return *made;
  }
  template <class X>
  [[nodiscard]] X& get() noexcept {
    return *std::launder(reinterpret_cast<X*>(memory_));
  }
  void clear() noexcept {
    if (auto* const destroy = std::exchange(destroy_, nullptr)) destroy(memory_);
  }

 private:
  alignas(std::max({std::size_t{1}, alignof(T)...})) std::byte memory_[std::max({std::size_t{1}, sizeof(T)...})];
  void (*destroy_)(void*) noexcept = nullptr;
};

}  // namespace detail
}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
