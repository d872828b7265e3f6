#pragma once

/// Memory of a device with elements of one type.
///
///     auto b = device.allocate<int>(100);
///     b.fill(7);
///     b.write(std::vector{1, 2, 3}, 10);                                      // from element 10 on
///     std::vector<int> some = b.read(9, 5).get();                             // 7 1 2 3 7
///     copy(b, 0, other, 50, 10);                                              // between any two devices
///
/// Operations on one buffer keep the order of their calls; those that only read run beside one another. Values that are
/// moved in live until they are no longer needed; a span is the caller's, who keeps it until the future is ready.
///
/// What holds for all operations: the call returns at once, and the future is ready at the operation's end. It fails
/// with device_error or a class derived from it: the device's own error, or that of an operation before it on whose
/// data it depends. A range that is not all in the buffer throws std::out_of_range from the call itself, a buffer of no
/// memory empty_handle. Offsets and counts are in elements. A finish around the call waits for the operation.

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/accel/dim3.hpp"
#include "amity/accel/operation.hpp"
#include "amity/base/language.hpp"
#include "amity/future/border.hpp"
#include "amity/future/future.hpp"

namespace amity {
class in_archive;
class out_archive;
}  // namespace amity

namespace amity::accel {

class device;

namespace detail {

// Those with a `failure` hand over what they would throw (future/border.hpp); the others of the same name throw it.

AMITY_API void check_range(const char* what, std::size_t offset, std::size_t count, std::size_t size,
                           std::exception_ptr& failure) noexcept;
/// Throws std::out_of_range, which names the range.
inline void check_range(const char* what, std::size_t offset, std::size_t count, std::size_t size) {
  if (offset <= size && count <= size - offset) return;
  amity::detail::thrown_here([&](auto& failure) { check_range(what, offset, count, size, failure); });
}

[[nodiscard]] AMITY_API ref<operation> write_operation(buffer_object& b, std::size_t offset, const void* from,
                                                       std::size_t bytes);
[[nodiscard]] AMITY_API ref<operation> read_operation(buffer_object& b, std::size_t offset, void* to,
                                                      std::size_t bytes);
/// A pattern that no driver knows is written as all of its values. Fails with std::bad_alloc.
[[nodiscard]] AMITY_API ref<operation> fill_operation(buffer_object& b, std::size_t offset, std::size_t bytes,
                                                      const void* pattern, std::size_t pattern_bytes,
                                                      std::exception_ptr& failure) noexcept;
[[nodiscard]] AMITY_API future<void> fill_bytes(buffer_object& b, std::size_t offset, std::size_t bytes,
                                                const void* pattern, std::size_t pattern_bytes,
                                                std::exception_ptr& failure) noexcept;

/// A part of a buffer.
struct buffer_part {
  buffer_object& of;
  std::size_t offset;
};
/// Fails with std::invalid_argument if the two overlap, or their devices can't reach one another.
[[nodiscard]] AMITY_API ref<operation> copy_operation(const buffer_part& from, const buffer_part& to, std::size_t bytes,
                                                      std::exception_ptr& failure) noexcept;
[[nodiscard]] AMITY_API future<void> copy_bytes(const buffer_part& from, const buffer_part& to, std::size_t bytes,
                                                std::exception_ptr& failure) noexcept;
// Boxes fail with std::out_of_range, std::invalid_argument.
using region_bytes = std::size_t[3];
[[nodiscard]] AMITY_API future<void> write_box(buffer_object& b, const box& to, const void* from, const box& host,
                                               const region_bytes& region, std::exception_ptr& failure) noexcept;
[[nodiscard]] AMITY_API future<void> read_box(buffer_object& b, const box& from, void* to, const box& host,
                                              const region_bytes& region, std::exception_ptr& failure) noexcept;
[[nodiscard]] AMITY_API future<void> copy_box(buffer_object& from, const box& from_box, buffer_object& to,
                                              const box& to_box, const region_bytes& region,
                                              std::exception_ptr& failure) noexcept;
/// Ready when all that has been asked of the buffer so far is over.
[[nodiscard]] AMITY_API future<void> ready_of(buffer_object& b);
/// Handles that travel: remote/handles.cpp.
AMITY_API void save_buffer(out_archive& out, buffer_object* b, std::size_t size);
[[nodiscard]] AMITY_API ref<buffer_object> load_buffer(in_archive& in, std::size_t& size, std::size_t element_bytes,
                                                       std::exception_ptr& failure) noexcept;
/// Fails with out_of_memory, device_error.
[[nodiscard]] AMITY_API ref<buffer_object> make_buffer(device_object& d, std::size_t n, std::size_t element_bytes,
                                                       std::exception_ptr& failure) noexcept;

}  // namespace detail

/// Memory of a device with elements of T, which can be copied as bytes. A handle: copies mean the same memory, which
/// lives as long as one of them, and as an operation that needs it. device::allocate and device::upload make one.
template <class T>
class buffer {
  static_assert(std::is_trivially_copyable_v<T>, "accel::buffer: elements are copied as bytes");
  static_assert(!std::is_const_v<T>, "accel::buffer: elements are not const");

