#pragma once

/// Pointers to the shared memory of any process, and such memory. amity::global_ptr with UPC++'s functions.
///
///     upcxx::global_ptr<int> p = upcxx::new_array<int>(10);
///     upcxx::global_ptr<int> q = upcxx::to_global_ptr(p.local() + 3);
///     upcxx::delete_array(p);

#include <compare>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <ostream>
#include <type_traits>
#include <vector>

#include "amity/pgas/global_ptr.hpp"
#include "amity/upcxx/assert.hpp"

namespace upcxx {

/// Where memory is. Memory of devices is not among what these headers have.
enum class memory_kind { host = 1, cuda_device = 2, any = 3 };

/// A rank and an address there.
template <class T, memory_kind Kind = memory_kind::host>
class global_ptr {
 public:
  static_assert(!std::is_volatile_v<T>, "global_ptr: T can't be volatile");
  using element_type = T;
  using pointer_type = T*;
  static constexpr memory_kind kind = Kind;

  constexpr global_ptr(std::nullptr_t = nullptr) noexcept {}
  /// For this header's own use.
  constexpr global_ptr(int rank, T* at) noexcept : at_(at), rank_(rank) {}
  /// To const, and to `any` kind.
  template <class U, memory_kind K>
  requires(std::is_same_v<const U, T> || std::is_same_v<U, T>) &&
      (K == Kind || Kind == memory_kind::any) constexpr global_ptr(const global_ptr<U, K>& other) noexcept
      : at_(other.raw()),
  rank_(other.raw_rank()) {}

  [[nodiscard]] constexpr bool is_null() const noexcept { return at_ == nullptr; }
  constexpr explicit operator bool() const noexcept { return at_ != nullptr; }
  /// It can be reached by loads and stores, or is null.
  [[nodiscard]] bool is_local() const { return its().is_local(); }
  /// The address here. Null: it is null, or out of reach.
  [[nodiscard]] T* local() const { return its().local(); }
  [[nodiscard]] constexpr intrank_t where() const noexcept { return rank_; }
  [[nodiscard]] constexpr memory_kind dynamic_kind() const noexcept { return memory_kind::host; }
  /// Does nothing.
  void check() const noexcept {}

  constexpr global_ptr& operator+=(std::ptrdiff_t n) noexcept { return at_ += n, *this; }
  constexpr global_ptr& operator-=(std::ptrdiff_t n) noexcept { return at_ -= n, *this; }
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

  [[nodiscard]] amity::global_ptr<T> its() const noexcept { return {rank_, at_}; }
  [[nodiscard]] constexpr T* raw() const noexcept { return at_; }
  [[nodiscard]] constexpr int raw_rank() const noexcept { return rank_; }

