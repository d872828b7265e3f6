#pragma once

/// Objects as bytes by UPC++'s rules: a class says how by a macro, or by functions of its own.
///
///     struct particle {
///       double x, y;
///       std::vector<int> neighbours;
///       UPCXX_SERIALIZED_FIELDS(x, y, neighbours)      // made without arguments there, then the fields are read
///     };
///
/// The other forms: UPCXX_SERIALIZED_VALUES(...), whose values are the constructor's arguments there; a member
/// `struct upcxx_serialization` with `serialize` and `deserialize`; a specialization of upcxx::serialization. What can
/// be copied as bytes is copied so. A type may be another one where it arrives: deserialized_type_t.
///
/// README.md, rules B1 to B3.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <forward_list>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "amity/net/code.hpp"
#include "amity/upcxx/persona.hpp"

/// These members are written in their order. There the object is made by its constructor without arguments.
#define UPCXX_SERIALIZED_FIELDS(...)                                             \
 public:                                                                         \
  template <class UpcxxEach>                                                     \
  decltype(auto) upcxx_each_field(UpcxxEach&& upcxx_each) {                      \
    return upcxx_each(__VA_ARGS__);                                              \
  }                                                                              \
  struct upcxx_serialization {                                                   \
    static constexpr int upcxx_kind = 1;                                         \
    template <class UpcxxIts, class... UpcxxArgs>                                \
    static UpcxxIts* upcxx_make(void* upcxx_at, UpcxxArgs&&... upcxx_args) {     \
      return ::new (upcxx_at) UpcxxIts(static_cast<UpcxxArgs&&>(upcxx_args)...); \
    }                                                                            \
  };

/// The values of these expressions are written. There the object is made of them: `T(values...)`.
#define UPCXX_SERIALIZED_VALUES(...)                                             \
 public:                                                                         \
  template <class UpcxxEach>                                                     \
  decltype(auto) upcxx_each_value(UpcxxEach&& upcxx_each) const {                \
    return upcxx_each(__VA_ARGS__);                                              \
  }                                                                              \
  struct upcxx_serialization {                                                   \
    static constexpr int upcxx_kind = 2;                                         \
    template <class UpcxxIts, class... UpcxxArgs>                                \
    static UpcxxIts* upcxx_make(void* upcxx_at, UpcxxArgs&&... upcxx_args) {     \
      return ::new (upcxx_at) UpcxxIts(static_cast<UpcxxArgs&&>(upcxx_args)...); \
    }                                                                            \
  };

/// The class can't be serialized.
#define UPCXX_SERIALIZED_DELETE()        \
 public:                                 \
  struct upcxx_serialization {           \
    static constexpr int upcxx_kind = 3; \
  };

/// As a field or a value: what the class has of this base class.
#define UPCXX_SERIALIZED_BASE(...) ::upcxx::detail::as_base<__VA_ARGS__>(*this)

