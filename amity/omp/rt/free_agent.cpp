#include "amity/omp/rt/free_agent.hpp"

#include <stdlib.h>

#include <mutex>
#include <new>
#include <utility>

#include "amity/base/private_memory.hpp"
#include "amity/base/report.hpp"
#include "amity/omp/hooks/race_detector.hpp"
#include "amity/omp/rt/initial.hpp"
#include "amity/omp/rt/task_run.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/omp/settings/settings.hpp"
#include "amity/sched/fiber/wait_note.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/tasks/task.hpp"

namespace amity::omp {

/// Never freed: its queue is known to the team's thieves, and its frames are wherever its tasks were.
struct free_agent {
  thread self;
  free_agent* next = nullptr;  ///< spare ones
};

namespace {

using std::memory_order_relaxed;
using std::memory_order_seq_cst;

// --- an agent's life

free_agent& take_agent(team& tm) noexcept {
  {
    std::lock_guard const lock(tm.tasks.agents_lock);
    if (free_agent* const a = tm.tasks.spare_agents) {
      tm.tasks.spare_agents = a->next;
      return *a;
    }
  }
  void* const memory = base::take_private(sizeof(free_agent), alignof(free_agent));
  if (memory == nullptr) base::fatal("out of memory for an OpenMP thread (%zu bytes)", sizeof(free_agent));
  auto* const a = new (memory) free_agent;
  a->self.team = &tm;
  a->self.gtid = next_global_number();
  a->self.is_agent = true;
  return *a;
}

void give_agent(team& tm, free_agent& a) noexcept {
  std::lock_guard const lock(tm.tasks.agents_lock);
  a.next = tm.tasks.spare_agents;
  tm.tasks.spare_agents = &a;
}

bool is_needed(const team& tm) noexcept {
  return tm.tasks.absent.load(memory_order_seq_cst) >= tm.tasks.agents.load(memory_order_seq_cst);
}

/// What the agent made itself it has to run in any case: nobody else was told.
explicit_task* next_task(thread& t) noexcept {
  if (explicit_task* x = t.tasks.queue.pop(t.tasks.base)) return x;
  if (!is_needed(*t.team)) return nullptr;
  if (explicit_task* x = find_task(t, reach::anything, search::now_and_then)) return x;
  return find_task(t, reach::anything, search::thorough);
}

/// Runs tasks until there are none, or until the members are back. A thread that queues a task or goes away, and is
/// told that there are agents enough, counts on them; so an agent looks once more after it has counted itself out.
/// seq_cst, as in summon_agent: one of the two sees the other.
void serve(thread& t) noexcept {
  team_tasks& tasks = t.team->tasks;
  for (;;) {
    while (explicit_task* x = next_task(t)) execute(t, *x);
    t.tasks.flush();
    tasks.agents.fetch_sub(1, memory_order_seq_cst);
    if (tasks.absent.load(memory_order_seq_cst) <= tasks.agents.load(memory_order_seq_cst)) return;
    explicit_task* const x = find_task(t, reach::anything, search::thorough);
    if (x == nullptr) return;
    tasks.agents.fetch_add(1, memory_order_seq_cst);
    execute(t, *x);
  }
}

struct agent_call : sched::task {
  team* of = nullptr;
};

void run_agent(sched::task& call, sched::worker& w, sched::call) noexcept {
  team& tm = *static_cast<agent_call&>(call).of;
  sched::give_task_memory(&call, call.size_class, w);
  sched::scope* const outer = std::exchange(w.current, nullptr);
  thread* const before = current_thread;
  free_agent& a = take_agent(tm);
  thread& t = a.self;
  t.fiber = w.self;
  int const index = tm.tasks.last_absent.load(memory_order_relaxed);
  t.index = index < tm.here ? index : 0;  // only a name: the region may be another by now
  t.number = tm.numbered_from + t.index;
  begin_implicit(t, nullptr, initial_icvs());
  current_thread = &t;
  serve(t);
  complete_descendants(t);
  release_teams(t);
  current_thread = before;
  give_agent(tm, a);
  w.current = outer;
}

// --- waits

/// Locks are handed on by threads that run: to wait for one is no reason for an agent, but if others are absent, it is
/// theirs to run what the waiting thread has queued.
bool is_short(sched::wait_kind kind) noexcept {
  using enum sched::wait_kind;
  return kind == address || kind == mutex || kind == shared_mutex || kind == tasks;
}

/// The OpenMP thread that forked the team of `t`, or the one that became `t` for a while.
thread* outside(const thread& t) noexcept {
  return t.team->leader_outside != nullptr ? t.team->leader_outside : t.enclosing;
}

void wait_begins(sched::wait_kind kind) noexcept {
  thread* const own = current_thread;
  if (own == nullptr || race::is_on()) return;
  // The tasks of the regions around as well: the members there may wait for what the inner region does.
  for (thread* t = own; t != nullptr; t = outside(*t)) {
    team& tm = *t->team;
    if (is_short(kind)) {
      std::atomic_thread_fence(memory_order_seq_cst);  // after the pushes; pairs with the count below
      if (tm.tasks.absent.load(memory_order_relaxed) == 0) continue;
    } else {
      tm.tasks.last_absent.store(t->index, memory_order_relaxed);
      tm.tasks.absent.fetch_add(1, memory_order_seq_cst);  // pairs with wake_one and serve
    }
    if (t->fiber == own->fiber) {
      t->tasks.queue.publish_all();
      t->tasks.flush();
    }
    call_for_help(tm, &t->tasks);
  }
}

void wait_ends(sched::wait_kind kind) noexcept {
  if (is_short(kind) || race::is_on()) return;
  for (thread* t = current_thread; t != nullptr; t = outside(*t))
    t->team->tasks.absent.fetch_sub(1, memory_order_relaxed);
}

constexpr sched::wait_observer observer{wait_begins, wait_ends};

}  // namespace

void watch_waits() noexcept { sched::observer_of_waits.store(&observer, memory_order_relaxed); }

void summon_agent(team& tm) noexcept {
  std::uint32_t n = tm.tasks.agents.load(memory_order_seq_cst);
  do {
    if (n >= tm.tasks.absent.load(memory_order_seq_cst)) return;
  } while (!tm.tasks.agents.compare_exchange_weak(n, n + 1, memory_order_seq_cst));
  sched::worker& w = sched::this_worker();
  sched::frame* const memory = sched::take_task_memory<sizeof(agent_call)>(w);
  if (memory == nullptr) base::fatal("out of memory for a task");
  sched::frame_pool* const home = memory->home;
  auto* const call = new (memory) agent_call;
  call->home = home;
  call->run = run_agent;
  call->size_class = static_cast<std::uint8_t>(sched::class_for_task(sizeof(agent_call)));
  call->detached = true;
  call->of = &tm;
  sched::enqueue(*call, w);
}

void leave_rest_to_agents(thread& t) noexcept {
  if (t.is_agent) t.team->tasks.absent.fetch_add(1, memory_order_seq_cst);
  if (t.tasks.queue.size() != 0 || t.is_agent) call_for_help(*t.team, &t.tasks);
}

}  // namespace amity::omp
