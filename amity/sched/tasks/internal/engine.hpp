#pragma once

/// What engine.cpp (tasks in the queues of those who make them) and domain.cpp (tasks that a policy keeps) know of each
/// other.

#include <cstdint>

#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/tasks/policy.hpp"
#include "amity/sched/tasks/task.hpp"

namespace amity::sched {

// --- of the engine

/// Fewer of the pool's fibers run than there are cores.
[[nodiscard]] bool room_for_another() noexcept;
/// A worker, not taken, for a shell's fiber that runs tasks and nothing else; nobody else sees it before enlist. Fatal
/// if there is no memory.
[[nodiscard]] worker& new_pool_worker(fiber& f) noexcept;
/// Tasks that have ended on it. A plain word of the owner's: a reader may see an old value, never a torn one.
AMITY_NO_SANITIZE_THREAD inline std::uint64_t ended_by(const worker& w) noexcept { return w.ended; }
/// Lets everybody see it.
void enlist(worker& w) noexcept;
[[nodiscard]] bool engine_has_started() noexcept;
/// Queued now beside the queues of threads (common_queues.hpp).
[[nodiscard]] std::uint64_t tasks_in_common_queues() noexcept;
/// Wakes a carrier that sleeps and runs whatever there is. False: there is none.
bool wake_any_carrier() noexcept;
/// Some tasks have not been taken by anybody, or may not, and there is a fiber for them, or will be.
[[nodiscard]] bool tasks_wait() noexcept;
/// Tasks lie where nobody can begin them: all fibers of the pool are at others, and the system refuses one more.
[[nodiscard]] bool tasks_lack_fibers() noexcept;
/// A spare fiber begins to run tasks on an OS thread of its own. False: there is no room or no such fiber.
bool start_on_own_thread() noexcept;
enum class thread_for_progress : std::uint8_t {
  none,        ///< there is no spare fiber
  not_needed,  ///< enough fibers poll
  begun,
};
/// The same for one that polls sources of progress, and runs what comes of that; there is always room for it.
thread_for_progress start_progress_on_own_thread() noexcept;
/// More of the pool's fibers run than there is room for.
[[nodiscard]] bool too_many_run() noexcept;

/// When `w` must leave the fast path of join before its next task: on a low stack, or always. Its owner calls it where
/// that may have changed.
void set_look_below(worker& w) noexcept;

// --- of the domains

/// The one for all tasks of the process; null: there is none, tasks lie in their makers' queues.
[[nodiscard]] domain* domain_of_process() noexcept;
void set_domain_of_process(domain* d) noexcept;
/// Reads the settings and makes that one if they ask for it. At the engine's start.
void choose_domain_of_process() noexcept;
void forget_domains() noexcept;

/// As in task_source.
[[nodiscard]] fiber* offer_from_domains(carrier& c) noexcept;
[[nodiscard]] bool domains_in_sight(const carrier& c) noexcept;
/// A domain whose workers are not bound has tasks for a number that nobody holds, and a fiber for them, or will have.
[[nodiscard]] bool domains_wait() noexcept;
/// Some domain has tasks for a number that nobody holds, and the system refuses it a fiber.
[[nodiscard]] bool domains_lack_fibers() noexcept;
/// A spare fiber for such a number, which it holds now; null: there is none.
[[nodiscard]] worker* take_worker_of_domains() noexcept;
/// Some domain has tasks and nobody who is about to run them: carriers are told.
void announce_domains() noexcept;
/// Gives the number of `w` to others: it is going to wait.
void before_domain_wait(worker& w) noexcept;

/// Hands a task over, by whoever makes it: `w`, on the calling fiber.
void put_in_domain(domain& d, task& t, worker& w, const scheduling& how) noexcept;
/// Runs tasks within `s` on top of the wait of `w` for it, as long as its policy has some for it.
void run_within_domain(worker& w, const scope& s) noexcept;
/// The domain in which tasks at places run, made at its first use.
[[nodiscard]] domain& domain_of_places() noexcept;
/// Queued now in all domains.
[[nodiscard]] std::uint64_t tasks_in_domains() noexcept;

}  // namespace amity::sched
