#pragma once

/// The firstprivate items of a target region in gcc's list of what it maps: copied as everywhere else, though the
/// device's memory is the program's.
///
///     firstprivate_items const items(count, addresses, sizes, kinds);
///     items.copy_to(memory);   // of items.bytes(), for any alignment; `addresses` point there then

#include <string.h>

#include <cstddef>
#include <cstdint>

namespace amity::omp::gomp {

class firstprivate_items {
 public:
  firstprivate_items(std::size_t count, void** addresses, const std::size_t* sizes,
                     const unsigned short* kinds) noexcept
      : count_(count), addresses_(addresses), sizes_(sizes), kinds_(kinds) {
    for (std::size_t i = 0; i < count; ++i)
      if (is_copied(i)) {
        std::size_t const a = alignment_of(i);
        if (a > alignment_) alignment_ = a;
        bytes_ = align_up(bytes_, a) + sizes[i];
      }
  }

  /// 0: there are none.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_ == 0 ? 0 : bytes_ + alignment_; }

  void copy_to(void* memory) const noexcept {
    std::uintptr_t next = align_up(reinterpret_cast<std::uintptr_t>(memory), alignment_);
    for (std::size_t i = 0; i < count_; ++i) {
      if (!is_copied(i)) continue;
      next = align_up(next, alignment_of(i));
      memcpy(reinterpret_cast<void*>(next), addresses_[i], sizes_[i]);
      addresses_[i] = reinterpret_cast<void*>(next);
      next += sizes_[i];
      if (i + 1 < count_ && kind(i + 1) == attach) attach_copy(i);
    }
  }

 private:
  // The low byte says what it is, the high one is the alignment's logarithm.
  static constexpr unsigned kind_mask = 0xff, alignment_shift = 8;
  static constexpr unsigned firstprivate = 12, attach = 80;

  static std::uintptr_t align_up(std::uintptr_t value, std::uintptr_t alignment) noexcept {
    return (value + alignment - 1) & ~(alignment - 1);
  }
  [[nodiscard]] unsigned kind(std::size_t i) const noexcept { return kinds_[i] & kind_mask; }
  [[nodiscard]] std::size_t alignment_of(std::size_t i) const noexcept {
    return std::size_t{1} << (kinds_[i] >> alignment_shift);
  }
  /// An optional argument of Fortran's that is not there has no address.
  [[nodiscard]] bool is_copied(std::size_t i) const noexcept {
    return kind(i) == firstprivate && addresses_[i] != nullptr;
  }
  /// gcc 16: what follows says where in a variable that was copied before, a descriptor of Fortran's, the item's
  /// address stands, in words.
  void attach_copy(std::size_t i) const noexcept {
    auto* const variable = *static_cast<std::uintptr_t**>(addresses_[i + 1]);
    variable[sizes_[i + 1]] = reinterpret_cast<std::uintptr_t>(addresses_[i]);
  }

  std::size_t count_;
  void** addresses_;
  const std::size_t* sizes_;
  const unsigned short* kinds_;
  std::size_t bytes_ = 0, alignment_ = 1;
};

}  // namespace amity::omp::gomp
