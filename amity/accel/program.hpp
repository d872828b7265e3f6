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
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
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

/// What a program is made from; source, file and binary make one.
struct program_source {
  /// A text, a file with a text, or what program::binary() gave.
  enum class kind : std::uint8_t { text, file, binary };
  kind is = kind::text;           ///< which of them it is
  std::string text;               ///< the text, or the path of the file
  std::vector<std::byte> binary;  ///< from program::binary()
};
/// A program from its text.
[[nodiscard]] inline program_source source(std::string text) {
  return {program_source::kind::text, std::move(text), {}};
}
/// A program from a file with its text. The file is read by device::program; a relative path is one of the calling
/// process's folder, also for a device of another process.
[[nodiscard]] inline program_source file(std::string path) { return {program_source::kind::file, std::move(path), {}}; }
/// A program from what program::binary() gave, for a device of the same kind and driver.
[[nodiscard]] inline program_source binary(std::vector<std::byte> bytes) {
  return {program_source::kind::binary, {}, std::move(bytes)};
}

/// How a program is compiled.
struct build_options {
  /// Macros and their values, which are taken as they are: blanks, quotes and the like are part of them. An empty one
  /// is 1, as with -DNAME; a blank is one of nothing.
  std::vector<std::pair<std::string, std::string>> defines{};
  std::vector<std::string> includes{};  ///< folders in which `#include` looks
  std::vector<std::string> options{};   ///< more options of the compiler's, each by itself
};

/// How a kernel is launched: `grid` blocks of `block` work items each.
struct launch_options {
  dim3 grid{1};                              ///< how many blocks
  dim3 block{1};                             ///< how many work items each block has
  std::size_t shared_bytes = 0;              ///< bytes of local memory of a block, where the kernel takes some
  stream on{};                               ///< the stream it runs in (stream.hpp); none: one is chosen
  std::vector<shared_future<void>> after{};  ///< the launch waits for these, too, and fails with an error of theirs
};

/// Local memory of a block, as an argument of an OpenCL kernel: `local<float>{64}` is room for 64 of float.
template <class T>
struct local {
  std::size_t count;  ///< how many elements
};

namespace detail {

template <class P>
struct parameter_of {
  static_assert(std::is_trivially_copyable_v<P> && !std::is_pointer_v<P> && !std::is_reference_v<P>,
                "accel::kernel: a parameter is const T*, T*, local<T>, or goes by value as bytes");
  static parameter get() { return {parameter::kind::value, false, sizeof(P), name_of<P>()}; }
  /// As OpenCL C calls such a type; "": it has no such type.
  template <class T>
  static std::string name_of() {
    if constexpr (std::is_same_v<T, bool>)
      return "bool";
    else if constexpr (std::is_enum_v<T>)
      return name_of<std::underlying_type_t<T>>();
    else if constexpr (std::is_floating_point_v<T>)
      return name_of_floating(sizeof(T), std::numeric_limits<T>::digits);
    else if constexpr (std::is_integral_v<T>)
      return name_of_integer(sizeof(T), std::is_unsigned_v<T>);
    else
      return "";
  }
  static std::string name_of_floating(std::size_t bytes, int digits) {
    constexpr int of_half = 11, of_float = 24, of_double = 53;
    if (bytes == 2 && digits == of_half) return "half";
    if (bytes == 4 && digits == of_float) return "float";
    return bytes == 8 && digits == of_double ? "double" : "";
  }
  static std::string name_of_integer(std::size_t bytes, bool is_unsigned) {
    const char* const name = bytes == 1 ? "char" : bytes == 2 ? "short" : bytes == 4 ? "int" : bytes == 8 ? "long" : "";
    return is_unsigned && *name != '\0' ? std::string("u") + name : name;
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
  static parameter get() {
    std::string const type = parameter_of<T>::template name_of<T>();
    return {parameter::kind::local, false, sizeof(T), type.empty() ? type : type + "*"};
  }
};

/// Collects the arguments of a launch, in two steps: all of them are laid down; then those that are still to come are
/// waited for. What a future brings is written by whoever keeps its promise, while the maker goes on: so nothing moves
/// any more by then (README.md, O6).
class launch_builder {
 public:
  /// Throws std::invalid_argument for sizes that no device can have.
  launch_builder(kernel_object& k, const launch_options& o) {
    amity::detail::thrown_here([&](auto& failure) { start(k, o, failure); });
  }
  /// Throws std::invalid_argument if the buffer is another device's.
  void add_buffer(buffer_object& b, bool writes) {
    amity::detail::thrown_here([&](auto& failure) { add_buffer(b, writes, failure); });
  }
  AMITY_API void add_value(const void* bytes, std::size_t n);
  /// Throws std::invalid_argument if a block has more local memory than the device.
  void add_local(std::size_t bytes) {
    amity::detail::thrown_here([&](auto& failure) { add_local(bytes, failure); });
  }
  /// Room for a value that is still to come; its place.
  [[nodiscard]] AMITY_API std::size_t room_for_value(std::size_t n);
  /// The value at `at` comes with `f`. Requires: all arguments are laid down.
  template <class P>
  void wait_for_value(const shared_future<P>& f, std::size_t at) {
    hold(*op_);
    static_cast<void>(f.then(amity::launch::sync, [op = op_.get(), at](shared_future<P> ready) noexcept {
      try {
        std::memcpy(op->values.data() + at, &ready.get(), sizeof(P));
      } catch (...) {
        blame(*op, std::current_exception());
      }
      let_go(*op);
    }));
  }
  /// Lays all of them down, then waits for those that are still to come.
  template <class... Given>
  void add_all(Given&... given) {
    (given.add_to(*this), ...);
    (given.wait_in(*this), ...);
  }
  [[nodiscard]] AMITY_API future<void> begin();
  /// Not begun: of a graph.
  [[nodiscard]] ref<operation> part() noexcept { return std::move(op_); }

