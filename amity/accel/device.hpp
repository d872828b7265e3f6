#pragma once

/// Devices that run kernels: those of OpenCL and of CUDA here, and those of other processes.
///
///     auto device = amity::accel::default_device();
///     auto in = device.upload(std::vector<float>(1000, 1.f));
///     auto out = device.allocate<float>(1000);
///     auto twice = device.program(amity::accel::file("twice.k")).kernel<void(const float*, float*)>("twice");
///     twice({.grid = 10, .block = 100}, in, out);                 // after the upload and the build; nobody waits
///     std::vector<float> result = out.read().get();
///
/// Everything that is asked of a device is an operation: its call returns at once, and its future is ready at its end.
/// Operations on one buffer keep the order of their calls. README.md says what becomes of errors.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "amity/accel/buffer.hpp"
#include "amity/accel/objects.hpp"
#include "amity/accel/program.hpp"
#include "amity/accel/stream.hpp"
#include "amity/base/language.hpp"
#include "amity/future/future.hpp"

namespace amity::accel {

namespace detail {
[[nodiscard]] AMITY_API int rank_of(const device_object& d) noexcept;
[[nodiscard]] AMITY_API ref<program_object> make_program(device_object& d, const program_source& from,
                                                         const build_options& how) noexcept;
[[nodiscard]] AMITY_API stream make_stream(device_object& d, std::exception_ptr& failure) noexcept;
[[nodiscard]] AMITY_API future<void> synchronize(device_object& d);
[[nodiscard]] AMITY_API std::vector<device_object*> parts_of(device_object& d, std::uint32_t units,
                                                             std::exception_ptr& failure) noexcept;
}  // namespace detail

/// A device, here or of another process. A handle: copies mean the same device, and it costs nothing to have one.
/// devices() and its neighbours find one. What is asked of a handle of no device throws empty_handle; in the child of a
/// fork, what is asked of a device that the parent has opened throws device_error.
class device {
 public:
  /// The rank of the process that it belongs to.
  [[nodiscard]] int rank() const { return detail::rank_of(object()); }
  /// Its number among the devices of its process, from 0 on.
  [[nodiscard]] int number() const { return object().number; }
  /// The back-end that drives it: "opencl" or "cuda".
  [[nodiscard]] const std::string& backend() const { return object().facts().backend; }
  /// Its name, as its driver says it.
  [[nodiscard]] const std::string& name() const { return object().facts().name; }
  /// Major and minor number: of OpenCL the version that it knows, of CUDA its compute capability.
  [[nodiscard]] std::pair<int, int> capability() const { return object().facts().capability; }
  /// How many bytes of memory it has.
  [[nodiscard]] std::uint64_t memory() const { return object().facts().memory; }
  /// How many compute units (OpenCL) or multiprocessors (CUDA) it has.
  [[nodiscard]] std::uint32_t compute_units() const { return object().facts().compute_units; }
  /// How many work items a block may have at most.
  [[nodiscard]] std::uint64_t largest_block() const { return object().facts().largest_block; }
  /// Kernels may use double.
  [[nodiscard]] bool has_fp64() const { return object().facts().has_fp64; }
  /// Kernels may use half.
  [[nodiscard]] bool has_fp16() const { return object().facts().has_fp16; }
  /// All that its driver says of it: pairs of a name and a value. Throws device_error.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> properties() const {
    return object().native->properties();
  }

  /// A buffer of `n` elements, whose values are not known. If there is no room, it waits until what is under way on the
  /// device is over, and tries once more. Throws out_of_memory, device_error.
  template <class T>
  [[nodiscard]] buffer<T> allocate(std::size_t n) const {
    return buffer<T>(object(), n);
  }
  /// A buffer with these values, which are being written when this returns. The vector is copied, or moved in:
  /// `upload(std::move(values))`. Throws as allocate. An error of the write comes to what uses the buffer.
  template <class T>
  [[nodiscard]] buffer<T> upload(std::vector<T> values) const {
    buffer<T> made(object(), values.size());
    static_cast<void>(made.write(std::move(values)));
    return made;
  }
  /// The same without a copy of the values: they stay where they are until ready() of the buffer.
  template <class T>
  [[nodiscard]] buffer<std::remove_const_t<T>> upload(std::span<T> values) const {
    buffer<std::remove_const_t<T>> made(object(), values.size());
    static_cast<void>(made.write(std::span<const T>(values)));
    return made;
  }

