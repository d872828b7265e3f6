#include <mutex>

#include "amity/accel/kernel_object.hpp"
#include "amity/accel/operation.hpp"
#include "amity/future/plain_task.hpp"

namespace amity::accel::detail {
namespace {

/// The task holds nothing of it any more when somebody is told. So an error is destroyed by the fibers that look at it.
void build(ref<program_object> p, std::exception_ptr failure) noexcept {
  std::unique_ptr<native_program> made;
  if (failure == nullptr) {
    try {
      made = p->of.native->build(p->text);
    } catch (...) {
      failure = amity::detail::caught_here();
    }
  }
  std::vector<operation*> waiting;
  {
    std::lock_guard const held(p->lock);
    p->native = std::move(made);
    p->failure = failure;
    p->is_built = true;
    waiting.swap(p->waiting);
  }
  for (operation* const op : waiting) {
    if (failure != nullptr) blame(*op, failure);
    let_go(*op);
  }
  promise<void> built = std::move(p->built);
  p = {};
  if (failure != nullptr)
    built.set_exception(std::move(failure));
  else
    built.set_value();
}

}  // namespace

ref<program_object> new_program(device_object& d, program_text text, std::exception_ptr failure) {
  auto p = ref<program_object>::adopt(new program_object(d, std::move(text)));
  auto go = [p, failure = std::move(failure)]() mutable noexcept { build(std::move(p), std::move(failure)); };
  sched::worker& w = sched::this_worker();
  // In no finish: launches wait for it, and nobody else has to.
  sched::enqueue_arrived(amity::detail::new_plain_task(w, nullptr, amity::detail::as_glue{std::move(go)}));
  return p;
}

void wait_for_build(operation& op, program_object& p) {
  std::lock_guard const held(p.lock);
  if (!p.is_built) {
    p.waiting.push_back(&op);
    hold(op);
  } else if (p.failure != nullptr) {
    blame(op, p.failure);
  }
}

native_kernel& kernel_object::native() {
  if (native_kernel* const there = made_.load(std::memory_order_acquire); there != nullptr) return *there;
  std::lock_guard const held(lock);
  if (native_kernel* const there = made_.load(std::memory_order_relaxed); there != nullptr) return *there;
  auto made = of->native->kernel(name);
  if (is_checked_) check_signature(name, wanted, made->signature());
  owned_ = std::move(made);
  made_.store(owned_.get(), std::memory_order_release);  // pairs with the load above
  return *owned_;
}

}  // namespace amity::accel::detail
