#include "amity/sched/tasks/internal/spare_fibers.hpp"

#include <atomic>

#include "amity/base/report.hpp"
#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/fiber/wait_note.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sched/tasks/internal/engine.hpp"

namespace amity::sched {

namespace {

// The last thread that was asked for was refused. Relaxed: where it is seen late, tasks are looked after once more.
std::atomic<bool> refused{false};

}  // namespace

void seats_at_home::give(worker& w, carrier& home, bool alone, void (*main)(void*)) noexcept {
  if (group == nullptr || taken == ready_group::capacity) {
    group = acquire_group(home);
    group->exclusive = alone;
    taken = 0;
  }
  if (assign(*w.self, *group, taken++, main, &w)) await_landings();
}

void seat_on_own_thread(worker& w, void (*main)(void*)) noexcept {
  if (assign(*w.self, w.self->native->solo, 0, main, &w)) await_landings();
}

worker* make_spare_worker(int native) noexcept {
  fiber* const f = acquire_shell(native > 0 ? native : -1);
  refused.store(f == nullptr, std::memory_order_relaxed);
  if (f != nullptr) return &new_pool_worker(*f);
  static std::atomic<bool> warned{false};
  if (!warned.exchange(true, std::memory_order_relaxed))
    base::warn(
        "the system refuses a thread for tasks that go on while others wait; they wait, too, until some have ended. It "
        "has a limit on mappings (sysctl vm.max_map_count; five for each thread) and on threads (ulimit -u, pids.max)");
  return nullptr;
}

bool are_refused(const spare_fibers& list) noexcept {
  return refused.load(std::memory_order_relaxed) && list.looks_empty();
}

void forget_refusals() noexcept { refused.store(false, std::memory_order_relaxed); }

void await_work(worker& w) noexcept {
  wait_noted const noted(*w.self, wait_kind::tasks, nullptr, nullptr);
  while (!w.spare.taken.load(std::memory_order_acquire)) park();  // pairs with pop
  // A fiber of the pool that gives way announces what it leaves (T3), and that may have taken the fiber itself: it has
  // not parked, and the one that it gave way to still waits for this carrier.
  if (others_ready(*w.self->on)) yield();
}

}  // namespace amity::sched