  /// A program from source(), file() or binary(), which a task compiles from now on. Does not wait for that. A file
  /// that can't be read, and what the compiler refuses, comes as build_error from the futures of program::build and of
  /// launches.
  [[nodiscard]] accel::program program(const program_source& from, const build_options& how = {}) const {
    return accel::program(detail::make_program(object(), from, how));
  }
  /// A stream for launches that name it (stream.hpp). Throws device_error.
  [[nodiscard]] accel::stream make_stream() const {
    detail::device_object& d = object();
    return amity::detail::thrown_here([&](auto& failure) { return detail::make_stream(d, failure); });
  }
  /// Ready when the operations that the driver has got so far are over, in the streams that Amity chooses. Operations
  /// in streams of make_stream are left out, and those that still wait for a build, a future or another operation:
  /// buffer::ready and the futures of the operations themselves wait for these, too.
  [[nodiscard]] future<void> synchronize() const { return detail::synchronize(object()); }
  /// Devices of `units` compute units each, made of parts of this one, which stays as it is. They live as long as the
  /// process. Throws device_error if it can't be divided so.
  [[nodiscard]] std::vector<device> split(std::uint32_t units) const {
    std::vector<device> parts;
    detail::device_object& d = object();
    for (detail::device_object* const part :
         amity::detail::thrown_here([&](auto& failure) { return detail::parts_of(d, units, failure); }))
      parts.emplace_back(*part);
    return parts;
  }

  /// They mean the same device, or none.
  friend bool operator==(const device&, const device&) noexcept = default;
  /// Of no device: what is asked of it throws empty_handle.
  device() noexcept = default;
  /// For code that builds on it.
  explicit device(detail::device_object& d) noexcept : of_(&d) {}
  /// For code that builds on it. Throws empty_handle.
  [[nodiscard]] detail::device_object& object() const { return detail::behind_handle(of_, "a device"); }
  /// It means a device.
  [[nodiscard]] explicit operator bool() const noexcept { return of_ != nullptr; }

 private:
  detail::device_object* of_ = nullptr;
};

template <class T>
device buffer<T>::device() const {
  return accel::device(object().of);
}

/// A handle may be an argument or a result of a remote call: it means the same device there.
AMITY_API void save(out_archive& out, const device& d);
namespace detail {
AMITY_API void load_device(in_archive& in, device& d, std::exception_ptr& failure) noexcept;
}
/// Reads such a handle. Blocks the fiber until the device's process has said which devices it has, if it has not yet.
/// Throws device_error.
inline void load(in_archive& in, device& d) {
  amity::detail::thrown_here([&](auto& failure) { detail::load_device(in, d, failure); });
}

/// Which devices are asked for: those that all of this is true of. By default, all devices.
struct device_filter {
  std::pair<int, int> capability{0, 0};  ///< device::capability() is this at least, compared as a pair
  std::string backend{};                 ///< device::backend() is this; "": any
  std::string name{};                    ///< device::name() has this in it
  std::uint64_t memory = 0;              ///< device::memory() is so many bytes at least
  bool fp64 = false;                     ///< if true: device::has_fp64()
};

/// Devices of all processes of the job, those of this one first. Does not wait; the future does, for the answers of the
/// other processes. AMITY_DEVICES says which devices a process has. A rank that is lost has none. The job goes on when
/// a rank is lost, once devices of others were asked for (net/losses.hpp).
[[nodiscard]] AMITY_API future<std::vector<device>> devices(device_filter which = {});
/// Devices of this process. The first call opens the drivers, in a task: the future waits for that.
[[nodiscard]] AMITY_API future<std::vector<device>> local_devices(device_filter which = {});
/// Devices of the other processes, beginning with the next rank. Otherwise as devices().
[[nodiscard]] AMITY_API future<std::vector<device>> remote_devices(device_filter which = {});
namespace detail {
[[nodiscard]] AMITY_API device first_device(device_filter which, std::exception_ptr& failure) noexcept;
}
/// The first of devices(which), for a program that needs one. Blocks the fiber until all processes have answered.
/// Throws no_such_device if there is none; what() says why, with status().
[[nodiscard]] inline device default_device(device_filter which = {}) {
  return amity::detail::thrown_here([&](auto& failure) { return detail::first_device(std::move(which), failure); });
}
/// A sentence about each back-end of this process, for messages: how many devices it has, or why none. For example,
/// "cuda: libcuda.so.1 is not there: no driver of NVIDIA's; opencl: 1 device". The first call opens the drivers.
[[nodiscard]] AMITY_API std::string status();

}  // namespace amity::accel
