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
/// Known without help: numbers and enumerations, pair, tuple, optional, variant, array, unique_ptr, strings, the
/// containers of the standard library and such as behave like them, whatever they are made of; views of elements (span,
/// string_view, const char* with a 0 at the end), which arrive as views of the message; functions of the program. A
/// class that can be copied as bytes travels so. Another one, or one whose bytes mean nothing elsewhere, has functions
/// for it: customization.hpp.
///
/// What names memory of this process does not compile, with a sentence (form.hpp). That is seen wherever the standard
/// library's types hold it, but not within the members of other classes: there a pointer is copied as the number that
/// it is.
///
/// What is read is checked: a length is never believed beyond the bytes that are there, a bool is 0 or 1, an
/// alternative exists. Of a class that travels as bytes nothing more than its size is.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "amity/base/copy_bytes.hpp"
#include "amity/base/language.hpp"
#include "amity/base/stack_pointer.hpp"
#include "amity/net/buffers.hpp"
#include "amity/net/code.hpp"
#include "amity/net/form.hpp"

namespace amity {

/// Bytes that don't make the object which they should be. in_archive throws it; where a call's arguments or its result
/// come so, the call's future does.
struct bad_message : std::runtime_error {
  /// `what`: which object, and what is wrong.
  explicit bad_message(const std::string& what) : std::runtime_error("a message makes no sense: " + what) {}
};

namespace net::detail {

/// Below this address objects within objects would use up the calling fiber's stack.
[[nodiscard]] AMITY_API const std::byte* deepest_nesting() noexcept;

/// The container within a stack, a queue, a priority_queue.
template <class A>
struct inner_container : A {
  static typename A::container_type& of(A& a) { return a.*&inner_container::c; }
};

/// What makes one of these at a time: a large object is not to lie on the stack on its way.
inline constexpr std::size_t most_on_stack = 4096;

}  // namespace net::detail

/// Objects become bytes, one after the other. Programs meet it as the argument of their `serialize` or `save`; calls
/// and collective operations make it. Small messages lie in the object itself, larger ones in the heap. For one thread
/// at a time. Never blocks.
class out_archive {
 public:
  /// This archive writes. A `serialize` that takes either one asks by `if constexpr (Archive::is_saving)`.
  static constexpr bool is_saving = true, is_loading = false;

  out_archive() noexcept = default;
  out_archive(const out_archive&) = delete;
  out_archive& operator=(const out_archive&) = delete;
  ~out_archive() { net::give_buffer(larger_); }

  /// Writes all of these, in their order. Throws std::length_error where objects lie within objects too deep for the
  /// calling fiber's stack, std::invalid_argument for a function that is in no program or library, std::bad_alloc, and
  /// what a class's own functions throw.
  template <class... T>
  out_archive& operator()(const T&... objects) {
    (put(objects), ...);
    return *this;
  }
  /// Writes one object, as `ar(object)` does.
  template <class T>
  out_archive& operator&(const T& object) {
    return (*this)(object);
  }
  /// Writes one object, as `ar(object)` does.
  template <class T>
  out_archive& operator<<(const T& object) {
    return (*this)(object);
  }

  /// Writes `size` bytes as they are; a reader takes them by in_archive::need. Throws std::bad_alloc.
  void write(const void* bytes, std::size_t size) {
    if (size > room_ - size_) grow(size);
    base::copy_bytes(data() + size_, bytes, size);
    size_ += size;
  }

  /// The bytes that were written so far; they may move at the next write.
  [[nodiscard]] std::byte* data() noexcept { return larger_ != nullptr ? larger_ : small_; }
  /// How many bytes were written so far.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// The memory in the heap that the bytes lie in, which is the caller's from now on, until it is given to
  /// net::send_owned or net::give_buffer. Null: the bytes are few, and stay in this object.
  [[nodiscard]] std::byte* release() noexcept { return std::exchange(larger_, nullptr); }

