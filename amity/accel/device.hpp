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

/// A device. A handle: copies mean the same device, and it costs nothing to have one.
class device {
 public:
  /// The process that it belongs to.
  [[nodiscard]] int rank() const { return detail::rank_of(object()); }
  /// Its number among the devices of its process.
  [[nodiscard]] int number() const { return object().number; }
  /// "opencl", "cuda".
  [[nodiscard]] const std::string& backend() const { return object().facts().backend; }
  /// As its driver calls it.
  [[nodiscard]] const std::string& name() const { return object().facts().name; }
  /// OpenCL: the version that it knows. CUDA: its compute capability.
  [[nodiscard]] std::pair<int, int> capability() const { return object().facts().capability; }
  /// Bytes.
  [[nodiscard]] std::uint64_t memory() const { return object().facts().memory; }
  [[nodiscard]] std::uint32_t compute_units() const { return object().facts().compute_units; }
  /// How many work items a block may have.
  [[nodiscard]] std::uint64_t largest_block() const { return object().facts().largest_block; }
  /// Kernels may use double.
  [[nodiscard]] bool has_fp64() const { return object().facts().has_fp64; }
  /// Kernels may use half.
  [[nodiscard]] bool has_fp16() const { return object().facts().has_fp16; }
  /// All that its driver tells of it: names and values.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> properties() const {
    return object().native->properties();
  }

  /// A buffer of `n` elements, whose values are not known. Waits for what is under way on the device, if there is no
  /// memory otherwise. Throws out_of_memory, device_error.
  template <class T>
  [[nodiscard]] buffer<T> allocate(std::size_t n) const {
    return buffer<T>(object(), n);
  }
  /// A buffer with these values. They are taken over, if they can be.
  template <class T>
  [[nodiscard]] buffer<T> upload(std::vector<T> values) const {
    buffer<T> made(object(), values.size());
    static_cast<void>(made.write(std::move(values)));
    return made;
  }
  /// The same without a copy. The values stay where they are until ready() of the buffer.
  template <class T>
  [[nodiscard]] buffer<std::remove_const_t<T>> upload(std::span<T> values) const {
    buffer<std::remove_const_t<T>> made(object(), values.size());
    static_cast<void>(made.write(std::span<const T>(values)));
    return made;
  }

  /// A program, which is being compiled from now on. A file that is not there, or what the compiler does not like,
  /// arrives at build() and at the launches.
  [[nodiscard]] accel::program program(const program_source& from, const build_options& how = {}) const {
    return accel::program(detail::make_program(object(), from, how));
  }
  /// A stream of its own (stream.hpp). Throws device_error.
  [[nodiscard]] accel::stream make_stream() const {
    detail::device_object& d = object();
    return amity::detail::thrown_here([&](auto& failure) { return detail::make_stream(d, failure); });
  }
  /// Ready when all that has been asked of this device so far is over.
  [[nodiscard]] future<void> synchronize() const { return detail::synchronize(object()); }
  /// Devices of `units` compute units each, made of this one. Throws device_error where it can't be divided so.
  [[nodiscard]] std::vector<device> split(std::uint32_t units) const {
    std::vector<device> parts;
    detail::device_object& d = object();
    for (detail::device_object* const part :
         amity::detail::thrown_here([&](auto& failure) { return detail::parts_of(d, units, failure); }))
      parts.emplace_back(*part);
    return parts;
  }

  friend bool operator==(const device&, const device&) noexcept = default;
  /// Of no device: what is asked of it throws empty_handle.
  device() noexcept = default;
  explicit device(detail::device_object& d) noexcept : of_(&d) {}
  /// Throws empty_handle.
  [[nodiscard]] detail::device_object& object() const { return detail::behind_handle(of_, "a device"); }
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
/// The same. Waits for the device's process, if it has not told of its devices yet.
inline void load(in_archive& in, device& d) {
  amity::detail::thrown_here([&](auto& failure) { detail::load_device(in, d, failure); });
}

/// Which devices are asked for.
struct device_filter {
  std::pair<int, int> capability{0, 0};  ///< at least
  std::string backend{};                 ///< "opencl", "cuda"; "": any
  std::string name{};                    ///< a part of it
  std::uint64_t memory = 0;              ///< bytes, at least
  bool fp64 = false;                     ///< has_fp64
};

/// Devices of all processes of the job, those of this one first.
[[nodiscard]] AMITY_API future<std::vector<device>> devices(device_filter which = {});
/// Devices of this process.
[[nodiscard]] AMITY_API future<std::vector<device>> local_devices(device_filter which = {});
/// Devices of the other processes.
[[nodiscard]] AMITY_API future<std::vector<device>> remote_devices(device_filter which = {});
namespace detail {
[[nodiscard]] AMITY_API device first_device(device_filter which, std::exception_ptr& failure) noexcept;
}
/// The first of them, for a program that needs one: `devices(which).get().at(0)`, but where there is none it throws
/// no_such_device, which says why (status()). Waits for the answers of the other processes.
[[nodiscard]] inline device default_device(device_filter which = {}) {
  return amity::detail::thrown_here([&](auto& failure) { return detail::first_device(std::move(which), failure); });
}
/// In words, what devices there are and why there are no others: "opencl: libOpenCL.so.1 is not there".
[[nodiscard]] AMITY_API std::string status();

}  // namespace amity::accel