 public:
  /// The type of the elements.
  using value_type = T;

  /// Of no memory, like one that was moved from: it has no elements, and what is asked of it throws empty_handle.
  buffer() noexcept = default;
  /// For device::allocate, with its errors: `n` elements on `d`.
  buffer(detail::device_object& d, std::size_t n)
      : of_(amity::detail::thrown_here([&](auto& failure) { return detail::make_buffer(d, n, sizeof(T), failure); })),
        size_(n) {}
  /// For code that builds on it: memory that is there, of `n` elements.
  buffer(detail::ref<detail::buffer_object> b, std::size_t n) noexcept : of_(std::move(b)), size_(n) {}

  /// How many elements it has; of no memory: 0.
  [[nodiscard]] std::size_t size() const noexcept { return of_ ? size_ : 0; }
  /// How many bytes its elements take.
  [[nodiscard]] std::size_t size_bytes() const noexcept { return size() * sizeof(T); }
  /// It has memory.
  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(of_); }

  /// Writes all of `values`, from element `offset` of the buffer on. The vector is copied, or moved in:
  /// `b.write(std::move(values))`.
  future<void> write(std::vector<T> values, std::size_t offset = 0) const {
    check("write", offset, values.size());
    auto kept = std::make_shared<std::vector<T>>(std::move(values));
    auto op = detail::write_operation(object(), offset * sizeof(T), kept->data(), kept->size() * sizeof(T));
    op->keeps = std::move(kept);
    return detail::begin(std::move(op));
  }
  /// The same without a copy of the values: they stay where they are until the future is ready.
  future<void> write(std::span<const T> values, std::size_t offset = 0) const {
    check("write", offset, values.size());
    return detail::begin(
        detail::write_operation(object(), offset * sizeof(T), values.data(), values.size() * sizeof(T)));
  }
  /// Writes the first `count` of values that are still being made, when they are ready. Operations that come after it
  /// in the buffer's order wait for that. The future fails with the error of `values`, and with std::out_of_range if
  /// there are fewer than `count`. Throws std::invalid_argument for an empty future.
  future<void> write(future<std::vector<T>> values, std::size_t count, std::size_t offset = 0) const {
    check("write", offset, count);
    if (!values.valid()) throw std::invalid_argument("write: the values are a future of nothing");
    auto op = detail::write_operation(object(), offset * sizeof(T), nullptr, count * sizeof(T));
    detail::hold(*op);
    static_cast<void>(values.then(amity::launch::sync, [waiting = op.get(), count](future<std::vector<T>> f) noexcept {
      try {
        auto kept = std::make_shared<std::vector<T>>(f.get());
        detail::check_range("write of a future's values", 0, count, kept->size());
        waiting->what.host_from = kept->data();
        waiting->keeps = std::move(kept);
      } catch (...) {
        detail::blame(*waiting, std::current_exception());
      }
      detail::let_go(*waiting);
    }));
    return detail::begin(std::move(op));
  }

  /// Reads all elements; the future gives them.
  [[nodiscard]] future<std::vector<T>> read() const { return read(0, size()); }
  /// Reads `count` elements from element `offset` on; the future gives them.
  [[nodiscard]] future<std::vector<T>> read(std::size_t offset, std::size_t count) const {
    check("read", offset, count);
    auto kept = std::make_shared<std::vector<T>>(count);
    auto op = detail::read_operation(object(), offset * sizeof(T), kept->data(), count * sizeof(T));
    op->keeps = std::move(kept);
    return detail::begin_with<std::vector<T>>(std::move(op), [](detail::operation& o) {
      auto* const values = static_cast<std::vector<T>*>(const_cast<void*>(o.keeps.get()));
      amity::detail::put_value<std::vector<T>>(*o.result, std::move(*values));
    });
  }
  /// Reads as many elements as `into` has, from element `offset` on, into memory of the caller's, who leaves it alone
  /// until the future is ready.
  [[nodiscard]] future<void> read(std::span<T> into, std::size_t offset = 0) const {
    check("read", offset, into.size());
    return detail::begin(detail::read_operation(object(), offset * sizeof(T), into.data(), into.size() * sizeof(T)));
  }

