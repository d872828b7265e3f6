/// static-priority: as static, with three queues for each worker: high before normal before low.

#include "amity/sched/tasks/policies/policies.hpp"
#include "amity/sched/tasks/policies/queues.hpp"

namespace amity::sched::policies {
namespace {

class static_priority final : public scheduling_policy {
 public:
  explicit static_priority(const policy_options& o)
      : turn_(o.workers), high_(o.workers), normal_(o.workers), low_(o.workers) {}

  bool binds_workers() const noexcept override { return true; }
  int owner_of(const placement& p) noexcept override { return spread(p, turn_); }
  void put(task_ref t, const placement& p) noexcept override {
    queues& of = p.priority == task_priority::high ? high_ : p.priority == task_priority::low ? low_ : normal_;
    of[p.owner].push(t);
  }
  task_ref take(int worker) noexcept override {
    for (queues* of : {&high_, &normal_, &low_})
      if (task_ref const t = (*of)[worker].oldest()) return t;
    return {};
  }
  task_ref take_within(int worker, const scope& s) noexcept override {
    for (queues* of : {&high_, &normal_, &low_})
      if (task_ref const t = (*of)[worker].within(s, order::fifo)) return t;
    return {};
  }

 private:
  round_robin turn_;
  queues high_, normal_, low_;
};

}  // namespace

scheduling_policy* make_static_priority(const policy_options& o) { return new static_priority(o); }

}  // namespace amity::sched::policies
