#pragma once

/// Atomic operations on shared memory of any process.
///
///     amity::atomic_domain<long> counters;                      // all operations; or {atomic_op::load, ...}
///     long before = counters.fetch_add(tally, 1).get();
///
/// Within a node they are instructions of the processor, there and then; else a message has the owner do it. Names are
/// UPC++'s.

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "amity/pgas/one_sided.hpp"

namespace amity {

/// What can be done.
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

/// `change(before)`, again and again until nobody has come in between. The value before.
template <class T, class Change>
T update(std::atomic_ref<T> at, Change change) noexcept {
  T before = at.load(std::memory_order_relaxed);
  while (!at.compare_exchange_weak(before, static_cast<T>(change(before)), std::memory_order_seq_cst)) {
  }
  return before;
}

/// Does it here, and gives the value before.
template <class T>
T do_atomic(T* address, atomic_op op, T a, T b) noexcept {
  std::atomic_ref<T> const at(*address);
  switch (op) {
    case atomic_op::load:
      return at.load();
    case atomic_op::store:
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
/// on an element at once, by this alone.
template <class T>
requires((std::is_integral_v<T> || std::is_floating_point_v<T>)&&(sizeof(T) == 4 ||
                                                                  sizeof(T) == 8)) class atomic_domain {
 public:
  /// All operations.
  atomic_domain() noexcept : allowed_(~std::uint32_t{0}) {}
  /// These.
  atomic_domain(std::initializer_list<atomic_op> ops) noexcept : allowed_(0) {
    for (atomic_op op : ops) allowed_ |= bit(op);
  }

  future<T> load(global_ptr<const T> p) const { return fetch(atomic_op::load, const_pointer_cast<T>(p)); }
  future<void> store(global_ptr<T> p, T value) const { return change(atomic_op::store, p, value); }
  future<void> add(global_ptr<T> p, T by) const { return change(atomic_op::add, p, by); }
  future<T> fetch_add(global_ptr<T> p, T by) const { return fetch(atomic_op::fetch_add, p, by); }
  future<void> sub(global_ptr<T> p, T by) const { return change(atomic_op::sub, p, by); }
  future<T> fetch_sub(global_ptr<T> p, T by) const { return fetch(atomic_op::fetch_sub, p, by); }
  future<void> inc(global_ptr<T> p) const { return change(atomic_op::inc, p, T(1)); }
  future<T> fetch_inc(global_ptr<T> p) const { return fetch(atomic_op::fetch_inc, p, T(1)); }
  future<void> dec(global_ptr<T> p) const { return change(atomic_op::dec, p, T(1)); }
  future<T> fetch_dec(global_ptr<T> p) const { return fetch(atomic_op::fetch_dec, p, T(1)); }
  future<void> mul(global_ptr<T> p, T by) const { return change(atomic_op::mul, p, by); }
  future<T> fetch_mul(global_ptr<T> p, T by) const { return fetch(atomic_op::fetch_mul, p, by); }
  future<void> min(global_ptr<T> p, T with) const { return change(atomic_op::min, p, with); }
  future<T> fetch_min(global_ptr<T> p, T with) const { return fetch(atomic_op::fetch_min, p, with); }
  future<void> max(global_ptr<T> p, T with) const { return change(atomic_op::max, p, with); }
  future<T> fetch_max(global_ptr<T> p, T with) const { return fetch(atomic_op::fetch_max, p, with); }
  future<void> bit_and(global_ptr<T> p, T with) const { return change(atomic_op::bit_and, p, with); }
  future<T> fetch_bit_and(global_ptr<T> p, T with) const { return fetch(atomic_op::fetch_bit_and, p, with); }
  future<void> bit_or(global_ptr<T> p, T with) const { return change(atomic_op::bit_or, p, with); }
  future<T> fetch_bit_or(global_ptr<T> p, T with) const { return fetch(atomic_op::fetch_bit_or, p, with); }
  future<void> bit_xor(global_ptr<T> p, T with) const { return change(atomic_op::bit_xor, p, with); }
  future<T> fetch_bit_xor(global_ptr<T> p, T with) const { return fetch(atomic_op::fetch_bit_xor, p, with); }
  /// Writes `desired` where there is `expected`; gives what was there.
  future<T> compare_exchange(global_ptr<T> p, T expected, T desired) const {
    return fetch(atomic_op::compare_exchange, p, expected, desired);
  }
  /// Nothing is left of it anyway. UPC++'s.
  void destroy() noexcept {}

 private:
  static constexpr std::uint32_t bit(atomic_op op) noexcept { return std::uint32_t{1} << static_cast<unsigned>(op); }

  future<T> fetch(atomic_op op, global_ptr<T> p, T a = T{}, T b = T{}) const {
    if ((allowed_ & bit(op)) == 0)
      throw std::invalid_argument("atomic_domain: operation " + std::to_string(static_cast<int>(op)) +
                                  " is none of those that it was made for");
    bool const of_bits = op >= atomic_op::bit_and && op <= atomic_op::fetch_bit_xor;
    if (of_bits && !std::is_integral_v<T>)
      throw std::invalid_argument("atomic_domain: operations on bits are for whole numbers");
    pgas::detail::check_pointer(p.is_null(), "an atomic operation");
    if (T* const here = p.local()) return make_ready_future(pgas::detail::do_atomic(here, op, a, b));
    return rpc(p.where(), [address = p.raw_ptr(), op, a, b] { return pgas::detail::do_atomic(address, op, a, b); });
  }
  future<void> change(atomic_op op, global_ptr<T> p, T a) const { return future<void>(fetch(op, p, a)); }

  std::uint32_t allowed_;
};

}  // namespace amity
