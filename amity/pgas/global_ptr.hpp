#pragma once

/// A pointer to shared memory of any process, and such memory.
///
///     amity::global_ptr<double> there = amity::allocate<double>(rank, 1000);    // at any rank, from any rank
///     amity::rput(values.data(), there, 1000).get();
///     if (double* p = there.local()) p[0] = 1;                                  // null where it can't be reached
///     amity::deallocate(there);
///
/// It has the arithmetic of a pointer, within the memory of one process. Names are UPC++'s.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <type_traits>

#include "amity/pgas/remote_call.hpp"
#include "amity/pgas/segment.hpp"

namespace amity {

/// Of two words; may be captured, sent and stored like a number.
template <class T>
class global_ptr {
 public:
  using element_type = T;

  constexpr global_ptr() noexcept = default;
  constexpr global_ptr(std::nullptr_t) noexcept {}
  /// For those who build on it: an address of the memory of `rank`.
  constexpr global_ptr(int rank, T* address) noexcept : address_(address), rank_(rank) {}
  /// To const, and to a base class.
  template <class U>
  requires std::is_convertible_v<U*, T*>
  constexpr global_ptr(const global_ptr<U>& other) noexcept : address_(other.raw_ptr()), rank_(other.where()) {}

  /// The process whose memory it is. Of a null pointer 0.
  [[nodiscard]] constexpr int where() const noexcept { return rank_; }
  /// The address there.
  [[nodiscard]] constexpr T* raw_ptr() const noexcept { return address_; }
  [[nodiscard]] constexpr bool is_null() const noexcept { return address_ == nullptr; }
  constexpr explicit operator bool() const noexcept { return address_ != nullptr; }

  /// It can be reached by plain loads and stores: of this process, or of one of this node.
  [[nodiscard]] bool is_local() const { return is_null() || local() != nullptr; }
  /// The address here; null: out of reach. May block the fiber once for each process.
  [[nodiscard]] T* local() const {
    return is_null() ? nullptr
                     : static_cast<T*>(pgas::detail::reach(rank_, const_cast<std::remove_cv_t<T>*>(address_)));
  }

  constexpr global_ptr& operator+=(std::ptrdiff_t n) noexcept { return address_ += n, *this; }
  constexpr global_ptr& operator-=(std::ptrdiff_t n) noexcept { return address_ -= n, *this; }
  constexpr global_ptr& operator++() noexcept { return *this += 1; }
  constexpr global_ptr& operator--() noexcept { return *this -= 1; }
  constexpr global_ptr operator++(int) noexcept {
    global_ptr const before = *this;
    ++*this;
    return before;
  }
  constexpr global_ptr operator--(int) noexcept {
    global_ptr const before = *this;
    --*this;
    return before;
  }
  friend constexpr global_ptr operator+(global_ptr p, std::ptrdiff_t n) noexcept { return p += n; }
  friend constexpr global_ptr operator+(std::ptrdiff_t n, global_ptr p) noexcept { return p += n; }
  friend constexpr global_ptr operator-(global_ptr p, std::ptrdiff_t n) noexcept { return p -= n; }
  /// Elements in between. Requires: both are of the same process.
  friend constexpr std::ptrdiff_t operator-(global_ptr a, global_ptr b) noexcept { return a.address_ - b.address_; }

  friend constexpr bool operator==(global_ptr a, global_ptr b) noexcept {
    return a.address_ == b.address_ && (a.rank_ == b.rank_ || a.is_null());
  }
  friend constexpr bool operator==(global_ptr a, std::nullptr_t) noexcept { return a.is_null(); }
  /// By process, then by address.
  friend constexpr std::strong_ordering operator<=>(global_ptr a, global_ptr b) noexcept {
    if (a == b) return std::strong_ordering::equal;
    if (a.rank_ != b.rank_) return a.rank_ <=> b.rank_;
    return std::less<T*>()(a.address_, b.address_) ? std::strong_ordering::less : std::strong_ordering::greater;
  }

