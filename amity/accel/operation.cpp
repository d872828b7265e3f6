#include "amity/accel/operation.hpp"

#include "amity/accel/kernel_object.hpp"

namespace amity::accel::detail {

operation::~operation() {
  if (native_mark != nullptr) stream->native->release(native_mark);
  if (result != nullptr) drop(*result);
  forget();
}

void operation::forget() noexcept {
  for (const edge& e : before) e.to->let_go();
  before.clear();
  for (const use_of& u : uses) u.buffer->let_go();
  uses.clear();
  if (kernel != nullptr) std::exchange(kernel, nullptr)->let_go();
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
