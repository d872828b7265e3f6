// omp_*: leagues of teams.
#include "amity/omp/rt/teams.hpp"

#include <atomic>

#include "amity/omp/api/fortran.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/omp/settings/settings.hpp"

using namespace amity::omp;
using namespace amity::omp::fortran;

namespace {

constexpr int unset = -1;  // the environment's value counts
// Of the device, not of a task. Relaxed: a number that orders nothing.
std::atomic<int> num_teams{unset};
std::atomic<int> thread_limit{unset};

int value_of(const std::atomic<int>& set, int otherwise) noexcept {
  const int value = set.load(std::memory_order_relaxed);
  return value == unset ? otherwise : value;
}

}  // namespace

int amity::omp::default_num_teams() noexcept { return value_of(num_teams, environment().num_teams); }
int amity::omp::default_teams_thread_limit() noexcept {
  return value_of(thread_limit, environment().teams_thread_limit);
}

extern "C" {

void omp_set_num_teams(int n) {
  if (n >= 0) num_teams.store(n, std::memory_order_relaxed);
}
void omp_set_num_teams_(const int4* n) { omp_set_num_teams(*n); }
void omp_set_num_teams_8_(const int8* n) { omp_set_num_teams(narrow(n)); }

int omp_get_max_teams() { return default_num_teams(); }
int4 omp_get_max_teams_() { return omp_get_max_teams(); }

void omp_set_teams_thread_limit(int n) {
  if (n >= 0) thread_limit.store(n, std::memory_order_relaxed);
}
void omp_set_teams_thread_limit_(const int4* n) { omp_set_teams_thread_limit(*n); }
void omp_set_teams_thread_limit_8_(const int8* n) { omp_set_teams_thread_limit(narrow(n)); }

int omp_get_teams_thread_limit() { return default_teams_thread_limit(); }
int4 omp_get_teams_thread_limit_() { return omp_get_teams_thread_limit(); }

int omp_get_num_teams() { return root_of(this_thread()).league_size; }
int4 omp_get_num_teams_() { return omp_get_num_teams(); }

int omp_get_team_num() { return root_of(this_thread()).league_number; }
int4 omp_get_team_num_() { return omp_get_team_num(); }

}  // extern "C"
