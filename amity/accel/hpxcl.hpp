#pragma once

/// The names of HPXCL ("Integration of CUDA Processing within the C++ library for parallelism and concurrency (HPX)",
/// Diehl, Seshadri, Heller, Kaiser, 2018), so that its programs need little more than another namespace. Not part of
/// amity/accel.hpp. All arguments of a kernel are buffers there, of bytes, and offsets and sizes are bytes.
///
///     using namespace amity::hpxcl;
///     std::vector<device> devices = get_all_devices(2, 0).get();
///     buffer values = devices[0].create_buffer(1000 * sizeof(unsigned)).get();
///     std::vector<amity::future<void>> futures;
///     futures.push_back(values.enqueue_write(0, 1000 * sizeof(unsigned), input));
///     program prog = devices[0].create_program_with_file("kernel.k").get();
///     futures.push_back(prog.build("sum"));
///     amity::wait_all(futures);
///     prog.run({values, result, length}, "sum", grid, block).get();

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/accel/device.hpp"
#include "amity/base/language.hpp"
#include "amity/future/wait.hpp"

namespace amity::hpxcl {

/// Sizes of grids and blocks, set one by one: `grid.x = 4`.
struct Dim3 {
  unsigned x = 1, y = 1, z = 1;  ///< the size in this dimension
  /// The same by Amity's names.
  [[nodiscard]] operator accel::dim3() const noexcept { return {x, y, z}; }
};

/// Bytes on a device. A handle: copies mean the same memory. Its operations are those of an accel::buffer of bytes,
/// with their order and errors: they return at once, and their futures fail with accel::device_error.
class buffer {
 public:
  /// Of no memory: its size is 0, and what is asked of it throws accel::empty_handle.
  buffer() noexcept = default;
  /// For code that builds on it.
  explicit buffer(accel::buffer<std::byte> b) noexcept : of_(std::move(b)) {}

  /// How many bytes it has; the future is ready at once.
  [[nodiscard]] future<std::size_t> size() const { return make_ready_future(of_.size()); }
  /// Writes `bytes` bytes from `data`, which stay as they are until the future is ready, to byte `offset` of the buffer
  /// and on. Throws std::out_of_range if the buffer ends before.
  future<void> enqueue_write(std::size_t offset, std::size_t bytes, const void* data) const {
    return of_.write(std::span(static_cast<const std::byte*>(data), bytes), offset);
  }
  /// Reads `bytes` bytes from byte `offset` on; the future gives them. Throws std::out_of_range if the buffer ends
  /// before.
  [[nodiscard]] future<std::vector<std::byte>> enqueue_read(std::size_t offset, std::size_t bytes) const {
    return of_.read(offset, bytes);
  }
  /// Reads `bytes` bytes from byte `offset` on, and waits for them; blocks the fiber. The array is the caller's, to be
  /// deleted by delete[]. Throws std::out_of_range, and what the operation fails with.
  template <class T>
  [[nodiscard]] T* enqueue_read_sync(std::size_t offset, std::size_t bytes) const {
    std::vector<std::byte> const read = enqueue_read(offset, bytes).get();
    auto* const values = new T[(bytes + sizeof(T) - 1) / sizeof(T)];
    std::memcpy(static_cast<void*>(values), read.data(), bytes);
    return values;
  }
  /// Copies the first `bytes` bytes of this buffer to the first of `to`; the devices may be any two. Throws
  /// std::out_of_range if one of them has fewer.
  future<void> p2p_copy(const buffer& to, std::size_t bytes) const { return accel::copy(of_, 0, to.of_, 0, bytes); }
  /// The same buffer by Amity's names.
  [[nodiscard]] const accel::buffer<std::byte>& get() const noexcept { return of_; }

  /// A handle may be an argument or a result of a remote call: it means the same memory there.
  friend void save(out_archive& out, const buffer& b) { save(out, b.of_); }
  /// Reads such a handle.
  friend void load(in_archive& in, buffer& b) { load(in, b.of_); }

 private:
  accel::buffer<std::byte> of_;
};

/// A program on a device, from a source or a file. For one thread at a time.
class program {
 public:
  /// For device::create_program_with_source and device::create_program_with_file.
  program(accel::device on, accel::program_source from) : on_(on), from_(std::move(from)) {}

