#pragma once

/// hpx::cuda as HPXCL's own programs write it. What differs from amity/accel/hpxcl.hpp: enqueue_write's offset is one
/// of the host's memory, sizes and pointers come at once by functions with `_sync`, and handles have ids.
///
///     #include <hpxcl/cuda.hpp>                // -I PREFIX/include/amity/accel/hpxcl/compat
///     std::vector<hpx::cuda::device> devices = hpx::cuda::get_all_devices(1, 0).get();
///
/// The devices are those of CUDA, and where AMITY_DEVICES says so others: sources are CUDA's C++ as a rule.

#include <concepts>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "amity/accel/hpxcl.hpp"
#include "amity/accel/hpxcl/serialize_buffer.hpp"

namespace hpx::cuda {

namespace server {
/// Where HPXCL has its sizes of grids and blocks: hpx::cuda::server::program::Dim3.
struct program {
  using Dim3 = amity::hpxcl::Dim3;
};
}  // namespace server

/// Bytes on a device. A handle: copies mean the same memory.
class buffer {
 public:
  buffer() = default;
  /// For code that builds on it.
  explicit buffer(amity::accel::buffer<std::byte> b)
      : of_(std::make_shared<amity::accel::buffer<std::byte>>(std::move(b))) {}

  /// How many bytes it has.
  [[nodiscard]] amity::future<std::size_t> size() const { return amity::make_ready_future(size_sync()); }
  [[nodiscard]] std::size_t size_sync() const { return of_ == nullptr ? 0 : of_->size(); }
  /// From now on it has so many bytes, whose values are not known. All copies of the handle have them.
  amity::future<void> set_size(std::size_t bytes) const {
    *of_ = its().device().allocate<std::byte>(bytes);
    return amity::make_ready_future();
  }
  void set_size_sync(std::size_t bytes) const { set_size(bytes).get(); }

  /// Writes `bytes` bytes to the begin of the buffer, from byte `offset` of `data` on. Throws std::out_of_range.
  amity::future<void> enqueue_write(std::size_t offset, std::size_t bytes, const void* data) const {
    return enqueue_write_parcel(0, bytes, data, offset);
  }
  /// Writes `bytes` bytes, from byte `from` of `data` on, to byte `to` of the buffer and on. Throws std::out_of_range.
  amity::future<void> enqueue_write_parcel(std::size_t to, std::size_t bytes, const void* data,
                                           std::size_t from) const {
    return its().write(std::span(static_cast<const std::byte*>(data) + from, bytes), to);
  }
  /// Reads from byte `offset` on; the future gives the bytes. Throws std::out_of_range.
  [[nodiscard]] amity::future<amity::hpxcl::serialize_buffer<char>> enqueue_read(std::size_t offset,
                                                                                 std::size_t bytes) const {
    amity::hpxcl::serialize_buffer<char> into(bytes);
    return its()
        .read(std::span(reinterpret_cast<std::byte*>(into.data()), bytes), offset)
        .then(amity::launch::sync, [into](amity::future<void> f) {
          f.get();
          return into;
        });
  }
  [[nodiscard]] auto enqueue_read_parcel(std::size_t offset, std::size_t bytes) const {
    return enqueue_read(offset, bytes);
  }
  /// Reads and waits. The array is the caller's, to be deleted by delete[].
  template <class T>
  [[nodiscard]] T* enqueue_read_sync(std::size_t offset, std::size_t bytes) const {
    std::vector<std::byte> const read = its().read(offset, bytes).get();
    auto* const values = new T[(bytes + sizeof(T) - 1) / sizeof(T)];
    std::memcpy(static_cast<void*>(values), read.data(), bytes);
    return values;
  }
  template <class T>
  [[nodiscard]] T* enqueue_read_parcel_sync(std::size_t offset, std::size_t bytes) const {
    return enqueue_read_sync<T>(offset, bytes);
  }

  /// A number for p2p_copy: it names the buffer, and is no address that the program could use.
  [[nodiscard]] amity::future<std::uintptr_t> get_device_pointer() const {
    return amity::make_ready_future(get_device_pointer_sync());
  }
  [[nodiscard]] std::uintptr_t get_device_pointer_sync() const {
    static_cast<void>(its());
    return reinterpret_cast<std::uintptr_t>(of_.get());
  }
  [[nodiscard]] void* get_device_pointer_unwrapped_sync() const {
    return reinterpret_cast<void*>(get_device_pointer_sync());
  }
  /// The number of its device among those of its process.
  [[nodiscard]] amity::future<int> get_device_id() const { return amity::make_ready_future(get_device_id_sync()); }
  [[nodiscard]] int get_device_id_sync() const { return its().device().number(); }