 private:
  void grow(std::size_t size) {
    std::size_t const room = std::max(room_ * 2, size_ + size);
    std::byte* const larger = net::take_sendable(room);
    if (larger == nullptr) throw std::bad_alloc();
    base::copy_bytes(larger, data(), size_);
    net::give_buffer(std::exchange(larger_, larger));
    room_ = room;
  }

  template <class T>
  void put(const T& object) {
    using namespace net::detail;
    constexpr form its = form_of<T>;
    if constexpr (can_travel<T, false>) {
      if constexpr (its == form::bytes || its == form::boolean) {
        write(std::addressof(object), sizeof(T));
      } else if constexpr (its == form::custom) {
        if (base::stack_pointer() < deepest_) check_depth();
        write_custom(*this, object);
      } else if constexpr (its == form::parts) {
        std::apply([this](const auto&... each) { (this->put(each), ...); }, object);
      } else if constexpr (its == form::array) {
        for (const auto& each : object) put(each);
      } else if constexpr (its == form::container) {
        put_container(object);
      } else if constexpr (its != form::nothing) {
        put_other(object);
      }
    }
  }

  template <class C>
  void put_container(const C& c) {
    using namespace net::detail;
    using element = typename element_of<C>::type;
    std::uint64_t size = 0;
    if constexpr (requires { c.size(); })
      size = c.size();
    else
      size = static_cast<std::uint64_t>(std::distance(c.begin(), c.end()));
    put(size);
    if constexpr (in_one_block<C> && form_of<element> == form::bytes) {
      write(c.data(), static_cast<std::size_t>(size) * sizeof(element));
    } else {
      for (auto&& each : c) {
        if constexpr (least_bytes<element>() == 0) put(true);  // so that the length can be believed
        put(static_cast<const typename C::value_type&>(each));
      }
    }
  }

  template <class T>
  void put_other(const T& object) {
    using namespace net::detail;
    constexpr form its = form_of<T>;
    if constexpr (its == form::optional) {
      put(object.has_value());
      if (object.has_value()) put(*object);
    } else if constexpr (its == form::unique) {
      put(object != nullptr);
      if (object != nullptr) put(*object);
    } else if constexpr (its == form::variant) {
      put(static_cast<std::uint32_t>(object.index()));
      std::visit([this](const auto& each) { this->put(each); }, object);
    } else if constexpr (its == form::view) {
      using element = std::remove_cv_t<typename T::value_type>;
      put(static_cast<std::uint64_t>(object.size()));
      constexpr std::byte nothing[most_aligned]{};
      write(nothing, (alignof(element) - size_ % alignof(element)) % alignof(element));
      write(object.data(), object.size() * sizeof(element));
    } else if constexpr (its == form::text) {
      std::uint64_t const size = object != nullptr ? std::strlen(object) + 1 : 0;  // with the 0 at its end
      put(size);
      write(object, static_cast<std::size_t>(size));
    } else if constexpr (its == form::function) {
      std::uint64_t const place = net::place_in_program(reinterpret_cast<const void*>(object));
      if (place == 0 && object != nullptr)
        throw std::invalid_argument("a function that is in no program or library can't be sent to another process");
      put(place);
    } else if constexpr (its == form::adaptor) {
      put(inner_container<T>::of(const_cast<T&>(object)));
    } else if constexpr (its == form::path) {
      put(object.native());
    } else if constexpr (its == form::wrapped) {
      if constexpr (requires { object.value; })
        put(object.value);
      else
        put(object.size);
    } else if constexpr (its == form::block) {
      write(object.data, static_cast<std::size_t>(object.size));
    } else {
      static_assert(its == form::base);
      put(*object.base_ptr);
    }
  }

  void check_depth() {
    if (deepest_ == unknown_depth()) deepest_ = net::detail::deepest_nesting();
    if (base::stack_pointer() < deepest_)
      throw std::length_error("objects within objects, too deep for this stack, can't be sent to another process");
  }
  static const std::byte* unknown_depth() noexcept { return reinterpret_cast<const std::byte*>(~std::uintptr_t{0}); }

