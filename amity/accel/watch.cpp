#include "amity/accel/internal/watch.hpp"

#include <array>
#include <mutex>
#include <string>

#include "amity/accel/operation.hpp"
#include "amity/base/report.hpp"
#include "amity/sched/loop/progress.hpp"

namespace amity::accel::detail {
namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

std::atomic<stream_object*> all_streams{nullptr};
/// Operations that are with a driver. Relaxed but where stir follows: a poll that comes too often finds nothing.
std::atomic<unsigned> handed_over{0};

constexpr std::size_t most_at_once = 32;

std::exception_ptr failure_of(operation& op, int code) {
  if (std::exception_ptr const before = cause_of(op); before != nullptr) return before;
  return std::make_exception_ptr(device_error(
      std::string(op.name) + " on " + op.on->words() + " failed: " + op.stream->native->words_of(code), code));
}

/// Takes those that are over, the oldest first. An operation that others on the device come before waits for the ends
/// of these to be noted (W2).
std::size_t take_ended(stream_object& s) noexcept {
  struct ended_one {
    operation* op;
    bool has_failed;
    int code;
  };
  std::array<ended_one, most_at_once> ended;
  std::size_t n = 0;
  if (!s.lock.try_lock()) return 0;
  while (s.first != nullptr && n < most_at_once) {
    int code = 0;
    mark_state const state = s.native->look(s.first->native_mark, code);
    if (state == mark_state::runs || !all_before_ended(*s.first)) break;
    ended[n++] = {s.first, state == mark_state::failed, code};
    s.first = s.first->next;
  }
  if (s.first == nullptr) {
    s.last = nullptr;
    s.tail.store(nullptr, memory_order_relaxed);
  }
  s.pending.fetch_sub(static_cast<unsigned>(n), memory_order_relaxed);
  s.lock.unlock();
  for (std::size_t i = 0; i < n; ++i) {
    auto const op = ref<operation>::adopt(ended[i].op);
    // What came before on the device may have failed and this one not know.
    end_operation(*op, ended[i].has_failed ? failure_of(*op, ended[i].code) : cause_of(*op));
    end_watch();
  }
  return n;
}

int poll(sched::progress_source&) noexcept {
  std::size_t taken = 0, before;
  do {
    before = taken;
    for (stream_object* s = all_streams.load(memory_order_acquire); s != nullptr; s = s->next)
      if (s->pending.load(memory_order_relaxed) != 0) taken += take_ended(*s);
  } while (taken != before && taken < 8 * most_at_once);
  return static_cast<int>(taken);
}

bool is_wanted(const sched::progress_source&) noexcept { return handed_over.load(memory_order_relaxed) != 0; }

/// Its future is there, or another operation waits for it.
bool is_asked_for(const operation& op) noexcept {
  return op.result->references.load(memory_order_relaxed) > 1 ||
         op.is_awaited.load(std::memory_order_seq_cst);  // pairs with watch_anew
}

void announce(operation& op) noexcept {
  if (std::exchange(op.is_announced, true)) return;
  op.stream->native->announce(op.native_mark);
}

bool arm(sched::progress_source&) noexcept {
  constexpr int most = 64;
  for (stream_object* s = all_streams.load(memory_order_acquire); s != nullptr; s = s->next) {
    if (s->pending.load(memory_order_relaxed) == 0) continue;
    if (!s->lock.try_lock()) return false;
    int seen = 0, code = 0;
    for (operation* op = s->first; op != nullptr && seen < most; op = op->next, ++seen)
      if (is_asked_for(*op)) announce(*op);
    if (s->last != nullptr) announce(*s->last);
    bool const is_over = s->first != nullptr && s->native->look(s->first->native_mark, code) != mark_state::runs;
    s->lock.unlock();
    if (is_over) return false;
  }
  return true;
}

int poll_nothing(sched::progress_source&) noexcept { return 0; }

constinit sched::progress_source source{.poll = poll, .wanted = is_wanted, .arm = arm};
/// W3: drivers lose callbacks. Somebody looks, seldom enough to cost nothing.
constinit sched::progress_source watchdog{.poll = poll_nothing, .wanted = is_wanted, .nap_us = 10'000};

void attend_once() noexcept {
  static bool const is_attended = [] {
    int error = sched::attend(source);
    if (error == 0) error = sched::attend(watchdog);
    if (error != 0) base::fatal("the ends of operations on devices can't be watched: error %d of the system", error);
    return true;
  }();
  static_cast<void>(is_attended);
}

}  // namespace

stream_object& open_stream(device_object& d) {
  attend_once();
  auto* const s = new stream_object(d, d.native->open_stream());
  stream_object* first = all_streams.load(memory_order_relaxed);
  do s->next = first;
  while (!all_streams.compare_exchange_weak(first, s, memory_order_release, memory_order_relaxed));  // pairs with poll
  return *s;
}

void begin_watch() noexcept {
  if (handed_over.fetch_add(1, memory_order_relaxed) != 0) return;
  attend_once();
  sched::stir(source);
  sched::stir(watchdog);
}

void end_watch() noexcept { handed_over.fetch_sub(1, memory_order_relaxed); }

// W1: arm stores `armed`, then looks at the list under the stream's lock. The caller has put the operation into the
// list under that lock: so either arm has seen it, or the store of `armed` is seen here.
void watch_early(operation& op) noexcept {
  if (source.armed.load(memory_order_relaxed)) announce(op);
}

// The caller has stored `is_awaited`; arm stores `armed` and then looks at it. Both seq_cst: one sees the other.
void watch_anew() noexcept {
  if (source.armed.load(std::memory_order_seq_cst)) sched::announce_progress(source);
}

void announce_end() noexcept { sched::announce_progress(source); }

}  // namespace amity::accel::detail
