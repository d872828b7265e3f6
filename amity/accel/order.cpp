/// Which operation comes before which, and what becomes of those that wait. README.md has the rules O1 to O6.

#include <pthread.h>

#include <mutex>
#include <utility>

#include "amity/accel/internal/watch.hpp"
#include "amity/accel/operation.hpp"
#include "amity/future/plain_task.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::accel::detail {
namespace {

/// Of `before`, `at_hand_over`, `at_end`, `now` of all operations, and of `writer` and `readers` of all buffers. An
/// operation takes its place in the order of all its buffers at once: else two could wait for each other.
constinit sys::spin_lock order;

/// Somebody has taken the error of a failed operation from its future: the program knows.
bool was_told(const operation& failed) noexcept {
  amity::detail::state* const s = failed.result;
  if (s == nullptr || s->references.load(std::memory_order_acquire) != 1) return false;  // pairs with state.hpp's drop
  // The only future moves the error out when it throws it (only_value).
  return amity::detail::behind<std::exception_ptr>(*s) == nullptr;
}

/// `op` comes after `other`. Under the lock. `look_again`: somebody has to see that `other` ends.
void add_edge(operation& op, operation& other, bool carries_data, bool& look_again) {
  if (&op == &other) return;
  if (other.now.load(std::memory_order_relaxed) == phase::ended) {
    if (carries_data && other.failed.load(std::memory_order_relaxed) && op.cause == nullptr && !was_told(other))
      op.cause = other.cause;
    return;
  }
  other.keep();
  op.before.push_back({&other, carries_data});
  bool const on_device = other.on->native->domain() == op.on->native->domain();
  if (on_device && other.now.load(std::memory_order_relaxed) == phase::handed_over) return;  // by its mark
  hold(op);
  if (on_device) return other.at_hand_over.push_back(&op);
  other.at_end.push_back(&op);
  other.is_awaited.store(true, std::memory_order_seq_cst);  // pairs with watch.cpp's arm
  look_again = true;
}

/// Those that have ended well are nobody's concern any more.
void forget_ended(few<operation*, 4>& all) noexcept {
  std::size_t kept = 0;
  for (operation* const one : all) {
    if (one->now.load(std::memory_order_relaxed) == phase::ended)
      one->let_go();
    else
      all[kept++] = one;
  }
  all.resize(kept);
}

void add_to_buffer(operation& op, buffer_object& b, access how, bool& look_again) {
  if (b.writer != nullptr) add_edge(op, *b.writer, how != access::overwrites, look_again);
  if (how == access::reads) {
    if (b.readers.size() >= 4) forget_ended(b.readers);
    op.keep();
    b.readers.push_back(&op);
    return;
  }
  for (operation* const reader : b.readers) {
    add_edge(op, *reader, false, look_again);
    reader->let_go();
  }
  b.readers.clear();
  op.keep();
  if (operation* const before = std::exchange(b.writer, &op); before != nullptr) before->let_go();
}

void hand_over_in_task(operation& op) noexcept {
  sched::worker& w = sched::this_worker();
  auto go = [mine = ref<operation>::adopt(&op)]() noexcept { hand_over(*mine); };
  sched::enqueue_arrived(amity::detail::new_plain_task(w, nullptr, amity::detail::as_glue{std::move(go)}));
}

}  // namespace

void hold_order_over_forks() noexcept {
  pthread_atfork([] { order.lock(); }, [] { order.unlock(); }, [] { order.unlock(); });
}

void place(operation& op) {
  bool look_again = false;
  {
    std::lock_guard const held(order);
    for (const operation::use_of& u : op.uses) add_to_buffer(op, *u.buffer, u.how, look_again);
  }
  if (look_again) watch_anew();
}

void wait_for_end(operation& op, operation& other) {
  {
    std::lock_guard const held(order);
    if (other.now.load(std::memory_order_relaxed) == phase::ended) {
      if (other.failed.load(std::memory_order_relaxed) && op.cause == nullptr) op.cause = other.cause;
      return;
    }
    other.keep();
    op.before.push_back({&other, true});
    hold(op);
    other.at_end.push_back(&op);
    other.is_awaited.store(true, std::memory_order_seq_cst);  // pairs with watch.cpp's arm
  }
  watch_anew();
}

void let_go(operation& op) noexcept {
  // Release: what this one has left in `op`; acquire: what all others have.
  if (op.missing.fetch_sub(1, std::memory_order_acq_rel) == 1)
    hand_over_in_task(op);
  else
    op.let_go();
}

void let_go_here(ref<operation> op) noexcept {
  if (op->missing.fetch_sub(1, std::memory_order_acq_rel) == 1) hand_over(*op);  // as in let_go
}

void blame(operation& op, std::exception_ptr cause) noexcept {
  std::lock_guard const held(order);
  if (op.cause == nullptr) op.cause = std::move(cause);
}

std::exception_ptr cause_of(operation& op) noexcept {
  std::lock_guard const held(order);
  if (op.cause != nullptr) return op.cause;
  for (const operation::edge& e : op.before)
    if (e.carries_data && e.to->failed.load(std::memory_order_relaxed)) return e.to->cause;
  return nullptr;
}

bool all_before_ended(operation& op) noexcept {
  for (const operation::edge& e : op.before)
    if (e.to->now.load(std::memory_order_acquire) != phase::ended) return false;  // pairs with end_operation
  return true;
}

void note_hand_over(operation& op) noexcept {
  {
    std::lock_guard const held(order);
    // It may have ended already.
    if (op.now.load(std::memory_order_relaxed) == phase::waits)
      op.now.store(phase::handed_over, std::memory_order_release);
  }
  // Nobody adds to it any more.
  for (operation* const one : op.at_hand_over) let_go(*one);
  op.at_hand_over.clear();
}

void end_operation(operation& op, std::exception_ptr cause) noexcept {
  auto const self = ref<operation>::to(&op);
  bool was_handed_over = false;
  {
    std::lock_guard const held(order);
    was_handed_over = op.native_mark != nullptr;
    if (cause != nullptr) {
      op.cause = cause;
      op.failed.store(true, std::memory_order_relaxed);
    }
    op.now.store(phase::ended, std::memory_order_release);  // pairs with all_before_ended
  }
  amity::detail::state& told = *op.result;
  if (cause != nullptr) {
    amity::detail::put_error(told, cause);
    if (op.within != nullptr) amity::detail::report_error(op.within, cause);
  } else {
    op.put(op);
  }
  op.forget();  // before: whoever has waited finds memory free
  amity::detail::complete_in_handler(told);
  if (cause == nullptr) op.drop(*std::exchange(op.result, nullptr));  // else it stays, for was_told
  if (op.within != nullptr) sched::detail::end_elsewhere(*op.within);
  // One that was handed over lets those go itself, in note_hand_over.
  if (!was_handed_over) {
    for (operation* const one : op.at_hand_over) let_go(*one);
    op.at_hand_over.clear();
  }
  for (operation* const one : op.at_end) let_go(*one);
  op.at_end.clear();
}

}  // namespace amity::accel::detail