  /// Copies its first `bytes` bytes to the buffer `to`, which is get_device_pointer() of one that lives.
  amity::future<void> p2p_copy(std::uintptr_t to, std::size_t /*its_device*/, std::size_t bytes) const {
    return amity::accel::copy(its(), 0, *reinterpret_cast<const amity::accel::buffer<std::byte>*>(to), 0, bytes);
  }

  /// It has memory.
  [[nodiscard]] std::uintptr_t get_id() const { return reinterpret_cast<std::uintptr_t>(of_.get()); }
  /// The buffer by Amity's names. Throws accel::empty_handle.
  [[nodiscard]] const amity::accel::buffer<std::byte>& its() const {
    static const amity::accel::buffer<std::byte> none;
    return of_ != nullptr ? *of_ : none;
  }

  friend void save(amity::out_archive& out, const buffer& b) { save(out, b.its()); }
  friend void load(amity::in_archive& in, buffer& b) {
    amity::accel::buffer<std::byte> its;
    load(in, its);
    b = buffer(std::move(its));
  }

 private:
  std::shared_ptr<amity::accel::buffer<std::byte>> of_;
};

/// A program. A handle: copies mean the same program.
class program {
 public:
  program() = default;
  /// For device::create_program_with_source.
  program(amity::accel::device on, std::string text) : of_(std::make_shared<state>(on, std::move(text))) {}

  /// Builds it with these options of the compiler; all kernels are built, whatever the names. The future fails with
  /// accel::build_error.
  amity::future<void> build(const std::vector<std::string>& flags, const std::vector<std::string>& = {},
                            unsigned = 0) const {
    of_->flags = flags;
    of_->built = of_->on.program(amity::accel::source(of_->text), {.options = flags});
    return of_->built.build();
  }
  amity::future<void> build(const std::vector<std::string>& flags, const std::string& name, unsigned debug = 0) const {
    return build(flags, std::vector<std::string>{name}, debug);
  }
  void build_sync(const std::vector<std::string>& flags, const std::string& name, unsigned debug = 0) const {
    build(flags, name, debug).get();
  }
  void build_sync(const std::vector<std::string>& flags, const std::vector<std::string>& names,
                  unsigned debug = 0) const {
    build(flags, names, debug).get();
  }
  /// Gives it another source, for the next build.
  void set_source_sync(std::string text) const {
    of_->text = std::move(text);
    of_->built = {};
  }

  /// Launches a kernel, whose arguments are buffers that it may write, in stream `stream` of create_stream, or in one
  /// that is chosen (-1). Returns at once. Operations on the same buffers keep their order in any case.
  amity::future<void> run(const std::vector<buffer>& arguments, const std::string& kernel, amity::hpxcl::Dim3 grid,
                          amity::hpxcl::Dim3 block, std::size_t shared_bytes = 0, int stream = -1) const {
    return run(arguments, kernel, grid, block, std::vector<buffer>(), shared_bytes, stream);
  }
  /// The same, after what has been asked of `dependencies`.
  amity::future<void> run(const std::vector<buffer>& arguments, const std::string& kernel, amity::hpxcl::Dim3 grid,
                          amity::hpxcl::Dim3 block, const std::vector<buffer>& dependencies, std::size_t shared_bytes,
                          int stream = -1) const {
    if (!of_->built) static_cast<void>(build({}));
    amity::accel::launch_options how{.grid = grid, .block = block, .shared_bytes = shared_bytes};
    if (stream >= 0) how.on = of_->streams.at(static_cast<std::size_t>(stream));
    for (const buffer& d : dependencies) how.after.push_back(d.its().ready().share());
    auto const untyped = of_->built.untyped_kernel(kernel);
    amity::accel::detail::launch_builder made(*untyped, how);
    for (const buffer& b : arguments) made.add_buffer(b.its().object(), true);
    return made.begin();
  }
  amity::future<void> run(const std::vector<buffer>& arguments, const std::string& kernel, amity::hpxcl::Dim3 grid,
                          amity::hpxcl::Dim3 block, const buffer& dependency, std::size_t shared_bytes,
                          int stream = -1) const {
    return run(arguments, kernel, grid, block, std::vector<buffer>{dependency}, shared_bytes, stream);
  }
  /// How many streams create_stream has made.
  [[nodiscard]] amity::future<unsigned> get_streams_size() const {
    return amity::make_ready_future(static_cast<unsigned>(of_->streams.size()));
  }
  /// One more; its number.
  amity::future<unsigned> create_stream() const {
    of_->streams.push_back(of_->on.make_stream());
    return amity::make_ready_future(static_cast<unsigned>(of_->streams.size() - 1));
  }
  [[nodiscard]] std::uintptr_t get_id() const { return reinterpret_cast<std::uintptr_t>(of_.get()); }