  std::byte* larger_ = nullptr;
  std::size_t size_ = 0, room_ = sizeof small_;
  alignas(16) std::byte small_[1256];  ///< a call with 1 KiB of arguments, and its heads
  const std::byte* deepest_ = unknown_depth();
};

/// Bytes become objects, in the order in which they were written. Programs meet it as the argument of their `serialize`
/// or `load`. The bytes must stay as long as the archive, and as long as views that were read from it are used. For one
/// thread at a time. Never blocks.
class in_archive {
 public:
  /// This archive reads. A `serialize` that takes either one asks by `if constexpr (Archive::is_loading)`.
  static constexpr bool is_saving = false, is_loading = true;

  /// Reads `size` bytes from `bytes` on; the first `skipped` of them were read already. Where views (std::span,
  /// std::string_view) are among the objects, `bytes` must be aligned to 16.
  in_archive(const std::byte* bytes, std::size_t size, std::size_t skipped = 0) noexcept
      : begin_(bytes), at_(bytes + skipped), end_(bytes + size) {}

  /// Reads all of these, in their order. Throws bad_message where the bytes don't make them, and what a class's own
  /// functions throw; objects that were read by then keep their new values.
  template <class... T>
  in_archive& operator()(T&&... objects) {
    (get(objects), ...);
    return *this;
  }
  /// Reads one object, as `ar(object)` does.
  template <class T>
  in_archive& operator&(T&& object) {
    return (*this)(object);
  }
  /// Reads one object, as `ar(object)` does.
  template <class T>
  in_archive& operator>>(T&& object) {
    return (*this)(object);
  }

  /// Reads a new T. Throws as `ar(object)` does.
  template <class T>
  [[nodiscard]] T make() {
    using namespace net::detail;
    constexpr form its = form_of<T>;
    if constexpr (!can_travel<T>) {
      std::terminate();  // not compiled
    } else if constexpr (its == form::bytes) {
      return make_of_bytes<T>(need(sizeof(T)));
    } else if constexpr (its == form::boolean) {
      return make_bool();
    } else if constexpr (std::is_null_pointer_v<T>) {
      return nullptr;
    } else if constexpr (its == form::nothing && copied_as_bytes<T>) {
      alignas(T) constexpr std::byte memory[sizeof(T)]{};
      return *std::launder(reinterpret_cast<const T*>(memory));  // a closure without captures has no other constructor
    } else if constexpr (its == form::view) {
      return make_view<T>();
    } else if constexpr (its == form::parts) {
      return make_of_parts<T>(std::make_index_sequence<std::tuple_size_v<T>>());
    } else if constexpr (its == form::array && !std::is_default_constructible_v<T>) {
      return make_of_parts<T>(std::make_index_sequence<std::tuple_size_v<T>>());
    } else if constexpr (its == form::variant) {
      return make_variant<T>(std::make_index_sequence<std::variant_size_v<T>>());
    } else if constexpr (its == form::custom) {
      T object = access::make<T>();
      get(object);
      return object;
    } else {
      T object{};
      get(object);
      return object;
    }
  }

  /// How many bytes were not read yet.
  [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }
  /// The next `size` bytes, which count as read and stay where they are. Throws bad_message where fewer are left.
  [[nodiscard]] const std::byte* need(std::size_t size) {
    if (size > left())
      throw bad_message(std::to_string(size) + " bytes are needed, and " + std::to_string(left()) + " are left");
    return std::exchange(at_, at_ + size);
  }

 private:
  /// `from` need not be aligned.
  template <class T>
  static T make_of_bytes(const std::byte* from) {
    if constexpr (sizeof(T) <= net::detail::most_on_stack) {
      alignas(T) std::byte memory[sizeof(T)];
      std::memcpy(memory, from, sizeof(T));
      return *std::launder(reinterpret_cast<T*>(memory));  // trivially copied
    } else {
      if (reinterpret_cast<std::uintptr_t>(from) % alignof(T) == 0)
        return *std::launder(reinterpret_cast<const T*>(from));
      struct room {
        alignas(T) std::byte bytes[sizeof(T)];
      };
      std::unique_ptr<room> const aligned(new room);
      base::copy_bytes(aligned->bytes, from, sizeof(T));
      return *std::launder(reinterpret_cast<const T*>(aligned->bytes));
    }
  }

