#pragma once

/// Which worker runs which task, and in which order: scheduling policies, by name or a program's own, with priorities
/// and hints.
///
///     AMITY_SCHEDULER=static ./program                                   // for all tasks of the process
///     amity::use_scheduler("global");                                    // the same by program, before the first task
///     amity::async(amity::task_priority::high, f);                       // before tasks of normal priority
///     amity::post(amity::on_worker(3), g);                               // asks for a worker
///     amity::execution::policy_executor last_first("abp");               // for some tasks (amity/algo/executor.hpp)
///
/// Without any of these, tasks lie in the queue of the thread that makes them, and idle ones steal (README.md). That is
/// `priority-local`; it costs nothing where no other policy is asked for.

#include <cstdint>
#include <string_view>
#include <utility>

#include "amity/base/config.hpp"

namespace amity {

namespace sched {
struct task;
struct scope;
struct domain;
}  // namespace sched

/// `bound`: by the worker that is asked for and no other, under any policy; without a hint, by the one that makes it.
enum class task_priority : std::uint8_t { low, normal, high, bound };

/// No particular worker.
inline constexpr int no_worker = -1;

/// How a task is to be scheduled: the first argument of async and post.
struct scheduling {
  task_priority priority = task_priority::normal;  ///< among those that wait for the same worker
  int worker = no_worker;                          ///< asked for; beyond the last one, they are counted round and round
  int place = -1;                                  ///< place::index() (place.hpp)
  sched::domain* where = nullptr;                  ///< an executor's; null: where the calling task runs
};

/// Asks for a worker: the policy puts the task into that worker's queue, and others may steal it. See
/// task_priority::bound.
[[nodiscard]] constexpr scheduling on_worker(int worker) noexcept {
  scheduling how;
  how.worker = worker;
  return how;
}
/// By that worker and no other, whatever the policy.
[[nodiscard]] constexpr scheduling bound_to_worker(int worker) noexcept {
  scheduling how = on_worker(worker);
  how.priority = task_priority::bound;
  return how;
}

/// The number of the worker that runs the caller, 0 to worker_count() - 1; no_worker in a thread that isn't one. Under
/// the static policies, no two tasks run under the same number at the same time. Under other policies that may happen
/// when a task has waited and goes on: its number was given to another task meanwhile.
[[nodiscard]] AMITY_API int this_worker_number() noexcept;

// --- a policy of one's own

/// A task that a policy keeps until a worker takes it.
class task_ref {
 public:
  constexpr task_ref() noexcept = default;
  /// Made by the runtime only.
  constexpr explicit task_ref(sched::task* t) noexcept : task_(t) {}
  /// Whether there is a task.
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return task_ != nullptr; }
  /// For the runtime.
  [[nodiscard]] constexpr sched::task* get() const noexcept { return task_; }
  /// It was begun in the finish `s` itself, which waits for it.
  [[nodiscard]] AMITY_API bool is_within(const sched::scope& s) const noexcept;

 private:
  sched::task* task_ = nullptr;
};

/// What a policy learns of a task.
struct placement {
  task_priority priority = task_priority::normal;  ///< never bound: that is seen to before
  int hint = no_worker;                            ///< the worker asked for
  int from = no_worker;   ///< the worker that makes it, the caller; no other thread calls as that worker meanwhile
  int owner = no_worker;  ///< what owner_of has said
};

/// The order in which workers get tasks. One object for a set of workers, numbers 0 to workers - 1.
///
///     class newest_first final : public amity::scheduling_policy {
///       void put(amity::task_ref t, const amity::placement&) noexcept override { lock; stack_.push_back(t); }
///       amity::task_ref take(int) noexcept override { lock; ... }
///     };
///     amity::register_policy("newest-first", [](const amity::policy_options&) -> amity::scheduling_policy* {
///       return new newest_first;
///     });
///
/// All functions are called by many threads at the same time, in the middle of the runtime: they must not wait for
/// other tasks (a spin lock, not a mutex), must not make tasks, and must not throw. take(n) is called by one thread at
/// a time for each n, and so is put() with from = n, by the same one.
class scheduling_policy {
 public:
  scheduling_policy() noexcept = default;
  scheduling_policy(const scheduling_policy&) = delete;
  scheduling_policy& operator=(const scheduling_policy&) = delete;
  virtual ~scheduling_policy() = default;

  /// The only worker that may run such a task, or no_worker if all may. Asked before put().
  [[nodiscard]] virtual int owner_of(const placement&) noexcept { return no_worker; }

  /// Keeps `t`.
  virtual void put(task_ref t, const placement& where) noexcept = 0;

  /// The next task for this worker; nothing: there is none for it. A task that was put for all workers must be found by
  /// each of them, sooner or later: a worker that finds none though there are some looks again.
  [[nodiscard]] virtual task_ref take(int worker) noexcept = 0;

  /// The worker waits for `s` and could run a task within it meanwhile (task_ref::is_within), no other. Need not look
  /// everywhere: with nothing, the worker's fiber waits, and another goes on under its number. Without this function
  /// recursion by tasks needs a stack for each level.
  [[nodiscard]] virtual task_ref take_within(int /*worker*/, const sched::scope& /*s*/) noexcept { return {}; }

  /// Each worker is an OS thread of its own, bound to a core: what it is given never migrates. Requires that
  /// owner_of() names a worker.
  [[nodiscard]] virtual bool binds_workers() const noexcept { return false; }
};

/// What a policy is made with.
struct policy_options {
  int workers = 0;       ///< 0: as many as there are (worker_count)
  bool stealing = true;  ///< else each task is run by the worker in whose queue it was put
  int high_queues = 0;   ///< for those that have several queues of high priority; 0: one for each worker
};

/// Makes the object for a set of workers; null: it can't be made so. The runtime deletes it, or keeps it to the end.
using policy_factory = scheduling_policy* (*)(const policy_options&);

/// Makes a policy known by a name, of at most 31 characters. False: the name is taken, or there are too many.
AMITY_API bool register_policy(std::string_view name, policy_factory make) noexcept;

/// All names, with ", " between them.
[[nodiscard]] AMITY_API const char* policy_names() noexcept;

/// What became of use_scheduler().
enum class scheduler_choice : std::uint8_t { done, unknown_name, too_late };

/// All tasks of the process are scheduled so, in place of what AMITY_SCHEDULER and AMITY_STEALING say. Call it before
/// the first task is made. An unknown name gets a warning with the names that there are.
AMITY_API scheduler_choice use_scheduler(std::string_view name, const policy_options& options = {}) noexcept;

/// The name of the policy of the process.
[[nodiscard]] AMITY_API const char* scheduler_name() noexcept;

// --- a set of workers with a policy, beside the process's

namespace sched {

/// Null: there is no such policy, which was said in a warning. Counts the caller as one who uses it.
[[nodiscard]] AMITY_API domain* open_domain(std::string_view policy, const policy_options& options) noexcept;
AMITY_API void use_domain(domain* d) noexcept;
AMITY_API void leave_domain(domain* d) noexcept;

}  // namespace sched

}  // namespace amity
