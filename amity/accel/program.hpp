#pragma once

/// Programs for devices, compiled at run time, and their kernels.
///
///     auto program = device.program(amity::accel::source(R"(
///       AMITY_KERNEL void twice(AMITY_GLOBAL const float* in, AMITY_GLOBAL float* out) {
///         out[AMITY_GLOBAL_ID(0)] = 2 * in[AMITY_GLOBAL_ID(0)];
///       })"));
///     auto twice = program.kernel<void(const float*, float*)>("twice");
///     twice({.grid = 10, .block = 100}, in, out);
///
/// The signature says what a launch does with its arguments: `const T*` is a buffer that is read, `T*` one that may be
/// written, numbers and plain structs go by value, `local<T>` is local memory of a block (OpenCL). It is compared with
/// the compiled kernel, where that can be asked.
///
/// Sources are OpenCL C, CUDA's C++, or the portable dialect (dialect.hpp), which every back-end compiles.

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/accel/buffer.hpp"
#include "amity/accel/dim3.hpp"
#include "amity/accel/kernel_object.hpp"
#include "amity/accel/stream.hpp"
#include "amity/base/language.hpp"

namespace amity::accel {

/// Where the text of a program is.
struct program_source {
  enum class kind : std::uint8_t { text, file, binary };
  kind is = kind::text;
  std::string text;               ///< or the path of a file
  std::vector<std::byte> binary;  ///< from program::binary()
};
/// The text itself.
[[nodiscard]] inline program_source source(std::string text) {
  return {program_source::kind::text, std::move(text), {}};
}
/// A file with the text.
[[nodiscard]] inline program_source file(std::string path) { return {program_source::kind::file, std::move(path), {}}; }
/// What program::binary() gave, for a device of the same kind and driver.
[[nodiscard]] inline program_source binary(std::vector<std::byte> bytes) {
  return {program_source::kind::binary, {}, std::move(bytes)};
}

/// How a program is compiled.
struct build_options {
  std::vector<std::pair<std::string, std::string>> defines{};  ///< macros and their values
  std::vector<std::string> includes{};                         ///< folders for #include
  std::vector<std::string> options{};                          ///< more options of the compiler's
};

/// How a kernel is launched: `grid` blocks of `block` work items each.
struct launch_options {
  dim3 grid{1};
  dim3 block{1};
  std::size_t shared_bytes = 0;              ///< local memory of a block, where the kernel takes some
  stream on{};                               ///< none: a stream is chosen
  std::vector<shared_future<void>> after{};  ///< further things that have to come before it
};

/// Local memory of a block, as an argument of an OpenCL kernel.
template <class T>
struct local {
  std::size_t count;  ///< elements
};

namespace detail {

template <class P>
struct parameter_of {
  static_assert(std::is_trivially_copyable_v<P> && !std::is_pointer_v<P> && !std::is_reference_v<P>,
                "accel::kernel: a parameter is const T*, T*, local<T>, or goes by value as bytes");
  static parameter get() { return {parameter::kind::value, false, sizeof(P), name_of<P>()}; }
  template <class T>
  static std::string name_of() {
    if constexpr (std::is_floating_point_v<T>)
      return sizeof(T) == 4 ? "float" : "double";
    else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
      return sizeof(T) == 1 ? "char" : sizeof(T) == 2 ? "short" : sizeof(T) == 4 ? "int" : "long";
    else
      return "";
  }
};
template <class T>
struct parameter_of<T*> {
  using element = std::remove_const_t<T>;
  static parameter get() {
    std::string const type = parameter_of<element>::template name_of<element>();
    return {parameter::kind::memory, !std::is_const_v<T>, sizeof(T), type.empty() ? type : type + "*"};
  }
};
template <class T>
struct parameter_of<local<T>> {
  static parameter get() { return {parameter::kind::local, false, sizeof(T), ""}; }
};

/// Collects the arguments of a launch.
class launch_builder {
 public:
  /// Throws std::invalid_argument for sizes that no device can have.
  launch_builder(kernel_object& k, const launch_options& o) {
    amity::detail::thrown_here([&](auto& failure) { start(k, o, failure); });
  }
  /// Throws std::invalid_argument where the buffer is another device's.
  void add_buffer(buffer_object& b, bool writes) {
    amity::detail::thrown_here([&](auto& failure) { add_buffer(b, writes, failure); });
  }
  AMITY_API void add_value(const void* bytes, std::size_t n);
  AMITY_API void add_local(std::size_t bytes);
  /// A value that is still to come: `bytes_of(arrived)` are put in its place.
  [[nodiscard]] operation& held() noexcept {
    hold(*op_);
    return *op_;
  }
  [[nodiscard]] AMITY_API std::size_t room_for_value(std::size_t n);
  [[nodiscard]] AMITY_API future<void> begin();
  /// Not begun: of a graph.
  [[nodiscard]] ref<operation> part() noexcept { return std::move(op_); }