  bool make_bool() {
    auto const byte = std::to_integer<unsigned>(*need(1));
    if (byte > 1) throw bad_message("a bool that is neither true nor false");
    return byte != 0;
  }

  template <class V>
  V make_view() {
    using element = typename V::value_type;
    auto const size = make<std::uint64_t>();
    auto const before = static_cast<std::size_t>(at_ - begin_);
    static_cast<void>(need((alignof(element) - before % alignof(element)) % alignof(element)));
    if (size > left() / sizeof(element)) throw_too_long(size);
    if constexpr (requires { V::extent; }) {
      if (V::extent != std::dynamic_extent && size != V::extent)
        throw bad_message(std::to_string(size) + " elements for a span of " + std::to_string(V::extent));
    }
    const std::byte* const first = need(static_cast<std::size_t>(size) * sizeof(element));
    if constexpr (std::is_same_v<element, bool>) {
      if (std::any_of(first, first + size, [](std::byte b) { return std::to_integer<unsigned>(b) > 1; }))
        throw bad_message("a bool that is neither true nor false");
    }
    using pointer = std::remove_reference_t<decltype(*std::declval<V>().data())>*;
    return V(reinterpret_cast<pointer>(const_cast<std::byte*>(first)), static_cast<std::size_t>(size));
  }

  template <class T, std::size_t... I>
  T make_of_parts(std::index_sequence<I...>) {
    // Braces: from the first to the last.
    return T{make<std::remove_cv_t<std::tuple_element_t<I, T>>>()...};
  }

  template <class T, std::size_t... I>
  T make_variant(std::index_sequence<I...>) {
    using maker = T (*)(in_archive&);
    static constexpr maker makers[] = {[](in_archive& in) {
      return T(std::in_place_index<I>, in.make<std::remove_cv_t<std::variant_alternative_t<I, T>>>());
    }...};
    return makers[alternative_below(sizeof...(I))](*this);
  }
  template <class T, std::size_t... I>
  void get_variant(T& object, std::index_sequence<I...>) {
    using setter = void (*)(in_archive&, T&);
    static constexpr setter setters[] = {[](in_archive& in, T& at) {
      at.template emplace<I>(in.make<std::remove_cv_t<std::variant_alternative_t<I, T>>>());
    }...};
    setters[alternative_below(sizeof...(I))](*this, object);
  }
  std::uint32_t alternative_below(std::size_t n) {
    auto const index = make<std::uint32_t>();
    if (index >= n) throw bad_message("alternative " + std::to_string(index) + " of a variant");
    return index;
  }

  template <class T>
  void get(T& object) {
    using namespace net::detail;
    static_assert(!std::is_const_v<T>, "what is read into must not be const");
    constexpr form its = form_of<T>;
    if constexpr (!std::is_const_v<T> && can_travel<T, false>) {
      if constexpr (its == form::bytes) {
        base::copy_bytes(static_cast<void*>(std::addressof(object)), need(sizeof(T)), sizeof(T));
      } else if constexpr (its == form::boolean) {
        object = make_bool();
      } else if constexpr (its == form::custom) {
        if (base::stack_pointer() < deepest_) check_depth();
        read_custom(*this, object);
      } else if constexpr (its == form::parts && !std::is_move_assignable_v<T>) {
        T made = make<T>();  // parts of it are const: a new one in its place
        std::destroy_at(std::addressof(object));
        std::construct_at(std::addressof(object), std::move(made));
      } else if constexpr (its == form::parts) {
        std::apply([this](auto&... each) { (this->get(each), ...); }, object);
      } else if constexpr (its == form::array) {
        for (auto& each : object) get(each);
      } else if constexpr (its == form::container) {
        get_container(object, make<std::uint64_t>());
      } else if constexpr (its != form::nothing) {
        get_other(object);
      }
    }
  }

