#pragma once

/// Objects as bytes, for other processes of the job.
///
///     struct point {
///       double x, y;
///       std::string name;
///       template <class Archive>
///       void serialize(Archive& ar) { ar(x, y, name); }      // as for cereal; HPX's `ar & x & y` as well
///     };
///
/// Known without help: what can be copied as bytes (no pointers and references, which mean nothing elsewhere), strings,
/// the containers of the standard library, pair, tuple, optional, variant, unique_ptr. A type of the user's has a
/// member `serialize(ar)`, or `serialize(ar, version)`, or members `save(ar) const` and `load(ar)`; or such a function
/// beside it, found by its arguments: `serialize(ar, object)`.
///
/// What is read is checked: a length is never believed beyond the bytes that are there.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "amity/base/copy_bytes.hpp"
#include "amity/base/language.hpp"
#include "amity/net/buffers.hpp"

namespace amity {

/// Bytes that don't make the object which they should be.
struct bad_message : std::runtime_error {
  /// `what`: which object, and what is wrong.
  explicit bad_message(const std::string& what) : std::runtime_error("a message makes no sense: " + what) {}
};

class out_archive;
class in_archive;

namespace net::detail {

template <class T>
inline constexpr bool is_pointer = std::is_pointer_v<T> || std::is_member_pointer_v<T> || std::is_null_pointer_v<T>;

template <class T, class Ar>
concept has_serialize = requires(T& x, Ar& ar) {
  x.serialize(ar);
};
template <class T, class Ar>
concept has_serialize_version = requires(T& x, Ar& ar) {
  x.serialize(ar, 0u);
};
template <class T, class Ar>
concept has_free_serialize = requires(T& x, Ar& ar) {
  serialize(ar, x);
};
template <class T, class Ar>
concept has_free_serialize_version = requires(T& x, Ar& ar) {
  serialize(ar, x, 0u);
};
template <class T>
concept has_save_and_load = requires(const T& x, T& y, out_archive& out, in_archive& in) {
  x.save(out);
  y.load(in);
};
template <class T>
concept has_free_save_and_load = requires(const T& x, T& y, out_archive& out, in_archive& in) {
  save(out, x);
  load(in, y);
};
template <class T, class Ar>
concept is_customized = has_serialize<T, Ar> || has_serialize_version<T, Ar> || has_free_serialize<T, Ar> ||
    has_free_serialize_version<T, Ar> || has_save_and_load<T> || has_free_save_and_load<T>;

/// Views of elements that go as bytes: they arrive as views of the message.
template <class T>
struct view_element {
  using type = void;
};
template <class T>
struct view_element<std::span<T>> {
  using type = T;
};
template <class C>
struct view_element<std::basic_string_view<C>> {
  using type = const C;
};
template <class T>
inline constexpr bool is_view = !std::is_void_v<typename view_element<T>::type>;

/// std::pair and std::tuple of such are not trivially copyable, closures with const members are not assignable; all of
/// them may be copied as bytes.
template <class T>
concept is_bytes = std::is_trivially_copy_constructible_v<T> && std::is_trivially_destructible_v<T> && !is_pointer<T> &&
                   !std::is_reference_v<T> && !std::is_empty_v<T>;
template <class T>
concept goes_as_bytes = is_bytes<T> && !is_view<T> && !is_customized<T, out_archive> && !is_customized<T, in_archive>;

template <class T>
struct is_array : std::false_type {};
template <class T, std::size_t N>
struct is_array<std::array<T, N>> : std::true_type {};
template <class T>
struct is_tuple : std::false_type {};
template <class... T>
struct is_tuple<std::tuple<T...>> : std::true_type {};
template <class A, class B>
struct is_tuple<std::pair<A, B>> : std::true_type {};
template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};
template <class T>
struct is_variant : std::false_type {};
template <class... T>
struct is_variant<std::variant<T...>> : std::true_type {};
template <class T>
struct is_unique : std::false_type {};
template <class T, class D>
struct is_unique<std::unique_ptr<T, D>> : std::bool_constant<!std::is_array_v<T>> {};

/// std::vector, std::map and the like.
template <class C>
concept is_container = requires(C& c, const C& k) {
  typename C::value_type;
  k.begin();
  k.end();
  k.size();
  c.clear();
};
template <class C>
concept is_block = is_container<C> && requires(C& c) {
  c.data();
  c.resize(std::size_t{});
};
template <class C>
concept has_push_back = requires(C& c, typename C::value_type x) {
  c.push_back(std::move(x));
};
template <class C>
concept is_map = requires {
  typename C::mapped_type;
};

template <class>
inline constexpr bool never = false;

}  // namespace net::detail

