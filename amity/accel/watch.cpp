#include "amity/accel/internal/watch.hpp"

#include <array>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "amity/accel/internal/observed.hpp"
#include "amity/accel/kernel_object.hpp"
#include "amity/accel/operation.hpp"
#include "amity/base/report.hpp"
#include "amity/sched/loop/inbox.hpp"
#include "amity/sched/loop/progress.hpp"
#include "amity/sys/clock.hpp"

namespace amity::accel::detail {
namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

std::atomic<stream_object*> all_streams{nullptr};
constexpr std::size_t most_at_once = 32;

std::exception_ptr failure_of(operation& op, int code) {
  if (std::exception_ptr const before = cause_of(op); before != nullptr) return before;
  return std::make_exception_ptr(device_error(
      std::string(op.name) + " on " + op.on->words() + " failed: " + op.stream->native->words_of(op.native_mark, code),
      code));
}

/// Of a graph's parts but the last, which is over.
bool has_failed_part(const operation& op, int& code) noexcept {
  for (mark const m : op.marks_before)
    if (op.stream->native->look(m, code) == mark_state::failed) return true;
  return false;
}

/// Takes those that are over, the oldest first. One that came after operations of other streams waits until their ends
/// are noted, too: they may have failed.
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
    ended[n++] = {s.first, state == mark_state::failed || has_failed_part(*s.first, code), code};
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
    if (!ended[i].has_failed) {
      s.native->deliver(op->native_mark);
      observe_end(*op);
    }
    // What came before on the device may have failed and this one not know.
    end_operation(*op, ended[i].has_failed ? failure_of(*op, ended[i].code) : cause_of(*op));
  }
  return n;
}

/// In the child of a fork nobody sees the ends of its parent's commands and builds: they fail. Once, by one thread.
std::size_t give_up_all() noexcept {
  static std::atomic_flag is_done;
  if (is_done.test_and_set(memory_order_relaxed)) return 0;
  give_up_builds();
  std::size_t n = 0;
  for (stream_object* s = all_streams.load(memory_order_acquire); s != nullptr; s = s->next) {
    operation* op = std::exchange(s->first, nullptr);  // its lock may be a thread's that is not here
    s->last = nullptr;
    s->pending.store(0, memory_order_relaxed);
    for (; op != nullptr; ++n) {
      auto const one = ref<operation>::adopt(std::exchange(op, op->next));
      end_operation(*one, std::make_exception_ptr(error_of_child()));
    }
  }
  return n;
}

std::size_t take_all_ended() noexcept {
  if (is_child_of_user.load(memory_order_relaxed)) return give_up_all();  // relaxed: as behind_handle
  std::size_t taken = 0, before;
  do {
    before = taken;
    for (stream_object* s = all_streams.load(memory_order_acquire); s != nullptr; s = s->next)
      if (s->pending.load(memory_order_relaxed) != 0) taken += take_ended(*s);
  } while (taken != before && taken < 8 * most_at_once);
  return taken;
}

/// Somebody wants to know the end of an operation that is handed over. W2: cleared by arm before it looks for such
/// operations, set by whoever asks after the question has been left where arm finds it. seq_cst: arm sees the question,
/// or what it has cleared is set again.
std::atomic<bool> is_asked{false};

bool is_wanted(const sched::progress_source&) noexcept { return is_asked.load(memory_order_relaxed); }

bool is_anything_pending() noexcept {
  for (stream_object* s = all_streams.load(memory_order_acquire); s != nullptr; s = s->next)
    if (s->pending.load(std::memory_order_seq_cst) != 0) return true;  // pairs with put_into_stream's
  return false;
}

/// W4: where nothing is handed over any more, nobody has to look. A worker that did would take a core from a device
/// that is a processor.
int poll(sched::progress_source&) noexcept {
  auto const taken = static_cast<int>(take_all_ended());
  if (taken != 0 && !is_anything_pending()) {
    is_asked.exchange(false, std::memory_order_seq_cst);
    if (is_anything_pending()) is_asked.store(true, std::memory_order_seq_cst);
  }
  return taken;
}

/// Has the driver tell of the first end that somebody wants to know. False: it, or one before it, is over already.
bool arm_stream(stream_object& s) noexcept {
  int code = 0;
  for (operation* op = s.first; op != nullptr; op = op->next) {
    if (question_about(*op) == question::none) continue;
    is_asked.store(true, std::memory_order_seq_cst);
    if (!std::exchange(op->is_announced, true)) s.native->announce(op->native_mark);
    return s.native->look(op->native_mark, code) == mark_state::runs;
  }
  return true;
}

