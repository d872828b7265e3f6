/// A stream of CUDA's. Its commands are numbered; a mark is a command's number.
///
/// How far the stream is, the device writes to a counter in memory of the host, which costs a look one load. It is not
/// told to after each command: commands that read say so at once, since a program will wait for them, and so does every
/// eighth; otherwise whoever looks for an end first has it written behind what is there by then. Other streams wait for
/// events, which are recorded when they are first needed. If later commands are there by then, the wait is longer than
/// it need be, and right.
///
/// Copies from and to memory that is not pinned go through blocks that are: CUDA would let their callers wait.

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <utility>

#include "amity/accel/cuda/objects.hpp"
#include "amity/accel/cuda/pinned.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::accel::cuda {
namespace {

using kind = detail::command::kind;

class stream;

/// A copy by the host between two commands of the stream.
struct host_copy {
  void* to;
  const void* from;
  std::size_t bytes;
  static void run(void* self) {
    const auto* const c = static_cast<const host_copy*>(self);
    std::memcpy(c->to, c->from, c->bytes);
  }
};

/// What a mark points to.
struct numbered {
  stream* of = nullptr;
  std::uint64_t number = 0;
  event_handle event = nullptr;  ///< under the lock of its stream's events

  // Of copies through pinned memory, which lives until the mark is released.
  pinned_block block;
  void* deliver_to = nullptr;  ///< of a read that is still to be copied from the block
  std::size_t bytes = 0;
  detail::command boxes;  ///< of a read of a box: where it goes
  std::vector<host_copy> copies;
};

/// A box with its pitches said.
struct pitched {
  std::size_t origin, row, slice;
};
pitched pitched_of(const box& b, const std::size_t (&region)[3]) noexcept {
  std::size_t const row = b.row_pitch != 0 ? b.row_pitch : region[0];
  std::size_t const slice = b.slice_pitch != 0 ? b.slice_pitch : row * region[1];
  return {b.origin[0] + b.origin[1] * row + b.origin[2] * slice, row, slice};
}

template <class Copy>
void for_each_row(const pitched& p, const std::size_t (&region)[3], const Copy& copy) {
  std::size_t dense = 0;
  for (std::size_t z = 0; z < region[2]; ++z)
    for (std::size_t y = 0; y < region[1]; ++y, dense += region[0]) copy(p.origin + y * p.row + z * p.slice, dense);
}

/// Copies of this size at most go through a block of their own, others through one block in turns.
constexpr std::size_t largest_block = std::size_t{8} << 20;

class stream final : public detail::native_stream {
 public:
  explicit stream(const device& d) : device_(d), context_(d.context()) {
    within_context const its(context_);
    counter_memory_ = pinned_block(sizeof(std::uint32_t));
    counter_ = reinterpret_cast<std::uint32_t*>(counter_memory_.data());
    *counter_ = 0;
    check(driver().address_of_host(&counter_address_, counter_, 0), "cuMemHostGetDevicePointer");
    check(driver().create_stream(&work_, stream_of_its_own), ("a stream of " + d.facts().name).c_str());
    target_ = work_;
  }

  detail::mark enqueue(const detail::command& c, std::span<const detail::mark> after) override {
    within_context const its(context_);
    wait_for(after);
    auto made = std::make_unique<numbered>();
    made->of = this;
    try {
      issue(c, *made);
    } catch (...) {
      abandoned_.push_back(std::move(made));  // the device may still use a part of it
      throw;
    }
    return count(std::move(made), c.is == kind::read || c.is == kind::read_box);
  }

  detail::mark enqueue_graph(std::span<const detail::command> all, std::span<const detail::mark> after,
                             std::shared_ptr<void>& kept) override {
    if (driver().make_launchable == nullptr || driver().begin_capture == nullptr) return nullptr;
    within_context const its(context_);
    if (kept == nullptr) kept = capture(all);
    if (kept == nullptr) return nullptr;
    wait_for(after);
    check(driver().launch_graph(static_cast<launchable_graph>(kept.get()), work_), "cuGraphLaunch");
    auto made = std::make_unique<numbered>();
    made->of = this;
    return count(std::move(made), false);
  }

