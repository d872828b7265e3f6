#pragma once

/// Reading and writing shared memory: rput, rget, copy, and their forms for many blocks.
///
///     upcxx::rput(values, there, n).wait();
///     int x = upcxx::rget(there).wait();
///     upcxx::rput_strided<2>(from, {{8, 80}}, there, {{8, 80}}, {{4, 4}}).wait();

#include <array>
#include <cstddef>
#include <iterator>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/pgas/one_sided.hpp"
#include "amity/upcxx/rpc.hpp"

namespace upcxx {

namespace detail {

/// The end of one of Amity's operations, as that of an operation of ours.
template <class Op, class R>
void finish_later(std::shared_ptr<Op> op, amity::future<R> f, int rank) {
  auto late = late_calls(op->wishes(), rank);
  f.then(amity::launch::sync, [op, late](amity::future<R> done) {
    try {
      if constexpr (std::is_void_v<R>) {
        done.get();
        for (const late_call& c : *late) c.send();
        op->home().lpc_ff([op] { op->complete(); });
      } else {
        auto value = std::make_shared<R>(done.get());
        for (const late_call& c : *late) c.send();
        op->home().lpc_ff([op, value] { op->complete(std::move(*value)); });
      }
    } catch (...) {
      die(amity::net::detail::words_of(std::current_exception()).c_str());
    }
  });
}
/// Begins an operation without values.
template <class C>
auto finish_with(C&& cx, amity::future<void> f, int rank) {
  auto op = std::make_shared<operation<std::decay_t<C>>>(std::forward<C>(cx));
  if constexpr (std::is_void_v<decltype(op->futures())>) {
    finish_later(std::move(op), std::move(f), rank);
  } else {
    auto given = op->futures();
    finish_later(std::move(op), std::move(f), rank);
    return given;
  }
}
template <class V, class C>
auto finish_with_value(C&& cx, amity::future<V> f, int rank) {
  auto op = std::make_shared<operation<std::decay_t<C>, V>>(std::forward<C>(cx));
  if constexpr (std::is_void_v<decltype(op->futures())>) {
    finish_later(std::move(op), std::move(f), rank);
  } else {
    auto given = op->futures();
    finish_later(std::move(op), std::move(f), rank);
    return given;
  }
}

/// Bytes from here to there, or back.
template <class T>
amity::future<void> put(const T* from, const global_ptr<T>& to, std::size_t n) {
  static_assert(is_trivially_serializable<std::remove_const_t<T>>::value,
                "elements of this type can't be copied as bytes");
  if (n == 0) return amity::make_ready_future();
  return amity::rput(reinterpret_cast<const std::byte*>(from),
                     amity::global_ptr<std::byte>(to.where(), reinterpret_cast<std::byte*>(to.raw())), n * sizeof(T));
}
template <class T>
amity::future<void> get(const global_ptr<const T>& from, T* to, std::size_t n) {
  static_assert(is_trivially_serializable<std::remove_const_t<T>>::value,
                "elements of this type can't be copied as bytes");
  if (n == 0) return amity::make_ready_future();
  return amity::rget(amity::global_ptr<const std::byte>(from.where(), reinterpret_cast<const std::byte*>(from.raw())),
                     reinterpret_cast<std::byte*>(to), n * sizeof(T));
}

/// Ready when all of these are.
class all_of {
 public:
  void add(amity::future<void> f) {
    if (!f.is_ready() || f.has_exception()) open_.push_back(std::move(f));
  }
  amity::future<void> ready() {
    if (open_.empty()) return amity::make_ready_future();
    return amity::when_all(std::move(open_)).then(amity::launch::sync, [](auto all) {
      for (auto& f : all.get()) f.get();
    });
  }

