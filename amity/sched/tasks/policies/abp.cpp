/// abp: a deque for each worker, without locks, after Arora, Blumofe and Plaxton, "Thread Scheduling for
/// Multiprogrammed Multiprocessors" (1998). The worker pushes and pops at one end, thieves take from the other.
/// `abp-fifo` takes its own from the thieves' end as well. Priorities make no difference.
///
/// What a thread that is no worker makes, or a worker for another, goes to the other's list of arrivals, under a lock.

#include <atomic>
#include <memory>

#include "amity/base/config.hpp"
#include "amity/sched/tasks/policies/policies.hpp"
#include "amity/sched/tasks/policies/queues.hpp"

namespace amity::sched::policies {
namespace {

/// The paper's deque. Its array is not a ring: indices begin anew whenever the owner has emptied it.
class abp_deque {
 public:
  static constexpr std::uint32_t capacity = 4096;

  /// The owner's. False: no room.
  [[nodiscard]] bool push(task_ref t) noexcept {
    std::uint32_t const b = bottom_.load(std::memory_order_relaxed);
    if (b == capacity) return false;
    slot_[b].store(t.get(), std::memory_order_relaxed);
    bottom_.store(b + 1, std::memory_order_release);  // pairs with steal: the entry, and what the task needs
    return true;
  }

  /// The owner's: its newest. seq_cst: Dekker with steal, which reads age_, then bottom_.
  [[nodiscard]] task_ref pop() noexcept {
    std::uint32_t b = bottom_.load(std::memory_order_relaxed);
    if (b == 0) return {};
    bottom_.store(--b, std::memory_order_seq_cst);
    task_ref const t(slot_[b].load(std::memory_order_relaxed));
    std::uint64_t age = age_.load(std::memory_order_seq_cst);
    if (b > top_of(age)) return t;
    // The last one, or none: the owner and a thief agree by age_. The tag makes slow thieves fail afterwards.
    bottom_.store(0, std::memory_order_seq_cst);
    std::uint64_t const emptied = next_tag(age);
    if (b == top_of(age) && age_.compare_exchange_strong(age, emptied, std::memory_order_seq_cst)) return t;
    age_.store(emptied, std::memory_order_seq_cst);
    return {};
  }

  /// Anybody's: the oldest. Nothing also if another was faster.
  [[nodiscard]] task_ref steal() noexcept {
    std::uint64_t age = age_.load(std::memory_order_seq_cst);
    std::uint32_t const b = bottom_.load(std::memory_order_seq_cst);
    if (b <= top_of(age)) return {};
    task_ref const t(slot_[top_of(age)].load(std::memory_order_relaxed));
    return age_.compare_exchange_strong(age, age + 1, std::memory_order_seq_cst) ? t : task_ref();
  }

  [[nodiscard]] bool empty() const noexcept {
    return bottom_.load(std::memory_order_relaxed) <= top_of(age_.load(std::memory_order_relaxed));
  }

 private:
  static std::uint32_t top_of(std::uint64_t age) noexcept { return static_cast<std::uint32_t>(age); }
  static std::uint64_t next_tag(std::uint64_t age) noexcept { return ((age >> 32) + 1) << 32; }

  alignas(base::cache_line) std::atomic<std::uint64_t> age_{0};  ///< tag, and the index of the oldest
  alignas(base::cache_line) std::atomic<std::uint32_t> bottom_{0};
  std::atomic<sched::task*> slot_[capacity] = {};
};

class abp final : public scheduling_policy {
 public:
  abp(const policy_options& o, order by)
      : by_(by),
        workers_(o.workers),
        stealing_(o.stealing),
        turn_(o.workers),
        own_(new abp_deque[static_cast<std::size_t>(o.workers)]),
        arrivals_(o.workers) {}

  int owner_of(const placement& p) noexcept override { return stealing_ ? no_worker : near_maker(p, turn_); }

  void put(task_ref t, const placement& p) noexcept override {
    int const worker = near_maker(p, turn_);
    if (worker != p.from || !of(worker).push(t)) arrivals_[worker].push(t);
  }

  task_ref take(int worker) noexcept override {
    if (task_ref const t = take_own(worker)) return t;
    if (task_ref const t = arrivals_[worker].oldest()) return t;
    if (!stealing_) return {};
    for (int i = worker + 1; i < worker + workers_; ++i)
      if (task_ref const t = of(i % workers_).steal()) return t;
    return arrivals_.steal(worker);
  }

  task_ref take_within(int worker, const scope& s) noexcept override {
    // Only the newest can be looked at: what a wait is for was made last, mostly.
    if (task_ref const t = of(worker).pop()) {
      if (t.is_within(s)) return t;
      if (!of(worker).push(t)) arrivals_[worker].push(t);
    }
    return arrivals_[worker].within(s, by_);
  }

 private:
  abp_deque& of(int worker) noexcept { return own_[static_cast<std::size_t>(worker)]; }
  task_ref take_own(int worker) noexcept {
    if (by_ == order::lifo) return of(worker).pop();
    while (!of(worker).empty())
      if (task_ref const t = of(worker).steal()) return t;
    static_cast<void>(of(worker).pop());  // empty: its indices begin anew
    return {};
  }

  order by_;
  int workers_;
  bool stealing_;
  round_robin turn_;
  std::unique_ptr<abp_deque[]> own_;
  queues arrivals_;
};

}  // namespace

scheduling_policy* make_abp_lifo(const policy_options& o) { return new abp(o, order::lifo); }
scheduling_policy* make_abp_fifo(const policy_options& o) { return new abp(o, order::fifo); }

}  // namespace amity::sched::policies