 private:
  T* at_ = nullptr;
  int rank_ = 0;
};

/// How many elements `a` is behind `b`. Requires: both of one array.
template <class T, class U, memory_kind K, memory_kind L>
requires std::is_same_v<std::remove_const_t<T>, std::remove_const_t<U>>
constexpr std::ptrdiff_t operator-(const global_ptr<T, K>& a, const global_ptr<U, L>& b) noexcept {
  return a.raw() - b.raw();
}
template <class T, class U, memory_kind K, memory_kind L>
requires std::is_same_v<std::remove_const_t<T>, std::remove_const_t<U>>
constexpr bool operator==(const global_ptr<T, K>& a, const global_ptr<U, L>& b) noexcept {
  return a.raw() == b.raw() && (a.is_null() || a.raw_rank() == b.raw_rank());
}
template <class T, memory_kind K>
constexpr bool operator==(const global_ptr<T, K>& a, std::nullptr_t) noexcept {
  return a.is_null();
}
template <class T, class U, memory_kind K, memory_kind L>
requires std::is_same_v<std::remove_const_t<T>, std::remove_const_t<U>>
constexpr std::strong_ordering operator<=>(const global_ptr<T, K>& a, const global_ptr<U, L>& b) noexcept {
  if (a == b) return std::strong_ordering::equal;
  if (a.raw_rank() != b.raw_rank()) return a.raw_rank() <=> b.raw_rank();
  return std::compare_three_way()(static_cast<const void*>(a.raw()), static_cast<const void*>(b.raw()));
}
template <class T, memory_kind K>
std::ostream& operator<<(std::ostream& out, const global_ptr<T, K>& p) {
  return out << '(' << p.where() << ',' << static_cast<const void*>(p.raw()) << ')';
}

template <class T, class U, memory_kind K>
[[nodiscard]] global_ptr<T, K> reinterpret_pointer_cast(const global_ptr<U, K>& p) noexcept {
  return {p.raw_rank(), reinterpret_cast<T*>(p.raw())};
}
template <class T, class U, memory_kind K>
[[nodiscard]] global_ptr<T, K> static_pointer_cast(const global_ptr<U, K>& p) noexcept {
  return {p.raw_rank(), static_cast<T*>(p.raw())};
}
template <class T, class U, memory_kind K>
[[nodiscard]] global_ptr<T, K> const_pointer_cast(const global_ptr<U, K>& p) noexcept {
  return {p.raw_rank(), const_cast<T*>(p.raw())};
}
/// The same pointer, of that kind. Requires: it is of it.
template <memory_kind To, class T, memory_kind K>
[[nodiscard]] global_ptr<T, To> static_kind_cast(const global_ptr<T, K>& p) noexcept {
  return {p.raw_rank(), p.raw()};
}
/// The same pointer, of that kind; null where it is of another one.
template <memory_kind To, class T, memory_kind K>
[[nodiscard]] global_ptr<T, To> dynamic_kind_cast(const global_ptr<T, K>& p) noexcept {
  if (To == memory_kind::cuda_device) return nullptr;
  return {p.raw_rank(), p.raw()};
}

namespace detail {

/// Where the memory of a process of this node is seen here: `here` is its address `there`.
struct neighbour {
  int rank = 0;
  std::byte* there = nullptr;
  std::byte* here = nullptr;
};
inline std::vector<neighbour>& neighbours() {
  static auto* const all = new std::vector<neighbour>;  // lasts, as the job does
  return *all;
}

/// Before an array: how many elements it has.
struct alignas(64) array_head {
  std::size_t size = 0;
};

/// Aligned to at most 64; null: there is no room.
[[nodiscard]] inline void* shared_bytes(std::size_t bytes) noexcept {
  return amity::pgas::detail::allocate_here(bytes);
}
[[noreturn, gnu::cold]] inline void throw_full(std::size_t bytes) {
  throw amity::bad_shared_alloc(amity::pgas::detail::words_for_full_segment_of(amity::rank_me(), bytes));
}
template <class T>
constexpr bool is_too_many(std::size_t n) noexcept {
  return n > (std::size_t{1} << 46) / sizeof(T);
}

}  // namespace detail

using bad_shared_alloc = amity::bad_shared_alloc;

/// A global pointer to shared memory that this process reaches; null: `p` is none.
template <class T>
[[nodiscard]] global_ptr<T> try_global_ptr(T* p) {
  if (p == nullptr) return nullptr;
  if (amity::pgas::detail::is_in_segment(p, 1)) return {amity::rank_me(), p};
  auto* const at = reinterpret_cast<std::byte*>(const_cast<std::remove_cv_t<T>*>(p));
  for (const detail::neighbour& n : detail::neighbours()) {
    auto const its = reinterpret_cast<std::uintptr_t>(n.there) + reinterpret_cast<std::uintptr_t>(at) -
                     reinterpret_cast<std::uintptr_t>(n.here);
    if (amity::pgas::detail::reach(n.rank, reinterpret_cast<const void*>(its), 1) == at)
      return {n.rank, reinterpret_cast<T*>(its)};
  }
  return nullptr;
}
template <class T, memory_kind K>
[[nodiscard]] global_ptr<T, K> try_global_ptr(global_ptr<T, K> p) noexcept {
  return p;
}
/// The same; ends the job where `p` is none.
template <class T>
[[nodiscard]] global_ptr<T> to_global_ptr(T* p) {
  global_ptr<T> const found = upcxx::try_global_ptr(p);
  if (found.is_null() && p != nullptr) detail::die("upcxx::to_global_ptr: the address is not in shared memory");
  return found;
}
template <class T, memory_kind K>
[[nodiscard]] global_ptr<T, K> to_global_ptr(global_ptr<T, K> p) noexcept {
  return p;
}

/// Shared memory of this process for `n` elements, which are not initialised; aligned to 64. Null: there is no room.
template <class T, std::size_t Align = alignof(T)>
[[nodiscard]] global_ptr<T> allocate(std::size_t n = 1, std::size_t = Align) {
  static_assert(Align <= 64);
  if (detail::is_too_many<T>(n)) return nullptr;
  return {amity::rank_me(), static_cast<T*>(detail::shared_bytes(n * sizeof(T)))};
}
/// The same in bytes.
[[nodiscard]] inline void* allocate(std::size_t size, std::size_t = alignof(std::max_align_t)) {
  static_cast<void>(amity::rank_me());
  return detail::shared_bytes(size);
}
/// Gives back what allocate gave. Requires: it is of this process.
inline void deallocate(void* p) noexcept {
  if (p != nullptr) amity::pgas::detail::free_or_end_job(reinterpret_cast<std::uint64_t>(p));
}
template <class T>
void deallocate(const global_ptr<T>& p) {
  if (p.is_null()) return;
  if (p.where() != amity::rank_me()) detail::die("upcxx::deallocate: the memory is another process's");
  upcxx::deallocate(const_cast<std::remove_cv_t<T>*>(p.raw()));
}

/// Makes an object in this process's shared memory. Null: there is no room.
template <class T, class... Args>
[[nodiscard]] global_ptr<T> new_(const std::nothrow_t&, Args&&... args) {
  static_assert(!std::is_array_v<T>, "new_: T can't be an array: use new_array");
  global_ptr<T> const p = upcxx::allocate<T>();
  if (p.is_null()) return p;
  try {
    ::new (const_cast<std::remove_cv_t<T>*>(p.raw())) T(std::forward<Args>(args)...);
  } catch (...) {
    upcxx::deallocate(p);
    throw;
  }
  return p;
}
/// The same. Throws bad_shared_alloc where there is no room.
template <class T, class... Args>
[[nodiscard]] global_ptr<T> new_(Args&&... args) {
  global_ptr<T> const p = upcxx::new_<T>(std::nothrow, std::forward<Args>(args)...);
  if (p.is_null()) detail::throw_full(sizeof(T));
  return p;
}
/// Destroys an object of new_.
template <class T>
void delete_(const global_ptr<T>& p) {
  if (p.is_null()) return;
  std::destroy_at(p.raw());
  upcxx::deallocate(p);
}
/// Makes `n` objects in this process's shared memory. Null: there is no room.
template <class T>
[[nodiscard]] global_ptr<T> new_array(std::size_t n, const std::nothrow_t&) {
  static_assert(alignof(T) <= 64);
  static_assert(!std::is_array_v<T>, "new_array: T can't be an array");
  if (detail::is_too_many<T>(n)) return nullptr;
  void* const p = detail::shared_bytes(sizeof(detail::array_head) + n * sizeof(T));
  if (p == nullptr) return nullptr;
  ::new (p) detail::array_head{n};
  T* const first = reinterpret_cast<T*>(static_cast<detail::array_head*>(p) + 1);
  try {
    std::uninitialized_default_construct_n(first, n);
  } catch (...) {
    upcxx::deallocate(p);
    throw;
  }
  return {amity::rank_me(), first};
}
/// The same. Throws bad_shared_alloc where there is no room.
template <class T>
[[nodiscard]] global_ptr<T> new_array(std::size_t n) {
  static_cast<void>(amity::rank_me());
  global_ptr<T> const p = upcxx::new_array<T>(n, std::nothrow);
  if (p.is_null()) detail::throw_full(detail::is_too_many<T>(n) ? ~std::size_t{0} : n * sizeof(T));
  return p;
}
/// Destroys the objects of new_array.
template <class T>
void delete_array(const global_ptr<T>& p) {
  if (p.is_null()) return;
  auto* const head = reinterpret_cast<detail::array_head*>(p.raw()) - 1;
  std::destroy_n(p.raw(), head->size);
  upcxx::deallocate(static_cast<void*>(head));
}

using amity::shared_segment_size;
using amity::shared_segment_used;

}  // namespace upcxx

template <class T, upcxx::memory_kind K>
struct std::hash<upcxx::global_ptr<T, K>> {
  std::size_t operator()(const upcxx::global_ptr<T, K>& p) const noexcept {
    return std::hash<amity::global_ptr<T>>()(p.its());
  }
};
template <class T, upcxx::memory_kind K>
struct std::less<upcxx::global_ptr<T, K>> {
  bool operator()(const upcxx::global_ptr<T, K>& a, const upcxx::global_ptr<T, K>& b) const noexcept { return a < b; }
};
