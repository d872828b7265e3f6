/// Explicit tasks.

#include "amity/omp/hooks/race.hpp"
#include "amity/omp/race/strands.hpp"
#include "amity/omp/race/words.hpp"
#include "amity/omp/rt/task_run.hpp"
#include "amity/omp/rt/taskgroup.hpp"
#include "amity/omp/rt/team.hpp"

namespace amity::omp::race {

namespace {

sibling_words& siblings_below(thread& t, task& parent) noexcept {
  if (parent.is_implicit) return words_of(t).siblings;
  task_words& w = *words_of(static_cast<explicit_task&>(parent));
  if (w.siblings == nullptr) w.siblings = make<sibling_words>();
  return *w.siblings;
}

link link_to(sibling_words& among, const dependence& d) noexcept {
  return {d.kind == depend_kind::everything ? nullptr : &among.at(d.address), d.kind};
}

/// All that may wait for the task's end, or for that of everything below some scope around it.
void tell_end(explicit_task& x) noexcept {
  task_words& w = *words_of(x);
  release(&w.ended);
  release(children_of(*x.parent));
  release_dependences(w);
  for (scope* s = x.outer.load(std::memory_order_relaxed); s != nullptr; s = s->outer.load(std::memory_order_relaxed)) {
    if (s->kind == scope::kind_of::group) release(static_cast<taskgroup*>(s)->watched);
    if (s->kind == scope::kind_of::implicit) release(descendants_of(*s));
  }
}

/// gcc's tasks of a taskloop find the thread's copies of its reduction without a call.
bool reduces(const explicit_task& x) noexcept {
  const scope* s = x.outer.load(std::memory_order_relaxed);
  while (s != nullptr && s->kind != scope::kind_of::group) s = s->outer.load(std::memory_order_relaxed);
  return s != nullptr && static_cast<const taskgroup*>(s)->gcc_reductions != nullptr;
}

struct part_call {
  thread& t;
  explicit_task& x;
  void (*part)(thread&, explicit_task&);
};

void run_part(void* argument) noexcept {
  auto const& call = *static_cast<part_call*>(argument);
  explicit_task& x = call.x;
  task_words& w = *words_of(x);
  acquire(&w.made);
  acquire(&w.ended);
  acquire_dependences(w);
  if (reduces(x)) uses_reduction(call.t);
  call.part(call.t, x);
  tell_end(x);
  // The thread's copies of a reduction may be used by the next task here.
  if (call.t.watched != nullptr && call.t.watched->reduces) release(&call.t.watched->copies);
}

}  // namespace

void task_made(thread& t, explicit_task& x, const dependence* list, std::size_t count) noexcept {
  if (!is_on()) return;
  auto* const w = make<task_words>(count * sizeof(link));
  words_of(x) = w;
  x.flags |= explicit_task::watched;
  if (count != 0) {
    w->among = &siblings_below(t, *x.parent);
    w->links = count;
    w->list = reinterpret_cast<link*>(w + 1);
    for (std::size_t i = 0; i < count; ++i) new (&w->list[i]) link(link_to(*w->among, list[i]));
  }
  release(&w->made);
}

void run_in(thread& t, explicit_task& x, void (*part)(thread& t, explicit_task& x)) noexcept {
  if ((x.flags & explicit_task::watched) == 0) return part(t, x);
  if ((x.flags & explicit_task::undeferred) != 0) {  // its maker waits: one strand is right for both
    part(t, x);
    return;
  }
  // The task that is interrupted may have used the thread's copies of a reduction.
  bool const shares = t.watched != nullptr && t.watched->reduces;
  if (shares) release(&t.watched->copies);
  part_call call{t, x, part};
  if (strand* const s = take_strand()) {
    run_on(*s, run_part, &call);
    give_strand(s);
  } else {
    run_part(&call);
  }
  if (t.watched != nullptr && t.watched->reduces) acquire(&t.watched->copies);
}

void part_ends(explicit_task& x) noexcept {
  if ((x.flags & explicit_task::watched) != 0) release(&words_of(x)->ended);
}

void event_fulfilled(explicit_task& x) noexcept {
  if ((x.flags & explicit_task::watched) != 0) tell_end(x);
}

void event_awaited(explicit_task& x) noexcept {
  if ((x.flags & explicit_task::watched) != 0) acquire(&words_of(x)->ended);
}

void forget(explicit_task& x) noexcept {
  task_words* const w = words_of(x);
  x.flags = static_cast<std::uint8_t>(x.flags & ~explicit_task::watched);
  if (w->siblings != nullptr) w->siblings->clear();
  free_unseen(w->siblings);
  free_unseen(w);
}

void run_what_is_due(thread& t) noexcept {
  while (runs_at_once(t)) {
    explicit_task* const x = find_task(t, reach::descendants, search::thorough);
    if (x == nullptr) return;
    ++t.tasks.nested_inline;
    execute(t, *x);
    --t.tasks.nested_inline;
  }
}

void children_end(thread& t) noexcept {
  if (is_on()) acquire(children_of(*t.current));
}

void dependences_end(thread& t, const dependence* list, std::size_t count) noexcept {
  if (!is_on()) return;
  sibling_words& among = siblings_below(t, *t.current);
  for (std::size_t i = 0; i < count; ++i) {
    link only = link_to(among, list[i]);
    task_words w;
    w.among = &among;
    w.links = 1;
    w.list = &only;
    acquire_dependences(w);
  }
}

void group_begins(taskgroup& g) noexcept { g.watched = is_on() ? make<word>() : nullptr; }

void group_ends(taskgroup& g) noexcept {
  if (g.watched != nullptr) acquire(g.watched);
}

void forget(taskgroup& g) noexcept { free_unseen(g.watched); }

}  // namespace amity::omp::race
