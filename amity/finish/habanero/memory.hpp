#pragma once

/// HClib's names for the parts of the machine, and for memory at them: what is taken, filled and copied by tasks at a
/// place. All of it is the process's main memory; which part of the machine a page is near to is settled by who writes
/// to it first, as always on Linux, so memory from allocate_at is near the place once memset_at or a task there has
/// filled it.

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/finish/habanero/promise.hpp"
#include "amity/sched/tasks/place.hpp"

namespace amity::habanero {

/// A part of the machine: a place, which may also be handed about by HClib's pointers. Those are valid for ever.
class locale_t : public place {
 public:
  /// The same.
  locale_t(place of) noexcept : place(of) {}  // NOLINT: the same
  /// One of get_all_locales(). The first use of it needs memory.
  template <class = void>
  operator locale_t*() const;  // NOLINT: what HClib's programs write
  /// As of a pointer.
  [[nodiscard]] const locale_t* operator->() const noexcept { return this; }
};

namespace detail {
/// All that there are, in the order of place::index().
template <class = void>  // of nothing (base/README.md, I1), as below
[[nodiscard]] std::vector<locale_t>& locales() {
  static std::vector<locale_t>& all = *[] {  // never destroyed: tasks may run while the program ends
    auto* const made = new std::vector<locale_t>;
    std::vector<locale_t>& found = *made;
    for (place_kind kind :
         {place_kind::machine, place_kind::socket, place_kind::numa_domain, place_kind::cache, place_kind::core})
      for (place one : place::all(kind)) found.emplace_back(one);
    std::sort(found.begin(), found.end(), [](place a, place b) { return a.index() < b.index(); });
    return made;
  }();
  return all;
}
/// What either form stands for; of a null pointer, the machine.
[[nodiscard]] inline place place_of(place where) noexcept { return where; }
[[nodiscard]] inline place place_of(const locale_t* where) noexcept {
  return where != nullptr ? place(*where) : place::machine();
}
}  // namespace detail

template <class>
locale_t::operator locale_t*() const {
  return &detail::locales()[static_cast<std::size_t>(index())];
}

/// The core that runs the caller.
[[nodiscard]] inline locale_t get_closest_locale() noexcept { return place::here(); }
/// The whole.
[[nodiscard]] inline locale_t get_central_place() noexcept { return place::machine(); }
/// The same.
[[nodiscard]] inline locale_t get_master_place() noexcept { return place::machine(); }
/// How many parts there are, of all kinds.
template <class = void>
[[nodiscard]] int get_num_locales() {
  return static_cast<int>(detail::locales().size());
}
/// The first of them; the others follow.
template <class = void>
[[nodiscard]] locale_t* get_all_locales() {
  return detail::locales().data();
}
/// All parts of a kind.
template <class = void>
[[nodiscard]] std::vector<locale_t> get_all_locales_of_type(place_kind kind) {
  auto const all = place::all(kind);
  return {all.begin(), all.end()};
}

/// Begins a task at a place that takes `bytes` bytes from the heap, aligned as of malloc; at least one. The future
/// holds std::bad_alloc if there is no memory. For free_at.
template <class Where>
[[nodiscard]] future_pointer<void*> allocate_at(std::size_t bytes, const Where& where) {
  return async(at(detail::place_of(where)), [bytes] {
    void* const taken = std::malloc(bytes != 0 ? bytes : 1);
    if (taken == nullptr) throw std::bad_alloc();
    return taken;
  });
}
/// The same with what `memory` holds, as realloc does; if there is no memory, that stays valid.
template <class Where>
[[nodiscard]] future_pointer<void*> reallocate_at(void* memory, std::size_t bytes, const Where& where) {
  return async(at(detail::place_of(where)), [memory, bytes] {
    void* const taken = std::realloc(memory, bytes != 0 ? bytes : 1);
    if (taken == nullptr) throw std::bad_alloc();
    return taken;
  });
}
/// Gives back what allocate_at has given; or null. Never blocks.
template <class Where>
void free_at(void* memory, const Where& /*where*/) noexcept {
  std::free(memory);
}
/// Begins a task at a place that fills memory with the byte `pattern`; a future of `memory`.
template <class Where>
future_pointer<void*> memset_at(void* memory, int pattern, std::size_t bytes, const Where& where) {
  return async(at(detail::place_of(where)), [=] { return bytes != 0 ? std::memset(memory, pattern, bytes) : memory; });
}

/// Begins a task at `to_place`, when all of `futures` are ready (future_t, pointers to them, vectors of those), that
/// copies memory, which may overlap; a future of `to`.
template <class ToPlace, class FromPlace, class... Futures>
future_pointer<void*> async_copy_await(const ToPlace& to_place, void* to, const FromPlace& /*from_place*/,
                                       const void* from, std::size_t bytes, Futures&&... futures) {
  auto copy = [=] { return bytes != 0 ? std::memmove(to, from, bytes) : to; };
  auto there = [where = detail::place_of(to_place), copy] { return async(at(where), copy); };
  return amity::detail::flattened(
      amity::async_await(amity::detail::awaited(std::forward<Futures>(futures))..., std::move(there)));
}
/// The same without anything to wait for.
template <class ToPlace, class FromPlace>
future_pointer<void*> async_copy(const ToPlace& to_place, void* to, const FromPlace& /*from_place*/, const void* from,
                                 std::size_t bytes) {
  return async(at(detail::place_of(to_place)), [=] { return bytes != 0 ? std::memmove(to, from, bytes) : to; });
}
/// The same when `how_many` futures are ready.
template <class ToPlace, class FromPlace>
future_pointer<void*> async_copy_await_all(const ToPlace& to_place, void* to, const FromPlace& from_place,
                                           const void* from, std::size_t bytes, future_base* const* futures,
                                           int how_many) {
  return async_copy_await(to_place, to, from_place, from, bytes,
                          std::vector<future_base*>(futures, futures + (how_many > 0 ? how_many : 0)));
}

}  // namespace amity::habanero

namespace amity::detail {

/// What amity's functions take for an argument of HClib's: of a pointer to a locale_t the place, of a future_t what it
/// stands for.
template <class X>
decltype(auto) hclib_argument(X&& x) {
  if constexpr (std::is_convertible_v<X, const habanero::locale_t*> &&
                !std::is_same_v<std::remove_cvref_t<X>, std::nullptr_t>)
    return habanero::detail::place_of(static_cast<const habanero::locale_t*>(x));
  else
    return awaited(std::forward<X>(x));
}

}  // namespace amity::detail
