/// hierarchical: a tree of queues whose leaves are the workers'. A new task is put at the root. A worker whose leaf is
/// empty fetches some from the node above, which does the same: tasks move down, the oldest first, and few workers meet
/// at one lock. Priorities and hints make no difference.
///
/// A node hands down its share for each child, so that what lies there is soon spread; with stealing, a worker that
/// finds its way to the root empty looks into other leaves and inner nodes. Without, one task moves at a time, and only
/// for the worker that runs it: it never lies where others can't find it.

#include <memory>

#include "amity/sched/tasks/policies/policies.hpp"
#include "amity/sched/tasks/policies/queues.hpp"

namespace amity::sched::policies {
namespace {

/// A binary tree in an array: the children of node i are 2i + 1 and 2i + 2.
class hierarchical final : public scheduling_policy {
 public:
  explicit hierarchical(const policy_options& o)
      : stealing_(o.stealing), first_leaf_(leaves_for(o.workers) - 1), nodes_(first_leaf_ + o.workers) {}

  void put(task_ref t, const placement&) noexcept override { nodes_[0].push(t); }

  task_ref take(int worker) noexcept override {
    int const leaf = first_leaf_ + worker;
    if (task_ref const t = fetch(leaf)) return t;
    return stealing_ ? nodes_.steal(leaf) : task_ref();
  }

  task_ref take_within(int worker, const scope& s) noexcept override {
    for (int node = first_leaf_ + worker;; node = (node - 1) / 2) {
      if (task_ref const t = nodes_[node].within(s, order::fifo)) return t;
      if (node == 0) return {};
    }
  }

 private:
  static int leaves_for(int workers) noexcept {
    int leaves = 1;
    while (leaves < workers) leaves *= 2;
    return leaves;
  }

  task_ref fetch(int node) noexcept {
    if (task_ref const t = nodes_[node].oldest()) return t;
    if (node == 0) return {};
    int const above = (node - 1) / 2;
    task_ref const first = fetch(above);
    if (first && stealing_) nodes_[above].move_to(nodes_[node], nodes_[above].size() / 4);
    return first;
  }

  bool stealing_;
  int first_leaf_;
  queues nodes_;
};

}  // namespace

scheduling_policy* make_hierarchical(const policy_options& o) { return new hierarchical(o); }

}  // namespace amity::sched::policies
