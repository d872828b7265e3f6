#pragma once

/// Reading and writing the shared memory of any process, without its help.
///
///     amity::rput(values.data(), there, n).get();              // from here to there
///     amity::rget(there, values.data(), n).get();
///     double x = amity::rget(there).get();
///     amity::async_copy(from, to, n, done);                    // between any two; `done` is a promise<void>
///
/// Within a node this is a copy, made before the call returns. Otherwise messages carry it; the memory here must stay
/// until the future is ready. Within a finish, the finish waits for it. Elements are those that may be copied as bytes.
///
/// What holds for all of these: no call waits for the copy, and the first one to a process blocks the fiber until that
/// process has said where its memory is. The future fails with lost_rank if the other process was lost. A range that
/// is not all in the shared memory of its process is not noticed where the copy is made here; by messages it ends the
/// job with a message on stderr. Accesses to one element from several fibers or processes are not ordered, and may be
/// torn: atomic_domain has operations for that.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/base/copy_bytes.hpp"
#include "amity/future/when.hpp"
#include "amity/pgas/global_ptr.hpp"

namespace amity {

namespace pgas::detail {

template <class T>
concept transferable = std::is_trivially_copy_constructible_v<T> && std::is_trivially_destructible_v<T>;

/// By messages. The future is of the copy; `bytes` of any size.
[[nodiscard]] AMITY_API future<void> put_bytes(const void* from, int rank, void* to, std::size_t bytes);
[[nodiscard]] AMITY_API future<void> get_bytes(int rank, const void* from, void* to, std::size_t bytes);

/// What async_copy_fence waits for: copies of this process that have not arrived.
AMITY_API void begin_copy() noexcept;
AMITY_API void end_copy() noexcept;
AMITY_API void await_copies() noexcept;

inline void check_pointer(bool is_null, const char* what) {
  if (is_null) throw std::invalid_argument(std::string(what) + " of a null global_ptr");
}

}  // namespace pgas::detail

/// Writes `n` elements from memory of this process to shared memory of any. The future is ready when they are there.
/// Throws std::invalid_argument for a null `to`.
template <pgas::detail::transferable T>
future<void> rput(const T* from, global_ptr<T> to, std::size_t n) {
  pgas::detail::check_pointer(to.is_null(), "rput");
  if (T* const here = to.local()) {
    base::copy_bytes(here, from, n * sizeof(T));
    return make_ready_future();
  }
  return pgas::detail::put_bytes(from, to.where(), to.raw_ptr(), n * sizeof(T));
}
/// Writes one value, which is copied: it need not stay. Otherwise as the form for `n` elements.
template <pgas::detail::transferable T>
future<void> rput(const T& value, global_ptr<T> to) {
  pgas::detail::check_pointer(to.is_null(), "rput");
  if (T* const here = to.local()) {
    std::memcpy(static_cast<void*>(here), std::addressof(value), sizeof(T));
    return make_ready_future();
  }
  auto kept = std::make_shared<T>(value);
  const T* const from = kept.get();
  return pgas::detail::put_bytes(from, to.where(), to.raw_ptr(), sizeof(T))
      .then(launch::sync, [kept = std::move(kept)](future<void> f) { f.get(); });
}

/// Reads `n` elements of shared memory of any process into memory of this one. The future is ready when they are here.
/// Throws std::invalid_argument for a null `from`.
template <class T>
requires pgas::detail::transferable<std::remove_const_t<T>> future<void> rget(global_ptr<T> from,
                                                                              std::remove_const_t<T>* to,
                                                                              std::size_t n) {
  pgas::detail::check_pointer(from.is_null(), "rget");
  if (const T* const here = from.local()) {
    base::copy_bytes(to, here, n * sizeof(T));
    return make_ready_future();
  }
  return pgas::detail::get_bytes(from.where(), from.raw_ptr(), to, n * sizeof(T));
}
/// Reads one value, which the future gives. Throws std::invalid_argument for a null pointer.
template <class T>
requires pgas::detail::transferable<std::remove_const_t<T>>
[[nodiscard]] future<std::remove_const_t<T>> rget(global_ptr<T> from) {
  using value = std::remove_const_t<T>;
  pgas::detail::check_pointer(from.is_null(), "rget");
  if (const T* const here = from.local()) return make_ready_future(value(*here));
  struct room {
    alignas(value) std::byte bytes[sizeof(value)];
  };
  auto kept = std::make_shared<room>();
  void* const to = kept->bytes;
  return pgas::detail::get_bytes(from.where(), from.raw_ptr(), to, sizeof(value))
      .then(launch::sync, [kept = std::move(kept)](future<void> f) {
        f.get();
        return *reinterpret_cast<value*>(kept->bytes);
      });
}

/// Copies `n` elements between the shared memory of any two processes, the caller's or not. The future is ready when
/// they have arrived. Where neither is within reach of the caller, the process of `from` is called to do it. Throws
/// std::invalid_argument if one of the pointers is null.
template <class T, class U>
requires std::is_same_v<std::remove_const_t<T>, U> && pgas::detail::transferable<U> future<void> async_copy(
    global_ptr<T> from, global_ptr<U> to, std::size_t n) {
  pgas::detail::check_pointer(from.is_null() || to.is_null(), "async_copy");
  if (const T* const here = from.local()) return rput<U>(here, to, n);
  if (U* const here = to.local()) return rget(from, here, n);
  pgas::detail::begin_copy();
  return pgas::detail::own_rpc(from.where(), [from, to, n] { return rput<U>(from.local(), to, n); })
      .then(launch::sync, [](future<void> f) {
        pgas::detail::end_copy();
        f.get();
      });
}
/// Waits until all that this process has begun to put, get or copy has arrived, or has failed. Blocks the fiber. Throws
/// nothing. UPC++ 0.1's name.
inline void async_copy_fence() { pgas::detail::await_copies(); }
/// Copies as the form without `done`, and puts `done` when the elements have arrived, or puts the error into it. So a
/// task that waits for its future goes on then (data-driven futures). A finish around the call waits for the copy.
/// Throws as that form, and leaves `done` as it is then. Requires: `done` stays until it is put.
template <class T, class U>
void async_copy(global_ptr<T> from, global_ptr<U> to, std::size_t n, promise<void>& done) {
  future<void> copied = async_copy(from, to, n);
  sched::worker& w = sched::this_worker();
  sched::scope* const within = w.current;
  if (within != nullptr) sched::begin_within(within, w);  // only now: what throws is not counted
  copied.then(launch::sync, [&done, within](future<void> f) {
    if (std::exception_ptr const error = f.get_exception_ptr())
      done.set_exception(error);
    else
      done.set_value();
    if (within != nullptr) sched::end_within(within, sched::this_worker());
  });
}
/// Writes several pieces, each a pointer and a number of elements: the elements of all pieces of `from`, one piece
/// after the other, fill the pieces of `to`. The future is ready when all have arrived. UPC++'s name. Throws
/// std::invalid_argument for a null pointer, and if `to` has room for more than `from` has; by then some are copied.
/// Elements of `from` that are too many are left out.
template <pgas::detail::transferable T>
future<void> rput_irregular(const std::vector<std::pair<const T*, std::size_t>>& from,
                            const std::vector<std::pair<global_ptr<T>, std::size_t>>& to) {
  std::vector<future<void>> parts;
  auto source = from.begin();
  std::size_t used = 0;
  for (auto [at, n] : to) {
    while (n > 0) {
      while (source != from.end() && used == source->second) ++source, used = 0;
      if (source == from.end()) throw std::invalid_argument("rput_irregular: there is more to fill than to put");
      std::size_t const part = std::min(n, source->second - used);
      parts.push_back(rput(source->first + used, at, part));
      used += part;
      at += static_cast<std::ptrdiff_t>(part);
      n -= part;
    }
  }
  return amity::detail::all_calls(std::move(parts));
}
/// Reads several pieces, as rput_irregular writes them. Throws std::invalid_argument for a null pointer, and if
/// `from` has more elements than `to` has room for; by then some are copied.
template <pgas::detail::transferable T>
future<void> rget_irregular(const std::vector<std::pair<global_ptr<T>, std::size_t>>& from,
                            const std::vector<std::pair<T*, std::size_t>>& to) {
  std::vector<future<void>> parts;
  auto target = to.begin();
  std::size_t used = 0;
  for (auto [at, n] : from) {
    while (n > 0) {
      while (target != to.end() && used == target->second) ++target, used = 0;
      if (target == to.end()) throw std::invalid_argument("rget_irregular: there is more to get than to fill");
      std::size_t const part = std::min(n, target->second - used);
      parts.push_back(rget(at, target->first + used, part));
      used += part;
      at += static_cast<std::ptrdiff_t>(part);
      n -= part;
    }
  }
  return amity::detail::all_calls(std::move(parts));
}

namespace pgas::detail {

template <std::size_t Dim>
using strides_of = std::array<std::ptrdiff_t, Dim>;

template <class T>
T* at_distance(T* p, std::ptrdiff_t bytes) noexcept {
  using byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
  return reinterpret_cast<T*>(reinterpret_cast<byte*>(p) + bytes);
}

/// The strides of a block whose elements lie one after the other.
template <class T, std::size_t Dim>
[[nodiscard]] strides_of<Dim> dense_strides(const std::array<std::size_t, Dim>& extents) noexcept {
  strides_of<Dim> strides{};
  auto next = static_cast<std::ptrdiff_t>(sizeof(T));
  for (std::size_t d = Dim; d-- > 0; next *= static_cast<std::ptrdiff_t>(extents[d])) strides[d] = next;
  return strides;
}

template <std::size_t Dim>
[[nodiscard]] std::size_t count_of(const std::array<std::size_t, Dim>& extents) noexcept {
  std::size_t count = 1;
  for (std::size_t e : extents) count *= e;
  return count;
}

/// Copies a block of `Dim` dimensions, the last the innermost.
template <std::size_t Dim, class T>
void copy_block(const T* from, const strides_of<Dim>& from_strides, T* to, const strides_of<Dim>& to_strides,
                const std::array<std::size_t, Dim>& extents, std::size_t dimension = 0) {
  if (dimension == Dim) {
    std::memcpy(static_cast<void*>(to), from, sizeof(T));
    return;
  }
  for (std::size_t k = 0; k < extents[dimension]; ++k) {
    auto const n = static_cast<std::ptrdiff_t>(k);
    copy_block<Dim>(at_distance(from, n * from_strides[dimension]), from_strides,
                    at_distance(to, n * to_strides[dimension]), to_strides, extents, dimension + 1);
  }
}

/// Throws std::out_of_range for a block, which another process wants to read or write, that is not all in this
/// process's segment.
template <std::size_t Dim, class T>
void check_block(T* at, const strides_of<Dim>& strides, const std::array<std::size_t, Dim>& extents) {
  if (count_of(extents) == 0) return;
  std::ptrdiff_t first = 0, end = sizeof(T);
  for (std::size_t d = 0; d < Dim; ++d) {
    std::ptrdiff_t const most = static_cast<std::ptrdiff_t>(extents[d] - 1) * strides[d];
    (most < 0 ? first : end) += most;
  }
  if (!is_in_segment(at_distance(at, first), static_cast<std::size_t>(end - first)))
    throw std::out_of_range("a block of elements that are not all in the shared memory of its process");
}

}  // namespace pgas::detail

/// Writes a block of `Dim` dimensions: `extents` elements in each, the last the innermost; a stride is how many bytes
/// lie from one element to the next of its dimension. The future is ready when all elements are there. To a process out
/// of reach they go as one message. UPC++'s name. Throws std::invalid_argument for a null `to`; the future fails with
/// std::out_of_range if that message's elements are not all for the shared memory of their process.
template <std::size_t Dim, pgas::detail::transferable T>
future<void> rput_strided(const T* from, const std::array<std::ptrdiff_t, Dim>& from_strides, global_ptr<T> to,
                          const std::array<std::ptrdiff_t, Dim>& to_strides,
                          const std::array<std::size_t, Dim>& extents) {
  namespace d = pgas::detail;
  d::check_pointer(to.is_null(), "rput_strided");
  if (T* const here = to.local()) {
    d::copy_block<Dim>(from, from_strides, here, to_strides, extents);
    return make_ready_future();
  }
  std::vector<T> dense(d::count_of(extents));
  d::copy_block<Dim>(from, from_strides, dense.data(), d::dense_strides<T>(extents), extents);
  return pgas::detail::own_rpc(
      to.where(),
      [to, to_strides, extents](std::span<const T> elements) {
        d::check_block<Dim>(to.raw_ptr(), to_strides, extents);
        d::copy_block<Dim>(elements.data(), d::dense_strides<T>(extents), to.raw_ptr(), to_strides, extents);
      },
      std::span<const T>(dense));
}
/// Reads a block of `Dim` dimensions, as rput_strided writes one. Throws std::invalid_argument for a null `from`.
template <std::size_t Dim, pgas::detail::transferable T>
future<void> rget_strided(global_ptr<T> from, const std::array<std::ptrdiff_t, Dim>& from_strides, T* to,
                          const std::array<std::ptrdiff_t, Dim>& to_strides,
                          const std::array<std::size_t, Dim>& extents) {
  namespace d = pgas::detail;
  d::check_pointer(from.is_null(), "rget_strided");
  if (const T* const here = from.local()) {
    d::copy_block<Dim>(here, from_strides, to, to_strides, extents);
    return make_ready_future();
  }
  return pgas::detail::own_rpc(from.where(),
                               [from, from_strides, extents] {
                                 d::check_block<Dim>(from.raw_ptr(), from_strides, extents);
                                 std::vector<T> dense(d::count_of(extents));
                                 d::copy_block<Dim>(from.raw_ptr(), from_strides, dense.data(),
                                                    d::dense_strides<T>(extents), extents);
                                 return dense;
                               })
      .then(launch::sync, [to, to_strides, extents](future<std::vector<T>> f) {
        std::vector<T> const dense = f.get();
        d::copy_block<Dim>(dense.data(), d::dense_strides<T>(extents), to, to_strides, extents);
      });
}

}  // namespace amity
