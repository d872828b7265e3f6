/// global: one queue for all workers, first in first out. Priorities and hints make no difference, and there is nothing
/// to steal.

#include "amity/sched/tasks/internal/task_queue.hpp"
#include "amity/sched/tasks/policies/policies.hpp"

namespace amity::sched::policies {
namespace {

class global final : public scheduling_policy {
 public:
  void put(task_ref t, const placement&) noexcept override { all_.push(t); }
  task_ref take(int) noexcept override { return all_.oldest(); }
  task_ref take_within(int, const scope& s) noexcept override { return all_.within(s, order::fifo); }

 private:
  task_queue all_;
};

}  // namespace

scheduling_policy* make_global(const policy_options&) { return new global; }

}  // namespace amity::sched::policies