  /// Builds the program with these options of the compiler; a task does it, and the future is ready when it is built.
  /// In HPXCL's order: first the options, then the names of the kernels that are wanted; all kernels are built,
  /// whatever the names. `debug` has no effect: HPXCL has its compiler add debugging information. The future fails with
  /// accel::build_error, also if the first of `flags` is no option: it does not begin with `-`.
  future<void> build(std::vector<std::string> flags, const std::vector<std::string>& names = {}, unsigned debug = 0) {
    static_cast<void>(names);
    static_cast<void>(debug);
    if (!flags.empty() && !flags.front().starts_with('-')) {
      std::string const what = "'" + flags.front() + "' is no option of a compiler: build(options, kernels)";
      return make_exceptional_future<void>(accel::build_error(what, what));
    }
    built_ = std::make_shared<accel::program>(on_.program(from_, {.options = std::move(flags)}));
    return built_->build();
  }
  /// The same for one kernel's name.
  template <class Name>
  requires std::is_convertible_v<const Name&, std::string> future<void> build(std::vector<std::string> flags,
                                                                              const Name& name, unsigned debug = 0) {
    return build(std::move(flags), std::vector<std::string>{std::string(name)}, debug);
  }
  /// The same without names.
  future<void> build(std::vector<std::string> flags, unsigned debug) {
    return build(std::move(flags), std::vector<std::string>(), debug);
  }
  /// The same in the order of the paper: first a kernel's name, then the options.
  template <class Name>
  requires std::is_convertible_v<const Name&, std::string> future<void> build(const Name& name,
                                                                              std::vector<std::string> flags = {}) {
    return build(std::move(flags), std::vector<std::string>{std::string(name)});
  }
  /// Gives the program another source, which is built by the next build(), or by run().
  void set_source(std::string text) {
    from_ = accel::source(std::move(text));
    built_.reset();
  }
  /// Launches a kernel, whose arguments are buffers that it may write; builds the program first if nobody has. `grid`
  /// blocks of `block` work items, with `shared_bytes` bytes of local memory each. Returns at once; the future is ready
  /// at the kernel's end. It fails with accel::kernel_error if there is no kernel of that name, or one of other
  /// parameters, and with accel::build_error. Throws std::invalid_argument if a size is 0 or more than the device
  /// takes, or a buffer is of another device.
  future<void> run(const std::vector<buffer>& arguments, const std::string& name, Dim3 grid, Dim3 block,
                   std::size_t shared_bytes = 0) {
    if (built_ == nullptr) static_cast<void>(build(name));
    auto const kernel = built_->untyped_kernel(name);
    accel::detail::launch_builder made(*kernel, {.grid = grid, .block = block, .shared_bytes = shared_bytes});
    for (const buffer& b : arguments) made.add_buffer(b.get().object(), true);
    return made.begin();
  }

 private:
  accel::device on_;
  accel::program_source from_;
  std::shared_ptr<accel::program> built_;
};

/// A device, here or of another process.
class device {
 public:
  /// Of no device: what is asked of it throws accel::empty_handle.
  device() noexcept = default;
  /// For code that builds on it.
  explicit device(accel::device d) noexcept : of_(d) {}

  /// A buffer of so many bytes; the future is ready at once. Throws accel::out_of_memory, accel::device_error.
  [[nodiscard]] future<buffer> create_buffer(std::size_t bytes) const {
    return make_ready_future(buffer(of_.allocate<std::byte>(bytes)));
  }
  /// A program from its text, which is to be built; the future is ready at once.
  [[nodiscard]] future<program> create_program_with_source(std::string text) const {
    return make_ready_future(program(of_, accel::source(std::move(text))));
  }
  /// A program from a file, which is to be built; the future is ready at once. The file is read by build(): one that
  /// can't be read makes that fail.
  [[nodiscard]] future<program> create_program_with_file(std::string path) const {
    return make_ready_future(program(of_, accel::file(std::move(path))));
  }
  /// Its number among the devices of its process; the future is ready at once.
  [[nodiscard]] future<int> get_device_id() const { return make_ready_future(of_.number()); }
  /// The first number of its capability (accel::device::capability); the future is ready at once.
  [[nodiscard]] future<int> get_device_architecture_major() const { return make_ready_future(of_.capability().first); }
  /// The second number of its capability; the future is ready at once.
  [[nodiscard]] future<int> get_device_architecture_minor() const { return make_ready_future(of_.capability().second); }
  /// All that its driver says of it: pairs of a name and a value. Throws accel::device_error.
  [[nodiscard]] auto get_extended_info() const { return of_.properties(); }
  /// The same as accel::device::synchronize, which says what it waits for.
  [[nodiscard]] future<void> wait() const { return of_.synchronize(); }
  /// The same device by Amity's names.
  [[nodiscard]] const accel::device& get() const noexcept { return of_; }

  /// A handle may be an argument or a result of a remote call: it means the same device there.
  friend void save(out_archive& out, const device& d) { save(out, d.of_); }
  /// Reads such a handle.
  friend void load(in_archive& in, device& d) { load(in, d.of_); }

 private:
  accel::device of_;
};

namespace detail {

[[nodiscard]] inline future<std::vector<device>> by_these_names(future<std::vector<accel::device>> found) {
  return found.then(launch::sync, [](future<std::vector<accel::device>> f) {
    std::vector<device> named;
    for (accel::device const d : f.get()) named.emplace_back(d);
    return named;
  });
}

}  // namespace detail

/// Devices of all processes whose capability is (major, minor) at least, compared as a pair. Otherwise as
/// accel::devices.
[[nodiscard]] inline future<std::vector<device>> get_all_devices(int major, int minor) {
  return detail::by_these_names(accel::devices({.capability = {major, minor}}));
}
/// Such devices of this process. Otherwise as accel::local_devices.
[[nodiscard]] inline future<std::vector<device>> get_local_devices(int major, int minor) {
  return detail::by_these_names(accel::local_devices({.capability = {major, minor}}));
}
/// Such devices of the other processes. Otherwise as accel::remote_devices.
[[nodiscard]] inline future<std::vector<device>> get_remote_devices(int major, int minor) {
  return detail::by_these_names(accel::remote_devices({.capability = {major, minor}}));
}

}  // namespace amity::hpxcl
