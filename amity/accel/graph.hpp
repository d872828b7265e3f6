#pragma once

/// Launches that are repeated, as one operation.
///
///     amity::accel::graph step(device);
///     step.add(advance, {.grid = 64, .block = 64}, w, psi, next, n);
///     step.add(walls, {.block = 64}, next, psi, n);
///     for (int i = 0; i < 1000; ++i) step();                  // like any operation: ordered by its buffers, a future
///
/// One launch costs as much as one operation, whatever it holds. CUDA gets it as a graph of its own; to other drivers
/// it is handed over piece by piece.

#include <atomic>
#include <exception>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/accel/buffer.hpp"
#include "amity/accel/device.hpp"
#include "amity/accel/program.hpp"
#include "amity/base/language.hpp"

namespace amity::accel {

namespace detail {

/// What a graph consists of, in its order. Nothing is added any more once it was launched.
struct AMITY_API graph_object : counted<graph_object> {
  explicit graph_object(device_object& d) noexcept : of(d) {}
  ~graph_object();

  device_object& of;
  std::vector<ref<operation>> parts;     ///< they are never begun
  std::vector<operation::use_of> uses;   ///< of all of them together; counted
  std::atomic<bool> is_launched{false};  ///< relaxed: it is filled by one thread, before others know it

  sync::mutex lock;  ///< of what follows, which is the hand-over's
  std::vector<command> commands;
  std::exception_ptr failure;    ///< a part can't be launched
  std::shared_ptr<void> native;  ///< the driver's own form
};

/// Fails with std::invalid_argument if the part is none of this graph's device, or the graph was launched already.
AMITY_API void add_part(graph_object& g, ref<operation> part, std::exception_ptr& failure) noexcept;
[[nodiscard]] AMITY_API future<void> launch_graph(graph_object& g);

}  // namespace detail

/// A sequence of launches, fills and copies on one device. A handle: copies mean the same. Filled by one thread; then
/// any may launch it.
class graph {
 public:
  /// Of no device, like one that was moved from: it has no parts, and what is asked of it throws empty_handle.
  graph() noexcept = default;
  /// It is of a device.
  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(of_); }
  /// A graph of a device, without parts. Throws empty_handle for a handle of no device.
  explicit graph(const device& d)
      : of_(detail::ref<detail::graph_object>::adopt(new detail::graph_object(d.object()))) {}

  /// Adds a launch, with the arguments that it will have each time; buffers are kept as long as the graph. Throws as a
  /// launch does, and std::invalid_argument for one that waits for a future or names a stream, for a kernel of another
  /// device, and after the first launch of the graph.
  template <class... P>
  graph& add(const kernel<void(P...)>& k, const launch_options& how,
             std::type_identity_t<detail::given<P>>... arguments) {
    bool const is_whole = how.after.empty() && !(arguments.is_later() || ...);
    if (!is_whole) throw std::invalid_argument("a launch of a graph waits for a future: say its value");
    detail::launch_builder made(k.object(), how);
    made.add_all(arguments...);
    add_part(made.part());
    return *this;
  }
  /// Adds a fill: `value` is written to `count` elements of `b` from element `offset` on. Throws std::out_of_range
  /// if that is not all in the buffer; std::invalid_argument for a buffer of another device, for a T whose size is
  /// no power of two or more than 128 bytes, and after the first launch of the graph.
  template <class T>
  graph& fill(const buffer<T>& b, const T& value, std::size_t offset, std::size_t count) {
    detail::check_range("fill", offset, count, b.size());
    add_part(amity::detail::thrown_here([&](auto& failure) {
      return detail::fill_operation(b.object(), offset * sizeof(T), count * sizeof(T), &value, sizeof(T), failure);
    }));
    return *this;
  }
  /// Adds a fill of all elements of `b`. Throws as the form above.
  template <class T>
  graph& fill(const buffer<T>& b, const T& value) {
    return fill(b, value, 0, b.size());
  }
  /// Adds a copy of `count` elements, from element `from_offset` of `from` to element `to_offset` of `to`, which is on
  /// the graph's device. Throws std::out_of_range if a range is not all in its buffer; std::invalid_argument for
  /// ranges of one buffer that overlap, for buffers of devices that can't reach one another, and after the first launch
  /// of the graph.
  template <class T>
  graph& copy(const buffer<T>& from, std::size_t from_offset, const buffer<T>& to, std::size_t to_offset,
              std::size_t count) {
    detail::check_range("copy from", from_offset, count, from.size());
    detail::check_range("copy to", to_offset, count, to.size());
    detail::buffer_part const source{from.object(), from_offset * sizeof(T)};
    detail::buffer_part const target{to.object(), to_offset * sizeof(T)};
    add_part(amity::detail::thrown_here(
        [&](auto& failure) { return detail::copy_operation(source, target, count * sizeof(T), failure); }));
    return *this;
  }

  /// How many parts it has.
  [[nodiscard]] std::size_t size() const noexcept { return of_ ? of_->parts.size() : 0; }
  /// Launches all parts, as one operation: after the builds of its kernels, and after the operations before it on its
  /// buffers. Returns at once. The future is ready at the end of all parts, and fails with the error of any of them.
  future<void> operator()() const { return detail::launch_graph(object()); }

 private:
  [[nodiscard]] detail::graph_object& object() const { return detail::behind_handle(of_.get(), "a graph"); }
  void add_part(detail::ref<detail::operation> part) {
    detail::graph_object& g = object();
    amity::detail::thrown_here([&](auto& failure) { detail::add_part(g, std::move(part), failure); });
  }

  detail::ref<detail::graph_object> of_;
};

}  // namespace amity::accel
