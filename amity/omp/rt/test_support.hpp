#pragma once

/// What the unit tests of teams share.

#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"

namespace amity::omp {

/// Runs f(thread) on all members of a team.
template <class F>
void region(int threads, F f) {
  region_work work;
  work.run = [](thread& t, const region_work& w) { (*static_cast<F*>(w.data))(t); };
  work.data = &f;
  fork(this_thread(), threads, work);
}

}  // namespace amity::omp