 private:
  AMITY_API void start(kernel_object& k, const launch_options& o, std::exception_ptr& failure) noexcept;
  AMITY_API void add_buffer(buffer_object& b, bool writes, std::exception_ptr& failure) noexcept;
  AMITY_API void add_local(std::size_t bytes, std::exception_ptr& failure) noexcept;

  ref<operation> op_;
  std::vector<shared_future<void>> after_;
};

/// What stands for a parameter at a launch: a value, or a future of one.
template <class P>
class given {
 public:
  template <class U>
  requires std::is_convertible_v<U, P> given(U&& value)
      : value_(static_cast<P>(std::forward<U>(value))) {}  // NOLINT: it stands for P
  given(future<P>&& value) : is_later_(true) {
    if (value.valid()) later_ = std::move(value).share();
  }
  given(const shared_future<P>& value) : later_(value), is_later_(true) {}

  void add_to(launch_builder& to) {
    if (!is_later_) return to.add_value(&value_, sizeof(P));
    if (!later_.valid()) throw std::invalid_argument("an argument of a launch is a future of nothing");
    at_ = to.room_for_value(sizeof(P));
  }
  void wait_in(launch_builder& of) const {
    if (is_later_) of.wait_for_value(later_, at_);
  }
  [[nodiscard]] bool is_later() const noexcept { return is_later_; }

 private:
  P value_{};
  shared_future<P> later_;
  std::size_t at_ = 0;  ///< of what is still to come: its place among the values
  bool is_later_ = false;
};
template <class T>
class given<T*> {
 public:
  given(const buffer<std::remove_const_t<T>>& b) noexcept : buffer_(b) {}  // NOLINT: it stands for T*
  void add_to(launch_builder& to) const { to.add_buffer(buffer_.object(), !std::is_const_v<T>); }
  void wait_in(launch_builder&) const noexcept {}
  [[nodiscard]] static bool is_later() noexcept { return false; }

 private:
  const buffer<std::remove_const_t<T>>& buffer_;
};
template <class T>
class given<local<T>> {
 public:
  // So many that no address reaches them: more than any device has.
  given(local<T> l) noexcept  // NOLINT: it stands for local<T>
      : bytes_(l.count <= SIZE_MAX / sizeof(T) ? l.count * sizeof(T) : SIZE_MAX) {}
  void add_to(launch_builder& to) const { to.add_local(bytes_); }
  void wait_in(launch_builder&) const noexcept {}
  [[nodiscard]] static bool is_later() noexcept { return false; }

