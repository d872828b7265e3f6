#pragma once

/// UPC++'s devices, as in an installation of it that has none: programs that can do without compile and run.
///
/// Amity's own devices are those of <amity/accel.hpp>.

#include <cstddef>
#include <utility>

#include "amity/upcxx/collectives.hpp"

namespace upcxx {

/// A device of CUDA: here always inactive.
class cuda_device {
 public:
  template <class T>
  using pointer = T*;
  using id_type = int;
  static constexpr memory_kind kind = memory_kind::cuda_device;
  static constexpr id_type invalid_device_id = -1;

  /// Collective. Ends the job for another id than invalid_device_id.
  cuda_device(id_type id = invalid_device_id) {
    if (id != invalid_device_id) detail::die("upcxx::cuda_device: there are no devices for UPC++; use amity::accel");
  }
  cuda_device(const cuda_device&) = delete;
  cuda_device(cuda_device&&) noexcept = default;

  template <class T>
  [[nodiscard]] static constexpr T* null_pointer() noexcept {
    return nullptr;
  }
  template <class T>
  [[nodiscard]] static constexpr std::size_t default_alignment() noexcept {
    return alignof(T) < 256 ? 256 : alignof(T);
  }
  [[nodiscard]] id_type device_id() const noexcept { return invalid_device_id; }
  [[nodiscard]] bool is_active() const noexcept { return false; }
  /// Collective: waits for the others, as `how` says.
  void destroy(entry_barrier how = entry_barrier::user) { detail::meet(world(), how); }
};

/// Memory of a device: here always without any.
template <class Device>
class device_allocator {
 public:
  using device_type = Device;

  device_allocator() noexcept = default;
  /// Of a device that is inactive: it has no memory.
  device_allocator(Device&, std::size_t) noexcept {}
  device_allocator(Device&, typename Device::template pointer<void>, std::size_t) noexcept {}
  device_allocator(device_allocator&&) noexcept = default;

  [[nodiscard]] bool is_active() const noexcept { return false; }
  /// Null: there is none.
  template <class T>
  [[nodiscard]] global_ptr<T, Device::kind> allocate(std::size_t = 1,
                                                     std::size_t = Device::template default_alignment<T>()) noexcept {
    return nullptr;
  }
  template <class T>
  void deallocate(global_ptr<T, Device::kind> p) {
    if (!p.is_null()) detail::die("upcxx::device_allocator: this memory is of no device");
  }
  template <class T>
  [[nodiscard]] global_ptr<T, Device::kind> to_global_ptr(typename Device::template pointer<T> p) const {
    if (p != nullptr) detail::die("upcxx::device_allocator: this memory is of no device");
    return nullptr;
  }
  template <class T>
  [[nodiscard]] static typename Device::id_type device_id(global_ptr<T, Device::kind>) noexcept {
    return Device::invalid_device_id;
  }
  template <class T>
  [[nodiscard]] static typename Device::template pointer<T> local(global_ptr<T, Device::kind> p) noexcept {
    return p.raw();
  }
};

}  // namespace upcxx
