#pragma once

/// What the handles of users stand for: a device with its streams, a buffer with the operations that use it last.

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "amity/accel/backend.hpp"
#include "amity/accel/counted.hpp"
#include "amity/accel/few.hpp"
#include "amity/base/config.hpp"
#include "amity/base/language.hpp"
#include "amity/future/future.hpp"
#include "amity/sync/mutex.hpp"

namespace amity::accel::detail {

struct device_object;
struct operation;

/// A stream of commands on a device. Lives as long as the process; those of a program's own are used again.
struct AMITY_API stream_object {
  stream_object(device_object& d, std::unique_ptr<native_stream> s) : of(d), native(std::move(s)) {}

  device_object& of;
  std::unique_ptr<native_stream> native;
  /// Of what follows, and of calls of the driver: commands come to the driver in the order of the list.
  sync::mutex lock;
  operation* first = nullptr;  ///< handed over and not ended; counted
  operation* last = nullptr;
  std::atomic<const operation*> tail{nullptr};  ///< `last`: a hint for the choice of a stream
  std::atomic<unsigned> pending{0};             ///< how many are in the list: a hint
  stream_object* next = nullptr;                ///< of all streams (watch.cpp)
  unsigned number = 0;                          ///< among all streams, from 1 on: a name
  std::atomic<unsigned> track{0};               ///< in the profile's timeline; 0: none yet
};

/// Lives as long as the process: handles of users are pointers to it.
struct AMITY_API device_object {
  device_object(std::unique_ptr<native_device> n, int its_number) : native(std::move(n)), number(its_number) {}

  std::unique_ptr<native_device> native;
  int number;                     ///< among those of its process
  int rank = -1;                  ///< of its process; -1: this one
  device_object* root = nullptr;  ///< of a part of a device: the whole
  sync::mutex opening;            ///< of `streams`
  static constexpr std::size_t most_streams = 4;
  std::atomic<stream_object*> streams[most_streams] = {};  ///< opened when they are needed
  std::atomic<unsigned> turn{0};

  [[nodiscard]] const device_facts& facts() const noexcept { return native->facts(); }
  /// "opencl device 0 (pthread-...)"
  [[nodiscard]] std::string words() const;
};

/// Memory of a device. `writer` and `readers` are the last operation that writes it and those that read it since; they
/// are kept in order by the lock of order.cpp.
struct AMITY_API buffer_object : counted<buffer_object> {
  buffer_object(device_object& d, std::unique_ptr<native_memory> m, std::size_t n)
      : of(d), memory(std::move(m)), bytes(n) {}
  ~buffer_object();

  device_object& of;
  std::unique_ptr<native_memory> memory;
  std::size_t bytes;
  operation* writer = nullptr;  ///< counted
  few<operation*, 4> readers;   ///< counted
};

/// Devices of this process: found at the first call.
[[nodiscard]] const std::vector<device_object*>& own_devices();
/// What each back-end says of itself: "opencl", "2 devices".
[[nodiscard]] const std::vector<std::pair<std::string, std::string>>& backend_statuses();
/// One of them, or a part of one; null: there is none of that number.
[[nodiscard]] device_object* own_device(int number);
/// Devices of their own, made of parts of `d`, which is of this process. Throws device_error.
[[nodiscard]] std::vector<device_object*> split_device(device_object& d, std::uint32_t units);
/// Each is ready when what a stream of the device's has got so far is over.
[[nodiscard]] std::vector<future<void>> ends_of_streams(device_object& d);
/// Waits for what is under way, if there is no memory otherwise. Throws out_of_memory.
[[nodiscard]] ref<buffer_object> new_buffer(device_object& d, std::size_t bytes);
/// Of memory that the program has made, and that stays its own. Throws device_error.
[[nodiscard]] AMITY_API ref<buffer_object> borrow_buffer(device_object& d, std::uintptr_t handle, std::size_t bytes);
/// One more stream, which is watched from now on.
[[nodiscard]] stream_object& open_stream(device_object& d);

}  // namespace amity::accel::detail
