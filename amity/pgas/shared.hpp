#pragma once

/// Variables and arrays of all processes together.
///
///     amity::shared_var<int> last;                        // on rank 0; assignment writes it, a read reads it
///     amity::shared_array<int> a(1000, 4);                // in blocks of 4, dealt to the processes in turn
///     if (a.where(i) == amity::rank_me()) a[i] = 7;       // or whoever
///
/// They are made by all processes together, in the same order, and may be destroyed by each in its own time: the memory
/// goes when all have. An access is a copy of one element by rput or rget, and blocks the fiber where it goes by
/// messages.

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

/// An element of shared memory, as a reference to it: assignment writes, conversion reads.
template <class T>
class global_ref {
 public:
  explicit global_ref(global_ptr<T> to) noexcept : to_(to) {}
  global_ref(const global_ref&) noexcept = default;
  /// Writes.
  const global_ref& operator=(const T& value) const {
    rput(value, to_).get();
    return *this;
  }
  /// The value, not the reference.
  const global_ref& operator=(const global_ref& other) const { return *this = static_cast<T>(other); }
  const global_ref& operator+=(const T& value) const { return *this = static_cast<T>(static_cast<T>(*this) + value); }
  const global_ref& operator-=(const T& value) const { return *this = static_cast<T>(static_cast<T>(*this) - value); }
  /// Reads.
  operator T() const { return rget(to_).get(); }
  /// Reads.
  [[nodiscard]] T get() const { return rget(to_).get(); }
  [[nodiscard]] global_ptr<T> operator&() const noexcept { return to_; }

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

/// One variable, in the memory of rank 0.
template <pgas::detail::transferable T>
class shared_var {
 public:
  /// Collective. It begins as T{}.
  shared_var() : shared_var(T{}) {}
  /// The same, with the value that rank 0 gives.
  explicit shared_var(const T& value)
      : memory_(std::make_unique<pgas::detail::joint_memory>(rank_me() == 0 ? sizeof(T) : 0)) {
    if (rank_me() == 0) rput(value, pointer()).get();
    barrier_all();
  }

  /// Writes it.
  shared_var& operator=(const T& value) {
    rput(value, pointer()).get();
    return *this;
  }
  /// Reads it.
  operator T() const { return rget(pointer()).get(); }
  [[nodiscard]] T get() const { return rget(pointer()).get(); }
  [[nodiscard]] global_ptr<T> pointer() const noexcept { return {0, static_cast<T*>(memory_->at(0))}; }
  [[nodiscard]] global_ptr<T> operator&() const noexcept { return pointer(); }

  friend bool operator==(const shared_var& a, const T& b) { return a.get() == b; }

 private:
  std::unique_ptr<pgas::detail::joint_memory> memory_;
};

/// An array, whose blocks are dealt to the processes in turn: block k is of rank k % rank_n().
template <pgas::detail::transferable T>
class shared_array {
 public:
  using value_type = T;

  /// Of no elements, until init().
  shared_array() = default;
  /// Collective. Elements begin as zeros. Throws std::invalid_argument for a block of 0 elements.
  explicit shared_array(std::size_t size, std::size_t block = 1) { init(size, block); }

  /// The same later. UPC++ 0.1's.
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

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t block_size() const noexcept { return block_; }
  /// The process that has element i.
  [[nodiscard]] int where(std::size_t i) const noexcept {
    return static_cast<int>(i / block_ % static_cast<std::size_t>(rank_n()));
  }
  [[nodiscard]] global_ptr<T> pointer(std::size_t i) const noexcept {
    std::size_t const round = i / (block_ * static_cast<std::size_t>(rank_n()));
    int const rank = where(i);
    return {rank, static_cast<T*>(memory_->at(rank)) + round * block_ + i % block_};
  }
  /// Requires: i < size().
  [[nodiscard]] global_ref<T> operator[](std::size_t i) const noexcept { return global_ref<T>(pointer(i)); }
  /// Throws std::out_of_range.
  [[nodiscard]] global_ref<T> at(std::size_t i) const {
    if (i >= size_)
      throw std::out_of_range("element " + std::to_string(i) + " of a shared_array of " + std::to_string(size_));
    return (*this)[i];
  }
  /// The elements of this process, one after the other.
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