 private:
  std::size_t bytes_;
};

}  // namespace detail

/// A kernel of a program, by its signature: `kernel<void(const float*, float*, int)>`. program::kernel gives it. A
/// handle: copies mean the same kernel.
template <class Signature>
class kernel;
/// A kernel with the parameters P: `const T*` for a buffer<T> that it reads, `T*` for one that it may write, `local<T>`
/// for local memory, anything else for a value that is copied as bytes.
template <class... P>
class kernel<void(P...)> {
 public:
  /// Of no program, like one that was moved from: its launch throws empty_handle.
  kernel() noexcept = default;
  /// For code that builds on it.
  explicit kernel(detail::ref<detail::kernel_object> k) noexcept : of_(std::move(k)) {}
  /// It is of a program.
  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(of_); }

  /// Launches it: after the build, and after the operations before it on its buffers. Returns at once; the future is
  /// ready at its end. For a value a future of one may be given, for which the launch waits. A finish around the call
  /// waits for the launch.
  ///
  /// Throws std::invalid_argument if a size is 0 or larger than the device can have, more local memory is asked for
  /// than a block can have, the stream or a buffer is of another device, or a future is empty; empty_handle for a
  /// buffer of no memory. The future fails with build_error if the program could not be built; with kernel_error
  /// if it has no such kernel, or one of other parameters; with device_error; and with the error of what it has
  /// waited for.
  future<void> operator()(const launch_options& how, detail::given<P>... arguments) const {
    detail::launch_builder made(object(), how);
    made.add_all(arguments...);
    return made.begin();
  }
  /// For code that builds on it. Throws empty_handle.
  [[nodiscard]] detail::kernel_object& object() const { return detail::behind_handle(of_.get(), "a kernel"); }

 private:
  detail::ref<detail::kernel_object> of_;
};

namespace detail {
[[nodiscard]] AMITY_API future<void> end_of_build(program_object& p);
[[nodiscard]] AMITY_API future<std::vector<std::string>> names_of_kernels(program_object& p);
[[nodiscard]] AMITY_API future<std::vector<std::byte>> binary_of(program_object& p);
}  // namespace detail

/// A program on a device, which device::program has begun to build. A handle: copies mean the same program, which lives
/// as long as one of them or one of its kernels.
class program {
 public:
  /// Of no device, like one that was moved from: what is asked of it throws empty_handle.
  program() noexcept = default;
  /// For code that builds on it.
  explicit program(detail::ref<detail::program_object> p) noexcept : of_(std::move(p)) {}
  /// It is on a device.
  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(of_); }

  /// Ready when the program is built; fails with build_error. Launches wait for that by themselves.
  [[nodiscard]] future<void> build() const { return detail::end_of_build(object()); }
  /// A kernel by its name: `program.kernel<void(const float*, float*)>("twice")`. Does not wait for the build. Where
  /// the program has no such kernel, or one of other parameters, the futures of its launches fail with kernel_error.
  template <class Signature>
  [[nodiscard]] accel::kernel<Signature> kernel(std::string name) const {
    return make_kernel(std::move(name), static_cast<Signature*>(nullptr));
  }
  /// For code that builds on it: a kernel whose caller does not say what it takes.
  [[nodiscard]] detail::ref<detail::kernel_object> untyped_kernel(std::string name) const {
    return detail::ref<detail::kernel_object>::adopt(
        new detail::kernel_object(own(), std::move(name), detail::kernel_object::unchecked));
  }
  /// The names of all kernels, when the program is built. The future fails with build_error.
  [[nodiscard]] future<std::vector<std::string>> kernel_names() const { return detail::names_of_kernels(object()); }
  /// What was built, as bytes for accel::binary(): so another process or a later run need not compile. The future fails
  /// with build_error, device_error.
  [[nodiscard]] future<std::vector<std::byte>> binary() const { return detail::binary_of(object()); }

 private:
  [[nodiscard]] detail::program_object& object() const { return detail::behind_handle(of_.get(), "a program"); }
  [[nodiscard]] detail::ref<detail::program_object> own() const {
    return detail::ref<detail::program_object>::to(&object());
  }
  template <class... P>
  [[nodiscard]] accel::kernel<void(P...)> make_kernel(std::string name, void (*)(P...)) const {
    return accel::kernel<void(P...)>(detail::ref<detail::kernel_object>::adopt(new detail::kernel_object(
        own(), std::move(name), std::vector<detail::parameter>{detail::parameter_of<P>::get()...})));
  }

  detail::ref<detail::program_object> of_;
};

}  // namespace amity::accel
