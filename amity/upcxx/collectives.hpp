#pragma once

/// Barriers, broadcasts, reductions, and atomic operations.
///
///     long const sum = upcxx::reduce_all(mine, upcxx::op_fast_add).wait();
///     upcxx::barrier();
///     upcxx::atomic_domain<long> ad({upcxx::atomic_op::fetch_add});
///     long const before = ad.fetch_add(counter, 1, std::memory_order_relaxed).wait();

#include <atomic>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/coll/collectives.hpp"
#include "amity/coll/team.hpp"
#include "amity/pgas/atomic_domain.hpp"
#include "amity/upcxx/one_sided.hpp"

namespace upcxx {

using amity::atomic_op;
using amity::op_add;
using amity::op_bit_and;
using amity::op_bit_or;
using amity::op_bit_xor;
using amity::op_fast_add;
using amity::op_fast_bit_and;
using amity::op_fast_bit_or;
using amity::op_fast_bit_xor;
using amity::op_fast_max;
using amity::op_fast_min;
using amity::op_fast_mul;
using amity::op_max;
using amity::op_min;
using amity::op_mul;

/// What the completions ask for about a barrier of the team.
template <class C = detail::by_default>
auto barrier_async(const team& t = world(), C&& cx = {}) {
  return detail::finish_with(std::forward<C>(cx), amity::barrier_async(t.its()), rank_me());
}
/// Waits until all processes of the team have come; makes progress meanwhile.
inline void barrier(const team& t = world()) { barrier_async(t).wait(); }

namespace detail {

/// The processes of a team meet before something ends. Within a call that progress() runs, only `internal` may: calls
/// that come wait meanwhile.
inline void meet(const team& t, entry_barrier how) {
  if (how == entry_barrier::user)
    barrier(t);
  else if (how == entry_barrier::internal)
    amity::barrier_async(t.its()).get();
}

}  // namespace detail

inline void team::destroy(entry_barrier how) {
  if (!of_.is_valid()) return;
  detail::meet(*this, how);
  forget();
  of_ = {};
}

namespace detail {

template <class T>
inline constexpr bool is_plain =
    is_trivially_serializable<T>::value&& std::is_default_constructible_v<T>&& std::is_trivially_copyable_v<T>;
using packed = std::vector<std::byte>;
template <class T>
packed pack(const T& x) {
  writer w;
  w.write(x);
  packed p(w.size());
  w.compact_and_invalidate(p.data());
  return p;
}
template <class T>
auto unpack(const packed& p) {
  void* const copy = alloc_aligned(p.size(), serialization_align_max);
  std::unique_ptr<void, decltype(&std::free)> const kept(copy, &std::free);
  if (!p.empty()) std::memcpy(copy, p.data(), p.size());
  serialization_reader r(copy);
  return r.template read<T>();
}
/// An operation of T's on packed ones.
template <class T, class Op>
auto on_packed(Op op) {
  return [op](const packed& a, const packed& b) -> packed { return pack<T>(T(op(unpack<T>(a), unpack<T>(b)))); };
}
/// The operation, with T's as its results.
template <class T, class Op>
auto on_plain(Op op) {
  return [op](const T& a, const T& b) -> T { return static_cast<T>(op(a, b)); };
}

}  // namespace detail

/// The value of the team's process `root`, for all.
template <class T, class C = detail::by_default>
auto broadcast_nontrivial(T&& value, intrank_t root, const team& t = world(), C&& cx = {}) {
  using its = std::decay_t<T>;
  using made = deserialized_type_t<its>;
  static_assert(is_serializable<its>::value, "broadcast: the value can't be serialized");
  // Only the root's is looked at.
  detail::packed mine = t.rank_me() == root ? detail::pack<its>(value) : detail::packed();
  auto f = amity::broadcast(std::move(mine), root, t.its());
  return detail::finish_with_value<made>(
      std::forward<C>(cx),
      f.then(amity::launch::sync, [](auto done) -> made { return detail::unpack<its>(done.get()); }), rank_me());
}
template <class T, class C = detail::by_default>
requires(!std::is_pointer_v<std::decay_t<T>>) auto broadcast(T&& value, intrank_t root, const team& t = world(),
                                                             C&& cx = {}) {
  using its = std::decay_t<T>;
  static_assert(is_trivially_serializable<its>::value, "broadcast: use broadcast_nontrivial");
  return upcxx::broadcast_nontrivial(std::forward<T>(value), root, t, std::forward<C>(cx));
}
/// The `n` elements of the team's process `root`, over those of the others.
template <class T, class C = detail::by_default>
auto broadcast(T* elements, std::size_t n, intrank_t root, const team& t = world(), C&& cx = {}) {
  static_assert(is_trivially_serializable<T>::value, "broadcast: T can't be copied as bytes");
  return detail::finish_with(std::forward<C>(cx),
                             amity::broadcast(reinterpret_cast<std::byte*>(elements), n * sizeof(T), root, t.its()),
                             rank_me());
}

/// The values of all combined, for all.
template <class T, class Op, class C = detail::by_default>
auto reduce_all_nontrivial(T&& value, Op op, const team& t = world(), C&& cx = {}) {
  using its = std::decay_t<T>;
  auto f = amity::reduce_all(detail::pack<its>(value), detail::on_packed<its>(op), t.its());
  return detail::finish_with_value<its>(
      std::forward<C>(cx),
      f.then(amity::launch::sync, [](auto done) -> its { return detail::unpack<its>(done.get()); }), rank_me());
}
template <class T, class Op, class C = detail::by_default>
requires(!std::is_pointer_v<std::decay_t<T>>) auto reduce_all(T&& value, Op op, const team& t = world(), C&& cx = {}) {
  using its = std::decay_t<T>;
  static_assert(is_trivially_serializable<its>::value, "reduce_all: use reduce_all_nontrivial");
  if constexpr (detail::is_plain<its>)
    return detail::finish_with_value<its>(std::forward<C>(cx),
                                          amity::reduce_all(its(value), detail::on_plain<its>(op), t.its()), rank_me());
  else
    return upcxx::reduce_all_nontrivial(std::forward<T>(value), op, t, std::forward<C>(cx));
}
/// The same of `n` elements, one by one.
template <class T, class Op, class C = detail::by_default>
auto reduce_all(const T* from, std::type_identity_t<T>* to, std::size_t n, Op op, const team& t = world(),
                C&& cx = {}) {
  return detail::finish_with(std::forward<C>(cx), amity::reduce_all(from, to, n, detail::on_plain<T>(op), t.its()),
                             rank_me());
}

/// The values of all combined, for the team's process `root`; the others get some value.
template <class T, class Op, class C = detail::by_default>
auto reduce_one_nontrivial(T&& value, Op op, intrank_t root, const team& t = world(), C&& cx = {}) {
  using its = std::decay_t<T>;
  auto mine = detail::pack<its>(value);
  auto f = amity::reduce_one(mine, detail::on_packed<its>(op), root, t.its());
  return detail::finish_with_value<its>(std::forward<C>(cx),
                                        f.then(amity::launch::sync,
                                               [mine](auto done) -> its {
                                                 detail::packed const all = done.get();
                                                 return detail::unpack<its>(all.empty() ? mine : all);
                                               }),
                                        rank_me());
}
template <class T, class Op, class C = detail::by_default>
requires(!std::is_pointer_v<std::decay_t<T>>) auto reduce_one(T&& value, Op op, intrank_t root, const team& t = world(),
                                                              C&& cx = {}) {
  using its = std::decay_t<T>;
  static_assert(is_trivially_serializable<its>::value, "reduce_one: use reduce_one_nontrivial");
  if constexpr (detail::is_plain<its>)
    return detail::finish_with_value<its>(
        std::forward<C>(cx), amity::reduce_one(its(value), detail::on_plain<its>(op), root, t.its()), rank_me());
  else
    return upcxx::reduce_one_nontrivial(std::forward<T>(value), op, root, t, std::forward<C>(cx));
}
/// The same of `n` elements, one by one.
template <class T, class Op, class C = detail::by_default>
auto reduce_one(const T* from, std::type_identity_t<T>* to, std::size_t n, Op op, intrank_t root,
                const team& t = world(), C&& cx = {}) {
  // All get it into memory of the operation's own, and the root copies it.
  auto all = std::make_shared<std::vector<T>>(from, from + n);
  bool const is_root = t.rank_me() == root;
  auto f = amity::reduce_all(all->data(), all->data(), n, detail::on_plain<T>(op), t.its())
               .then(amity::launch::sync, [all, is_root, to](amity::future<void> done) {
                 done.get();
                 if (is_root) std::copy(all->begin(), all->end(), to);
               });
  return detail::finish_with(std::forward<C>(cx), amity::future<void>(std::move(f)), rank_me());
}

/// Atomic operations on shared memory of any process.
template <class T>
class atomic_domain {
  static_assert(!std::is_const_v<T> && std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
                "atomic_domain: T is a number of 32 or 64 bits, and not constant");

