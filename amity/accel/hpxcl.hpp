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

/// Sizes of grids and blocks. Each has to be set.
struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
  [[nodiscard]] operator accel::dim3() const noexcept { return {x, y, z}; }
};

/// Bytes on a device.
class buffer {
 public:
  buffer() noexcept = default;
  explicit buffer(accel::buffer<std::byte> b) noexcept : of_(std::move(b)) {}

  /// Bytes.
  [[nodiscard]] future<std::size_t> size() const { return make_ready_future(of_.size()); }
  /// `bytes` from `data`, which stays as it is until the future is ready, to `offset` of the buffer. Throws
  /// std::out_of_range.
  future<void> enqueue_write(std::size_t offset, std::size_t bytes, const void* data) const {
    return of_.write(std::span(static_cast<const std::byte*>(data), bytes), offset);
  }
  /// Throws std::out_of_range.
  [[nodiscard]] future<std::vector<std::byte>> enqueue_read(std::size_t offset, std::size_t bytes) const {
    return of_.read(offset, bytes);
  }
  /// Waits for the values; they are the caller's, to be deleted by delete[]. Throws std::out_of_range.
  template <class T>
  [[nodiscard]] T* enqueue_read_sync(std::size_t offset, std::size_t bytes) const {
    std::vector<std::byte> const read = enqueue_read(offset, bytes).get();
    auto* const values = new T[(bytes + sizeof(T) - 1) / sizeof(T)];
    std::memcpy(static_cast<void*>(values), read.data(), bytes);
    return values;
  }
  /// `bytes` of this one to `to`, at the same offsets, wherever the two are.
  future<void> p2p_copy(const buffer& to, std::size_t bytes) const { return accel::copy(of_, 0, to.of_, 0, bytes); }
  /// The same by Amity's names.
  [[nodiscard]] const accel::buffer<std::byte>& get() const noexcept { return of_; }

  friend void save(out_archive& out, const buffer& b) { save(out, b.of_); }
  friend void load(in_archive& in, buffer& b) { load(in, b.of_); }

 private:
  accel::buffer<std::byte> of_;
};

/// A program on a device.
class program {
 public:
  program(accel::device on, accel::program_source from) : on_(on), from_(std::move(from)) {}

  /// Builds it with these options of the compiler. HPXCL's order: first the options, then the kernels that are wanted;
  /// all are built. `debug`: HPXCL has its compiler add debugging information, which no compiler here needs. Throws
  /// accel::build_error by its future, also where the first text is no option.
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
  template <class Name>
  requires std::is_convertible_v<const Name&, std::string> future<void> build(std::vector<std::string> flags,
                                                                              const Name& name, unsigned debug = 0) {
    return build(std::move(flags), std::vector<std::string>{std::string(name)}, debug);
  }
  future<void> build(std::vector<std::string> flags, unsigned debug) {
    return build(std::move(flags), std::vector<std::string>(), debug);
  }
  /// As in the paper: for one kernel.
  template <class Name>
  requires std::is_convertible_v<const Name&, std::string> future<void> build(const Name& name,
                                                                              std::vector<std::string> flags = {}) {
    return build(std::move(flags), std::vector<std::string>{std::string(name)});
  }
  /// Another source, which is to be built.
  void set_source(std::string text) {
    from_ = accel::source(std::move(text));
    built_.reset();
  }
  /// Launches a kernel, which may write all of its buffers. Its future throws accel::kernel_error if there is none of
  /// that name. Throws std::invalid_argument where a size is 0 or more than the device takes.
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
  device() noexcept = default;
  explicit device(accel::device d) noexcept : of_(d) {}

  [[nodiscard]] future<buffer> create_buffer(std::size_t bytes) const {
    return make_ready_future(buffer(of_.allocate<std::byte>(bytes)));
  }
  [[nodiscard]] future<program> create_program_with_source(std::string text) const {
    return make_ready_future(program(of_, accel::source(std::move(text))));
  }
  /// A file that is not there arrives at build().
  [[nodiscard]] future<program> create_program_with_file(std::string path) const {
    return make_ready_future(program(of_, accel::file(std::move(path))));
  }
  [[nodiscard]] future<int> get_device_id() const { return make_ready_future(of_.number()); }
  [[nodiscard]] future<int> get_device_architecture_major() const { return make_ready_future(of_.capability().first); }
  [[nodiscard]] future<int> get_device_architecture_minor() const { return make_ready_future(of_.capability().second); }
  /// Names and values, as its driver has them.
  [[nodiscard]] auto get_extended_info() const { return of_.properties(); }
  /// When all that has been asked of it is over.
  [[nodiscard]] future<void> wait() const { return of_.synchronize(); }
  /// The same by Amity's names.
  [[nodiscard]] const accel::device& get() const noexcept { return of_; }

  friend void save(out_archive& out, const device& d) { save(out, d.of_); }
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

/// Devices of all processes whose capability is (major, minor) at least: compared as a pair.
[[nodiscard]] inline future<std::vector<device>> get_all_devices(int major, int minor) {
  return detail::by_these_names(accel::devices({.capability = {major, minor}}));
}
/// Those of this process.
[[nodiscard]] inline future<std::vector<device>> get_local_devices(int major, int minor) {
  return detail::by_these_names(accel::local_devices({.capability = {major, minor}}));
}
/// Those of the others.
[[nodiscard]] inline future<std::vector<device>> get_remote_devices(int major, int minor) {
  return detail::by_these_names(accel::remote_devices({.capability = {major, minor}}));
}

}  // namespace amity::hpxcl