  /// As an argument or a result of a remote call: the program, which is built there anew, on the same device.
  template <std::same_as<amity::out_archive> Out>  // whose class need not be known here
  friend void save(Out& out, const program& p) {
    out << p.of_->on << p.of_->text << p.of_->flags << static_cast<bool>(p.of_->built);
  }
  template <std::same_as<amity::in_archive> In>
  friend void load(In& in, program& p) {
    amity::accel::device on;
    std::string text;
    std::vector<std::string> flags;
    bool is_built = false;
    in >> on >> text >> flags >> is_built;
    p = program(on, std::move(text));
    if (is_built) static_cast<void>(p.build(flags));
  }

 private:
  struct state {
    state(amity::accel::device d, std::string t) : on(d), text(std::move(t)) {}
    amity::accel::device on;
    std::string text;
    std::vector<std::string> flags;
    amity::accel::program built;
    std::vector<amity::accel::stream> streams;
  };
  std::shared_ptr<state> of_;
};

/// A device, here or of another process.
class device {
 public:
  device() = default;
  /// For code that builds on it.
  explicit device(amity::accel::device d) : of_(d) {}

  [[nodiscard]] amity::future<buffer> create_buffer(std::size_t bytes) const {
    return amity::make_ready_future(buffer(of_.allocate<std::byte>(bytes)));
  }
  [[nodiscard]] amity::future<program> create_program_with_source(std::string text) const {
    return amity::make_ready_future(program(of_, std::move(text)));
  }
  /// Throws accel::build_error if the file can't be read.
  [[nodiscard]] amity::future<program> create_program_with_file(const std::string& path) const {
    std::ifstream in(path);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in) throw amity::accel::build_error("the file '" + path + "' can't be read", path);
    return create_program_with_source(std::move(text));
  }
  [[nodiscard]] amity::future<int> get_device_id() const { return amity::make_ready_future(of_.number()); }
  [[nodiscard]] int get_device_id_sync() const { return of_.number(); }
  /// The same number: Amity sees to contexts.
  [[nodiscard]] amity::future<int> get_context() const { return get_device_id(); }
  [[nodiscard]] int get_context_sync() const { return of_.number(); }
  /// Without effect: each operation names its device.
  void set_device(int) const {}
  [[nodiscard]] amity::future<int> get_device_architecture_major() const {
    return amity::make_ready_future(of_.capability().first);
  }
  [[nodiscard]] amity::future<int> get_device_architecture_minor() const {
    return amity::make_ready_future(of_.capability().second);
  }
  /// Prints its name, its driver's number of it, and its memory.
  void get_cuda_info() const {
    std::printf("%d: %s, capability %d.%d, %llu bytes\n", of_.number(), of_.name().c_str(), of_.capability().first,
                of_.capability().second, static_cast<unsigned long long>(of_.memory()));
  }
  /// Prints all that its driver says.
  void get_extended_cuda_info() const {
    for (const auto& [name, value] : of_.properties()) std::printf("%s: %s\n", name.c_str(), value.c_str());
  }
  /// Ready, with 0, when what the device has got so far is over.
  [[nodiscard]] amity::future<int> wait() const {
    return of_.synchronize().then(amity::launch::sync, [](amity::future<void> f) {
      f.get();
      return 0;
    });
  }
  [[nodiscard]] bool get_id() const { return static_cast<bool>(of_); }

  friend void save(amity::out_archive& out, const device& d) { save(out, d.of_); }
  friend void load(amity::in_archive& in, device& d) { load(in, d.of_); }

 private:
  amity::accel::device of_;
};

namespace detail {
[[nodiscard]] inline amity::future<std::vector<device>> by_these_names(
    amity::future<std::vector<amity::accel::device>> found) {
  return found.then(amity::launch::sync, [](amity::future<std::vector<amity::accel::device>> f) {
    std::vector<device> named;
    for (amity::accel::device const d : f.get()) named.emplace_back(d);
    return named;
  });
}
}  // namespace detail

/// Devices of all processes whose capability is (major, minor) at least.
[[nodiscard]] inline amity::future<std::vector<device>> get_all_devices(int major = 1, int minor = 0) {
  return detail::by_these_names(amity::accel::devices({.capability = {major, minor}}));
}
[[nodiscard]] inline amity::future<std::vector<device>> get_local_devices(int major = 1, int minor = 0) {
  return detail::by_these_names(amity::accel::local_devices({.capability = {major, minor}}));
}
[[nodiscard]] inline amity::future<std::vector<device>> get_remote_devices(int major = 1, int minor = 0) {
  return detail::by_these_names(amity::accel::remote_devices({.capability = {major, minor}}));
}

}  // namespace hpx::cuda