/// Objects become bytes, one after the other.
class out_archive {
 public:
  static constexpr bool is_saving = true, is_loading = false;

  out_archive() noexcept = default;
  out_archive(const out_archive&) = delete;
  out_archive& operator=(const out_archive&) = delete;
  ~out_archive() { net::give_buffer(larger_); }

  /// Writes all of these.
  template <class... T>
  out_archive& operator()(const T&... objects) {
    (put(objects), ...);
    return *this;
  }
  /// The same of one.
  template <class T>
  out_archive& operator&(const T& object) {
    return (*this)(object);
  }
  /// The same.
  template <class T>
  out_archive& operator<<(const T& object) {
    return (*this)(object);
  }

  /// Bytes as they are.
  void write(const void* bytes, std::size_t size) {
    if (size > room_ - size_) grow(size);
    base::copy_bytes(data() + size_, bytes, size);
    size_ += size;
  }

  [[nodiscard]] std::byte* data() noexcept { return larger_ != nullptr ? larger_ : small_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// The bytes, in memory from malloc, which is the caller's; null: they are few, and stay here.
  [[nodiscard]] std::byte* release() noexcept { return std::exchange(larger_, nullptr); }

 private:
  void grow(std::size_t size) {
    std::size_t const room = std::max(room_ * 2, size_ + size);
    std::byte* const larger = net::take_buffer(room);
    if (larger == nullptr) throw std::bad_alloc();
    base::copy_bytes(larger, data(), size_);
    net::give_buffer(std::exchange(larger_, larger));
    room_ = room;
  }

  template <class T>
  void put(const T& object) {
    using namespace net::detail;
    auto& plain = const_cast<T&>(object);  // a `serialize` that saves changes nothing
    if constexpr (has_serialize<T, out_archive>)
      plain.serialize(*this);
    else if constexpr (has_serialize_version<T, out_archive>)
      plain.serialize(*this, 0u);
    else if constexpr (has_save_and_load<T>)
      object.save(*this);
    else if constexpr (has_free_serialize<T, out_archive>)
      serialize(*this, plain);
    else if constexpr (has_free_serialize_version<T, out_archive>)
      serialize(*this, plain, 0u);
    else if constexpr (has_free_save_and_load<T>)
      save(*this, object);
    else if constexpr (is_view<T>)
      put_view(object);
    else if constexpr (goes_as_bytes<T>)
      write(std::addressof(object), sizeof(T));
    else if constexpr (std::is_empty_v<T>)
      return;
    else if constexpr (is_pointer<T>)
      static_assert(never<T>, "a pointer means nothing in another process: pass a value, or an amity::global_ptr");
    else
      put_known(object);
  }

  template <class V>
  void put_view(const V& view) {
    using element = std::remove_cv_t<typename net::detail::view_element<V>::type>;
    static_assert(net::detail::goes_as_bytes<element>, "a span travels as bytes: pass a container of such elements");
    put(static_cast<std::uint64_t>(view.size()));
    constexpr std::byte nothing[16]{};
    static_assert(alignof(element) <= sizeof nothing);
    write(nothing, (alignof(element) - size_ % alignof(element)) % alignof(element));
    write(view.data(), view.size() * sizeof(element));
  }

  template <class T>
  void put_known(const T& object) {
    using namespace net::detail;
    if constexpr (is_array<T>::value) {
      for (const auto& each : object) put(each);
    } else if constexpr (is_tuple<T>::value) {
      std::apply([this](const auto&... each) { (put(each), ...); }, object);
    } else if constexpr (is_optional<T>::value) {
      put(object.has_value());
      if (object.has_value()) put(*object);
    } else if constexpr (is_variant<T>::value) {
      put(static_cast<std::uint32_t>(object.index()));
      std::visit([this](const auto& each) { put(each); }, object);
    } else if constexpr (is_unique<T>::value) {
      put(object != nullptr);
      if (object != nullptr) put(*object);
    } else if constexpr (is_container<T>) {
      put(static_cast<std::uint64_t>(object.size()));
      if constexpr (is_block<T>) {
        if constexpr (goes_as_bytes<typename T::value_type>)
          return write(object.data(), object.size() * sizeof(typename T::value_type));
      }
      for (auto&& each : object) put(static_cast<const typename T::value_type&>(each));
    } else {
      static_assert(never<T>,
                    "this type can't be sent to another process: give it a member "
                    "template <class Archive> void serialize(Archive& ar) { ar(its, members); }");
    }
  }

  std::byte* larger_ = nullptr;
  std::size_t size_ = 0, room_ = sizeof small_;
  alignas(16) std::byte small_[232];
};

/// Bytes become objects, in the order in which they were written.
class in_archive {
 public:
  static constexpr bool is_saving = false, is_loading = true;

