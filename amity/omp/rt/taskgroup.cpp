#include "amity/omp/rt/taskgroup.hpp"

#include "amity/base/report.hpp"
#include "amity/omp/hooks/race.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/rt/task_run.hpp"

namespace amity::omp {

namespace {
constexpr unsigned group_class = sched::frame_pool::class_of(sizeof(taskgroup));
}

taskgroup& begin_taskgroup(thread& t) noexcept {
  sched::frame* const f = t.tasks.take(group_class);
  if (f == nullptr) base::fatal("out of memory for a taskgroup");
  auto& g = *static_cast<taskgroup*>(f);
  scope& outer = *t.current->inner;
  g.outer.store(&outer, std::memory_order_relaxed);
  g.depth.store(outer.depth.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  g.kind = scope::kind_of::group;
  g.is_implicit = false;
  g.owner.store(&t, std::memory_order_relaxed);
  g.local = 0;
  g.remote.store(0, std::memory_order_relaxed);
  g.cancelled.store(false, std::memory_order_relaxed);
  g.of_construct = false;
  g.gcc_reductions = nullptr;
  g.clang_reductions = nullptr;
  t.current->inner = &g;
  if (cold::any()) [[unlikely]] {
    race::group_begins(g);
    ompt::sync_begins(t, ompt::sync_kind::taskgroup);
  }
  return g;
}

taskgroup& open_taskgroup(thread& t) noexcept { return static_cast<taskgroup&>(*t.current->inner); }

void wait_taskgroup(thread& t) noexcept {
  scope_wait const all{*t.current->inner, true};
  if (cold::any()) [[unlikely]]
    ompt::wait_begins(t, ompt::sync_kind::taskgroup);
  if (!all.done()) run_until(t, all, reach::descendants);
  if (cold::any()) [[unlikely]] {
    race::group_ends(static_cast<taskgroup&>(all.s));
    ompt::wait_ends(t, ompt::sync_kind::taskgroup);
  }
}

void end_taskgroup(thread& t) noexcept {
  wait_taskgroup(t);
  taskgroup& g = open_taskgroup(t);
  if (g.cancelled.load(std::memory_order_relaxed)) [[unlikely]]
    t.team->cancelled.fetch_sub(one_group_cancelled, std::memory_order_relaxed);
  t.current->inner = g.outer.load(std::memory_order_relaxed);
  if (cold::any()) [[unlikely]] {
    race::forget(g);
    ompt::sync_ends(t, ompt::sync_kind::taskgroup);
  }
  t.tasks.give(&g, group_class);
}

}  // namespace amity::omp