namespace upcxx {

namespace detail {

template <class Base, class T>
Base& as_base(T& x) noexcept {
  static_assert(!std::is_polymorphic_v<Base>,
                "UPCXX_SERIALIZED_BASE among fields: a base with virtual functions is not "
                "made anew within an object");
  return x;
}
template <class Base, class T>
const Base& as_base(const T& x) noexcept {
  return x;
}

template <class T>
inline constexpr int declared_kind = 0;  // 0: nothing
template <class T>
requires requires { typename T::upcxx_serialization; }
inline constexpr int declared_kind<T> = [] {
  if constexpr (requires { T::upcxx_serialization::upcxx_kind; })
    return T::upcxx_serialization::upcxx_kind;
  else
    return 4;  // functions of its own
}();

}  // namespace detail

/// To specialize for classes of others, with `serialize` and `deserialize`.
template <class T>
struct serialization {
  using upcxx_is_primary = void;
};

namespace detail {
template <class T>
concept specialized = !requires {
  typename serialization<T>::upcxx_is_primary;
};
/// It says itself how it travels.
template <class T>
inline constexpr bool is_declared = specialized<T> || declared_kind<T> != 0;
}  // namespace detail

/// The bytes of a T are a T elsewhere. May be specialized.
template <class T>
struct is_trivially_serializable
    : std::bool_constant<!std::is_reference_v<T> && !std::is_array_v<T> && !std::is_volatile_v<T> &&
                         std::is_trivially_copyable_v<T> && !detail::is_declared<std::remove_cv_t<T>>> {};
template <class T>
struct is_trivially_serializable<const T> : is_trivially_serializable<T> {};
template <class A, class B>
struct is_trivially_serializable<std::pair<A, B>>
    : std::bool_constant<is_trivially_serializable<A>::value && is_trivially_serializable<B>::value> {};
template <class... T>
struct is_trivially_serializable<std::tuple<T...>> : std::bool_constant<(is_trivially_serializable<T>::value && ...)> {
};
template <class T, std::size_t N>
struct is_trivially_serializable<std::array<T, N>> : is_trivially_serializable<T> {};
template <class T, std::size_t N>
struct is_trivially_serializable<T[N]> : std::false_type {};
template <class T, std::size_t N>
struct is_trivially_serializable<const T[N]> : std::false_type {};

template <class T>
struct serialization_traits;

/// The type that a T is where it arrives.
template <class T>
using deserialized_type_t = typename serialization_traits<T>::deserialized_type;

/// It can be sent.
template <class T>
struct is_serializable : std::bool_constant<serialization_traits<T>::is_definitely> {};

namespace detail {

/// An array would come as the address of its first element.
template <class T>
inline constexpr bool is_no_array = !std::is_array_v<std::remove_reference_t<T>>;

}  // namespace detail

/// No object is aligned to more.
inline constexpr std::size_t serialization_align_max = 64;

namespace detail {

[[nodiscard]] inline void* alloc_aligned(std::size_t size, std::size_t align) {
  align = std::max(align, alignof(std::max_align_t));
  void* const p = std::aligned_alloc(align, (size + align) / align * align);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
template <class T>
void destruct(T& x) noexcept {
  if constexpr (std::is_array_v<T>)
    for (auto& each : x) destruct(each);
  else
    std::destroy_at(std::addressof(x));
}

/// Room for an object that is read. Functions of programs take it as a `void*`, or call construct.
template <class T>
struct storage_for {
  void* at;
  operator void*() const noexcept { return at; }
  /// Makes the object.
  template <class... Args>
  T* construct(Args&&... args) const {
    return ::new (at) T(std::forward<Args>(args)...);
  }
};

/// Grows in the heap; what `Bounded` says does not matter, and programs never name it.
template <bool Bounded = false>
class serialization_writer {
 public:
  serialization_writer() noexcept = default;
  serialization_writer(void*, std::size_t) noexcept {}
  serialization_writer(const serialization_writer&) = delete;
  serialization_writer& operator=(const serialization_writer&) = delete;
  ~serialization_writer() { std::free(begin_); }

  /// Writes an object.
  template <class T>
  void write(const T& x) {
    serialization_traits<T>::serialize(*this, x);
  }
  /// Writes the elements; gives how many there were.
  template <class It>
  std::size_t write_sequence(It first, It last) {
    std::size_t n = 0;
    for (; first != last; ++first, ++n) write_element<It>(*first);
    return n;
  }
  /// The same.
  template <class It>
  std::size_t write_sequence(It first, It last, std::size_t) {
    return write_sequence(first, last);
  }
  template <class T>
  struct reserve_handle {
    std::size_t at;
  };
  /// Room for a T, which is written by commit.
  template <class T>
  reserve_handle<T> reserve() {
    return {room(sizeof(T), alignof(T))};
  }
  template <class T>
  void commit(reserve_handle<T> h, const T& x) {
    std::memcpy(begin_ + h.at, std::addressof(x), sizeof(T));
  }

  void write_bytes(const void* from, std::size_t size, std::size_t align) {
    std::size_t const at = room(size, align);
    if (size != 0) std::memcpy(begin_ + at, from, size);
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t align() const noexcept { return align_; }
  [[nodiscard]] std::byte* data() noexcept { return begin_; }
  void compact_and_invalidate(void* to) {
    if (size_ != 0) std::memcpy(to, begin_, size_);
  }

 private:
  template <class It, class X>
  void write_element(const X& x) {
    write(static_cast<const typename std::iterator_traits<It>::value_type&>(x));
  }
  std::size_t room(std::size_t size, std::size_t align) {
    std::size_t const at = (size_ + align - 1) / align * align;
    if (at + size > capacity_) {
      std::size_t const larger = std::max(at + size, capacity_ * 2 + 256);
      auto* const moved = static_cast<std::byte*>(std::realloc(begin_, larger));
      if (moved == nullptr) throw std::bad_alloc();
      begin_ = moved;
      capacity_ = larger;
    }
    if (at != size_) std::memset(begin_ + size_, 0, at - size_);
    size_ = at + size;
    align_ = std::max(align_, align);
    return at;
  }
  std::byte* begin_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0, align_ = 1;
};

class serialization_reader {
 public:
  explicit serialization_reader(const void* from) noexcept
      : begin_(const_cast<std::byte*>(static_cast<const std::byte*>(from))), at_(begin_) {}

  /// Reads an object.
  template <class T>
  deserialized_type_t<T> read() {
    using its = std::remove_cv_t<deserialized_type_t<T>>;
    union room {
      char none;
      its x;
      room() noexcept {}
      ~room() {}
    } r;
    its* const p = const_cast<its*>(serialization_traits<T>::deserialize(*this, storage_for<its>{&r}));
    struct ender {
      its* x;
      ~ender() { destruct(*x); }
    } const end{p};
    return std::move(*p);
  }
  /// Reads an object into memory; gives where it is.
  template <class T>
  auto read_into(void* to) {
    using its = std::remove_cv_t<std::remove_all_extents_t<deserialized_type_t<T>>>;
    return serialization_traits<T>::deserialize(*this, storage_for<its>{to});
  }
  /// Reads `n` objects into memory; gives where the first is.
  template <class T>
  auto read_sequence_into(void* to, std::size_t n) {
    using its = std::remove_cv_t<deserialized_type_t<T>>;
    auto* const first = static_cast<its*>(to);
    for (std::size_t i = 0; i < n; ++i) serialization_traits<T>::deserialize(*this, storage_for<its>{first + i});
    return std::launder(first);
  }
  /// The same, to what an output iterator points to.
  template <class T, class Out>
  void read_sequence_into_iterator(Out to, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) *to++ = read<T>();
  }
  /// Assigns an object that is read.
  template <class T>
  void read_overwrite(T& x) {
    x = read<T>();
  }

  [[nodiscard]] std::size_t number() noexcept {
    std::size_t n = 0;
    std::memcpy(&n, take(sizeof n, alignof(std::size_t)), sizeof n);
    return n;
  }
  std::byte* take(std::size_t size, std::size_t align) noexcept {
    auto const offset = static_cast<std::size_t>(at_ - begin_);
    std::byte* const here = begin_ + (offset + align - 1) / align * align;
    at_ = here + size;
    return here;
  }
  [[nodiscard]] std::byte* position() const noexcept { return at_; }
  [[nodiscard]] serialization_reader at(std::byte* where) const noexcept {
    serialization_reader r = *this;
    r.at_ = where;
    return r;
  }

 private:
  std::byte* begin_;
  std::byte* at_;
};

using writer = serialization_writer<false>;

/// No bound of an object's size is known: writers grow.
struct bound_is {
  static constexpr bool is_valid = false;
};

/// What all have whose bytes are the object.
template <class T>
struct by_bytes {
  static constexpr bool is_actually_trivially_serializable = true;
  using deserialized_type = T;
  template <class W>
  static void serialize(W& w, const T& x) {
    static_assert(is_trivially_serializable<T>::value || std::is_trivially_destructible_v<T>,
                  "this class can't be serialized: it is more than its bytes, and does not say how it travels");
    w.write_bytes(std::addressof(x), sizeof(T), alignof(T));
  }
  static T* deserialize(serialization_reader& r, storage_for<std::remove_cv_t<T>> to) {
    std::memcpy(to.at, r.take(sizeof(T), alignof(T)), sizeof(T));
    return std::launder(static_cast<T*>(to.at));
  }
  static constexpr bool is_definitely = is_trivially_serializable<T>::value;
};
/// What all others have.
struct by_functions {
  static constexpr bool is_actually_trivially_serializable = false;
  static constexpr bool is_definitely = true;
};

template <class T>
struct by_fields : by_functions {
  using deserialized_type = T;
  template <class W>
  static void serialize(W& w, const T& x) {
    const_cast<T&>(x).upcxx_each_field([&w](auto&... each) { (w.write(each), ...); });
  }
  template <class S>
  static T* deserialize(serialization_reader& r, S to) {
    T* const made = T::upcxx_serialization::template upcxx_make<T>(to.at);
    made->upcxx_each_field([&r]<class... E>(E&... each) { (read_again(r, each), ...); });
    return made;
  }
  template <class E>
  static void read_again(serialization_reader& r, E& each) {
    using plain = std::remove_const_t<E>;
    auto& x = const_cast<plain&>(each);
    destruct(x);
    static_cast<void>(r.template read_into<plain>(std::addressof(x)));
  }
};
template <class... T>
struct type_list {
  using type = std::tuple<std::remove_cvref_t<T>...>;
};
struct list_types {
  template <class... T>
  type_list<T...> operator()(T&&...) const {
    return {};
  }
};
template <class T>
struct by_values : by_functions {
  using deserialized_type = T;
  template <class W>
  static void serialize(W& w, const T& x) {
    x.upcxx_each_value([&w](const auto&... each) { (w.write(each), ...); });
  }
  template <class S>
  static T* deserialize(serialization_reader& r, S to) {
    using list = typename decltype(std::declval<const T&>().upcxx_each_value(list_types()))::type;
    return make<list>(r, to.at, std::make_index_sequence<std::tuple_size_v<list>>());
  }
  template <class List, std::size_t... I>
  static T* make(serialization_reader& r, void* to, std::index_sequence<I...>) {
    // In braces: read in their order.
    std::tuple<deserialized_type_t<std::tuple_element_t<I, List>>...> values{
        r.template read<std::tuple_element_t<I, List>>()...};
    return T::upcxx_serialization::template upcxx_make<T>(to, std::get<I>(std::move(values))...);
  }
};
template <class T, class Its>
struct by_own : by_functions {
  template <class R>
  using read_type = decltype(Its::deserialize(std::declval<R&>(), std::declval<storage_for<T>>()));
  using deserialized_type = std::remove_pointer_t<read_type<serialization_reader>>;
  template <class W>
  static void serialize(W& w, const T& x) {
    Its::serialize(w, x);
  }
  template <class S>
  static deserialized_type* deserialize(serialization_reader& r, S to) {
    return Its::deserialize(r, storage_for<T>{to.at});
  }
};
template <class T>
struct by_nothing {
  static constexpr bool is_actually_trivially_serializable = false;
  static constexpr bool is_definitely = false;
  using deserialized_type = T;
};

template <class T>
constexpr auto find_traits() {
  if constexpr (std::is_volatile_v<T>)
    return std::type_identity<by_nothing<T>>();
  else if constexpr (specialized<T>)
    return std::type_identity<by_own<T, serialization<T>>>();
  else if constexpr (is_trivially_serializable<T>::value)
    return std::type_identity<by_bytes<T>>();
  else if constexpr (declared_kind<T> == 1)
    return std::type_identity<by_fields<T>>();
  else if constexpr (declared_kind<T> == 2)
    return std::type_identity<by_values<T>>();
  else if constexpr (declared_kind<T> == 3)
    return std::type_identity<by_nothing<T>>();
  else if constexpr (declared_kind<T> == 4)
    return std::type_identity<by_own<T, typename T::upcxx_serialization>>();
  else
    return std::type_identity<by_bytes<T>>();
}

/// The size, then the elements, which `Made` is made of.
template <class C, class Made, bool Definitely>
struct by_elements : by_functions {
  static constexpr bool is_definitely = Definitely;
  using deserialized_type = Made;
  using element = typename C::value_type;
  template <class W>
  static void serialize(W& w, const C& c) {
    auto const size = w.template reserve<std::size_t>();
    using its = decltype(c.begin());
    std::size_t n = 0;
    for (its i = c.begin(); i != c.end(); ++i, ++n) w.write(static_cast<const element&>(*i));
    w.commit(size, n);
  }
  template <class S>
  static Made* deserialize(serialization_reader& r, S to) {
    return fill(r, ::new (to.at) Made);
  }
  static Made* fill(serialization_reader& r, Made* made) {
    std::size_t const n = r.number();
    if constexpr (requires { made->before_begin(); }) {
      auto last = made->before_begin();
      for (std::size_t i = 0; i < n; ++i) last = made->insert_after(last, r.read<element>());
    } else if constexpr (requires { made->push_back(r.read<element>()); }) {
      for (std::size_t i = 0; i < n; ++i) made->push_back(r.read<element>());
    } else {
      for (std::size_t i = 0; i < n; ++i) made->insert(made->end(), r.read<element>());
    }
    return made;
  }
};
template <class T>
inline constexpr bool definitely = serialization_traits<T>::is_definitely;
template <class T>
using there = deserialized_type_t<T>;

}  // namespace detail

namespace detail {
/// What all traits have.
template <class T>
struct common_traits {
  static constexpr bound_is static_ubound{};
  /// What a T is after its travel.
  static auto deserialized_value(const T& x) {
    writer w;
    w.write(x);
    void* const copy = alloc_aligned(w.size(), serialization_align_max);
    std::unique_ptr<void, decltype(&std::free)> const kept(copy, &std::free);
    w.compact_and_invalidate(copy);
    serialization_reader r(copy);
    return r.template read<T>();
  }
};
}  // namespace detail

/// How a T travels.
template <class T>
struct serialization_traits : detail::common_traits<T>, decltype(detail::find_traits<T>())::type {};
template <class T>
struct serialization_traits<const T> : serialization_traits<T> {
  using deserialized_type = const typename serialization_traits<T>::deserialized_type;
};
template <class T>
struct serialization_traits<T&> : serialization_traits<std::remove_const_t<T>> {};
template <class T>
struct serialization_traits<T&&> : serialization_traits<std::remove_const_t<T>> {};

/// Arrays: as fields, and in write and read_into.
template <class T, std::size_t N>
struct serialization_traits<T[N]> : detail::common_traits<T[N]> {
  static constexpr bool is_actually_trivially_serializable = is_trivially_serializable<T>::value;
  static constexpr bool is_definitely = false;  // not as an argument
  using deserialized_type = detail::there<T>[N];
  template <class W>
  static void serialize(W& w, const T (&x)[N]) {
    for (const T& each : x) w.write(each);
  }
  template <class S>
  static deserialized_type* deserialize(detail::serialization_reader& r, S to) {
    static_cast<void>(r.template read_sequence_into<T>(to.at, N));
    return reinterpret_cast<deserialized_type*>(to.at);
  }
};
template <class T, std::size_t N>
struct serialization_traits<const T[N]> : serialization_traits<T[N]> {};

/// A function travels as its place in the program.
template <class R, class... Args>
struct serialization_traits<R (*)(Args...)> : detail::common_traits<R (*)(Args...)>, detail::by_functions {
  using function = R (*)(Args...);
  using deserialized_type = function;
  template <class W>
  static void serialize(W& w, function f) {
    w.write(amity::net::place_in_program(reinterpret_cast<const void*>(f)));
  }
  template <class S>
  static function* deserialize(detail::serialization_reader& r, S to) {
    auto const place = r.number();
    auto const f =
        reinterpret_cast<function>(const_cast<void*>(amity::net::address_in_program(place, true)));  // NOLINT
    return ::new (to.at) function(f);
  }
};

template <class A, class B>
struct serialization_traits<std::pair<A, B>> : detail::common_traits<std::pair<A, B>>, detail::by_functions {
  static constexpr bool is_actually_trivially_serializable = is_trivially_serializable<std::pair<A, B>>::value;
  static constexpr bool is_definitely = detail::definitely<A> && detail::definitely<B>;
  using deserialized_type = std::pair<detail::there<A>, detail::there<B>>;
  template <class W>
  static void serialize(W& w, const std::pair<A, B>& x) {
    w.write(x.first);
    w.write(x.second);
  }
  template <class S>
  static deserialized_type* deserialize(detail::serialization_reader& r, S to) {
    return ::new (to.at) deserialized_type{r.template read<A>(), r.template read<B>()};
  }
};
template <class... T>
struct serialization_traits<std::tuple<T...>> : detail::common_traits<std::tuple<T...>>, detail::by_functions {
  static constexpr bool is_actually_trivially_serializable = is_trivially_serializable<std::tuple<T...>>::value;
  static constexpr bool is_definitely = (detail::definitely<T> && ...);
  using deserialized_type = std::tuple<detail::there<T>...>;
  template <class W>
  static void serialize(W& w, const std::tuple<T...>& x) {
    std::apply([&w](const auto&... each) { (w.write(each), ...); }, x);
  }
  template <class S>
  static deserialized_type* deserialize(detail::serialization_reader& r, S to) {
    return ::new (to.at) deserialized_type{r.template read<T>()...};
  }
};
template <class T, std::size_t N>
struct serialization_traits<std::array<T, N>> : detail::common_traits<std::array<T, N>>, detail::by_functions {
  static constexpr bool is_actually_trivially_serializable = is_trivially_serializable<T>::value;
  static constexpr bool is_definitely = detail::definitely<T>;
  using deserialized_type = std::array<detail::there<T>, N>;
  template <class W>
  static void serialize(W& w, const std::array<T, N>& x) {
    for (const T& each : x) w.write(each);
  }
  template <class S>
  static deserialized_type* deserialize(detail::serialization_reader& r, S to) {
    static_cast<void>(r.template read_sequence_into<T>(to.at, N));
    return std::launder(static_cast<deserialized_type*>(to.at));
  }
};

#define AMITY_UPCXX_PLAIN(C)                                                                                          \
  template <class T, class A>                                                                                         \
  struct serialization_traits<C<T, A>>                                                                                \
      : detail::common_traits<C<T, A>>,                                                                               \
        detail::by_elements<                                                                                          \
            C<T, A>, C<detail::there<T>, typename std::allocator_traits<A>::template rebind_alloc<detail::there<T>>>, \
            detail::definitely<T>> {};
AMITY_UPCXX_PLAIN(std::vector)
AMITY_UPCXX_PLAIN(std::deque)
AMITY_UPCXX_PLAIN(std::list)
AMITY_UPCXX_PLAIN(std::forward_list)
#undef AMITY_UPCXX_PLAIN

template <class C, class Traits, class A>
struct serialization_traits<std::basic_string<C, Traits, A>> : detail::common_traits<std::basic_string<C, Traits, A>>,
                                                               detail::by_functions {
  using deserialized_type = std::basic_string<C, Traits, A>;
  template <class W>
  static void serialize(W& w, const deserialized_type& x) {
    w.write(x.size());
    w.write_bytes(x.data(), x.size() * sizeof(C), alignof(C));
  }
  template <class S>
  static deserialized_type* deserialize(detail::serialization_reader& r, S to) {
    std::size_t const n = r.number();
    return ::new (to.at) deserialized_type(reinterpret_cast<const C*>(r.take(n * sizeof(C), alignof(C))), n);
  }
};

namespace detail {
template <class A, class T>
using rebound = typename std::allocator_traits<A>::template rebind_alloc<T>;
/// What compares or hashes goes first.
template <class C, class Made, bool Definitely, class... Helper>
struct by_ordered : by_elements<C, Made, Definitely> {
  using base = by_elements<C, Made, Definitely>;
  template <class W>
  static void serialize(W& w, const C& c) {
    if constexpr (requires { c.hash_function(); }) {
      w.write(c.hash_function());
      w.write(c.key_eq());
    } else {
      w.write(c.key_comp());
    }
    base::serialize(w, c);
  }
  template <class S>
  static Made* deserialize(serialization_reader& r, S to) {
    if constexpr (sizeof...(Helper) == 2) {
      std::tuple<Helper...> its{r.template read<Helper>()...};
      return base::fill(r, ::new (to.at) Made(0, std::get<0>(its), std::get<1>(its)));
    } else {
      return base::fill(r, ::new (to.at) Made(r.template read<Helper>()...));
    }
  }
};
}  // namespace detail

#define AMITY_UPCXX_SET(C)                                                                           \
  template <class T, class L, class A>                                                               \
  struct serialization_traits<C<T, L, A>>                                                            \
      : detail::common_traits<C<T, L, A>>,                                                           \
        detail::by_ordered<C<T, L, A>, C<detail::there<T>, L, detail::rebound<A, detail::there<T>>>, \
                           detail::definitely<T>, L> {};
AMITY_UPCXX_SET(std::set)
AMITY_UPCXX_SET(std::multiset)
#undef AMITY_UPCXX_SET
#define AMITY_UPCXX_MAP(C)                                                                             \
  template <class K, class V, class L, class A>                                                        \
  struct serialization_traits<C<K, V, L, A>>                                                           \
      : detail::common_traits<C<K, V, L, A>>,                                                          \
        detail::by_ordered<C<K, V, L, A>,                                                              \
                           C<detail::there<K>, detail::there<V>, L,                                    \
                             detail::rebound<A, std::pair<const detail::there<K>, detail::there<V>>>>, \
                           detail::definitely<K> && detail::definitely<V>, L> {};
AMITY_UPCXX_MAP(std::map)
AMITY_UPCXX_MAP(std::multimap)
#undef AMITY_UPCXX_MAP
#define AMITY_UPCXX_HASHED_SET(C)                                                                          \
  template <class T, class H, class E, class A>                                                            \
  struct serialization_traits<C<T, H, E, A>>                                                               \
      : detail::common_traits<C<T, H, E, A>>,                                                              \
        detail::by_ordered<C<T, H, E, A>, C<detail::there<T>, H, E, detail::rebound<A, detail::there<T>>>, \
                           detail::definitely<T>, H, E> {};
AMITY_UPCXX_HASHED_SET(std::unordered_set)
AMITY_UPCXX_HASHED_SET(std::unordered_multiset)
#undef AMITY_UPCXX_HASHED_SET
#define AMITY_UPCXX_HASHED_MAP(C)                                                                      \
  template <class K, class V, class H, class E, class A>                                               \
  struct serialization_traits<C<K, V, H, E, A>>                                                        \
      : detail::common_traits<C<K, V, H, E, A>>,                                                       \
        detail::by_ordered<C<K, V, H, E, A>,                                                           \
                           C<detail::there<K>, detail::there<V>, H, E,                                 \
                             detail::rebound<A, std::pair<const detail::there<K>, detail::there<V>>>>, \
                           detail::definitely<K> && detail::definitely<V>, H, E> {};
AMITY_UPCXX_HASHED_MAP(std::unordered_map)
AMITY_UPCXX_HASHED_MAP(std::unordered_multimap)
#undef AMITY_UPCXX_HASHED_MAP

}  // namespace upcxx
