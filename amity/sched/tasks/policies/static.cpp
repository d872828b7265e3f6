/// static: workers get tasks in turn, first in first out, and keep them: nothing migrates. Worker n is bound to core n.

#include "amity/sched/tasks/policies/policies.hpp"
#include "amity/sched/tasks/policies/queues.hpp"

namespace amity::sched::policies {
namespace {

class static_turns final : public scheduling_policy {
 public:
  explicit static_turns(const policy_options& o) : turn_(o.workers), own_(o.workers) {}

  bool binds_workers() const noexcept override { return true; }
  int owner_of(const placement& p) noexcept override { return spread(p, turn_); }
  void put(task_ref t, const placement& p) noexcept override { own_[p.owner].push(t); }
  task_ref take(int worker) noexcept override { return own_[worker].oldest(); }
  task_ref take_within(int worker, const scope& s) noexcept override { return own_[worker].within(s, order::fifo); }

 private:
  round_robin turn_;
  queues own_;
};

}  // namespace

scheduling_policy* make_static(const policy_options& o) { return new static_turns(o); }

}  // namespace amity::sched::policies
