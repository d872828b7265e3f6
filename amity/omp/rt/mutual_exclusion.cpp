/// The same for a program with a tool, or with a race detector, which has to know of a release before it happens.

#include "amity/omp/rt/mutual_exclusion.hpp"

#include "amity/omp/hooks/race.hpp"

namespace amity::omp {

__thread bool has_taken_mutex = false;

void take_slowly(sync::mutex& m, bool taken, ompt::mutex_kind kind, unsigned hint, const void* code,
                 void* frame) noexcept {
  if (!cold::any()) {
    m.lock();
    return;
  }
  if (taken) m.unlock();
  ompt::enter(code, frame, [&] {
    ompt::mutex_wanted(kind, &m, hint);
    m.lock();
    m.mark();
    race::acquire(&m);
    ompt::mutex_held(kind, &m);
  });
}

bool try_take_watched(sync::mutex& m, ompt::mutex_kind kind) noexcept {
  ompt::mutex_wanted(kind, &m);
  if (!m.try_lock()) {
    ompt::mutex_missed();
    return false;
  }
  m.mark();
  race::acquire(&m);
  ompt::mutex_held(kind, &m);
  return true;
}

void give_up_watched(sync::mutex& m, ompt::mutex_kind kind) noexcept {
  race::release(&m);
  m.unlock_marked();
  ompt::mutex_free(kind, &m);
}

}  // namespace amity::omp
