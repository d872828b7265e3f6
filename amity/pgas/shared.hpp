#pragma once

/// Variables and arrays of all processes together.
///
///     amity::shared_var<int> last;                        // on rank 0; assignment writes it, a read reads it
///     amity::shared_array<int> a(1000, 4);                // in blocks of 4, dealt to the processes in turn
///     if (a.where(i) == amity::rank_me()) a[i] = 7;       // any process may write any element
///
/// They are made by all processes together, in the same order, and may be destroyed by each in its own time: the memory
/// goes when all have. An access is a copy of one element by rput or rget, and blocks the fiber where it goes by
/// messages; it throws lost_rank if the element's process was lost. Accesses of several processes to one element are
/// not ordered: `a[i] += 1` reads, adds and writes, and another process may write in between. atomic_domain has
/// operations that don't allow that: `counters.fetch_add(a.pointer(i), 1)`.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "amity/future/border.hpp"
#include "amity/pgas/barrier.hpp"
#include "amity/pgas/one_sided.hpp"

namespace amity {

/// An element of shared memory, as a reference to it: assignment writes, conversion reads. Each blocks the fiber where
/// the element is out of reach.
template <class T>
class global_ref {
 public:
  /// A reference to what `to` points to.
  /// Requires: `to` is not null when it is used.
  explicit global_ref(global_ptr<T> to) noexcept : to_(to) {}
  global_ref(const global_ref&) noexcept = default;
  /// Writes the element.
  const global_ref& operator=(const T& value) const {
    rput(value, to_).get();
    return *this;
  }
  /// Reads the other element, and writes its value to this one.
  const global_ref& operator=(const global_ref& other) const { return *this = static_cast<T>(other); }
  /// Reads the element, adds, and writes it. Not atomic.
  const global_ref& operator+=(const T& value) const { return *this = static_cast<T>(static_cast<T>(*this) + value); }
  /// Reads the element, subtracts, and writes it. Not atomic.
  const global_ref& operator-=(const T& value) const { return *this = static_cast<T>(static_cast<T>(*this) - value); }
  /// Reads the element.
  operator T() const { return rget(to_).get(); }
  /// Reads the element.
  [[nodiscard]] T get() const { return rget(to_).get(); }
  /// The pointer to the element.
  [[nodiscard]] global_ptr<T> operator&() const noexcept { return to_; }

  /// Reads the element, and compares its value.
  friend bool operator==(const global_ref& a, const T& b) { return a.get() == b; }

 private:
  global_ptr<T> to_;
};

namespace pgas::detail {

/// Memory of each process for something that all have made together; it goes when all have let go of it.
class joint_memory {
 public:
  /// Collective. `bytes` of this process's memory. Throws bad_shared_alloc.
  explicit joint_memory(std::size_t bytes) {
    amity::detail::thrown_here([&](auto& failure) { make(bytes, failure); });
  }
  joint_memory(const joint_memory&) = delete;
  joint_memory& operator=(const joint_memory&) = delete;
  AMITY_API ~joint_memory();
  /// Of each process.
  [[nodiscard]] void* at(int rank) const noexcept {
    return reinterpret_cast<void*>(addresses_[static_cast<std::size_t>(rank)]);
  }

 private:
  AMITY_API void make(std::size_t bytes, std::exception_ptr& failure) noexcept;

  std::vector<std::uint64_t> addresses_;
};

}  // namespace pgas::detail

/// One variable of all processes, in the memory of rank 0. T can be copied as bytes.
template <pgas::detail::transferable T>
class shared_var {
 public:
  /// A variable with the value T{}. Collective: waits until all processes have made it. Throws bad_shared_alloc in all
  /// processes if rank 0 has no room.
  shared_var() : shared_var(T{}) {}
  /// The same, with the value that rank 0 gives; those of other processes have no effect.
  explicit shared_var(const T& value)
      : memory_(std::make_unique<pgas::detail::joint_memory>(rank_me() == 0 ? sizeof(T) : 0)) {
    if (rank_me() == 0) rput(value, pointer()).get();
    barrier_all();
  }