  void flush() noexcept override {}

  detail::mark_state look(detail::mark m, int& code) noexcept override {
    auto& its = *static_cast<numbered*>(m);
    if (is_through(its.number)) return detail::mark_state::done;
    if (failure_ == 0) ask_driver(its);
    if (is_through(its.number)) return detail::mark_state::done;
    code = failure_;
    return failure_ != 0 ? detail::mark_state::failed : detail::mark_state::runs;
  }

  void deliver(detail::mark m) noexcept override {
    auto& its = *static_cast<numbered*>(m);
    if (its.deliver_to == nullptr) return;
    const auto* const from = its.block.data();
    auto* const to = static_cast<std::byte*>(its.deliver_to);
    if (its.boxes.is == kind::read_box)
      for_each_row(pitched_of(its.boxes.to_box, its.boxes.region), its.boxes.region,
                   [&](std::size_t at, std::size_t dense) { std::memcpy(to + at, from + dense, its.boxes.region[0]); });
    else
      std::memcpy(to, from, its.bytes);
  }

  // Where the driver takes none, the watchdog sees the end.
  void announce(detail::mark m) noexcept override {
    auto& its = *static_cast<numbered*>(m);
    if (is_through(its.number)) return detail::announce_end();
    try {
      event_handle const e = event_of(its);
      within_context const here(context_);
      if (bell_ == nullptr) check(driver().create_stream(&bell_, stream_of_its_own), "cuStreamCreate");
      check(driver().wait_in_stream(bell_, e, 0), "cuStreamWaitEvent");
      check(driver().call_in_stream(
                bell_, [](void*) { detail::announce_end(); }, nullptr),
            "cuLaunchHostFunc");
    } catch (const device_error&) {
      return;
    }
  }

  void release(detail::mark m) noexcept override {
    std::unique_ptr<numbered> const its(static_cast<numbered*>(m));
    if (its->event != nullptr) driver().destroy_event(its->event);
  }

  std::string words_of(detail::mark, int code) const override { return words_of_error(code); }

 private:
  void wait_for(std::span<const detail::mark> after) {
    for (detail::mark const m : after) {
      auto& other = *static_cast<numbered*>(m);
      if (other.of->is_through(other.number)) continue;
      check(driver().wait_in_stream(work_, other.of->event_of(other), 0), "cuStreamWaitEvent");
    }
  }

  /// The command is in the stream. `is_awaited`: somebody will want to know its end.
  detail::mark count(std::unique_ptr<numbered> made, bool is_awaited) noexcept {
    constexpr std::uint64_t often = 8;
    made->number = ++issued_;
    if (is_awaited || issued_ % often == 0) have_counter_written();
    return made.release();
  }

  /// Null where the driver can't make a graph of it.
  std::shared_ptr<void> capture(std::span<const detail::command> all) {
    // Not in the stream that works: others ask it meanwhile, which no stream takes that is being captured.
    if (scribe_ == nullptr) check(driver().create_stream(&scribe_, stream_of_its_own), "cuStreamCreate");
    check(driver().begin_capture(scribe_, capture_relaxed), "cuStreamBeginCapture");
    graph_handle graph = nullptr;
    launchable_graph made = nullptr;
    target_ = scribe_;
    try {
      numbered nothing;  // launches, fills and copies keep nothing
      for (const detail::command& c : all) issue(c, nothing);
    } catch (...) {
      target_ = work_;
      driver().end_capture(scribe_, &graph);
      if (graph != nullptr) driver().destroy_graph(graph);
      throw;
    }
    target_ = work_;
    result code = driver().end_capture(scribe_, &graph);
    if (code == 0) code = driver().make_launchable(&made, graph, 0);
    if (graph != nullptr) driver().destroy_graph(graph);
    if (code != 0) return nullptr;
    return {made, [context = context_](void* g) {
              within_context const its(context);
              driver().destroy_launchable(static_cast<launchable_graph>(g));
            }};
  }