 private:
  std::vector<amity::future<void>> open_;
};

template <class P>
std::size_t length_of(const P& block) {
  return static_cast<std::size_t>(std::get<1>(block));
}

}  // namespace detail

/// Writes one value.
template <class T, class C = detail::by_default>
auto rput(const std::type_identity_t<T>& value, global_ptr<T> to, C&& cx = {}) {
  static_assert(is_trivially_serializable<T>::value, "rput: T can't be copied as bytes");
  struct room {
    alignas(T) std::byte bytes[sizeof(T)];
  };
  auto kept = std::make_shared<room>();
  std::memcpy(kept.get(), std::addressof(value), sizeof(T));
  auto f = detail::put(reinterpret_cast<const T*>(kept->bytes), to, 1);
  if (!f.is_ready()) f = f.then(amity::launch::sync, [kept](amity::future<void> done) { done.get(); });
  return detail::finish_with(std::forward<C>(cx), std::move(f), to.where());
}
/// Writes `n` elements. Those here stay until the source is complete.
template <class T, class C = detail::by_default>
auto rput(const std::type_identity_t<T>* from, global_ptr<T> to, std::size_t n, C&& cx = {}) {
  static_assert(is_trivially_serializable<T>::value, "rput: T can't be copied as bytes");
  return detail::finish_with(std::forward<C>(cx), detail::put(from, to, n), to.where());
}
/// Reads one value.
template <class T, class C = detail::by_default>
auto rget(global_ptr<T> from, C&& cx = {}) {
  using value = std::remove_const_t<T>;
  static_assert(is_trivially_serializable<value>::value, "rget: T can't be copied as bytes");
  auto kept = std::make_shared<value>();
  auto f = detail::get<value>(from, kept.get(), 1).then(amity::launch::sync, [kept](amity::future<void> done) {
    done.get();
    return *kept;
  });
  return detail::finish_with_value<value>(std::forward<C>(cx), std::move(f), from.where());
}
/// Reads `n` elements.
template <class T, class C = detail::by_default>
auto rget(global_ptr<T> from, std::remove_const_t<T>* to, std::size_t n, C&& cx = {}) {
  static_assert(is_trivially_serializable<T>::value, "rget: T can't be copied as bytes");
  return detail::finish_with(std::forward<C>(cx), detail::get<std::remove_const_t<T>>(from, to, n), from.where());
}

/// Copies between any two places.
template <class T, memory_kind K, memory_kind L, class C = detail::by_default>
auto copy(global_ptr<const T, K> from, global_ptr<T, L> to, std::size_t n, C&& cx = {}) {
  static_assert(is_trivially_serializable<T>::value, "copy: T can't be copied as bytes");
  auto f = n == 0
               ? amity::make_ready_future()
               : amity::async_copy(
                     amity::global_ptr<const std::byte>(from.where(), reinterpret_cast<const std::byte*>(from.raw())),
                     amity::global_ptr<std::byte>(to.where(), reinterpret_cast<std::byte*>(to.raw())), n * sizeof(T));
  return detail::finish_with(std::forward<C>(cx), std::move(f), to.where());
}
template <class T, memory_kind K, memory_kind L, class C = detail::by_default>
requires(!std::is_const_v<T>) auto copy(global_ptr<T, K> from, global_ptr<T, L> to, std::size_t n, C&& cx = {}) {
  return upcxx::copy(global_ptr<const T, K>(from), to, n, std::forward<C>(cx));
}
template <class T, memory_kind L, class C = detail::by_default>
auto copy(const std::type_identity_t<T>* from, global_ptr<T, L> to, std::size_t n, C&& cx = {}) {
  return upcxx::rput(from, static_kind_cast<memory_kind::host>(to), n, std::forward<C>(cx));
}
template <class T, memory_kind K, class C = detail::by_default>
auto copy(global_ptr<T, K> from, std::remove_const_t<T>* to, std::size_t n, C&& cx = {}) {
  // What is written is here: so is the remote side.
  return detail::finish_with(std::forward<C>(cx),
                             detail::get<std::remove_const_t<T>>(static_kind_cast<memory_kind::host>(from), to, n),
                             rank_me());
}

namespace detail {

/// Goes through two lists of blocks with the same number of elements; `move(a, b, n)` for each run of both.
template <class A, class B, class LengthA, class LengthB, class Move>
void zip_blocks(A a, A a_end, B b, B b_end, LengthA length_a, LengthB length_b, Move move) {
  std::size_t at_a = 0, at_b = 0;
  while (a != a_end && b != b_end) {
    std::size_t const left_a = length_a(a) - at_a, left_b = length_b(b) - at_b;
    std::size_t const n = std::min(left_a, left_b);
    if (n != 0) move(a, at_a, b, at_b, n);
    if ((at_a += n) == length_a(a)) ++a, at_a = 0;
    if ((at_b += n) == length_b(b)) ++b, at_b = 0;
  }
}
template <class It>
auto block_of(const It& i) {
  return std::get<0>(*i);
}

template <class SrcIt, class DstIt, class C, class LengthA, class LengthB, class At, class Bt>
auto put_blocks(SrcIt a, SrcIt a_end, DstIt b, DstIt b_end, C&& cx, LengthA la, LengthB lb, At at, Bt bt) {
  all_of all;
  int rank = b == b_end ? amity::rank_me() : bt(b).where();
  zip_blocks(a, a_end, b, b_end, la, lb,
             [&](const SrcIt& i, std::size_t from, const DstIt& j, std::size_t to, std::size_t n) {
               auto const p = bt(j) + static_cast<std::ptrdiff_t>(to);
               rank = p.where();
               all.add(detail::put(at(i) + from, p, n));
             });
  return finish_with(std::forward<C>(cx), all.ready(), rank);
}
template <class SrcIt, class DstIt, class C, class LengthA, class LengthB, class At, class Bt>
auto get_blocks(SrcIt a, SrcIt a_end, DstIt b, DstIt b_end, C&& cx, LengthA la, LengthB lb, At at, Bt bt) {
  all_of all;
  int rank = a == a_end ? amity::rank_me() : at(a).where();
  zip_blocks(a, a_end, b, b_end, la, lb,
             [&](const SrcIt& i, std::size_t from, const DstIt& j, std::size_t to, std::size_t n) {
               auto const p = at(i) + static_cast<std::ptrdiff_t>(from);
               rank = p.where();
               using value = std::remove_const_t<typename std::remove_cvref_t<decltype(p)>::element_type>;
               all.add(detail::get<value>(p, bt(j) + to, n));
             });
  return finish_with(std::forward<C>(cx), all.ready(), rank);
}

/// Of a block that an iterator of pairs is at.
inline constexpr auto block_length = [](const auto& i) { return length_of(*i); };
inline constexpr auto block_start = [](const auto& i) { return std::get<0>(*i); };

}  // namespace detail

/// Writes blocks: each list is of pairs of a pointer and a number of elements; both have the same number in all.
template <class SrcIt, class DstIt, class C = detail::by_default>
auto rput_irregular(SrcIt a, SrcIt a_end, DstIt b, DstIt b_end, C&& cx = {}) {
  return detail::put_blocks(a, a_end, b, b_end, std::forward<C>(cx), detail::block_length, detail::block_length,
                            detail::block_start, detail::block_start);
}
/// Reads blocks.
template <class SrcIt, class DstIt, class C = detail::by_default>
auto rget_irregular(SrcIt a, SrcIt a_end, DstIt b, DstIt b_end, C&& cx = {}) {
  return detail::get_blocks(a, a_end, b, b_end, std::forward<C>(cx), detail::block_length, detail::block_length,
                            detail::block_start, detail::block_start);
}
/// Writes blocks of equal lengths: the lists are of pointers.
template <class SrcIt, class DstIt, class C = detail::by_default>
auto rput_regular(SrcIt a, SrcIt a_end, std::size_t na, DstIt b, DstIt b_end, std::size_t nb, C&& cx = {}) {
  return detail::put_blocks(
      a, a_end, b, b_end, std::forward<C>(cx), [na](const SrcIt&) { return na; }, [nb](const DstIt&) { return nb; },
      [](const SrcIt& i) { return *i; }, [](const DstIt& i) { return *i; });
}
/// Reads blocks of equal lengths.
template <class SrcIt, class DstIt, class C = detail::by_default>
auto rget_regular(SrcIt a, SrcIt a_end, std::size_t na, DstIt b, DstIt b_end, std::size_t nb, C&& cx = {}) {
  return detail::get_blocks(
      a, a_end, b, b_end, std::forward<C>(cx), [na](const SrcIt&) { return na; }, [nb](const DstIt&) { return nb; },
      [](const SrcIt& i) { return *i; }, [](const DstIt& i) { return *i; });
}

namespace detail {
/// `each(offset_a, offset_b, run)` in bytes for all elements of a box; `run`: how many of them lie in a row in both.
template <std::size_t Dim, class Each>
void for_box(const std::ptrdiff_t* sa, const std::ptrdiff_t* sb, const std::size_t* extents, std::size_t size,
             Each each) {
  for (std::size_t d = 0; d < Dim; ++d)
    if (extents[d] == 0) return;
  auto const step = static_cast<std::ptrdiff_t>(size);
  if constexpr (Dim == 0) {
    each(std::ptrdiff_t{0}, std::ptrdiff_t{0}, std::size_t{1});
  } else {
    bool const rows = sa[0] == step && sb[0] == step;
    std::array<std::size_t, Dim> at{};
    for (;;) {
      std::ptrdiff_t a = 0, b = 0;
      for (std::size_t d = 0; d < Dim; ++d) {
        a += sa[d] * static_cast<std::ptrdiff_t>(at[d]);
        b += sb[d] * static_cast<std::ptrdiff_t>(at[d]);
      }
      each(a, b, rows ? extents[0] : std::size_t{1});
      std::size_t d = rows ? 1 : 0;
      while (d < Dim && ++at[d] == extents[d]) at[d++] = 0;
      if (d >= Dim) return;
    }
  }
}
template <class T>
T* moved(T* p, std::ptrdiff_t bytes) noexcept {
  using byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
  return reinterpret_cast<T*>(reinterpret_cast<byte*>(p) + bytes);
}
}  // namespace detail

/// Writes a box of elements, whose steps in memory are in bytes.
template <std::size_t Dim, class T, class C = detail::by_default>
auto rput_strided(const std::type_identity_t<T>* from, const std::ptrdiff_t* from_steps, global_ptr<T> to,
                  const std::ptrdiff_t* to_steps, const std::size_t* extents, C&& cx = {}) {
  detail::all_of all;
  detail::for_box<Dim>(
      from_steps, to_steps, extents, sizeof(T), [&](std::ptrdiff_t a, std::ptrdiff_t b, std::size_t n) {
        all.add(detail::put(detail::moved(from, a), global_ptr<T>(to.where(), detail::moved(to.raw(), b)), n));
      });
  return detail::finish_with(std::forward<C>(cx), all.ready(), to.where());
}
template <std::size_t Dim, class T, class C = detail::by_default>
auto rput_strided(const std::type_identity_t<T>* from, const std::array<std::ptrdiff_t, Dim>& from_steps,
                  global_ptr<T> to, const std::array<std::ptrdiff_t, Dim>& to_steps,
                  const std::array<std::size_t, Dim>& extents, C&& cx = {}) {
  return upcxx::rput_strided<Dim>(from, from_steps.data(), to, to_steps.data(), extents.data(), std::forward<C>(cx));
}
/// Reads a box of elements, whose steps in memory are in bytes.
template <std::size_t Dim, class T, class C = detail::by_default>
auto rget_strided(global_ptr<T> from, const std::ptrdiff_t* from_steps, std::remove_const_t<T>* to,
                  const std::ptrdiff_t* to_steps, const std::size_t* extents, C&& cx = {}) {
  using value = std::remove_const_t<T>;
  detail::all_of all;
  detail::for_box<Dim>(
      from_steps, to_steps, extents, sizeof(T), [&](std::ptrdiff_t a, std::ptrdiff_t b, std::size_t n) {
        all.add(detail::get<value>(global_ptr<T>(from.where(), detail::moved(from.raw(), a)), detail::moved(to, b), n));
      });
  return detail::finish_with(std::forward<C>(cx), all.ready(), from.where());
}
template <std::size_t Dim, class T, class C = detail::by_default>
auto rget_strided(global_ptr<T> from, const std::array<std::ptrdiff_t, Dim>& from_steps, std::remove_const_t<T>* to,
                  const std::array<std::ptrdiff_t, Dim>& to_steps, const std::array<std::size_t, Dim>& extents,
                  C&& cx = {}) {
  return upcxx::rget_strided<Dim>(from, from_steps.data(), to, to_steps.data(), extents.data(), std::forward<C>(cx));
}

}  // namespace upcxx
