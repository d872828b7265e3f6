// omp_*: how many threads there are and will be, and which one this is.
#include "amity/omp/api/fortran.hpp"
#include "amity/omp/rt/initial.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/omp/settings/settings.hpp"

using namespace amity::omp;
using namespace amity::omp::fortran;

namespace {

// The calling thread, or its ancestor, as it was numbered at nesting `level`; null where there is no such level.
const thread* at_level(int level) noexcept {
  const thread* t = &this_thread();
  if (level < 0 || level > t->team->level) return nullptr;
  while (t->team->level > level) t = t->team->leader_outside;
  return t;
}

}  // namespace

extern "C" {

void omp_set_num_threads(int n) { own_icvs(this_thread()).num_threads = n > 0 ? n : 1; }
void omp_set_num_threads_(const int4* n) { omp_set_num_threads(*n); }
void omp_set_num_threads_8_(const int8* n) { omp_set_num_threads(narrow(n)); }
void ompc_set_num_threads(int n) { omp_set_num_threads(n); }

int omp_get_num_threads() { return this_thread().team->size; }
int4 omp_get_num_threads_() { return omp_get_num_threads(); }

int omp_get_max_threads() { return icvs(this_thread()).num_threads; }
int4 omp_get_max_threads_() { return omp_get_max_threads(); }

int omp_get_thread_num() { return this_thread().number; }
int4 omp_get_thread_num_() { return omp_get_thread_num(); }

int omp_get_num_procs() { return processors_of(this_thread()); }
int4 omp_get_num_procs_() { return omp_get_num_procs(); }

int omp_in_parallel() { return this_thread().team->active_level > 0; }
int4 omp_in_parallel_() { return omp_in_parallel(); }

void omp_set_dynamic(int on) { own_icvs(this_thread()).dynamic = on != 0; }
void omp_set_dynamic_(const int4* on) { omp_set_dynamic(*on); }
void omp_set_dynamic_8_(const int8* on) { omp_set_dynamic(*on != 0); }
void ompc_set_dynamic(int on) { omp_set_dynamic(on); }

int omp_get_dynamic() { return icvs(this_thread()).dynamic; }
int4 omp_get_dynamic_() { return omp_get_dynamic(); }

// Deprecated since OpenMP 5.0: another way to say max_active_levels.
void omp_set_nested(int on) {
  int& levels = own_icvs(this_thread()).max_active_levels;
  if (on != 0) levels = settings::most_active_levels;
  if (on == 0 && levels > 1) levels = 1;
}
void omp_set_nested_(const int4* on) { omp_set_nested(*on); }
void omp_set_nested_8_(const int8* on) { omp_set_nested(*on != 0); }
void ompc_set_nested(int on) { omp_set_nested(on); }

int omp_get_nested() {
  thread& t = this_thread();
  const int levels = icvs(t).max_active_levels;
  return levels > 1 && levels > t.team->active_level;
}
int4 omp_get_nested_() { return omp_get_nested(); }

int omp_get_thread_limit() { return icvs(this_thread()).thread_limit; }
int4 omp_get_thread_limit_() { return omp_get_thread_limit(); }

void omp_set_max_active_levels(int levels) {
  if (levels < 0) return;  // as the standard asks
  own_icvs(this_thread()).max_active_levels =
      levels > settings::most_active_levels ? settings::most_active_levels : levels;
}
void omp_set_max_active_levels_(const int4* levels) { omp_set_max_active_levels(*levels); }
void omp_set_max_active_levels_8_(const int8* levels) { omp_set_max_active_levels(narrow(levels)); }
void ompc_set_max_active_levels(int levels) { omp_set_max_active_levels(levels); }

int omp_get_max_active_levels() { return icvs(this_thread()).max_active_levels; }
int4 omp_get_max_active_levels_() { return omp_get_max_active_levels(); }

int omp_get_supported_active_levels() { return settings::most_active_levels; }
int4 omp_get_supported_active_levels_() { return omp_get_supported_active_levels(); }

int omp_get_level() { return this_thread().team->level; }
int4 omp_get_level_() { return omp_get_level(); }

int omp_get_active_level() { return this_thread().team->active_level; }
int4 omp_get_active_level_() { return omp_get_active_level(); }

int omp_get_ancestor_thread_num(int level) {
  const thread* t = at_level(level);
  return t == nullptr ? -1 : t->number;
}
int4 omp_get_ancestor_thread_num_(const int4* level) { return omp_get_ancestor_thread_num(*level); }
int4 omp_get_ancestor_thread_num_8_(const int8* level) { return omp_get_ancestor_thread_num(narrow(level)); }
int ompc_get_ancestor_thread_num(int level) { return omp_get_ancestor_thread_num(level); }

int omp_get_team_size(int level) {
  const thread* t = at_level(level);
  return t == nullptr ? -1 : t->team->size;
}
int4 omp_get_team_size_(const int4* level) { return omp_get_team_size(*level); }
int4 omp_get_team_size_8_(const int8* level) { return omp_get_team_size(narrow(level)); }
int ompc_get_team_size(int level) { return omp_get_team_size(level); }

int omp_in_final() { return this_thread().current->is_final; }
int4 omp_in_final_() { return omp_in_final(); }

int omp_in_explicit_task() { return !this_thread().current->is_implicit; }
int4 omp_in_explicit_task_() { return omp_in_explicit_task(); }

int omp_get_max_task_priority() { return environment().max_task_priority; }
int4 omp_get_max_task_priority_() { return omp_get_max_task_priority(); }

int omp_get_cancellation() { return environment().cancellation; }
int4 omp_get_cancellation_() { return omp_get_cancellation(); }

}  // extern "C"