  /// Writes `value`, which is copied, to all elements.
  future<void> fill(const T& value) const { return fill(value, 0, size()); }
  /// Writes `value` to `count` elements from element `offset` on.
  future<void> fill(const T& value, std::size_t offset, std::size_t count) const {
    check("fill", offset, count);
    return amity::detail::thrown_here([&](auto& failure) {
      return detail::fill_bytes(object(), offset * sizeof(T), count * sizeof(T), &value, sizeof(T), failure);
    });
  }

  /// Copies a region from the host's memory at `from` to the buffer. `region` is how many bytes a row has, how many
  /// rows a slice, and how many slices there are; `host` says where it lies from `from` on, and `to` where it lies in
  /// the buffer (box, in dim3.hpp). The host's memory stays until the future is ready. Throws std::invalid_argument
  /// if a number of the region is 0, or a pitch is less than a row or a slice; std::out_of_range if the box is
  /// not all in the buffer.
  future<void> write_box(const box& to, const void* from, const box& host, const std::size_t (&region)[3]) const {
    return amity::detail::thrown_here(
        [&](auto& failure) { return detail::write_box(object(), to, from, host, region, failure); });
  }
  /// Copies a region from the buffer, where it lies at `from`, to the host's memory at `to`, where it lies as `host`
  /// says. Otherwise as write_box, with its errors.
  [[nodiscard]] future<void> read_box(const box& from, void* to, const box& host,
                                      const std::size_t (&region)[3]) const {
    return amity::detail::thrown_here(
        [&](auto& failure) { return detail::read_box(object(), from, to, host, region, failure); });
  }

  /// Ready when the operations before it that write the buffer are over; fails with the error that one of them has left
  /// there.
  [[nodiscard]] future<void> ready() const { return detail::ready_of(object()); }
  /// The device that it lies on. Throws empty_handle.
  [[nodiscard]] accel::device device() const;
  /// For code that builds on it. Throws empty_handle.
  [[nodiscard]] detail::buffer_object& object() const { return detail::behind_handle(of_.get(), "a buffer"); }

  /// They mean the same memory, or none.
  friend bool operator==(const buffer& a, const buffer& b) noexcept { return a.of_ == b.of_; }
  /// A handle may be an argument or a result of a remote call: it means the same memory there. What is asked of it in
  /// one process comes after what was asked in another only where that one has been waited for.
  friend void save(out_archive& out, const buffer& b) { detail::save_buffer(out, b.of_.get(), b.size()); }
  /// Reads such a handle.
  friend void load(in_archive& in, buffer& b) {
    b.of_ =
        amity::detail::thrown_here([&](auto& failure) { return detail::load_buffer(in, b.size_, sizeof(T), failure); });
  }

 private:
  void check(const char* what, std::size_t offset, std::size_t count) const {
    detail::check_range(what, offset, count, size());
  }

  detail::ref<detail::buffer_object> of_;
  std::size_t size_ = 0;
};

/// Copies `count` elements, from element `from_offset` of one buffer to element `to_offset` of the other; the devices
/// may be any two. Between devices whose drivers can't reach one another it goes through the host's memory. Throws
/// std::out_of_range if a range is not all in its buffer, std::invalid_argument if two ranges of one buffer
/// overlap.
template <class T>
future<void> copy(const buffer<T>& from, std::size_t from_offset, const buffer<T>& to, std::size_t to_offset,
                  std::size_t count) {
  detail::check_range("copy from", from_offset, count, from.size());
  detail::check_range("copy to", to_offset, count, to.size());
  return amity::detail::thrown_here([&](auto& failure) {
    return detail::copy_bytes({from.object(), from_offset * sizeof(T)}, {to.object(), to_offset * sizeof(T)},
                              count * sizeof(T), failure);
  });
}
/// Copies all elements of `from` to the first elements of `to`. Throws std::out_of_range if `to` has fewer.
template <class T>
future<void> copy(const buffer<T>& from, const buffer<T>& to) {
  return copy(from, 0, to, 0, from.size());
}
/// Copies a region from one buffer, where it lies at `from_box`, to another, where it lies at `to_box`; boxes and
/// errors are those of buffer::write_box.
template <class T>
future<void> copy_box(const buffer<T>& from, const box& from_box, const buffer<T>& to, const box& to_box,
                      const std::size_t (&region)[3]) {
  return amity::detail::thrown_here(
      [&](auto& failure) { return detail::copy_box(from.object(), from_box, to.object(), to_box, region, failure); });
}

}  // namespace amity::accel
