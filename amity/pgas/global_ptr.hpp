#pragma once

/// A pointer to shared memory of any process, and such memory.
///
///     amity::global_ptr<double> there = amity::allocate<double>(rank, 1000);    // at any rank, from any rank
///     amity::rput(values.data(), there, 1000).get();                            // one_sided.hpp
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

#include "amity/base/later.hpp"
#include "amity/pgas/remote_call.hpp"
#include "amity/pgas/segment.hpp"

namespace amity {

/// A rank and an address of that process. It may be captured, sent and stored like a number, and does not own what it
/// points to. Its arithmetic is that of `T*`, and never waits.
template <class T>
class global_ptr {
 public:
  /// The type of what it points to.
  using element_type = T;

  constexpr global_ptr() noexcept = default;
  /// A null pointer.
  constexpr global_ptr(std::nullptr_t) noexcept {}
  /// For code that builds on it: an address of the memory of `rank`. It is not checked.
  constexpr global_ptr(int rank, T* address) noexcept : address_(address), rank_(rank) {}
  /// From a pointer of which `U*` converts to `T*`: to const, and to a base class.
  template <class U>
  requires std::is_convertible_v<U*, T*>
  constexpr global_ptr(const global_ptr<U>& other) noexcept : address_(other.raw_ptr()), rank_(other.where()) {}

  /// The rank of the process whose memory it is; 0 of a null pointer.
  [[nodiscard]] constexpr int where() const noexcept { return rank_; }
  /// The address in the process where(); it means nothing in another one. See local().
  [[nodiscard]] constexpr T* raw_ptr() const noexcept { return address_; }
  /// It points to nothing.
  [[nodiscard]] constexpr bool is_null() const noexcept { return address_ == nullptr; }
  /// It points to something.
  constexpr explicit operator bool() const noexcept { return address_ != nullptr; }

  /// This process can reach the memory by plain loads and stores: it is this process's, or that of a process of this
  /// node. True of a null pointer. Blocks the fiber as local() does.
  [[nodiscard]] bool is_local() const { return is_null() || local() != nullptr; }
  /// The address at which this process reaches the memory; null where it can't, and of a null pointer. The first call
  /// for a process blocks the fiber until that process has said where its memory is; later calls never wait.
  [[nodiscard]] T* local() const {
    return is_null() ? nullptr
                     : static_cast<T*>(pgas::detail::reach(rank_, const_cast<std::remove_cv_t<T>*>(address_)));
  }

  /// Moves it `n` elements on, within the memory of its process.
  constexpr global_ptr& operator+=(std::ptrdiff_t n) noexcept { return address_ += n, *this; }
  /// Moves it `n` elements back.
  constexpr global_ptr& operator-=(std::ptrdiff_t n) noexcept { return address_ -= n, *this; }
  /// Moves it to the next element; gives the new pointer.
  constexpr global_ptr& operator++() noexcept { return *this += 1; }
  /// Moves it to the element before; gives the new pointer.
  constexpr global_ptr& operator--() noexcept { return *this -= 1; }
  /// Moves it to the next element; gives the old pointer.
  constexpr global_ptr operator++(int) noexcept {
    global_ptr const before = *this;
    ++*this;
    return before;
  }
  /// Moves it to the element before; gives the old pointer.
  constexpr global_ptr operator--(int) noexcept {
    global_ptr const before = *this;
    --*this;
    return before;
  }
  /// The pointer `n` elements on.
  friend constexpr global_ptr operator+(global_ptr p, std::ptrdiff_t n) noexcept { return p += n; }
  /// The pointer `n` elements on.
  friend constexpr global_ptr operator+(std::ptrdiff_t n, global_ptr p) noexcept { return p += n; }
  /// The pointer `n` elements back.
  friend constexpr global_ptr operator-(global_ptr p, std::ptrdiff_t n) noexcept { return p -= n; }
  /// How many elements `a` is behind `b`.
  /// Requires: both are of the same process, and of one block of memory.
  friend constexpr std::ptrdiff_t operator-(global_ptr a, global_ptr b) noexcept { return a.address_ - b.address_; }

  /// They point to the same address of the same process, or both are null.
  friend constexpr bool operator==(global_ptr a, global_ptr b) noexcept {
    return a.address_ == b.address_ && (a.rank_ == b.rank_ || a.is_null());
  }
  /// `a` is null.
  friend constexpr bool operator==(global_ptr a, std::nullptr_t) noexcept { return a.is_null(); }
  /// Orders them by rank, then by address.
  friend constexpr std::strong_ordering operator<=>(global_ptr a, global_ptr b) noexcept {
    if (a == b) return std::strong_ordering::equal;
    if (a.rank_ != b.rank_) return a.rank_ <=> b.rank_;
    return std::less<T*>()(a.address_, b.address_) ? std::strong_ordering::less : std::strong_ordering::greater;
  }