  /// `bytes` is aligned to 16, as the archive was from which they come, where views are among the objects; `skipped` of
  /// them were read already.
  in_archive(const std::byte* bytes, std::size_t size, std::size_t skipped = 0) noexcept
      : begin_(bytes), at_(bytes + skipped), end_(bytes + size) {}

  /// Reads all of these. Throws bad_message.
  template <class... T>
  in_archive& operator()(T&&... objects) {
    (get(objects), ...);
    return *this;
  }
  /// The same of one.
  template <class T>
  in_archive& operator&(T& object) {
    return (*this)(object);
  }
  /// The same.
  template <class T>
  in_archive& operator>>(T& object) {
    return (*this)(object);
  }

  /// Makes a new one.
  template <class T>
  [[nodiscard]] T make() {
    using namespace net::detail;
    if constexpr (is_view<T>) {
      return make_view<T>();
    } else if constexpr (goes_as_bytes<T>) {
      alignas(T) std::byte memory[sizeof(T)];
      std::memcpy(memory, need(sizeof(T)), sizeof(T));
      return *std::launder(reinterpret_cast<T*>(memory));  // trivially copied
    } else if constexpr (std::is_empty_v<T> && std::is_trivially_copy_constructible_v<T>) {
      alignas(T) std::byte memory[sizeof(T)]{};
      return *std::launder(reinterpret_cast<T*>(memory));  // a closure without captures has no other constructor
    } else if constexpr (is_tuple<T>::value) {
      return make_tuple_of<T>(std::make_index_sequence<std::tuple_size_v<T>>());
    } else {
      static_assert(std::is_default_constructible_v<T>,
                    "a type that comes from another process needs a constructor without arguments");
      T object{};
      get(object);
      return object;
    }
  }

  [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }
  /// The next bytes, which stay where they are. Throws bad_message where there are fewer.
  [[nodiscard]] const std::byte* need(std::size_t size) {
    if (size > left())
      throw bad_message(std::to_string(size) + " bytes are needed, and " + std::to_string(left()) + " are left");
    return std::exchange(at_, at_ + size);
  }

 private:
  template <class V>
  V make_view() {
    using element = typename net::detail::view_element<V>::type;
    auto const size = make<std::uint64_t>();
    auto const before = static_cast<std::size_t>(at_ - begin_);
    static_cast<void>(need((alignof(element) - before % alignof(element)) % alignof(element)));
    if (size > left() / sizeof(element)) throw_too_long(size);
    const std::byte* const first = need(size * sizeof(element));
    return V(reinterpret_cast<element*>(const_cast<std::byte*>(first)), size);
  }

