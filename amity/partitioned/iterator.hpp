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
      : block(size, [](T* first, std::size_t n) {
          algo::run_now<algo::uninitialized_value_construct_n_algorithm>(true, algo::settings(), first, n);
        }) {}
  block(std::size_t size, const T& value)
      : block(size, [&value](T* first, std::size_t n) {
          algo::run_now<algo::uninitialized_fill_n_algorithm>(true, algo::settings(), first, n, value);
        }) {}
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

/// An element of a partitioned_vector, as a reference to it: assignment writes, conversion reads. It is valid as long
/// as the elements live. Elements of which bytes make copies are read and written by rget and rput, others by calls in
/// their process, with those errors: lost_rank, for example. Accesses to one element from several fibers or processes
/// are not ordered.
template <class T>
class element {
 public:
  /// For code that builds on it: a reference to what `at` points to.
  explicit element(global_ptr<T> at) noexcept : at_(at) {}
  element(const element&) noexcept = default;
  /// Writes the element, and waits until it is written. Blocks the fiber where it is out of reach.
  const element& operator=(const T& value) const {
    set(value).get();
    return *this;
  }
  /// Reads the other element, and writes its value to this one.
  const element& operator=(const element& other) const { return *this = static_cast<T>(other); }
  /// Reads the element. Blocks the fiber where it is out of reach.
  operator T() const { return get().get(); }

  /// Reads the element; the future gives its value. Does not wait.
  [[nodiscard]] future<std::remove_const_t<T>> get() const {
    if constexpr (pgas::detail::transferable<std::remove_const_t<T>>)
      return rget(at_);
    else
      return pgas::detail::own_rpc(at_.where(), [at = at_] { return std::remove_const_t<T>(*at.raw_ptr()); });
  }
  /// Writes the element with a copy of `value`; the future is ready when it is written. Does not wait.
  future<void> set(const T& value) const {
    if constexpr (pgas::detail::transferable<T>)
      return rput(value, at_);
    else
      return pgas::detail::own_rpc(
          at_.where(), [at = at_](T there) { *at.raw_ptr() = std::move(there); }, value);
  }

  /// Reads the element, and compares its value.
  friend bool operator==(const element& a, const T& b) { return static_cast<T>(a) == b; }

 private:
  global_ptr<T> at_;
};

/// A random-access iterator over the elements of a partitioned_vector. The algorithms know it, and work where the
/// elements lie. It does not travel to other processes; a global_ptr to the element does (pointer_to). Requires: the
/// vector, or a copy of it in this process, lives.
template <class T>
class iterator {
  using plain = std::remove_const_t<T>;

 public:
  /// The algorithms have other forms for it (algo/algorithm.hpp).
  using is_segmented = void;
  /// As of a random-access iterator, though a reference is an object: element<T>.
  using iterator_category = std::random_access_iterator_tag;
  /// The type of the elements.
  using value_type = plain;
  /// The type of a distance.
  using difference_type = std::ptrdiff_t;
  /// What * gives.
  using reference = element<T>;
  /// There is no pointer to an element but pointer_to().
  using pointer = void;

  /// Of no vector.
  iterator() = default;
  /// For partitioned_vector.
  iterator(const parts<plain>* of, std::size_t at) noexcept : of_(of), at_(at) {}
  /// From an iterator to elements that may be written.
  template <class U>
  requires(std::is_same_v<const U, T>) iterator(const iterator<U>& other)
  noexcept : of_(other.of()), at_(other.position()) {}

  /// For the algorithms: all parts of the vector.
  [[nodiscard]] const parts<plain>* of() const noexcept { return of_; }
  /// The element's number in the vector.
  [[nodiscard]] std::size_t position() const noexcept { return at_; }
  /// The pointer to the element, which may be sent to other processes.
  [[nodiscard]] global_ptr<T> pointer_to() const noexcept { return of_->at(at_); }

  /// A reference to the element.
  element<T> operator*() const noexcept { return element<T>(pointer_to()); }
  /// A reference to the element `n` further.
  element<T> operator[](std::ptrdiff_t n) const noexcept { return *(*this + n); }
  /// Moves it `n` elements on.
  iterator& operator+=(std::ptrdiff_t n) noexcept {
    at_ = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(at_) + n);
    return *this;
  }
  /// Moves it `n` elements back.
  iterator& operator-=(std::ptrdiff_t n) noexcept { return *this += -n; }
  /// Moves it to the next element; gives the new iterator.
  iterator& operator++() noexcept { return *this += 1; }
  /// Moves it to the element before; gives the new iterator.
  iterator& operator--() noexcept { return *this -= 1; }
  /// Moves it to the next element; gives the old iterator.
  iterator operator++(int) noexcept { return std::exchange(*this, *this + 1); }
  /// Moves it to the element before; gives the old iterator.
  iterator operator--(int) noexcept { return std::exchange(*this, *this - 1); }
  /// The iterator `n` elements on.
  friend iterator operator+(iterator i, std::ptrdiff_t n) noexcept { return i += n; }
  /// The iterator `n` elements on.
  friend iterator operator+(std::ptrdiff_t n, iterator i) noexcept { return i += n; }
  /// The iterator `n` elements back.
  friend iterator operator-(iterator i, std::ptrdiff_t n) noexcept { return i -= n; }
  /// How many elements `a` is behind `b`.
  /// Requires: both are of one vector. So for what follows.
  friend std::ptrdiff_t operator-(iterator a, iterator b) noexcept {
    return static_cast<std::ptrdiff_t>(a.at_) - static_cast<std::ptrdiff_t>(b.at_);
  }
  /// They are at the same element.
  friend bool operator==(iterator a, iterator b) noexcept { return a.at_ == b.at_; }
  /// Orders them by the elements' numbers.
  friend std::strong_ordering operator<=>(iterator a, iterator b) noexcept { return a.at_ <=> b.at_; }

 private:
  const parts<plain>* of_ = nullptr;
  std::size_t at_ = 0;
};

}  // namespace amity::partitioned
