#include "amity/future/async_rw_mutex.hpp"

#include <mutex>

#include "amity/future/caught.hpp"
#include "amity/future/plain_task.hpp"

namespace amity::detail {
namespace {

/// Ends an access on another stack.
struct end_on_other_stack {
  static constexpr bool is_glue = true;
  std::shared_ptr<access_queue> queue;
  void operator()() noexcept { access_queue::end(std::move(queue)); }
};

}  // namespace

bool access_queue::begin(bool writes) noexcept {
  if (first_ != nullptr || holders_ == writer || (writes && holders_ != 0)) return false;
  holders_ = writes ? writer : holders_ + 1;
  return true;
}

bool access_queue::try_begin(bool writes) noexcept {
  std::lock_guard const guard(lock_);
  return begin(writes);
}

bool access_queue::wait_for(access_request& r) noexcept {
  std::lock_guard const guard(lock_);
  if (begin(r.writes)) return false;
  (first_ == nullptr ? first_ : last_->next) = &r;
  last_ = &r;
  return true;
}

void access_queue::begin_beside() noexcept {
  std::lock_guard const guard(lock_);
  ++holders_;
}

/// Those that have it now: a writer, or all readers before the next one.
access_request* access_queue::end_one() noexcept {
  std::lock_guard const guard(lock_);
  holders_ = holders_ == writer ? 0 : holders_ - 1;
  if (holders_ != 0 || first_ == nullptr) return nullptr;
  access_request* const chosen = first_;
  access_request* end = chosen;
  holders_ = chosen->writes ? writer : 1;
  for (; !chosen->writes && end->next != nullptr && !end->next->writes; end = end->next) ++holders_;
  first_ = std::exchange(end->next, nullptr);
  return chosen;
}

void access_queue::end(std::shared_ptr<access_queue> queue) noexcept {
  // One that nobody wants any more ends as soon as it is given, and gives the next one, and so on.
  if (worker& w = sched::this_worker(); sched::stack_is_low(w)) {
    sched::task* t = nullptr;
    auto const error = caught([&] { t = &new_plain_task(w, nullptr, end_on_other_stack{queue}); });
    if (error == nullptr) return sched::enqueue(*t, w);
    // no memory; half of the stack is left
  }
  access_request* next = queue->end_one();
  while (next != nullptr) std::exchange(next, next->next)->grant();
}

}  // namespace amity::detail