bool arm(sched::progress_source&) noexcept {
  is_asked.exchange(false, std::memory_order_seq_cst);  // an exchange: what was left before a question is seen
  bool all = true;
  for (stream_object* s = all_streams.load(memory_order_acquire); s != nullptr; s = s->next) {
    if (s->pending.load(memory_order_relaxed) == 0) continue;
    bool const ours = s->lock.try_lock();
    bool const is_armed = ours && arm_stream(*s);
    if (ours) s->lock.unlock();
    all = all && is_armed;
  }
  if (!all) is_asked.store(true, std::memory_order_seq_cst);
  return all;
}

constinit sched::progress_source source{.poll = poll, .wanted = is_wanted, .arm = arm};

/// Ticks. Relaxed: by a race it is a little older.
std::atomic<std::uint64_t> last_question{0};

/// There was a question in the last second.
bool is_lively() noexcept {
  constexpr std::uint64_t lively_us = 1'000'000;
  return sys::ticks() - last_question.load(memory_order_relaxed) < sys::ticks_of_microseconds(lively_us);
}

int poll_nothing(sched::progress_source&) noexcept { return 0; }
bool is_watchdog_wanted(const sched::progress_source&) noexcept {
  return is_asked.load(memory_order_relaxed) || is_lively();
}
/// W3: drivers lose callbacks. Somebody looks, seldom enough to cost nothing. A carrier that sleeps already has to be
/// woken once to sleep with naps; so it goes on with them for a second after a question.
constinit sched::progress_source watchdog{.poll = poll_nothing, .wanted = is_watchdog_wanted, .nap_us = 10'000};

/// The caller has left its question where arm finds it, or looks for the answer itself.
void note_question(amity::detail::asker next) noexcept {
  if (is_child_of_user.load(memory_order_relaxed)) {  // as behind_handle; no source is attended here
    give_up_all();
    return;
  }
  if (next == amity::detail::asker::looks && !sched::is_foreign_thread()) {
    take_all_ended();
    return;
  }
  bool const has_watchdog = is_lively();
  last_question.store(sys::ticks(), memory_order_relaxed);
  bool const was_asked = is_asked.exchange(true, std::memory_order_seq_cst);
  if (!has_watchdog) sched::stir(watchdog);
  if (was_asked && !source.armed.load(std::memory_order_seq_cst)) return;  // somebody polls, or will
  next == amity::detail::asker::parks ? sched::stir_here(source) : sched::stir(source);
}

}  // namespace

void attend_to_ends() noexcept {
  static bool const is_attended = [] {
    int error = sched::attend(source);
    if (error == 0) error = sched::attend(watchdog);
    if (error != 0) base::fatal("the ends of operations on devices can't be watched: error %d of the system", error);
    amity::detail::answer_questions(note_question);
    return true;
  }();
  static_cast<void>(is_attended);
}

question question_about(const operation& op) noexcept {
  if (op.within != nullptr) return question::by_finish;
  bool const waits =
      op.result->waiters.load(std::memory_order_seq_cst) != nullptr ||
      op.is_awaited.load(
          std::memory_order_seq_cst);  // pairs with wait_for_end and add_edge (order.cpp), and with add_waiter
  return waits ? question::by_waiter : question::none;
}

stream_object& open_stream(device_object& d) {
  attend_to_ends();
  if (d.facts().is_processor) source.needs_cores.store(true, memory_order_relaxed);
  static std::atomic<unsigned> opened{0};
  auto* const s = new stream_object(d, d.native->open_stream());
  s->number = opened.fetch_add(1, memory_order_relaxed) + 1;
  stream_object* first = all_streams.load(memory_order_relaxed);
  do s->next = first;
  while (!all_streams.compare_exchange_weak(first, s, memory_order_release, memory_order_relaxed));  // pairs with poll
  return *s;
}

void watch(stream_object& s, question asked) noexcept {
  if (asked == question::by_finish) note_question(amity::detail::asker::parks);
  if (asked == question::by_waiter) note_question(amity::detail::asker::goes_on);
  // Nobody may ask for long.
  constexpr unsigned many = most_at_once;
  if (s.pending.load(memory_order_relaxed) >= many) take_ended(s);
}

void await_own_streams() noexcept {
  std::vector<future<void>> ends;
  for (stream_object* s = all_streams.load(memory_order_acquire); s != nullptr; s = s->next) {
    if (s->of.rank >= 0 || s->pending.load(memory_order_relaxed) == 0) continue;
    auto op = new_operation(s->of);
    op->name = "the end of the program";
    op->stream = s;
    ends.push_back(begin(std::move(op)));
  }
  for (future<void>& end : ends) end.wait();  // what has failed has told those who asked
}

void watch_anew() noexcept { note_question(amity::detail::asker::goes_on); }

void look_for_ends() noexcept { take_all_ended(); }

void announce_end() noexcept { sched::announce_progress(source); }

}  // namespace amity::accel::detail
