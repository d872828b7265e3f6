/// local: a queue for each worker, first in first out. An idle worker steals the oldest task of another. Priorities
/// make no difference.

#include "amity/sched/tasks/policies/policies.hpp"
#include "amity/sched/tasks/policies/queues.hpp"

namespace amity::sched::policies {
namespace {

class local final : public scheduling_policy {
 public:
  explicit local(const policy_options& o) : stealing_(o.stealing), turn_(o.workers), own_(o.workers) {}

  int owner_of(const placement& p) noexcept override { return stealing_ ? no_worker : near_maker(p, turn_); }
  void put(task_ref t, const placement& p) noexcept override { own_[near_maker(p, turn_)].push(t); }
  task_ref take(int worker) noexcept override {
    task_ref const t = own_[worker].oldest();
    return t || !stealing_ ? t : own_.steal(worker);
  }
  task_ref take_within(int worker, const scope& s) noexcept override { return own_[worker].within(s, order::fifo); }

 private:
  bool stealing_;
  round_robin turn_;
  queues own_;
};

}  // namespace

scheduling_policy* make_local(const policy_options& o) { return new local(o); }

}  // namespace amity::sched::policies