 private:
  T* address_ = nullptr;
  int rank_ = 0;
};

/// Writes rank and address: "3:0x7f41c8000040".
template <class T>
std::ostream& operator<<(std::ostream& out, const global_ptr<T>& p) {
  return out << p.where() << ':' << static_cast<const void*>(p.raw_ptr());
}

/// A pointer to the same address, of another type, as by reinterpret_cast: `reinterpret_pointer_cast<char>(p)`.
template <class T, class U>
[[nodiscard]] global_ptr<T> reinterpret_pointer_cast(const global_ptr<U>& p) noexcept {
  return {p.where(), reinterpret_cast<T*>(p.raw_ptr())};
}
/// A pointer to another type, as by static_cast: to a class that is derived from `U`, for example.
template <class T, class U>
[[nodiscard]] global_ptr<T> static_pointer_cast(const global_ptr<U>& p) noexcept {
  return {p.where(), static_cast<T*>(p.raw_ptr())};
}
/// A pointer to the same element with or without const, as by const_cast.
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

/// Allocates shared memory of process `rank` for `n` elements, which are not initialised; aligned to 64 bytes. It stays
/// until some process deallocates it. Blocks the fiber if that is another process. Throws bad_shared_alloc if there
/// is no room (the environment's AMITY_SEGMENT says how much each process has), std::out_of_range if there is no
/// such rank, lost_rank if it was lost.
template <class T>
[[nodiscard]] global_ptr<T> allocate(int rank, std::size_t n) {
  static_assert(alignof(T) <= 64);
  namespace d = pgas::detail;
  bool const here = d::checked_rank(rank, "allocate") == net::job().rank;
  bool const too_much = n > (std::size_t{1} << 46) / sizeof(T);
  std::uint64_t const bytes = too_much ? ~std::uint64_t{0} : n * sizeof(T);
  std::uint64_t const address =
      here ? d::allocate_bytes(bytes)
           : pgas::detail::own_rpc(amity::detail::later<T>(rank), d::allocate_bytes, bytes).get();
  if (address == 0) throw bad_shared_alloc(d::words_for_full_segment_of(rank, bytes));
  return {rank, reinterpret_cast<T*>(address)};
}
/// The same in this process. Never waits. UPC++'s form.
template <class T>
[[nodiscard]] global_ptr<T> allocate(std::size_t n = 1) {
  return amity::allocate<T>(net::detail::joined_job().rank, n);
}
/// Gives back memory that allocate gave, of any process, from any process. No destructors run. A null pointer has no
/// effect. Blocks the fiber if the memory is another process's; throws lost_rank if that was lost. A pointer to
/// memory that was not allocated, or was given back already, ends the job with a message on stderr.
template <class T>
void deallocate(const global_ptr<T>& p) {
  if (p.is_null()) return;
  auto const address = reinterpret_cast<std::uint64_t>(p.raw_ptr());
  if (p.where() == net::detail::joined_job().rank)
    pgas::detail::free_or_end_job(address);
  else
    pgas::detail::own_rpc(p.where(), pgas::detail::free_or_end_job, address).get();
}

/// Allocates `n` objects `T()` in this process's shared memory. Never waits. Throws bad_shared_alloc, and what the
/// constructor of T throws. UPC++'s name.
template <class T>
[[nodiscard]] global_ptr<T> new_array(std::size_t n) {
  global_ptr<T> const p = amity::allocate<T>(n);
  try {
    std::uninitialized_value_construct_n(p.raw_ptr(), n);
  } catch (...) {
    deallocate(p);
    throw;
  }
  return p;
}
/// Destroys the `n` objects of a new_array, and gives their memory back. A null pointer has no effect.
/// Requires: `n` is that of new_array, and the memory is this process's.
template <class T>
void delete_array(const global_ptr<T>& p, std::size_t n) {
  if (p.is_null()) return;
  std::destroy_n(p.local(), n);
  deallocate(p);
}

/// How many bytes of shared memory this process has: AMITY_SEGMENT, rounded up to pages. UPC++'s name.
[[nodiscard]] inline std::size_t shared_segment_size() { return pgas::detail::use_of_segment().size; }
/// How many bytes of this process's shared memory are allocated now; each allocation takes a multiple of 64. UPC++'s
/// name.
[[nodiscard]] inline std::size_t shared_segment_used() { return pgas::detail::use_of_segment().used; }

}  // namespace amity

/// For unordered containers.
template <class T>
struct std::hash<amity::global_ptr<T>> {
  /// A hash of rank and address; null pointers, which are equal, have the same.
  std::size_t operator()(const amity::global_ptr<T>& p) const noexcept {
    if (p.is_null()) return 0;
    return std::hash<T*>()(p.raw_ptr()) * 31 + static_cast<std::size_t>(p.where());
  }
};