  /// Writes the variable. Blocks the fiber where rank 0 is out of reach, as every access does.
  shared_var& operator=(const T& value) {
    rput(value, pointer()).get();
    return *this;
  }
  /// Reads the variable.
  operator T() const { return rget(pointer()).get(); }
  /// Reads the variable.
  [[nodiscard]] T get() const { return rget(pointer()).get(); }
  /// The pointer to the variable, for rput, rget and atomic_domain. Valid as long as some process has not destroyed its
  /// shared_var.
  [[nodiscard]] global_ptr<T> pointer() const noexcept { return {0, static_cast<T*>(memory_->at(0))}; }
  /// The same as pointer().
  [[nodiscard]] global_ptr<T> operator&() const noexcept { return pointer(); }

  /// Reads the variable, and compares its value.
  friend bool operator==(const shared_var& a, const T& b) { return a.get() == b; }

 private:
  std::unique_ptr<pgas::detail::joint_memory> memory_;
};

/// An array of all processes. Its blocks are dealt to them in turn: block k is of rank k % rank_n(). For example, of
/// 10 elements in blocks of 2 and 3 processes, rank 1 has elements 2, 3, 8 and 9. T can be copied as bytes.
template <pgas::detail::transferable T>
class shared_array {
 public:
  /// The type of the elements.
  using value_type = T;

  /// An array of no elements, until init().
  shared_array() = default;
  /// An array of `size` elements in blocks of `block`; all bytes are 0. Collective: waits until all processes have made
  /// it, with the same numbers. Throws std::invalid_argument for blocks of 0 elements, and in all processes
  /// bad_shared_alloc if one of them has no room.
  explicit shared_array(std::size_t size, std::size_t block = 1) { init(size, block); }

  /// Makes this array anew, as the constructor does. Collective, with its errors. UPC++ 0.1's name.
  void init(std::size_t size, std::size_t block = 1) {
    if (block == 0) throw std::invalid_argument("a shared_array in blocks of 0 elements; allowed: 1 or more");
    size_ = size;
    block_ = block;
    auto const n = static_cast<std::size_t>(rank_n());
    std::size_t const blocks = (size + block - 1) / block;
    std::size_t const own = (blocks + n - 1) / n * block;
    memory_ = std::make_unique<pgas::detail::joint_memory>(own * sizeof(T));
    if (own != 0) std::memset(memory_->at(rank_me()), 0, own * sizeof(T));
    barrier_all();
  }

  /// How many elements it has in all.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// How many elements a block has.
  [[nodiscard]] std::size_t block_size() const noexcept { return block_; }
  /// The rank of the process that has element i.
  [[nodiscard]] int where(std::size_t i) const noexcept {
    return static_cast<int>(i / block_ % static_cast<std::size_t>(rank_n()));
  }
  /// The pointer to element i, for rput, rget and atomic_domain. Only elements of one block are neighbours there.
  /// Requires: i < size().
  [[nodiscard]] global_ptr<T> pointer(std::size_t i) const noexcept {
    std::size_t const round = i / (block_ * static_cast<std::size_t>(rank_n()));
    int const rank = where(i);
    return {rank, static_cast<T*>(memory_->at(rank)) + round * block_ + i % block_};
  }
  /// A reference to element i: `a[i] = 7` writes, `T x = a[i]` reads.
  /// Requires: i < size().
  [[nodiscard]] global_ref<T> operator[](std::size_t i) const noexcept { return global_ref<T>(pointer(i)); }
  /// A reference to element i. Throws std::out_of_range if there is none.
  [[nodiscard]] global_ref<T> at(std::size_t i) const {
    if (i >= size_)
      throw std::out_of_range("element " + std::to_string(i) + " of a shared_array of " + std::to_string(size_));
    return (*this)[i];
  }
  /// The elements of this process, in the order of their numbers, to be used like any memory. The array keeps them.
  /// Requires: the array was made by init() or with a size.
  [[nodiscard]] std::span<T> local() const {
    auto const n = static_cast<std::size_t>(rank_n()), me = static_cast<std::size_t>(rank_me());
    std::size_t const round = block_ * n, whole = size_ / round * block_, rest = size_ % round;
    std::size_t const begin = me * block_, more = rest > begin ? std::min(rest - begin, block_) : 0;
    return {static_cast<T*>(memory_->at(rank_me())), whole + more};
  }

 private:
  std::size_t size_ = 0, block_ = 1;
  std::unique_ptr<pgas::detail::joint_memory> memory_;
};

}  // namespace amity