 public:
  /// With the operations that it is for. Collective in UPC++; waits for nobody here.
  explicit atomic_domain(const std::vector<atomic_op>& ops, const team& t = world()) : team_(&t) {
    for (atomic_op const op : ops) {
      allowed_ |= std::uint32_t{1} << static_cast<unsigned>(op);
      bool const of_bits = op >= atomic_op::bit_and && op <= atomic_op::fetch_bit_xor;
      if (of_bits && !std::is_integral_v<T>)
        detail::die("upcxx::atomic_domain: operations on bits are for whole numbers");
    }
    is_active_ = true;
  }
  atomic_domain() noexcept = default;
  atomic_domain(const atomic_domain&) = delete;
  atomic_domain(atomic_domain&& other) noexcept
      : team_(other.team_), allowed_(other.allowed_), is_active_(std::exchange(other.is_active_, false)) {}
  atomic_domain& operator=(atomic_domain&& other) noexcept {
    team_ = other.team_;
    allowed_ = other.allowed_;
    is_active_ = std::exchange(other.is_active_, false);
    return *this;
  }
  [[nodiscard]] bool is_active() const noexcept { return is_active_; }
  /// Collective: waits for the others of the team, as `how` says. Requires: the team is there, unless `how` is none.
  void destroy(entry_barrier how = entry_barrier::user) {
    if (std::exchange(is_active_, false)) detail::meet(*team_, how);
  }

#define AMITY_UPCXX_ATOMIC(op)                                                                            \
  template <class C = detail::by_default>                                                                 \
  auto op(global_ptr<T> p, T x, std::memory_order o, C&& cx = {}) const {                                 \
    check(atomic_op::op);                                                                                 \
    return detail::finish_with(std::forward<C>(cx), its().op(p.its(), x, o), p.where());                  \
  }                                                                                                       \
  template <class C = detail::by_default>                                                                 \
  auto fetch_##op(global_ptr<T> p, T x, std::memory_order o, C&& cx = {}) const {                         \
    check(atomic_op::fetch_##op);                                                                         \
    return detail::finish_with_value<T>(std::forward<C>(cx), its().fetch_##op(p.its(), x, o), p.where()); \
  }
  AMITY_UPCXX_ATOMIC(add)
  AMITY_UPCXX_ATOMIC(sub)
  AMITY_UPCXX_ATOMIC(mul)
  AMITY_UPCXX_ATOMIC(min)
  AMITY_UPCXX_ATOMIC(max)
  AMITY_UPCXX_ATOMIC(bit_and)
  AMITY_UPCXX_ATOMIC(bit_or)
  AMITY_UPCXX_ATOMIC(bit_xor)
#undef AMITY_UPCXX_ATOMIC
#define AMITY_UPCXX_ATOMIC(op)                                                                         \
  template <class C = detail::by_default>                                                              \
  auto op(global_ptr<T> p, std::memory_order o, C&& cx = {}) const {                                   \
    check(atomic_op::op);                                                                              \
    return detail::finish_with(std::forward<C>(cx), its().op(p.its(), o), p.where());                  \
  }                                                                                                    \
  template <class C = detail::by_default>                                                              \
  auto fetch_##op(global_ptr<T> p, std::memory_order o, C&& cx = {}) const {                           \
    check(atomic_op::fetch_##op);                                                                      \
    return detail::finish_with_value<T>(std::forward<C>(cx), its().fetch_##op(p.its(), o), p.where()); \
  }
  AMITY_UPCXX_ATOMIC(inc)
  AMITY_UPCXX_ATOMIC(dec)
#undef AMITY_UPCXX_ATOMIC
  template <class C = detail::by_default>
  auto load(global_ptr<const T> p, std::memory_order o, C&& cx = {}) const {
    check(atomic_op::load);
    return detail::finish_with_value<T>(std::forward<C>(cx), its().load(p.its(), o), p.where());
  }
  template <class C = detail::by_default>
  auto store(global_ptr<T> p, T x, std::memory_order o, C&& cx = {}) const {
    check(atomic_op::store);
    return detail::finish_with(std::forward<C>(cx), its().store(p.its(), x, o), p.where());
  }
  template <class C = detail::by_default>
  auto compare_exchange(global_ptr<T> p, T expected, T desired, std::memory_order o, C&& cx = {}) const {
    check(atomic_op::compare_exchange);
    return detail::finish_with_value<T>(std::forward<C>(cx), its().compare_exchange(p.its(), expected, desired, o),
                                        p.where());
  }

 private:
  static const amity::atomic_domain<T>& its() {
    static const amity::atomic_domain<T> all;
    return all;
  }
  void check(atomic_op op) const {
    if ((allowed_ >> static_cast<unsigned>(op) & 1) == 0)
      detail::die("upcxx::atomic_domain: an operation that it was not made for");
  }
  const team* team_ = nullptr;
  std::uint32_t allowed_ = 0;
  bool is_active_ = false;
};

}  // namespace upcxx