 private:
  AMITY_API void start(kernel_object& k, const launch_options& o, std::exception_ptr& failure) noexcept;
  AMITY_API void add_buffer(buffer_object& b, bool writes, std::exception_ptr& failure) noexcept;

  ref<operation> op_;
};

/// What stands for a parameter at a launch: a value, or a future of one.
template <class P>
class given {
 public:
  template <class U>
  requires std::is_convertible_v<U, P> given(U&& value)
      : value_(static_cast<P>(std::forward<U>(value))) {}  // NOLINT: it stands for P
  given(future<P>&& value) : later_(std::move(value).share()), is_later_(true) {}
  given(const shared_future<P>& value) : later_(value), is_later_(true) {}

  void add_to(launch_builder& to) const {
    if (!is_later_) return to.add_value(&value_, sizeof(P));
    std::size_t const at = to.room_for_value(sizeof(P));
    static_cast<void>(later_.then(amity::launch::sync, [op = &to.held(), at](shared_future<P> f) noexcept {
      try {
        std::memcpy(op->values.data() + at, &f.get(), sizeof(P));
      } catch (...) {
        blame(*op, std::current_exception());
      }
      let_go(*op);
    }));
  }

 private:
  P value_{};
  shared_future<P> later_;
  bool is_later_ = false;
};
template <class T>
class given<T*> {
 public:
  given(const buffer<std::remove_const_t<T>>& b) noexcept : buffer_(b) {}  // NOLINT: it stands for T*
  void add_to(launch_builder& to) const { to.add_buffer(buffer_.object(), !std::is_const_v<T>); }

 private:
  const buffer<std::remove_const_t<T>>& buffer_;
};
template <class T>
class given<local<T>> {
 public:
  given(local<T> l) noexcept : bytes_(l.count * sizeof(T)) {}  // NOLINT
  void add_to(launch_builder& to) const { to.add_local(bytes_); }

 private:
  std::size_t bytes_;
};

}  // namespace detail

/// A kernel of a program. A handle.
template <class Signature>
class kernel;
template <class... P>
class kernel<void(P...)> {
 public:
  explicit kernel(detail::ref<detail::kernel_object> k) noexcept : of_(std::move(k)) {}

  /// Launches it: after the build, and after the operations before it on its buffers. The future is ready at its end.
  /// Throws std::invalid_argument where a size is 0 or larger than the device can have, or a buffer is another
  /// device's.
  future<void> operator()(const launch_options& how, detail::given<P>... arguments) const {
    detail::launch_builder made(*of_, how);
    (arguments.add_to(made), ...);
    return made.begin();
  }
  [[nodiscard]] detail::kernel_object& object() const noexcept { return *of_; }

 private:
  detail::ref<detail::kernel_object> of_;
};

/// A program on a device. A handle.
class program {
 public:
  explicit program(detail::ref<detail::program_object> p) noexcept : of_(std::move(p)) {}

  /// Ready when it is built; throws build_error.
  [[nodiscard]] AMITY_API future<void> build() const;
  /// A kernel by its name. A name that is not there arrives at the launch, as kernel_error.
  template <class Signature>
  [[nodiscard]] accel::kernel<Signature> kernel(std::string name) const {
    return make_kernel(std::move(name), static_cast<Signature*>(nullptr));
  }
  /// For those who build on it: a kernel whose caller does not say what it takes.
  [[nodiscard]] detail::ref<detail::kernel_object> untyped_kernel(std::string name) const {
    return detail::ref<detail::kernel_object>::adopt(
        new detail::kernel_object(of_, std::move(name), detail::kernel_object::unchecked));
  }
  /// The names of all kernels. Throws build_error.
  [[nodiscard]] AMITY_API future<std::vector<std::string>> kernel_names() const;
  /// What was built, for binary(). Throws build_error.
  [[nodiscard]] AMITY_API future<std::vector<std::byte>> binary() const;

 private:
  template <class... P>
  [[nodiscard]] accel::kernel<void(P...)> make_kernel(std::string name, void (*)(P...)) const {
    return accel::kernel<void(P...)>(detail::ref<detail::kernel_object>::adopt(new detail::kernel_object(
        of_, std::move(name), std::vector<detail::parameter>{detail::parameter_of<P>::get()...})));
  }

  detail::ref<detail::program_object> of_;
};

}  // namespace amity::accel