 private:
  T* address_ = nullptr;
  int rank_ = 0;
};

/// "3:0x7f...".
template <class T>
std::ostream& operator<<(std::ostream& out, const global_ptr<T>& p) {
  return out << p.where() << ':' << static_cast<const void*>(p.raw_ptr());
}

/// As reinterpret_cast.
template <class T, class U>
[[nodiscard]] global_ptr<T> reinterpret_pointer_cast(const global_ptr<U>& p) noexcept {
  return {p.where(), reinterpret_cast<T*>(p.raw_ptr())};
}
/// As static_cast.
template <class T, class U>
[[nodiscard]] global_ptr<T> static_pointer_cast(const global_ptr<U>& p) noexcept {
  return {p.where(), static_cast<T*>(p.raw_ptr())};
}
/// As const_cast.
template <class T, class U>
[[nodiscard]] global_ptr<T> const_pointer_cast(const global_ptr<U>& p) noexcept {
  return {p.where(), const_cast<T*>(p.raw_ptr())};
}

namespace pgas::detail {

/// At the owner; 0: no room.
inline std::uint64_t allocate_bytes(std::uint64_t bytes) {
  return reinterpret_cast<std::uint64_t>(allocate_here(bytes));
}
AMITY_API void free_or_end_job(std::uint64_t address) noexcept;
[[nodiscard]] AMITY_API std::string words_for_full_segment_of(int rank, std::size_t bytes);

}  // namespace pgas::detail

/// Shared memory of process `rank` for `n` elements, which are not initialised; aligned to 64 bytes. Blocks the fiber.
/// Throws bad_shared_alloc where there is no room, std::out_of_range where there is no such rank.
template <class T>
[[nodiscard]] global_ptr<T> allocate(int rank, std::size_t n) {
  static_assert(alignof(T) <= 64);
  namespace d = pgas::detail;
  bool const here = d::checked_rank(rank, "allocate") == net::job().rank;
  bool const too_much = n > (std::size_t{1} << 46) / sizeof(T);
  std::uint64_t const bytes = too_much ? ~std::uint64_t{0} : n * sizeof(T);
  std::uint64_t const address = here ? d::allocate_bytes(bytes) : rpc(rank, d::allocate_bytes, bytes).get();
  if (address == 0) throw bad_shared_alloc(d::words_for_full_segment_of(rank, bytes));
  return {rank, reinterpret_cast<T*>(address)};
}
/// Of this process. UPC++'s.
template <class T>
[[nodiscard]] global_ptr<T> allocate(std::size_t n = 1) {
  return amity::allocate<T>(net::detail::joined_job().rank, n);
}
/// Gives memory back, of whatever process, from any. Of a null pointer nothing is done. Blocks the fiber.
template <class T>
void deallocate(const global_ptr<T>& p) {
  if (p.is_null()) return;
  auto const address = reinterpret_cast<std::uint64_t>(p.raw_ptr());
  if (p.where() == net::detail::joined_job().rank)
    pgas::detail::free_or_end_job(address);
  else
    rpc(p.where(), pgas::detail::free_or_end_job, address).get();
}

/// An object in this process's shared memory. UPC++'s new_array, delete_array: of several, destroyed in turn.
template <class T>
[[nodiscard]] global_ptr<T> new_array(std::size_t n) {
  global_ptr<T> const p = amity::allocate<T>(n);
  std::uninitialized_value_construct_n(p.raw_ptr(), n);
  return p;
}
/// Of this process.
template <class T>
void delete_array(const global_ptr<T>& p, std::size_t n) {
  if (p.is_null()) return;
  std::destroy_n(p.local(), n);
  deallocate(p);
}

/// As UPC++: bytes of this process's shared memory, and those of them that are in use.
[[nodiscard]] inline std::size_t shared_segment_size() { return pgas::detail::use_of_segment().size; }
/// The same.
[[nodiscard]] inline std::size_t shared_segment_used() { return pgas::detail::use_of_segment().used; }

}  // namespace amity

/// For unordered containers.
template <class T>
struct std::hash<amity::global_ptr<T>> {
  std::size_t operator()(const amity::global_ptr<T>& p) const noexcept {
    return std::hash<T*>()(p.raw_ptr()) * 31 + static_cast<std::size_t>(p.where());
  }
};
