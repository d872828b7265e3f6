#pragma once

/// Sequences as arguments of calls, which are not copied where they arrive: they lie in the message.
///
///     upcxx::rpc(rank, [](upcxx::view<double> v) { for (double x : v) sum += x; }, upcxx::make_view(values));

#include <compare>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>

#include "amity/upcxx/serialization.hpp"

namespace upcxx {

/// Goes through the elements of a view that has arrived; each look makes the object anew.
template <class T>
class deserializing_iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = deserialized_type_t<T>;
  using difference_type = std::ptrdiff_t;
  using pointer = value_type*;
  using reference = value_type;

  deserializing_iterator() noexcept : r_(nullptr) {}
  explicit deserializing_iterator(detail::serialization_reader r, std::size_t n = 0) noexcept : r_(r), left_(n) {}
  /// A copy of the element.
  value_type operator*() const {
    detail::serialization_reader r = r_;
    return r.template read<T>();
  }
  /// Makes the element in memory of the caller's, whose it is then.
  value_type* deserialize_into(void* to) const {
    detail::serialization_reader r = r_;
    return r.template read_into<T>(to);
  }
  deserializing_iterator& operator++() {
    using its = std::remove_cv_t<value_type>;
    union room {
      char none;
      its x;
      room() noexcept {}
      ~room() {}
    } o;
    detail::destruct(*r_.template read_into<T>(&o));
    --left_;
    return *this;
  }
  deserializing_iterator operator++(int) {
    deserializing_iterator const before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const deserializing_iterator& a, const deserializing_iterator& b) noexcept {
    return a.left_ == b.left_;
  }
  friend auto operator<=>(const deserializing_iterator& a, const deserializing_iterator& b) noexcept {
    return b.left_ <=> a.left_;
  }

 private:
  detail::serialization_reader r_;
  std::size_t left_ = 0;
};

namespace detail {
template <class T>
struct view_iterator {
  using type = deserializing_iterator<T>;
};
template <class T>
requires(is_trivially_serializable<T>::value) struct view_iterator<T> {
  using type = T*;
};
}  // namespace detail
template <class T>
using view_default_iterator_t = typename detail::view_iterator<T>::type;

/// Elements from one iterator to another; does not own them.
template <class T, class Iter = view_default_iterator_t<T>>
class view {
 public:
  using iterator = Iter;
  using const_iterator = Iter;
  using size_type = std::size_t;
  using value_type = T;
  using difference_type = typename std::iterator_traits<Iter>::difference_type;
  using reference = typename std::iterator_traits<Iter>::reference;
  using const_reference = reference;

  view() = default;
  view(Iter first, Iter last, size_type n) : first_(std::move(first)), last_(std::move(last)), n_(n) {}

  Iter begin() const { return first_; }
  Iter end() const { return last_; }
  Iter cbegin() const { return first_; }
  Iter cend() const { return last_; }
  auto rbegin() const { return std::reverse_iterator<Iter>(last_); }
  auto rend() const { return std::reverse_iterator<Iter>(first_); }
  [[nodiscard]] size_type size() const noexcept { return n_; }
  [[nodiscard]] bool empty() const noexcept { return n_ == 0; }
  decltype(auto) operator[](size_type i) const { return first_[static_cast<difference_type>(i)]; }
  decltype(auto) at(size_type i) const { return (*this)[i]; }
  decltype(auto) front() const { return *first_; }
  decltype(auto) back() const { return *std::prev(last_); }

 private:
  Iter first_{}, last_{};
  size_type n_ = 0;
};

/// A view of the elements from `first` to `last`.
template <class Iter, class T = typename std::iterator_traits<Iter>::value_type>
view<T, Iter> make_view(Iter first, Iter last) {
  auto const n = static_cast<std::size_t>(std::distance(first, last));
  return {std::move(first), std::move(last), n};
}
/// The same; `n` is how many there are.
template <class Iter, class T = typename std::iterator_traits<Iter>::value_type>
view<T, Iter> make_view(Iter first, Iter last, std::size_t n) {
  return {std::move(first), std::move(last), n};
}
/// A view of all elements of a container.
template <class C>
auto make_view(const C& c) -> view<typename C::value_type, typename C::const_iterator> {
  return {c.cbegin(), c.cend(), c.size()};
}
/// A view of an array.
template <class T, std::size_t N>
view<T, const T*> make_view(const T (&a)[N]) {
  return {a, a + N, N};
}

template <class T, class Iter>
struct is_trivially_serializable<view<T, Iter>> : std::false_type {};

namespace detail {
/// Of which type the elements are called where they arrive: views within views are those of what arrives.
template <class T>
struct element_there {
  using type = T;
};
template <class T, class Iter>
struct element_there<view<T, Iter>> {
  using type = there<view<T, Iter>>;
};
}  // namespace detail

template <class T, class Iter>
struct serialization_traits<view<T, Iter>> : detail::common_traits<view<T, Iter>>, detail::by_functions {
  static constexpr bool is_definitely = detail::definitely<T>;
  using its = typename detail::element_there<T>::type;
  using deserialized_type = view<its>;
  template <class W>
  static void serialize(W& w, const view<T, Iter>& v) {
    w.write(v.size());
    auto const bytes = w.template reserve<std::size_t>();
    if constexpr (is_trivially_serializable<T>::value) w.write_bytes(nullptr, 0, alignof(T));
    std::size_t const from = w.size();
    for (Iter i = v.begin(); i != v.end(); ++i) w.write(static_cast<const T&>(*i));
    w.commit(bytes, w.size() - from);
  }
  template <class S>
  static deserialized_type* deserialize(detail::serialization_reader& r, S to) {
    std::size_t const n = r.number();
    std::size_t const bytes = r.number();
    if constexpr (is_trivially_serializable<T>::value) {
      auto* const first = reinterpret_cast<T*>(r.take(n * sizeof(T), alignof(T)));
      return ::new (to.at) deserialized_type(first, first + n, n);
    } else {
      using iterator = deserializing_iterator<its>;
      iterator const first(r, n);
      static_cast<void>(r.take(bytes, 1));
      return ::new (to.at) deserialized_type(first, iterator(r, 0), n);
    }
  }
};

}  // namespace upcxx
