#pragma once

/// Atomic operations on shared memory of any process.
///
///     amity::atomic_domain<long> counters;                      // all operations; or {atomic_op::load, ...}
///     long before = counters.fetch_add(tally, 1).get();
///
/// Within a node they are instructions of the processor, made at once; otherwise a message has the owner do it. Names
/// are UPC++'s, and each takes a memory order, as there: counters.fetch_add(tally, 1, std::memory_order_relaxed).
///
/// Memory ordering: as strong as asked for, or stronger; seq_cst if none is given. If a message has the owner do
/// it, the owner's access is ordered, and the answer: the thread that gets it sees what the operation saw.

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "amity/pgas/one_sided.hpp"

namespace amity {

/// The operations of an atomic_domain: `op` changes an element and gives nothing, `fetch_op` also gives the value that
/// was there before. Those on bits are for whole numbers alone.
enum class atomic_op : std::uint8_t {
  load,
  store,
  add,
  fetch_add,
  sub,
  fetch_sub,
  inc,
  fetch_inc,
  dec,
  fetch_dec,
  mul,
  fetch_mul,
  min,
  fetch_min,
  max,
  fetch_max,
  bit_and,
  fetch_bit_and,
  bit_or,
  fetch_bit_or,
  bit_xor,
  fetch_bit_xor,
  compare_exchange
};

namespace pgas::detail {

/// `change(before)`, again and again until no other thread has come in between. Returns the value before.
template <class T, class Change>
T update(std::atomic_ref<T> at, Change change) noexcept {
  T before = at.load(std::memory_order_relaxed);
  while (!at.compare_exchange_weak(before, static_cast<T>(change(before)), std::memory_order_seq_cst)) {
  }
  return before;
}

/// Does it here, and gives the value before.
template <class T>
T do_atomic(T* address, atomic_op op, std::memory_order order, T a, T b) noexcept {
  std::atomic_ref<T> const at(*address);
  switch (op) {
    case atomic_op::load:
      return at.load();
    case atomic_op::store:
      // The one that costs more on x86-64 if it is seq_cst.
      if (order == std::memory_order_relaxed || order == std::memory_order_release)
        at.store(a, std::memory_order_release);  // pairs with an acquire of the program's
      else
        at.store(a);
      return a;
    case atomic_op::add:
    case atomic_op::fetch_add:
    case atomic_op::inc:
    case atomic_op::fetch_inc:
      return at.fetch_add(a);
    case atomic_op::sub:
    case atomic_op::fetch_sub:
    case atomic_op::dec:
    case atomic_op::fetch_dec:
      return at.fetch_sub(a);
    case atomic_op::mul:
    case atomic_op::fetch_mul:
      return update(at, [a](T x) { return static_cast<T>(x * a); });
    case atomic_op::min:
    case atomic_op::fetch_min:
      return update(at, [a](T x) { return x < a ? x : a; });
    case atomic_op::max:
    case atomic_op::fetch_max:
      return update(at, [a](T x) { return a < x ? x : a; });
    case atomic_op::compare_exchange: {
      T expected = a;
      at.compare_exchange_strong(expected, b);
      return expected;
    }
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    if (op == atomic_op::bit_and || op == atomic_op::fetch_bit_and) return at.fetch_and(a);
    if (op == atomic_op::bit_or || op == atomic_op::fetch_bit_or) return at.fetch_or(a);
    return at.fetch_xor(a);
  } else {
    return at.load();
  }
}

}  // namespace pgas::detail

/// Operations on elements of one type: whole numbers of 4 or 8 bytes, float, double. Any number of processes may work
/// on an element at once, as long as all of them do so by operations of such domains. A domain holds no more than the
/// set of its operations: copies are as good, and each process makes its own; nothing is collective.
///
/// Each operation gives a future, which is ready when the owner's memory has been read and changed. Where that memory
/// is within reach (global_ptr::is_local), this is done before the call returns. Otherwise a call is sent to the owner;
/// the caller does not wait for it, and a finish around the call does. The first use of another process's memory blocks
/// the fiber until that process has said where it is. Each throws std::invalid_argument for a null
/// pointer, for an operation that the domain was not made for, for one on bits of float or double, and for a memory
/// order that the operation does not have. A future fails with lost_rank if the owner was lost.
template <class T>
requires((std::is_integral_v<T> || std::is_floating_point_v<T>)&&(sizeof(T) == 4 ||
                                                                  sizeof(T) == 8)) class atomic_domain {
 public:
  /// The type of the memory order that each operation takes as its last argument.
  using order = std::memory_order;
  /// The memory order of operations that are given none.
  static constexpr order seq_cst = std::memory_order_seq_cst;

  /// A domain with all operations.
  atomic_domain() noexcept : allowed_(~std::uint32_t{0}) {}
  /// A domain with these operations: another one throws std::invalid_argument.
  atomic_domain(std::initializer_list<atomic_op> ops) noexcept : allowed_(0) {
    for (atomic_op op : ops) allowed_ |= bit(op);
  }

  /// Reads the element. A memory order of release or acq_rel is refused.
  future<T> load(global_ptr<const T> p, order o = seq_cst) const {
    return fetch(atomic_op::load, o, const_pointer_cast<T>(p));
  }
  /// Writes `value`. The memory order is relaxed, release or seq_cst; others are refused.
  future<void> store(global_ptr<T> p, T value, order o = seq_cst) const {
    return change(atomic_op::store, o, p, value);
  }
  /// Adds `by`.
  future<void> add(global_ptr<T> p, T by, order o = seq_cst) const { return change(atomic_op::add, o, p, by); }
  /// Adds `by`; gives the value before.
  future<T> fetch_add(global_ptr<T> p, T by, order o = seq_cst) const { return fetch(atomic_op::fetch_add, o, p, by); }
  /// Subtracts `by`.
  future<void> sub(global_ptr<T> p, T by, order o = seq_cst) const { return change(atomic_op::sub, o, p, by); }
  /// Subtracts `by`; gives the value before.
  future<T> fetch_sub(global_ptr<T> p, T by, order o = seq_cst) const { return fetch(atomic_op::fetch_sub, o, p, by); }
  /// Adds 1.
  future<void> inc(global_ptr<T> p, order o = seq_cst) const { return change(atomic_op::inc, o, p, T(1)); }
  /// Adds 1; gives the value before.
  future<T> fetch_inc(global_ptr<T> p, order o = seq_cst) const { return fetch(atomic_op::fetch_inc, o, p, T(1)); }
  /// Subtracts 1.
  future<void> dec(global_ptr<T> p, order o = seq_cst) const { return change(atomic_op::dec, o, p, T(1)); }
  /// Subtracts 1; gives the value before.
  future<T> fetch_dec(global_ptr<T> p, order o = seq_cst) const { return fetch(atomic_op::fetch_dec, o, p, T(1)); }
  /// Multiplies by `by`.
  future<void> mul(global_ptr<T> p, T by, order o = seq_cst) const { return change(atomic_op::mul, o, p, by); }
  /// Multiplies by `by`; gives the value before.
  future<T> fetch_mul(global_ptr<T> p, T by, order o = seq_cst) const { return fetch(atomic_op::fetch_mul, o, p, by); }
  /// Writes `with` where that is less.
  future<void> min(global_ptr<T> p, T with, order o = seq_cst) const { return change(atomic_op::min, o, p, with); }
  /// Writes `with` where that is less; gives the value before.
  future<T> fetch_min(global_ptr<T> p, T with, order o = seq_cst) const {
    return fetch(atomic_op::fetch_min, o, p, with);
  }
  /// Writes `with` where that is greater.
  future<void> max(global_ptr<T> p, T with, order o = seq_cst) const { return change(atomic_op::max, o, p, with); }
  /// Writes `with` where that is greater; gives the value before.
  future<T> fetch_max(global_ptr<T> p, T with, order o = seq_cst) const {
    return fetch(atomic_op::fetch_max, o, p, with);
  }
  /// Leaves the bits that are also in `with`. Whole numbers only, as for all operations on bits.
  future<void> bit_and(global_ptr<T> p, T with, order o = seq_cst) const {
    return change(atomic_op::bit_and, o, p, with);
  }
  /// Leaves the bits that are also in `with`; gives the value before.
  future<T> fetch_bit_and(global_ptr<T> p, T with, order o = seq_cst) const {
    return fetch(atomic_op::fetch_bit_and, o, p, with);
  }
  /// Sets the bits of `with`.
  future<void> bit_or(global_ptr<T> p, T with, order o = seq_cst) const {
    return change(atomic_op::bit_or, o, p, with);
  }
  /// Sets the bits of `with`; gives the value before.
  future<T> fetch_bit_or(global_ptr<T> p, T with, order o = seq_cst) const {
    return fetch(atomic_op::fetch_bit_or, o, p, with);
  }
  /// Inverts the bits of `with`.
  future<void> bit_xor(global_ptr<T> p, T with, order o = seq_cst) const {
    return change(atomic_op::bit_xor, o, p, with);
  }
  /// Inverts the bits of `with`; gives the value before.
  future<T> fetch_bit_xor(global_ptr<T> p, T with, order o = seq_cst) const {
    return fetch(atomic_op::fetch_bit_xor, o, p, with);
  }
  /// Writes `desired` if the element is `expected`; gives the value before, which is `expected` if it was written. It
  /// is compared as bits: of a float, -0.0 is not 0.0.
  future<T> compare_exchange(global_ptr<T> p, T expected, T desired, order o = seq_cst) const {
    return fetch(atomic_op::compare_exchange, o, p, expected, desired);
  }
  /// Has no effect, and the domain may still be used: for programs written for UPC++, where it is collective.
  void destroy() noexcept {}

 private:
  static constexpr std::uint32_t bit(atomic_op op) noexcept { return std::uint32_t{1} << static_cast<unsigned>(op); }

  future<T> fetch(atomic_op op, order o, global_ptr<T> p, T a = T{}, T b = T{}) const {
    if ((allowed_ & bit(op)) == 0)
      throw std::invalid_argument("atomic_domain: operation " + std::to_string(static_cast<int>(op)) +
                                  " is none of those that it was made for");
    bool const of_bits = op >= atomic_op::bit_and && op <= atomic_op::fetch_bit_xor;
    if (of_bits && !std::is_integral_v<T>)
      throw std::invalid_argument("atomic_domain: operations on bits are for whole numbers");
    if ((op == atomic_op::load && (o == std::memory_order_release || o == std::memory_order_acq_rel)) ||
        (op == atomic_op::store && o != seq_cst && o != std::memory_order_release && o != std::memory_order_relaxed))
      throw std::invalid_argument("atomic_domain: a load takes no memory order of a store, nor a store one of a load");
    pgas::detail::check_pointer(p.is_null(), "an atomic operation");
    if (T* const here = p.local()) return make_ready_future(pgas::detail::do_atomic(here, op, o, a, b));
    return pgas::detail::own_rpc(
        p.where(), [address = p.raw_ptr(), op, o, a, b] { return pgas::detail::do_atomic(address, op, o, a, b); });
  }
  future<void> change(atomic_op op, order o, global_ptr<T> p, T a) const { return future<void>(fetch(op, o, p, a)); }

  std::uint32_t allowed_;
};

}  // namespace amity
