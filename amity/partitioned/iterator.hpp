#pragma once

/// Where the elements of a partitioned_vector are, and iterators over all of them.

#include <compare>
#include <cstddef>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/algo/for_each.hpp"
#include "amity/algo/uninitialized.hpp"
#include "amity/pgas/object.hpp"
#include "amity/pgas/one_sided.hpp"

namespace amity::partitioned {

/// Neighbouring elements in the memory of one process; they live as long as a reference to this object does.
template <class T>
class block {
 public:
  /// Made by all workers, so that each page lies near one of them.
  explicit block(std::size_t size)
      : block(size, [](T* first, std::size_t n) { amity::uninitialized_value_construct_n(execution::par, first, n); }) {
  }
  block(std::size_t size, const T& value)
      : block(size,
              [&value](T* first, std::size_t n) { amity::uninitialized_fill_n(execution::par, first, n, value); }) {}
  block(const block&) = delete;
  block& operator=(const block&) = delete;
  ~block() {
    std::destroy_n(first_.raw_ptr(), size_);
    deallocate(first_);
  }

  [[nodiscard]] global_ptr<T> first() const noexcept { return first_; }

 private:
  template <class Construct>
  requires std::is_invocable_v<Construct&, T*, std::size_t> block(std::size_t size, Construct construct)
      : first_(amity::allocate<T>(size)), size_(size) {
    try {
      construct(first_.raw_ptr(), size);
    } catch (...) {
      deallocate(first_);
      throw;
    }
  }

  global_ptr<T> first_;
  std::size_t size_;
};

/// All blocks of a vector. Each has `block_size` elements; the last ones may have fewer, or none.
template <class T>
struct parts {
  std::size_t size = 0, block_size = 1;
  std::vector<global_ptr<T>> firsts;
  std::vector<object_ref<block<T>>> blocks;

  [[nodiscard]] global_ptr<T> at(std::size_t i) const noexcept {
    return firsts[i / block_size] + static_cast<std::ptrdiff_t>(i % block_size);
  }
  /// The end of the block that element `i` lies in.
  [[nodiscard]] std::size_t end_of_block(std::size_t i) const noexcept {
    return std::min((i / block_size + 1) * block_size, size);
  }
};

/// An element of any process, as a reference to it.
template <class T>
class element {
 public:
  explicit element(global_ptr<T> at) noexcept : at_(at) {}
  element(const element&) noexcept = default;
  /// Writes. Blocks the fiber.
  const element& operator=(const T& value) const {
    set(value).get();
    return *this;
  }
  /// The value, not the reference.
  const element& operator=(const element& other) const { return *this = static_cast<T>(other); }
  /// Reads. Blocks the fiber.
  operator T() const { return get().get(); }

  [[nodiscard]] future<std::remove_const_t<T>> get() const {
    if constexpr (pgas::detail::transferable<std::remove_const_t<T>>)
      return rget(at_);
    else
      return rpc(at_.where(), [at = at_] { return std::remove_const_t<T>(*at.raw_ptr()); });
  }
  future<void> set(const T& value) const {
    if constexpr (pgas::detail::transferable<T>)
      return rput(value, at_);
    else
      return rpc(
          at_.where(), [at = at_](T there) { *at.raw_ptr() = std::move(there); }, value);
  }

  friend bool operator==(const element& a, const T& b) { return static_cast<T>(a) == b; }

 private:
  global_ptr<T> at_;
};

/// Requires: the vector lives. It does not travel; global_ptr does.
template <class T>
class iterator {
  using plain = std::remove_const_t<T>;

 public:
  using is_segmented = void;  // the algorithms have other forms for it (algo/algorithm.hpp)
  using iterator_category = std::random_access_iterator_tag;
  using value_type = plain;
  using difference_type = std::ptrdiff_t;
  using reference = element<T>;
  using pointer = void;

  iterator() = default;
  iterator(const parts<plain>* of, std::size_t at) noexcept : of_(of), at_(at) {}
  /// To const.
  template <class U>
  requires(std::is_same_v<const U, T>) iterator(const iterator<U>& other)
  noexcept : of_(other.of()), at_(other.position()) {}

  [[nodiscard]] const parts<plain>* of() const noexcept { return of_; }
  /// The element's number in the vector.
  [[nodiscard]] std::size_t position() const noexcept { return at_; }
  [[nodiscard]] global_ptr<T> pointer_to() const noexcept { return of_->at(at_); }

  element<T> operator*() const noexcept { return element<T>(pointer_to()); }
  element<T> operator[](std::ptrdiff_t n) const noexcept { return *(*this + n); }
  iterator& operator+=(std::ptrdiff_t n) noexcept {
    at_ = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(at_) + n);
    return *this;
  }
  iterator& operator-=(std::ptrdiff_t n) noexcept { return *this += -n; }
  iterator& operator++() noexcept { return *this += 1; }
  iterator& operator--() noexcept { return *this -= 1; }
  iterator operator++(int) noexcept { return std::exchange(*this, *this + 1); }
  iterator operator--(int) noexcept { return std::exchange(*this, *this - 1); }
  friend iterator operator+(iterator i, std::ptrdiff_t n) noexcept { return i += n; }
  friend iterator operator+(std::ptrdiff_t n, iterator i) noexcept { return i += n; }
  friend iterator operator-(iterator i, std::ptrdiff_t n) noexcept { return i -= n; }
  /// Requires: both are of one vector. So for what follows.
  friend std::ptrdiff_t operator-(iterator a, iterator b) noexcept {
    return static_cast<std::ptrdiff_t>(a.at_) - static_cast<std::ptrdiff_t>(b.at_);
  }
  friend bool operator==(iterator a, iterator b) noexcept { return a.at_ == b.at_; }
  friend std::strong_ordering operator<=>(iterator a, iterator b) noexcept { return a.at_ <=> b.at_; }

 private:
  const parts<plain>* of_ = nullptr;
  std::size_t at_ = 0;
};

}  // namespace amity::partitioned
