/// periodic-priority: a queue for each worker; a few of high priority, served by the first workers before anything
/// else; and one of low priority, which the last worker serves when it has nothing else.
///
/// With stealing, others take from all of them when they would be idle. So that tasks of low priority can't wait for
/// ever, the last worker looks at them first every so often: that is the period.

#include "amity/sched/tasks/policies/policies.hpp"
#include "amity/sched/tasks/policies/queues.hpp"

namespace amity::sched::policies {
namespace {

constexpr unsigned period = 256;  // tasks of the last worker

class periodic_priority final : public scheduling_policy {
 public:
  explicit periodic_priority(const policy_options& o)
      : last_(o.workers - 1),
        stealing_(o.stealing),
        turn_(o.workers),
        high_turn_(high_queues(o)),
        high_(high_queues(o)),
        normal_(o.workers) {}

  int owner_of(const placement& p) noexcept override {
    if (stealing_) return no_worker;
    if (p.priority == task_priority::low) return last_;
    return p.priority == task_priority::high ? high_turn_.next() : near_maker(p, turn_);
  }

  void put(task_ref t, const placement& p) noexcept override {
    if (p.priority == task_priority::low)
      low_.push(t);
    else if (p.priority == task_priority::high)
      high_[p.owner != no_worker ? p.owner : high_turn_.next()].push(t);
    else
      normal_[near_maker(p, turn_)].push(t);
  }

  task_ref take(int worker) noexcept override {
    // Only the last worker counts.
    if (worker == last_ && ++taken_by_last_ % period == 0)
      if (task_ref const t = low_.oldest()) return t;
    if (worker < high_.count())
      if (task_ref const t = high_[worker].oldest()) return t;
    if (stealing_ && worker < high_.count())
      if (task_ref const t = high_.steal(worker)) return t;
    if (task_ref const t = normal_[worker].oldest()) return t;
    if (stealing_) {
      if (task_ref const t = normal_.steal(worker)) return t;
      if (worker >= high_.count())
        if (task_ref const t = high_.any()) return t;
    }
    return worker == last_ || stealing_ ? low_.oldest() : task_ref();
  }

  task_ref take_within(int worker, const scope& s) noexcept override {
    if (worker < high_.count())
      if (task_ref const t = high_[worker].within(s, order::fifo)) return t;
    if (task_ref const t = normal_[worker].within(s, order::fifo)) return t;
    return worker == last_ || stealing_ ? low_.within(s, order::fifo) : task_ref();
  }

 private:
  static int high_queues(const policy_options& o) noexcept {
    int const asked = o.high_queues > 0 ? o.high_queues : (o.workers + 3) / 4;
    return asked < o.workers ? asked : o.workers;
  }

  int last_;
  bool stealing_;
  round_robin turn_, high_turn_;
  queues high_, normal_;
  task_queue low_;
  unsigned taken_by_last_ = 0;
};

}  // namespace

scheduling_policy* make_periodic_priority(const policy_options& o) { return new periodic_priority(o); }

}  // namespace amity::sched::policies
