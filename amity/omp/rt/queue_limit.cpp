/// When a thread of a team runs new tasks at once instead of queueing them: README-tasks.md, "How long a queue is".
#include <algorithm>
#include <utility>

#include "amity/omp/rt/task_run.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sys/clock.hpp"

namespace amity::omp {

namespace {

/// So many of the `tasks_weighed` taken by thieves: they come for each task, not for trees.
constexpr std::uint16_t many = 4;
/// Shorter than that on average: what queueing costs is worth saving.
constexpr std::uint64_t short_us = 1;

/// A few for each core that is at work; and never so few that tasks which wait for their maker, one for each other
/// thread, would run inside of it.
std::uint32_t shortest_queue_of(const team& tm) noexcept {
  auto const size = static_cast<std::uint32_t>(tm.here);
  auto const at_work = std::min(size, static_cast<std::uint32_t>(sched::concurrency()));
  return std::min(std::max(shortest_queue * at_work, size), longest_queue);
}

}  // namespace

void weigh_tasks(thread& t) noexcept {
  task_context& c = t.tasks;
  std::uint64_t const now = sys::ticks();
  std::uint64_t const took = now - std::exchange(c.weighed_at, now);
  bool const are_short = took < tasks_weighed * sys::ticks_of_microseconds(short_us);
  std::uint16_t const before = std::exchange(c.lost_to_thieves, c.queue.stolen());
  bool const are_wanted = static_cast<std::uint16_t>(c.lost_to_thieves - before) >= many;
  bool const take_mutexes = std::exchange(has_taken_mutex, false);
  if (are_short && !are_wanted && !take_mutexes)
    c.queue_limit = std::max(c.queue_limit / 2, shortest_queue_of(*t.team));
  else
    c.queue_limit = longest_queue;
  c.next_weighing = c.ran + tasks_weighed;
}

}  // namespace amity::omp