  template <class T>
  void get_other(T& object) {
    using namespace net::detail;
    constexpr form its = form_of<T>;
    if constexpr (its == form::optional) {
      using value = std::remove_cv_t<typename T::value_type>;
      object.reset();
      if (!make_bool()) return;
      if constexpr (sizeof(value) > most_on_stack && std::is_default_constructible_v<value>)
        get(object.emplace());
      else
        object.emplace(make<value>());
    } else if constexpr (its == form::unique) {
      using value = std::remove_cv_t<typename T::element_type>;
      object.reset();
      if (make_bool()) object.reset(new value(make<value>()));
    } else if constexpr (its == form::view) {
      object = make<T>();
    } else if constexpr (its == form::variant) {
      get_variant(object, std::make_index_sequence<std::variant_size_v<T>>());
    } else if constexpr (its == form::text) {
      auto const size = make<std::uint64_t>();
      if (size > left()) throw_too_long(size);
      const std::byte* const first = need(static_cast<std::size_t>(size));
      if (size != 0 && first[size - 1] != std::byte{}) throw bad_message("a text without an end");
      object = size != 0 ? reinterpret_cast<const char*>(first) : nullptr;
    } else if constexpr (its == form::function) {
      auto const place = make<std::uint64_t>();
      const void* const at = place != 0 ? net::address_in_program(place, true) : nullptr;
      if (at == nullptr && place != 0) throw bad_message("a function that this process does not have");
      object = reinterpret_cast<T>(const_cast<void*>(at));
    } else if constexpr (its == form::adaptor) {
      get(inner_container<T>::of(object));
    } else if constexpr (its == form::path) {
      object = T(make<typename T::string_type>());
    } else if constexpr (its == form::wrapped) {
      if constexpr (requires { object.value; })
        get(object.value);
      else
        get(object.size);
    } else if constexpr (its == form::block) {
      base::copy_bytes(object.data, need(static_cast<std::size_t>(object.size)), static_cast<std::size_t>(object.size));
    } else {
      static_assert(its == form::base);
      get(*object.base_ptr);
    }
  }

  template <class C>
  void get_container(C& object, std::uint64_t size) {
    using namespace net::detail;
    using element = typename element_of<C>::type;
    constexpr std::size_t least = least_bytes<element>();
    object.clear();
    if (size > left() / (least != 0 ? least : 1)) throw_too_long(size);
    if constexpr (in_one_block<C> && form_of<element> == form::bytes) {
      auto const n = static_cast<std::size_t>(size);
      object.resize(n);
      base::copy_bytes(object.data(), need(n * sizeof(element)), n * sizeof(element));
    } else if constexpr (requires { object.before_begin(); }) {
      auto last = object.before_begin();
      for (std::uint64_t i = 0; i < size; ++i) last = object.insert_after(last, make_element<element>());
    } else {
      if constexpr (requires { object.reserve(std::size_t{}); } && sizeof(element) <= 16 * least)
        object.reserve(static_cast<std::size_t>(size));
      for (std::uint64_t i = 0; i < size; ++i) {
        if constexpr (requires { object.push_back(make_element<element>()); })
          object.push_back(make_element<element>());
        else
          object.insert(object.end(), make_element<element>());
      }
    }
  }
  template <class T>
  T make_element() {
    if constexpr (net::detail::least_bytes<T>() == 0) static_cast<void>(make_bool());
    return make<T>();
  }

  void check_depth() {
    if (deepest_ == unknown_depth()) deepest_ = net::detail::deepest_nesting();
    if (base::stack_pointer() < deepest_) throw bad_message("objects within objects, too deep for this stack");
  }
  static const std::byte* unknown_depth() noexcept { return reinterpret_cast<const std::byte*>(~std::uintptr_t{0}); }

  [[noreturn]] void throw_too_long(std::uint64_t size) const {
    throw bad_message("a sequence of " + std::to_string(size) + " elements, and " + std::to_string(left()) +
                      " bytes are left");
  }

  const std::byte* begin_;
  const std::byte* at_;
  const std::byte* end_;
  const std::byte* deepest_ = unknown_depth();
};

}  // namespace amity
