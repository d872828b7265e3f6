/// How an operation comes to the driver.

#include <mutex>
#include <utility>

#include "amity/accel/graph.hpp"
#include "amity/accel/internal/observed.hpp"
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
  const kernel_signature& s = op.what.kernel->signature();
  if (s.takes_any_shared_bytes) return;
  if (takes_shared_memory(op.arguments.size(), s)) {
    op.arguments.push_back({.is = parameter::kind::local, .bytes = op.what.shared_bytes});
  } else if (op.what.shared_bytes != 0 && s.is_known) {
    throw kernel_error("the kernel '" + op.kernel->name + "' has no AMITY_SHARED_PARAMETER, and is launched with " +
                       std::to_string(op.what.shared_bytes) + " bytes of shared memory");
  }
}

/// Drivers end the process where a block has more local memory than there is. Throws kernel_error.
void check_local_memory(operation& op) {
  const kernel_limits& has = op.what.kernel->limits();
  std::uint64_t const most = op.on->facts().shared_memory;
  bool const is_extra = op.what.kernel->signature().takes_any_shared_bytes;
  std::uint64_t given = is_extra ? op.what.shared_bytes : 0;
  std::size_t number = 0;
  for (const argument& a : op.arguments) {
    if (a.is == parameter::kind::local && a.bytes == 0)
      throw kernel_error("parameter " + std::to_string(number) + " of the kernel '" + op.kernel->name +
                         "' is local memory, and the launch gives it no bytes");
    if (a.is == parameter::kind::local) given = saturated_sum(given, a.bytes);
    ++number;
  }
  if (most == 0 || saturated_sum(given, has.shared_bytes) <= most) return;
  throw kernel_error("the launch of the kernel '" + op.kernel->name + "' gives a block " + std::to_string(given) +
                     " bytes of local memory, and the kernel has " + std::to_string(has.shared_bytes) +
                     " of its own; " + op.on->words() + " has " + std::to_string(most));
}

/// Throws kernel_error.
void check_block(const operation& op) {
  const kernel_limits& has = op.what.kernel->limits();
  const dim3 &block = op.what.block, &only = has.only_block;
  if (only.count() != 0 && block != only)
    throw kernel_error("the kernel '" + op.kernel->name + "' is launched with blocks of " + words_of(block) +
                       "; its source says that they have " + words_of(only));
  if (has.largest_block != 0 && block.count() > has.largest_block)
    throw kernel_error("the kernel '" + op.kernel->name + "' is launched with blocks of " +
                       std::to_string(block.count()) + " work items; compiled for " + op.on->words() + " it takes " +
                       std::to_string(has.largest_block) + " at most");
}

/// A launch's command is whole. Throws build_error, kernel_error.
void complete_launch(operation& op) {
  op.what.kernel = &op.kernel->native();
  add_shared_memory(op);
  if (!op.kernel->is_checked()) check_given(op.kernel->name, op.arguments, op.what.kernel->signature());
  check_local_memory(op);
  check_block(op);
  op.what.arguments = op.arguments;
  op.what.values = op.values.data();
}

mark enqueue_with_kernel(operation& op, native_stream& to, std::span<const mark> after) {
  if (op.kernel == nullptr) return to.enqueue(op.what, after);
  std::lock_guard const held(op.kernel->lock);
  return to.enqueue(op.what, after);
}

/// The commands of all parts. Under its lock. Throws build_error, kernel_error, and so does each later launch.
void complete(graph_object& g) {
  std::vector<command> all;
  try {
    for (const ref<operation>& part : g.parts) {
      if (part->kernel != nullptr) complete_launch(*part);
      all.push_back(part->what);
    }
  } catch (...) {
    g.failure = amity::detail::caught_here();
    throw;
  }
  g.commands = std::move(all);
}

/// As the driver's own graph; else piece by piece, and the later pieces follow in the stream.
void enqueue_graph(operation& op, std::span<const mark> after) {
  graph_object& g = *op.graph;
  native_stream& to = *op.stream->native;
  std::lock_guard const held(g.lock);
  if (g.failure != nullptr) std::rethrow_exception(g.failure);
  if (g.commands.empty()) complete(g);
  if (g.commands.empty()) {
    op.native_mark = to.enqueue(op.what, after);
    return;
  }
  op.native_mark = to.enqueue_graph(g.commands, after, g.native);
  if (op.native_mark != nullptr) return;
  for (const ref<operation>& part : g.parts) {
    mark const made = enqueue_with_kernel(*part, to, after);
    if (op.native_mark != nullptr) op.marks_before.push_back(op.native_mark);
    op.native_mark = made;
    after = {};
  }
}

/// Throws what the driver says.
void enqueue(operation& op) {
  few<mark, 4> after;
  for (const operation::edge& e : op.before) {
    if (e.to->now.load(std::memory_order_acquire) != phase::handed_over || e.to->stream == op.stream) continue;
    after.push_back(e.to->native_mark);
  }
  if (op.graph != nullptr) return enqueue_graph(op, after);
  if (op.kernel != nullptr) complete_launch(op);
  op.native_mark = enqueue_with_kernel(op, *op.stream->native, after);
}

/// Puts it into the list of its stream. Throws what the driver says.
question put_into_stream(operation& op) {
  if (op.stream == nullptr) op.stream = &choose_stream(op);
  stream_object& s = *op.stream;
  std::lock_guard const held(s.lock);
  observe_hand_over(op);
  enqueue(op);
  op.keep();  // the list's
  if (s.last != nullptr)
    s.last->next = &op;
  else
    s.first = &op;
  s.last = &op;
  s.tail.store(&op, std::memory_order_relaxed);
  // Before the look for a question; pairs with is_anything_pending (README.md, W4).
  s.pending.fetch_add(1, std::memory_order_seq_cst);
  return question_about(op);
}

/// What it fails with is known. It does nothing, but in its place: those that come after it come after those before it.
void do_nothing(operation& op) noexcept {
  op.what = {};
  // Parts of a graph that the driver has taken come before it in its stream.
  if (op.native_mark != nullptr) op.marks_before.push_back(std::exchange(op.native_mark, nullptr));
  if (op.kernel != nullptr) std::exchange(op.kernel, nullptr)->let_go();
  if (op.graph != nullptr)
    op.keeps = std::shared_ptr<const void>(std::exchange(op.graph, nullptr), [](graph_object* g) { g->let_go(); });
}

}  // namespace

void hand_over(operation& op) noexcept {
  if (is_child_of_user.load(std::memory_order_relaxed))  // relaxed: as behind_handle
    return end_operation(op, std::make_exception_ptr(error_of_child()));
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
