#include "amity/accel/operation.hpp"

#include <mutex>

#include "amity/accel/graph.hpp"
#include "amity/accel/kernel_object.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::accel::detail {
namespace {

struct spare_memory {
  sys::spin_lock lock;
  void* first = nullptr;  ///< each begins with a pointer to the next
  unsigned count = 0;
};
constinit spare_memory spares;
constexpr unsigned most_spares = 1024;

}  // namespace

void* operation::operator new(std::size_t bytes) {
  {
    std::lock_guard const held(spares.lock);
    if (void* const one = spares.first; one != nullptr) {
      spares.first = *static_cast<void**>(one);
      --spares.count;
      return one;
    }
  }
  return ::operator new(bytes);
}

void operation::operator delete(void* memory) noexcept {
  {
    std::lock_guard const held(spares.lock);
    if (spares.count < most_spares) {
      *static_cast<void**>(memory) = std::exchange(spares.first, memory);
      ++spares.count;
      return;
    }
  }
  ::operator delete(memory);
}

operation::~operation() {
  bool const is_drivers = !is_child_of_user.load(std::memory_order_relaxed);  // relaxed: as behind_handle
  if (native_mark != nullptr && is_drivers) stream->native->release(native_mark);
  for (mark const m : marks_before)
    if (is_drivers) stream->native->release(m);
  if (result != nullptr) drop(*result);
  forget();
}

void operation::forget() noexcept {
  for (const edge& e : before) e.to->let_go();
  before.clear();
  for (const use_of& u : uses) u.buffer->let_go();
  uses.clear();
  if (kernel != nullptr) std::exchange(kernel, nullptr)->let_go();
  if (graph != nullptr) std::exchange(graph, nullptr)->let_go();
  keeps.reset();
}

void begin_within_scope(operation& op) noexcept {
  op.within = sched::this_worker().current;
  if (op.within != nullptr) op.within->elsewhere.fetch_add(sched::scope::one, std::memory_order_relaxed);
}

void hold_for(operation& op, const shared_future<void>& f) {
  hold(op);
  static_cast<void>(f.then(amity::launch::sync, [waiting = &op](shared_future<void> ready) noexcept {
    try {
      ready.get();
    } catch (...) {
      blame(*waiting, amity::detail::caught_here());
    }
    let_go(*waiting);
  }));
}

future<void> begin(ref<operation> op) {
  return begin_with<void>(std::move(op), [](operation& o) { amity::detail::put_value<void>(*o.result); });
}

}  // namespace amity::accel::detail