  /// Any thread. Requires: the command is one of the last two thousand millions.
  [[nodiscard]] bool is_through(std::uint64_t number) noexcept {
    // Acquire: what the device has written before it wrote the counter.
    std::uint32_t const counted = std::atomic_ref(*counter_).load(std::memory_order_acquire);
    return static_cast<std::int32_t>(counted - static_cast<std::uint32_t>(number)) >= 0 ||
           known_through_.load(std::memory_order_acquire) >= number;  // pairs with ask_driver
  }

  /// An event behind the command, of whatever thread asks first.
  event_handle event_of(numbered& n) {
    std::lock_guard const held(events_);
    if (n.event != nullptr) return n.event;
    within_context const its(context_);
    event_handle made = nullptr;
    check(driver().create_event(&made, event_without_time), "cuEventCreate");
    result const code = driver().record_event(made, work_);
    if (code != 0) driver().destroy_event(made);
    check(code, "cuEventRecord");
    return n.event = made;
  }

  /// The device tells how far it is, behind all that is there.
  void have_counter_written() noexcept {
    if (!device_.writes_in_stream()) return;
    if (driver().write_in_stream(work_, counter_address_, static_cast<std::uint32_t>(issued_), 0) == 0)
      counted_to_ = issued_;
  }

  void ask_driver(numbered& its) noexcept {
    within_context const here(context_);
    if (!device_.writes_in_stream()) return note(its, ask_event(its));
    if (counted_to_ < its.number) have_counter_written();
    // After an error the counter is never written.
    std::uint64_t const now = sys::ticks();
    if (now - last_query_ < sys::ticks_of_microseconds(1000)) return;
    last_query_ = now;
    note(its, driver().query_stream(work_));
  }

  [[nodiscard]] result ask_event(numbered& its) noexcept {
    try {
      return driver().query_event(event_of(its));
    } catch (const device_error& e) {
      return e.code();
    }
  }

  void note(const numbered& its, result code) noexcept {
    if (code == 0)
      known_through_.store(std::max(known_through_.load(std::memory_order_relaxed), its.number),
                           std::memory_order_release);  // pairs with is_through
    else if (code != not_ready)
      failure_ = code;
  }

  void issue(const detail::command& c, numbered& made) {
    switch (c.is) {
      case kind::write:
        return write(c, made);
      case kind::read:
        return read(c, made);
      case kind::copy:
        return copy(c);
      case kind::fill:
        return fill(c);
      case kind::write_box:
        return write_box(c, made);
      case kind::read_box:
        return read_box(c, made);
      case kind::copy_box:
        return check(copy_box(side_of(c.from, c.from_box, c.region), side_of(c.to, c.to_box, c.region), c.region),
                     "cuMemcpy3DPeerAsync");
      case kind::launch:
        return launch(c);
      case kind::nothing:
        return;
    }
  }

  static memory& memory_of(detail::native_memory* m) noexcept { return *static_cast<memory*>(m); }

  void write(const detail::command& c, numbered& made) {
    if (c.bytes == 0) return;
    device_address const to = memory_of(c.to).address + c.to_offset;
    const auto* from = static_cast<const std::byte*>(c.host_from);
    if (!is_pinned(from)) {
      if (c.bytes > largest_block) return write_in_turns(to, from, c.bytes, made);
      made.block = pinned_block(c.bytes);
      std::memcpy(made.block.data(), from, c.bytes);
      from = made.block.data();
    }
    check(driver().write(to, from, c.bytes, target_), "cuMemcpyHtoDAsync");
  }

  void read(const detail::command& c, numbered& made) {
    if (c.bytes == 0) return;
    device_address const from = memory_of(c.from).address + c.from_offset;
    void* to = c.host_to;
    if (!is_pinned(to)) {
      if (c.bytes > largest_block) return read_in_turns(static_cast<std::byte*>(to), from, c.bytes, made);
      made.block = pinned_block(c.bytes);
      made.deliver_to = std::exchange(to, made.block.data());
      made.bytes = c.bytes;
    }
    check(driver().read(to, from, c.bytes, target_), "cuMemcpyDtoHAsync");
  }

