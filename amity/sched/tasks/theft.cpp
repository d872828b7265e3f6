#include "amity/sched/tasks/internal/theft.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/tasks/internal/engine.hpp"
#include "amity/sched/tasks/internal/roster.hpp"
#include "amity/sched/tasks/observed.hpp"
#include "amity/sys/clock.hpp"

namespace amity::sched {

namespace {

using std::memory_order_relaxed;

// A theft brings cache misses to both. What keeps the thief for longer than this was more than it needed; else it takes
// more at a time.
constexpr std::uint64_t well_worth_us = 8;
constexpr std::uint32_t most_loot = 32;
// A thief lets a lone task lie for so many looks. If it was gone meanwhile, the thief does not look for a while, twice
// as long each time until it steals something: looks bring cache misses, too.
constexpr unsigned looks_before_a_lone_theft = 2;
constexpr std::uint64_t shortest_pause_us = 1, longest_pause_us = 20;
// A task that another core has made costs that one and the thief a cache miss each, 30 to 100 ns, and what it is made
// of one more when it goes back. Tasks that are shorter than that are done sooner where they lie, if somebody is at
// them there: their maker may have gone to sleep, or to do something else. Two or three say nothing, nor do those that
// others have taken on.
constexpr std::uint64_t too_short_ns = 150, shortest_rest_us = 10, longest_rest_us = 80;
constexpr std::uint32_t enough_to_judge = 4;

/// How many tasks it has made and has run, modulo 2^32, the one who is at its queue: to run one takes it off the
/// bottom.
std::uint32_t deeds(const worker& v) noexcept { return 2 * static_cast<std::uint32_t>(ended_by(v)) + v.queue.bottom(); }

/// It was run where it lay: nothing is left but to forget it. A hint; relaxed: the worker that runs it looks again.
bool is_husk(const task& t) noexcept { return !t.detached && t.claimed.load(memory_order_relaxed) == 1; }

/// The first of what was stolen that is still to be run; the others go to the thief's queue. Null: nothing was left.
task* keep_loot(worker& w, task** loot, std::uint32_t count) noexcept {
  task* first = nullptr;
  w.theft.loot = 0;
  while (count-- > 0) {  // the oldest comes to lie on top
    if (is_husk(*loot[count])) {
      loot[count]->run(*loot[count], w, call::from_queue);
      continue;
    }
    if (first != nullptr) enqueue(*first, w);
    first = loot[count];
    ++w.theft.loot;
  }
  return first;
}

void pause_thefts(worker& w) noexcept {
  w.theft.pause = std::clamp(2 * w.theft.pause, sys::ticks_of_microseconds(shortest_pause_us),
                             sys::ticks_of_microseconds(longest_pause_us));
  w.theft.next = sys::ticks() + w.theft.pause;
}

/// A lone task may be one that its maker is going to run at once, or waits for: a thief that takes it then costs both
/// more than it is worth. So a thief looks first whether it stays, at one victim's at a time.
bool is_fresh(worker& w, const worker& v) noexcept {
  std::uint64_t const seen = v.queue.alone();
  if (w.theft.watched == nullptr && seen != 0) {
    w.theft.watched = &v;
    w.theft.lone_task = seen;
    w.theft.looks_at_it = 0;
  } else if (w.theft.watched == &v && seen != w.theft.lone_task) {
    w.theft.watched = nullptr;  // another one's turn
    pause_thefts(w);
  }
  return seen != 0 && (w.theft.watched != &v || w.theft.looks_at_it++ < looks_before_a_lone_theft);
}

}  // namespace

task* take_aside(worker& v) noexcept {
  if (v.aside.count.load(memory_order_relaxed) == 0) return nullptr;
  std::lock_guard lock(v.aside.lock);
  task* const t = v.aside.first;
  if (t == nullptr) return nullptr;
  v.aside.first = static_cast<task*>(t->next);
  if (v.aside.first == nullptr) v.aside.last = nullptr;
  v.aside.count.fetch_sub(1, memory_order_relaxed);
  return t;
}

bool steal_from(worker& w, worker& v, search_result& r) noexcept {
  task* loot[most_loot];
  std::uint32_t count = 0;
  haul found;
  while ((found = v.queue.steal_half(loot, w.theft.share, count)) == haul::taken) {
    w.theft.was_short = count < w.theft.share;
    w.theft.robbed = &v;
    w.theft.robbed_had_done = deeds(v);
    r.found = keep_loot(w, loot, count);
    if (r.found != nullptr) return true;
  }
  if (found == haul::hidden) r.hiding = &v;
  w.theft.was_short = true;
  r.found = take_aside(v);
  return r.found != nullptr;
}

bool steal_what_stays(worker& w, worker& v, search_result& r) noexcept {
  return !is_fresh(w, v) && steal_from(w, v, r);
}

task* raid(worker& w, worker& v) noexcept {
  search_result r;
  if (!v.queue.raid()) return nullptr;
  roster.list(v);  // who publishes lists (T6)
  return steal_from(w, v, r) ? r.found : nullptr;
}

void run_stolen(worker& w, task& t) noexcept {
  trace::count(w.self->on->stats.steals);
  w.theft.began = sys::ticks();
  w.theft.ended = w.ended;
  w.theft.watched = nullptr;  // what lay there may be what it has got: that is not to have looked in vain
  w.theft.next = w.theft.pause = 0;
  run_task(t, w, call::from_queue);
}

void weigh_theft(worker& w, std::uint64_t now) noexcept {
  std::uint64_t const lasted = now - std::exchange(w.theft.began, 0);
  std::uint32_t const loot = std::exchange(w.theft.loot, 0);
  bool const are_short = loot >= enough_to_judge && w.ended - w.theft.ended >= loot &&
                         lasted < loot * sys::ticks_of_microseconds(too_short_ns) / 1000;
  if (are_short && deeds(*w.theft.robbed) - w.theft.robbed_had_done >= loot) {
    w.theft.rest = std::clamp(2 * w.theft.rest, sys::ticks_of_microseconds(shortest_rest_us),
                              sys::ticks_of_microseconds(longest_rest_us));
    w.theft.next = now + w.theft.rest;
  } else {
    w.theft.rest = 0;
  }
  if (lasted >= sys::ticks_of_microseconds(well_worth_us))
    w.theft.share = std::max(w.theft.share / 2, 1u);
  else if (!w.theft.was_short)
    w.theft.share = std::min(w.theft.share * 2, most_loot);
}

}  // namespace amity::sched