  template <class T, std::size_t... I>
  T make_tuple_of(std::index_sequence<I...>) {
    return T{make<std::remove_cv_t<std::tuple_element_t<I, T>>>()...};  // braces: from the first to the last
  }

  template <class T>
  void get(T& object) {
    using namespace net::detail;
    if constexpr (has_serialize<T, in_archive>)
      object.serialize(*this);
    else if constexpr (has_serialize_version<T, in_archive>)
      object.serialize(*this, 0u);
    else if constexpr (has_save_and_load<T>)
      object.load(*this);
    else if constexpr (has_free_serialize<T, in_archive>)
      serialize(*this, object);
    else if constexpr (has_free_serialize_version<T, in_archive>)
      serialize(*this, object, 0u);
    else if constexpr (has_free_save_and_load<T>)
      load(*this, object);
    else if constexpr (goes_as_bytes<T>)
      std::memcpy(static_cast<void*>(std::addressof(object)), need(sizeof(T)), sizeof(T));
    else if constexpr (std::is_empty_v<T>)
      return;
    else if constexpr (is_pointer<T>)
      static_assert(never<T>, "a pointer means nothing in another process: pass a value, or an amity::global_ptr");
    else
      get_known(object);
  }

  template <class T>
  void get_known(T& object) {
    using namespace net::detail;
    if constexpr (is_array<T>::value) {
      for (auto& each : object) get(each);
    } else if constexpr (is_tuple<T>::value) {
      std::apply([this](auto&... each) { (get(each), ...); }, object);
    } else if constexpr (is_optional<T>::value) {
      object.reset();
      if (make<bool>()) object.emplace(make<typename T::value_type>());
    } else if constexpr (is_variant<T>::value) {
      get_variant(object, make<std::uint32_t>(), std::make_index_sequence<std::variant_size_v<T>>());
    } else if constexpr (is_unique<T>::value) {
      object.reset();
      if (make<bool>()) object.reset(new typename T::element_type(make<typename T::element_type>()));
    } else if constexpr (is_container<T>) {
      get_container(object, make<std::uint64_t>());
    } else {
      static_assert(never<T>,
                    "this type can't come from another process: give it a member "
                    "template <class Archive> void serialize(Archive& ar) { ar(its, members); }");
    }
  }

  template <class T, std::size_t... I>
  void get_variant(T& object, std::uint32_t index, std::index_sequence<I...>) {
    bool const known =
        ((index == I && (object.template emplace<I>(make<std::variant_alternative_t<I, T>>()), true)) || ...);
    if (!known) throw bad_message("alternative " + std::to_string(index) + " of a variant");
  }

  template <class C>
  void get_container(C& object, std::uint64_t size) {
    using namespace net::detail;
    using value = typename C::value_type;
    object.clear();
    if constexpr (is_block<C> && goes_as_bytes<value>) {
      if (size > left() / sizeof(value)) throw_too_long(size);
      object.resize(static_cast<std::size_t>(size));
      base::copy_bytes(object.data(), need(size * sizeof(value)), size * sizeof(value));
    } else {
      // Empty elements take no bytes: their number is limited by what would fit in memory of the message's size.
      if (size > left() && !(std::is_empty_v<value> && size <= 1'000'000)) throw_too_long(size);
      for (std::uint64_t i = 0; i < size; ++i) {
        if constexpr (is_map<C>) {
          auto key = make<typename C::key_type>();
          object.emplace_hint(object.end(), std::move(key), make<typename C::mapped_type>());
        } else if constexpr (has_push_back<C>) {
          object.push_back(make<value>());
        } else {
          object.insert(object.end(), make<value>());
        }
      }
    }
  }

  [[noreturn]] void throw_too_long(std::uint64_t size) const {
    throw bad_message("a sequence of " + std::to_string(size) + " elements, and " + std::to_string(left()) +
                      " bytes are left");
  }

  const std::byte* begin_;
  const std::byte* at_;
  const std::byte* end_;
};

}  // namespace amity