  /// One block for all of it: the stream itself copies to and from it, one piece after the other.
  void write_in_turns(device_address to, const std::byte* from, std::size_t bytes, numbered& made) {
    made.block = pinned_block(largest_block);
    made.copies.reserve((bytes + largest_block - 1) / largest_block);
    for (std::size_t at = 0; at < bytes; at += largest_block) {
      std::size_t const n = std::min(largest_block, bytes - at);
      made.copies.push_back({made.block.data(), from + at, n});
      check(driver().call_in_stream(target_, host_copy::run, &made.copies.back()), "cuLaunchHostFunc");
      check(driver().write(to + at, made.block.data(), n, target_), "cuMemcpyHtoDAsync");
    }
  }

  void read_in_turns(std::byte* to, device_address from, std::size_t bytes, numbered& made) {
    made.block = pinned_block(largest_block);
    made.copies.reserve((bytes + largest_block - 1) / largest_block);
    for (std::size_t at = 0; at < bytes; at += largest_block) {
      std::size_t const n = std::min(largest_block, bytes - at);
      made.copies.push_back({to + at, made.block.data(), n});
      check(driver().read(made.block.data(), from + at, n, target_), "cuMemcpyDtoHAsync");
      check(driver().call_in_stream(target_, host_copy::run, &made.copies.back()), "cuLaunchHostFunc");
    }
  }

  void copy(const detail::command& c) {
    if (c.bytes == 0) return;
    memory &to = memory_of(c.to), &from = memory_of(c.from);
    if (&to.of == &from.of)
      check(driver().copy(to.address + c.to_offset, from.address + c.from_offset, c.bytes, target_),
            "cuMemcpyDtoDAsync");
    else
      check(driver().copy_to_peer(to.address + c.to_offset, to.of.context(), from.address + c.from_offset,
                                  from.of.context(), c.bytes, target_),
            "cuMemcpyPeerAsync");
  }

  /// Patterns are powers of two. Those of more than a word are filled a column of words at a time.
  void fill(const detail::command& c) {
    if (c.bytes == 0) return;
    device_address const to = memory_of(c.to).address + c.to_offset;
    const auto* const pattern = static_cast<const std::byte*>(c.host_from);
    if (c.pattern_bytes == 1)
      return check(driver().fill_8(to, std::to_integer<std::uint8_t>(*pattern), c.bytes, target_), "cuMemsetD8Async");
    if (c.pattern_bytes == 2) {
      std::uint16_t value = 0;
      std::memcpy(&value, pattern, sizeof value);
      return check(driver().fill_16(to, value, c.bytes / sizeof value, target_), "cuMemsetD16Async");
    }
    for (std::size_t at = 0; at < c.pattern_bytes; at += sizeof(std::uint32_t)) {
      std::uint32_t value = 0;
      std::memcpy(&value, pattern + at, sizeof value);
      if (c.pattern_bytes == sizeof value)
        check(driver().fill_32(to, value, c.bytes / sizeof value, target_), "cuMemsetD32Async");
      else
        check(driver().fill_column_32(to + at, c.pattern_bytes, value, 1, c.bytes / c.pattern_bytes, target_),
              "cuMemsetD2D32Async");
    }
  }

  static box_copy::side side_of(detail::native_memory* m, const box& b, const std::size_t (&region)[3]) {
    pitched const p = pitched_of(b, region);
    if (p.slice % p.row != 0)
      throw device_error("a box whose slices are " + std::to_string(p.slice) + " bytes apart and its rows " +
                         std::to_string(p.row) + ": CUDA takes only slices of whole rows");
    memory const& its = memory_of(m);
    return {.x_bytes = b.origin[0],
            .y = b.origin[1],
            .z = b.origin[2],
            .memory_type = device_memory,
            .device = its.address,
            .context = its.of.context(),
            .pitch = p.row,
            .height = p.slice / p.row};
  }

