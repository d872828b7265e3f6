/// How an operation comes to the driver.

#include <mutex>
#include <utility>

#include "amity/accel/internal/watch.hpp"
#include "amity/accel/kernel_object.hpp"
#include "amity/accel/operation.hpp"

namespace amity::accel::detail {
namespace {

/// One that is open, or a new one.
stream_object& stream_at(device_object& d, std::size_t i) {
  if (stream_object* const there = d.streams[i].load(std::memory_order_acquire); there != nullptr) return *there;
  std::lock_guard const held(d.opening);
  if (stream_object* const there = d.streams[i].load(std::memory_order_relaxed); there != nullptr) return *there;
  stream_object* const made = &open_stream(d);
  d.streams[i].store(made, std::memory_order_release);  // pairs with the load above
  return *made;
}

/// That of an operation before it which is the last one there: the two need no mark. Else one that has nothing to do.
/// Else they take turns.
stream_object& choose_stream(operation& op) {
  for (const operation::edge& e : op.before) {
    stream_object* const its = e.to->stream;
    if (its != nullptr && &its->of == op.on && its->tail.load(std::memory_order_relaxed) == e.to) return *its;
  }
  device_object& d = *op.on;
  for (std::size_t i = 0; i < device_object::most_streams; ++i) {
    stream_object* const there = d.streams[i].load(std::memory_order_acquire);
    if (there == nullptr || there->pending.load(std::memory_order_relaxed) == 0) return stream_at(d, i);
  }
  return stream_at(d, d.turn.fetch_add(1, std::memory_order_relaxed) % device_object::most_streams);
}

/// OpenCL has a block's own local memory as one more parameter (AMITY_SHARED_PARAMETER of the dialect).
void add_shared_memory(operation& op) {
  if (op.what.kernel->signature().takes_any_shared_bytes) return;
  if (op.kernel->takes_shared_memory()) {
    op.arguments.push_back({.is = parameter::kind::local, .bytes = op.what.shared_bytes});
  } else if (op.what.shared_bytes != 0 && op.what.kernel->signature().is_known) {
    throw kernel_error("the kernel '" + op.kernel->name + "' has no AMITY_SHARED_PARAMETER, and is launched with " +
                       std::to_string(op.what.shared_bytes) + " bytes of shared memory");
  }
}

/// Throws what the driver says.
void enqueue(operation& op) {
  few<mark, 4> after;
  for (const operation::edge& e : op.before) {
    if (e.to->now.load(std::memory_order_acquire) != phase::handed_over || e.to->stream == op.stream) continue;
    after.push_back(e.to->native_mark);
  }
  if (op.kernel == nullptr) {
    op.native_mark = op.stream->native->enqueue(op.what, after);
    return;
  }
  op.what.kernel = &op.kernel->native();
  add_shared_memory(op);
  op.what.arguments = op.arguments;
  op.what.values = op.values.data();
  std::lock_guard const held(op.kernel->lock);
  op.native_mark = op.stream->native->enqueue(op.what, after);
}

/// Puts it into the list of its stream. Throws what the driver says.
question put_into_stream(operation& op) {
  if (op.stream == nullptr) op.stream = &choose_stream(op);
  stream_object& s = *op.stream;
  std::lock_guard const held(s.lock);
  enqueue(op);
  op.keep();  // the list's
  if (s.last != nullptr)
    s.last->next = &op;
  else
    s.first = &op;
  s.last = &op;
  s.tail.store(&op, std::memory_order_relaxed);
  s.pending.fetch_add(1, std::memory_order_seq_cst);  // before the look for a question; pairs with watch.cpp's W4
  return question_about(op);
}

/// What it fails with is known. It does nothing, but in its place: those that come after it come after those before it.
void do_nothing(operation& op) noexcept {
  op.what = {};
  if (op.kernel != nullptr) std::exchange(op.kernel, nullptr)->let_go();
}

}  // namespace

void hand_over(operation& op) noexcept {
  if (cause_of(op) != nullptr) do_nothing(op);
  question asked = question::none;
  try {
    asked = put_into_stream(op);
  } catch (...) {
    blame(op, amity::detail::caught_here());
    do_nothing(op);
    try {
      asked = put_into_stream(op);
    } catch (...) {  // the driver takes nothing any more
      return end_operation(op, cause_of(op));
    }
  }
  op.stream->native->flush();
  note_hand_over(op);
  watch(*op.stream, asked);
}

}  // namespace amity::accel::detail
