/// Regions, barriers, ordered, cancellation, reductions.

#include "amity/omp/hooks/race.hpp"
#include "amity/omp/race/words.hpp"
#include "amity/omp/rt/team.hpp"

namespace amity::omp::race {

namespace {

/// Fields of the team serve as names.
const volatile void* word_of_round(const team& tm, unsigned round) noexcept {
  return round % 2 == 0 ? static_cast<const volatile void*>(&tm.arrivals) : &tm.arrived_apart;
}

}  // namespace

void region_forks(team& tm) noexcept { release(&tm.epoch); }

void region_begins(thread& t) noexcept {
  if (!is_on()) return;
  acquire(&t.team->epoch);
  if (t.watched == nullptr) return;
  t.watched->siblings.clear();
  t.watched->reduces = false;
}

void descendants_end(thread& t) noexcept { acquire(descendants_of(t.implicit)); }

void region_ends(thread& t) noexcept { release(&t.team->joined); }
void region_joins(team& tm) noexcept { acquire(&tm.joined); }

void barrier_arrives(team& tm, unsigned round) noexcept { release(word_of_round(tm, round)); }
void barrier_leaves(team& tm, unsigned round) noexcept { acquire(word_of_round(tm, round)); }

void ordered_begins(thread& t) noexcept {
  if (t.loop.shared != nullptr) acquire(&t.loop.shared->turns);
}
void ordered_ends(thread& t) noexcept {
  if (t.loop.shared != nullptr) release(&t.loop.shared->turns);
}

void cancels(team& tm) noexcept { release(&tm.cancelled); }
void sees_cancellation(team& tm) noexcept { acquire(&tm.cancelled); }

void uses_reduction(thread& t) noexcept {
  member_words& w = words_of(t);
  w.reduces = true;
  acquire(&w.copies);
}

}  // namespace amity::omp::race