  /// A block of the host's where the box lies densely.
  box_copy::side dense_side(const pinned_block& block, const std::size_t (&region)[3]) const noexcept {
    return {
        .memory_type = host_memory, .host = block.data(), .context = context_, .pitch = region[0], .height = region[1]};
  }

  result copy_box(const box_copy::side& from, const box_copy::side& to, const std::size_t (&region)[3]) {
    box_copy const b{from, to, region[0], region[1], region[2]};
    return driver().copy_box(&b, target_);
  }

  void write_box(const detail::command& c, numbered& made) {
    if (c.region[0] * c.region[1] * c.region[2] == 0) return;
    box_copy::side const to = side_of(c.to, c.to_box, c.region);
    made.block = pinned_block(c.region[0] * c.region[1] * c.region[2]);
    const auto* const from = static_cast<const std::byte*>(c.host_from);
    for_each_row(pitched_of(c.from_box, c.region), c.region, [&](std::size_t at, std::size_t dense) {
      std::memcpy(made.block.data() + dense, from + at, c.region[0]);
    });
    check(copy_box(dense_side(made.block, c.region), to, c.region), "cuMemcpy3DPeerAsync");
  }

  void read_box(const detail::command& c, numbered& made) {
    if (c.region[0] * c.region[1] * c.region[2] == 0) return;
    box_copy::side const from = side_of(c.from, c.from_box, c.region);
    made.block = pinned_block(c.region[0] * c.region[1] * c.region[2]);
    made.deliver_to = c.host_to;
    made.boxes = c;
    check(copy_box(from, dense_side(made.block, c.region), c.region), "cuMemcpy3DPeerAsync");
  }

  void launch(const detail::command& c) {
    constexpr std::size_t always = 48 << 10;  // more has to be asked for
    auto& k = *static_cast<kernel*>(c.kernel);
    if (c.shared_bytes > std::max(always, k.shared_bytes)) {
      check(driver().set_function(k.handle, function_dynamic_shared, static_cast<int>(c.shared_bytes)),
            "shared memory of a kernel");
      k.shared_bytes = c.shared_bytes;
    }
    std::vector<void*> arguments;
    for (const detail::argument& a : c.arguments) {
      if (a.is == detail::parameter::kind::memory)
        arguments.push_back(&memory_of(a.memory).address);
      else if (a.is == detail::parameter::kind::value)
        arguments.push_back(const_cast<std::byte*>(c.values + a.at));
    }
    check(driver().launch(k.handle, c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z,
                          static_cast<unsigned>(c.shared_bytes), target_, arguments.data(), nullptr),
          "cuLaunchKernel");
  }

  const device& device_;
  context_handle context_;
  stream_handle work_ = nullptr;
  stream_handle target_ = nullptr;  ///< where commands are issued: work_, or scribe_ while a graph is made
  stream_handle scribe_ = nullptr;  ///< writes down graphs
  stream_handle bell_ = nullptr;    ///< waits for an end that somebody wants to be told of, and tells

  pinned_block counter_memory_;
  std::uint32_t* counter_ = nullptr;  ///< how far the device is; written by the device
  device_address counter_address_ = 0;
  std::atomic<std::uint64_t> known_through_{0};  ///< the same, as the driver says it; written by the thread that looks

  // Of the thread that calls.
  std::uint64_t issued_ = 0;      ///< the number of the last command
  std::uint64_t counted_to_ = 0;  ///< up to there the device will write the counter
  std::uint64_t last_query_ = 0;
  result failure_ = 0;  ///< of the whole stream: CUDA's errors stay
  std::vector<std::unique_ptr<numbered>> abandoned_;

  sys::spin_lock events_;  ///< of the events of its marks
};

}  // namespace

std::unique_ptr<detail::native_stream> device::open_stream() { return std::make_unique<stream>(*this); }

}  // namespace amity::accel::cuda
