/// Waiting for a group where not all of it has ended on the fiber that made it. What share() and the counts are is in
/// sched/tasks/README.md.

#include "amity/finish/task_group.hpp"

#include <mutex>

#include "amity/sync/parking.hpp"

namespace amity {

bool task_group::join_slowly(detail::worker& w) {
  {
    std::lock_guard const guard(lock_);
    ++waiting_;
    sched::share(scope_, w);
  }
  sched::run_newest_within(w, scope_);
  while (!sched::is_shared_and_empty(scope_))
    sync::park_at(&scope_,
                  [this] {
                    return scope_.elsewhere.load(std::memory_order_relaxed) != sched::scope::waiting;
                  },  // read again above
                  {.kind = sched::wait_kind::finish, .where = __builtin_return_address(0)});
  std::lock_guard const guard(lock_);
  bool const was_canceled = is_canceling();
  if (--waiting_ == 0) {  // nobody counts on being told
    scope_.canceled.store(false, std::memory_order_relaxed);
    if (&w == home_) sched::make_maker(scope_, w);
  }
  return was_canceled;
}

void task_group::tell(sched::scope& s) noexcept { sync::unpark_all(&s); }

}  // namespace amity
