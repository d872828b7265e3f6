/// A stream of CUDA's. Its commands are numbered; a mark is a command's number.
///
/// How far the stream is, the device writes to a counter in memory of the host, which costs a look one load. It is not
/// told to after each command: commands that read say so at once, since a program will wait for them, and so does every
/// eighth; otherwise whoever looks for an end first has it written behind what is there by then. Other streams wait for
/// events, which are recorded when they are first needed. If later commands are there by then, the wait is longer than
/// it need be, and right.

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "amity/accel/cuda/commands.hpp"
#include "amity/accel/cuda/later.hpp"
#include "amity/accel/cuda/times.hpp"
#include "amity/sched/tasks/observed.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::accel::cuda {
namespace {

using kind = detail::command::kind;

class stream;

/// What a mark points to.
struct numbered {
  stream* of = nullptr;
  std::uint64_t number = 0;
  event_times times;
  event_handle event = nullptr;  ///< under the lock of its stream's events
  staging keeps;
};

class stream final : public detail::native_stream {
 public:
  explicit stream(const device& d) : device_(d), context_(d.context()) {
    within_context const its(context_);
    counter_memory_ = pinned_block(sizeof(std::uint32_t));
    counter_ = reinterpret_cast<std::uint32_t*>(counter_memory_.data());
    *counter_ = 0;
    check(driver().address_of_host(&counter_address_, counter_, 0), "cuMemHostGetDevicePointer");
    for (stream_handle* const one : {&work_, &bell_})
      check(driver().create_stream(one, stream_of_its_own), ("a stream of " + d.facts().name).c_str());
    if (sched::tasks_are_observed()) times_.start(work_);
  }

  detail::mark enqueue(const detail::command& c, std::span<const detail::mark> after) override {
    within_context const its(context_);
    wait_for(after);
    auto made = std::make_unique<numbered>();
    made->of = this;
    times_.begin(made->times, work_);
    try {
      issue(c, work_, device_, made->keeps);
      times_.end(made->times, work_);
    } catch (...) {
      if (made->keeps.block) abandoned_.push_back(std::move(made));  // the device may still use a part of it
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
    auto made = std::make_unique<numbered>();
    made->of = this;
    times_.begin(made->times, work_);
    check(driver().launch_graph(static_cast<launchable_graph>(kept.get()), work_), "cuGraphLaunch");
    times_.end(made->times, work_);
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

  void deliver(detail::mark m) noexcept override { static_cast<numbered*>(m)->keeps.deliver(); }

  // Where the driver takes none, or would let its caller wait, the watchdog sees the end.
  void announce(detail::mark m) noexcept override {
    auto& its = *static_cast<numbered*>(m);
    if (is_through(its.number)) return detail::announce_end();
    if (is_crowded()) return;
    try {
      event_handle const e = event_of(its);
      within_context const here(context_);
      check(driver().wait_in_stream(bell_, e, 0), "cuStreamWaitEvent");
      check(driver().call_in_stream(
                bell_, [](void*) { detail::announce_end(); }, nullptr),
            "cuLaunchHostFunc");
    } catch (const device_error&) {
      return;
    }
  }

  void release(detail::mark m) noexcept override {
    within_context const here(context_);  // also for a block that goes
    std::unique_ptr<numbered> const its(static_cast<numbered*>(m));
    if (its->event != nullptr) driver().destroy_event(its->event);
  }

  bool times_of(detail::mark m, std::uint64_t, detail::device_times& times) noexcept override {
    within_context const here(context_);
    return times_.ask(static_cast<numbered*>(m)->times, times);
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
    try {
      staging nothing;  // launches, fills and copies keep nothing
      for (const detail::command& c : all) issue(c, scribe_, device_, nothing);
    } catch (...) {
      driver().end_capture(scribe_, &graph);
      if (graph != nullptr) driver().destroy_graph(graph);
      throw;
    }
    result code = driver().end_capture(scribe_, &graph);
    if (code == 0) code = driver().make_launchable(&made, graph, 0);
    if (graph != nullptr) driver().destroy_graph(graph);
    if (code != 0) return nullptr;
    return {made, [context = context_](void* g) {  // the last launch may hold it
              later(
                  context, [](void* its) noexcept { driver().destroy_launchable(static_cast<launchable_graph>(its)); },
                  g);
            }};
  }

  /// A driver takes about a thousand commands, and lets whoever asks for more wait; a poll must not wait.
  [[nodiscard]] bool is_crowded() noexcept {
    constexpr std::uint64_t many = 512;
    return issued_ > many && !is_through(issued_ - many);
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
    if (counted_to_ < its.number && !is_crowded()) have_counter_written();
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

  const device& device_;
  context_handle context_;
  stream_handle work_ = nullptr;
  stream_handle scribe_ = nullptr;  ///< writes down graphs
  stream_handle bell_ = nullptr;    ///< waits for an end that somebody wants to be told of, and tells

  pinned_block counter_memory_;
  std::uint32_t* counter_ = nullptr;  ///< how far the device is; written by the device
  device_address counter_address_ = 0;
  std::atomic<std::uint64_t> known_through_{0};  ///< the same, as the driver says it; written by the thread that looks

  stream_times times_;  ///< for a profile

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
