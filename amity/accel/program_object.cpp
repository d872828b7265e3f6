#include <pthread.h>

#include <mutex>
#include <utility>

#include "amity/accel/internal/watch.hpp"
#include "amity/accel/kernel_object.hpp"
#include "amity/accel/operation.hpp"
#include "amity/future/plain_task.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::accel::detail {
namespace {

/// Programs that are being built, the newest first. The lock is of each one's `waiting` and outcome, too: it is held
/// over forks, and the locks of single programs could not be.
constinit sys::spin_lock builds;
constinit program_object* first_build = nullptr;

/// Under the lock.
void add(program_object& p) noexcept {
  p.after = first_build;
  if (first_build != nullptr) first_build->before = &p;
  first_build = &p;
}
void remove(program_object& p) noexcept {
  (p.before != nullptr ? p.before->after : first_build) = p.after;
  if (p.after != nullptr) p.after->before = p.before;
}

/// It is built, or has failed. The caller holds nothing of it any more when somebody is told. So an error is destroyed
/// by the fibers that look at it.
void end_build(ref<program_object> p, std::unique_ptr<native_program> made, std::exception_ptr failure) noexcept {
  std::vector<operation*> waiting;
  {
    std::lock_guard const held(builds);
    if (p->is_built.load(std::memory_order_relaxed)) return;  // in the child of a fork: it was given up
    p->native = std::move(made);
    p->failure = failure;
    p->is_built.store(true, std::memory_order_release);  // pairs with wait_for_build
    remove(*p);
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

void build(ref<program_object> p, std::exception_ptr failure) noexcept {
  std::unique_ptr<native_program> made;
  // Relaxed: as behind_handle.
  if (is_child_of_user.load(std::memory_order_relaxed)) failure = std::make_exception_ptr(error_of_child());
  if (failure == nullptr) {
    try {
      made = p->of.native->build(p->text);
    } catch (...) {
      failure = amity::detail::caught_here();
    }
  }
  end_build(std::move(p), std::move(made), std::move(failure));
}

}  // namespace

program_object::program_object(device_object& d, program_text t) : of(d), text(std::move(t)) {
  told.state_or_null()->claimed.store(amity::detail::on_question, std::memory_order_relaxed);  // nobody has it yet
}

void hold_builds_over_forks() noexcept {
  pthread_atfork([] { builds.lock(); }, [] { builds.unlock(); }, [] { builds.unlock(); });
}

void give_up_builds() noexcept {
  for (;;) {
    ref<program_object> p;
    {
      std::lock_guard const held(builds);
      p = ref<program_object>::to(first_build);
    }
    if (!p) return;
    end_build(std::move(p), nullptr, std::make_exception_ptr(error_of_child()));
  }
}

ref<program_object> new_program(device_object& d, program_text text, std::exception_ptr failure) {
  attend_to_ends();  // the child of a fork hears of questions by that
  auto p = ref<program_object>::adopt(new program_object(d, std::move(text)));
  auto go = [p, failure = std::move(failure)]() mutable noexcept { build(std::move(p), std::move(failure)); };
  sched::worker& w = sched::this_worker();
  // In no finish: launches wait for it, and nobody else has to.
  sched::task& t = amity::detail::new_plain_task(w, nullptr, amity::detail::as_glue{std::move(go)});
  {
    std::lock_guard const held(builds);
    add(*p);
  }
  sched::enqueue_arrived(t);
  return p;
}

void wait_for_build(operation& op, program_object& p) {
  if (!p.is_built.load(std::memory_order_acquire)) {  // pairs with end_build
    std::lock_guard const held(builds);
    if (!p.is_built.load(std::memory_order_relaxed)) {
      p.waiting.push_back(&op);
      hold(op);
      return;
    }
  }
  if (p.failure != nullptr) blame(op, p.failure);
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
