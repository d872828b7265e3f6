/// The regions and tasks around the calling thread, as a tool asks for them by level.

#include "amity/omp/ompt/ancestors.hpp"

#include "amity/omp/ompt/emit.hpp"

namespace amity::omp::ompt {

namespace {

enum answer : int { none = 0, not_now = 1, here_it_is = 2 };

/// The root of a team in a league, while that one runs.
bool leads_a_league_s_team(const thread& root) noexcept {
  return root.team->leader_outside == nullptr && root.traced != nullptr && root.traced->league != nullptr;
}

/// A region: a thread's team, or the league that the team belongs to.
struct region {
  const thread* inside;
  bool is_league = false;
};

/// The thread that met the target or teams construct that `root` runs; null: the program made `root`. The leaders of a
/// league are a team of its own, which no tool sees: they met nothing.
const thread* who_met(const thread& root) noexcept {
  const thread* const outside = root.enclosing;
  return outside != nullptr && outside->in_league ? outside->team->leader_outside : outside;
}

/// Of the initial task that a free agent has around each task that it runs; null: it runs none just now.
data* region_of_agent(const thread& agent) noexcept {
  const parallel_record* const alone = agent.traced != nullptr ? agent.traced->alone : nullptr;
  return alone != nullptr ? const_cast<data*>(&alone->data) : nullptr;
}

region around(region r) noexcept {
  const thread& t = *r.inside;
  if (is_agents_own(t, *t.current)) return {nullptr};
  if (t.team->leader_outside != nullptr) return {t.team->leader_outside};
  if (!r.is_league && leads_a_league_s_team(t)) return {&t, true};
  return {who_met(t)};
}

/// A task; null with `initial`: the initial task of a team in a league, which has a region within it at once.
struct position {
  task* at;
  const thread* initial = nullptr;
};

position outside_of(const thread& root) noexcept {
  const thread* const outside = root.enclosing;
  if (outside == nullptr) return {nullptr};
  return {outside->in_league ? outside->implicit.parent : outside->current};
}

/// The implicit task of a member that has done its part, unless a task runs on top of it: that one keeps the leader,
/// and all that is around the region.
bool may_be_left_alone(const task& implicit, const thread& by) noexcept {
  return by.traced != nullptr && by.traced->reported && current_thread->current == &implicit;
}

/// From an explicit task to the one that it interrupts, from an implicit one to the task that met the construct.
position around(position p) noexcept {
  if (p.at == nullptr) return outside_of(*p.initial);
  if (!p.at->is_implicit) return {record_of(*p.at).scheduled_from};
  const thread& by = *p.at->owner.load(std::memory_order_relaxed);
  if (may_be_left_alone(*p.at, by)) return {nullptr};
  if (p.at->parent != nullptr) return {p.at->parent};
  if (leads_a_league_s_team(by)) return {nullptr, &by};
  return outside_of(by);
}

template <class T>
void give(T* to, T value) noexcept {
  if (to != nullptr) *to = value;
}

}  // namespace

int get_parallel_info(int level, data** parallel, int* size) {
  const thread_record* const self = known_self();
  region r{self == nullptr || self->state == state::idle || level < 0 ? nullptr : current_thread};
  for (; r.inside != nullptr && level > 0; --level) r = around(r);
  if (r.inside == nullptr) return none;
  if (r.is_league) {
    give(parallel, &r.inside->traced->league->data);
    give(size, r.inside->league_size);
    return here_it_is;
  }
  if (is_agents_own(*r.inside, *r.inside->current)) {
    data* const own = region_of_agent(*r.inside);
    give(parallel, own);
    give(size, 1);
    return own == nullptr ? none : here_it_is;
  }
  const team& tm = *r.inside->team;
  give(parallel, data_of(tm));
  give(size, tm.size);
  return tm.traced == nullptr ? not_now : here_it_is;
}

int get_task_info(int level, int* flags, data** task_data, frame** task_frame, data** parallel, int* number) {
  const thread_record* const self = known_self();
  bool const in_a_task = self != nullptr && self->state != state::idle && current_thread != nullptr;
  position p{!is_running() || !in_a_task || level < 0 ? nullptr : current_thread->current};
  for (; (p.at != nullptr || p.initial != nullptr) && level > 0; --level) p = around(p);
  if (p.at == nullptr && p.initial == nullptr) return none;
  // A new member's, before its first region. Its record is not made here: a signal handler may be asking.
  if (p.at != nullptr && p.at->is_implicit && p.at->owner.load(std::memory_order_relaxed)->traced == nullptr)
    return none;
  task_record& r = p.at != nullptr ? record_of(*p.at) : p.initial->traced->initial;
  give(flags, r.flags);
  give(task_data, &r.data);
  give(task_frame, &r.frame);
  if (p.at == nullptr) {
    give(parallel, &p.initial->traced->league->data);
    give(number, p.initial->league_number);
    return here_it_is;
  }
  const thread* const by = p.at->owner.load(std::memory_order_relaxed);
  if (by != nullptr && is_agents_own(*by, *p.at)) {
    data* const own = region_of_agent(*by);
    give(parallel, own);
    give(number, 0);
    return own == nullptr ? none : here_it_is;
  }
  give(parallel, by == nullptr ? nullptr : data_of(*by->team));
  give(number, by == nullptr ? 0 : by->number);
  return here_it_is;
}

}  // namespace amity::omp::ompt
