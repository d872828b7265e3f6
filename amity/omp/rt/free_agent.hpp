#pragma once

/// Free agents run a team's tasks while its members wait for something that OpenMP knows nothing of: a future, a
/// finish, a latch. Those are no task scheduling points. If all members are in such waits, and what they wait for is to
/// come from a queued task, nobody would be left to run it:
///
///     #pragma omp parallel
///     {
///       amity::promise<int> p;
///       #pragma omp task shared(p)
///       p.set_value(7);
///       p.get_future().get();          // on every thread
///     }
///
/// The waiting thread can't run the task on its own stack: it may hold what the task needs. So a task of the C++
/// interface is begun (an *agent*), which is an OpenMP thread for as long as there are tasks, on a fiber of the pool's.
/// README-task-search.md has the protocol.

#include "amity/omp/rt/task.hpp"

namespace amity::omp {

/// Asks the scheduler to tell of waits. Once, at the start.
void watch_waits() noexcept;

/// Calls an agent, unless as many are at work as threads are absent. Any thread.
[[gnu::cold]] void summon_agent(team& tm) noexcept;

/// A thread is about to park in a taskwait or the like, where it takes descendants only: what else lies in its queue is
/// for others. An agent counts as absent until after_park.
[[gnu::cold]] void leave_rest_to_agents(thread& t) noexcept;

}  // namespace amity::omp
