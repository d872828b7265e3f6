/// priority-local: a queue for each worker, some of high priority, and one of low priority that is everybody's.
///
/// What a policy of this name does where one is made. The process's default is the same order without this object: its
/// queues are those of tasks/README.md, and engine.cpp keeps tasks of high and of low priority beside them.

#include "amity/sched/tasks/policies/policies.hpp"
#include "amity/sched/tasks/policies/queues.hpp"

namespace amity::sched::policies {
namespace {

class priority_local final : public scheduling_policy {
 public:
  priority_local(const policy_options& o, order by)
      : by_(by),
        stealing_(o.stealing),
        turn_(o.workers),
        high_(o.high_queues > 0 && o.high_queues < o.workers ? o.high_queues : o.workers),
        normal_(o.workers) {}

  int owner_of(const placement& p) noexcept override {
    if (stealing_ || p.priority == task_priority::low) return no_worker;
    int const worker = near_maker(p, turn_);
    return p.priority == task_priority::high ? worker % high_.count() : worker;
  }

  void put(task_ref t, const placement& p) noexcept override {
    if (p.priority == task_priority::low) return low_.push(t);
    int const worker = near_maker(p, turn_);
    if (p.priority == task_priority::high)
      high_[worker % high_.count()].push(t);
    else
      normal_[worker].push(t);
  }

  task_ref take(int worker) noexcept override {
    bool const has_high = stealing_ || worker < high_.count();
    int const own_high = worker % high_.count();
    if (has_high)
      if (task_ref const t = high_[own_high].next(by_)) return t;
    if (stealing_)
      if (task_ref const t = high_.steal(own_high)) return t;
    if (task_ref const t = normal_[worker].next(by_)) return t;
    if (stealing_)
      if (task_ref const t = normal_.steal(worker)) return t;
    return low_.next(by_);
  }

  task_ref take_within(int worker, const scope& s) noexcept override {
    if (stealing_ || worker < high_.count())
      if (task_ref const t = high_[worker % high_.count()].within(s, by_)) return t;
    if (task_ref const t = normal_[worker].within(s, by_)) return t;
    return low_.within(s, by_);
  }

 private:
  order by_;
  bool stealing_;
  round_robin turn_;
  queues high_, normal_;
  task_queue low_;
};

}  // namespace

scheduling_policy* make_priority_local_lifo(const policy_options& o) { return new priority_local(o, order::lifo); }
scheduling_policy* make_priority_local_fifo(const policy_options& o) { return new priority_local(o, order::fifo); }

}  // namespace amity::sched::policies
