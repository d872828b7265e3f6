// section: 10.2
// options clang: -fopenmp-version=51
#include <omp.h>
#include <string.h>

#include "check.h"
enum { n = 300 };
static int hits[n], teams, team_wrong;
static void check(char const* what, int expected) {
  for (int i = 0; i < n; ++i) CHECK(hits[i] == expected, "%s: iteration %d ran %d times", what, i, hits[i]);
  memset(hits, 0, sizeof hits);
}
// By a call, because gcc refuses these routines in a teams region.
static int outside(void) { return omp_get_level() != 0 || omp_in_parallel(); }
#define HIT(i) _Pragma("omp atomic")++ hits[i]
int main(void) {
  for (int wanted = 1; wanted < 6; ++wanted) {
    int leagues[6] = {0};
    teams = 0;
#pragma omp teams num_teams(wanted) thread_limit(4)
    {
      teams = omp_get_num_teams();
      if (omp_get_team_num() < 0 || omp_get_team_num() >= omp_get_num_teams() || outside()) team_wrong = 1;
      leagues[omp_get_team_num()]++;
    }
    CHECK(teams >= 1 && teams <= wanted, "%d teams of %d", teams, wanted);
    for (int i = 0; i < 6; ++i) SAME(leagues[i], i < teams);
#pragma omp teams distribute num_teams(wanted)
    for (int i = 0; i < n; ++i) HIT(i);
    check("teams distribute", 1);
#pragma omp teams distribute num_teams(wanted) dist_schedule(static, 7)
    for (unsigned i = n; i > 0; i -= 1) HIT(i - 1);
    check("teams distribute, chunks, unsigned", 1);
#pragma omp teams distribute parallel for num_teams(wanted) dist_schedule(static, 20) schedule(dynamic, 3)
    for (int i = 0; i < n; ++i) HIT(i);
    check("teams distribute parallel for dynamic", 1);
#pragma omp teams distribute parallel for simd num_teams(wanted) schedule(static, 5) num_threads(3)
    for (long i = 0; i < n; ++i) HIT(i);
    check("teams distribute parallel for simd", 1);
#pragma omp teams distribute parallel for num_teams(wanted) collapse(2) schedule(guided)
    for (unsigned long i = 0; i < 30; ++i)
      for (int j = 0; j < 10; ++j) HIT(i * 10 + j);
    check("teams distribute parallel for collapse", 1);
#ifdef __clang__  // gcc's own code multiplies the chunk by the number of teams
#pragma omp teams distribute num_teams(wanted) dist_schedule(static, 2147483647)
    for (int i = 0; i < n; ++i) HIT(i);
    check("teams distribute, a chunk beyond the loop", 1);
#pragma omp teams distribute parallel for num_teams(wanted) schedule(static, 2147483647)
    for (int i = 0; i < n; ++i) HIT(i);
    check("teams distribute parallel for, a chunk beyond the loop", 1);
#pragma omp teams distribute parallel for simd num_teams(wanted) dist_schedule(static, 100) \
    schedule(simd                                                                           \
             : static, 2147483647)
    for (int i = 0; i < n; ++i) HIT(i);
    check("teams distribute parallel for simd, a chunk beyond the team's", 1);
#endif
#pragma omp teams num_teams(wanted)
    {
#pragma omp distribute
      for (int i = 0; i < 10; ++i) {
#pragma omp parallel for schedule(runtime)
        for (int j = 0; j < 30; ++j) HIT(i * 30 + j);
      }
#pragma omp distribute simd
      for (int i = 0; i < n; ++i) HIT(i);
    }
    check("distribute in teams", 2);
#pragma omp teams loop num_teams(wanted)
    for (int i = 0; i < n; ++i) ++hits[i];
    check("teams loop", 1);
    int last = 0, sum = 0, from = 4;
#pragma omp teams distribute parallel for num_teams(wanted) lastprivate(last) reduction(+ : sum) firstprivate(from)
    for (int i = 0; i < n; ++i) last = i, sum += from;
    SAME(last, n - 1);
    SAME(sum, 4 * n);
  }
  SAME(team_wrong, 0);
#ifndef __clang__  // which knows one number only
#pragma omp teams num_teams(2 : 4)
  if (omp_get_team_num() == 0) teams = omp_get_num_teams();
  CHECK(teams >= 2 && teams <= 4, "%d teams of 2 to 4", teams);
#endif
  omp_set_num_teams(3);
  omp_set_teams_thread_limit(2);
  SAME(omp_get_max_teams(), 3);
  SAME(omp_get_teams_thread_limit(), 2);
  int size = 0;
#pragma omp teams shared(size)
  {
    if (omp_get_team_num() == 0) teams = omp_get_num_teams();
#pragma omp parallel num_threads(5) shared(size)
#pragma omp single
    {
#pragma omp atomic write
      size = omp_get_num_threads();
    }
  }
  CHECK(teams >= 1 && teams <= 3, "%d teams", teams);
  CHECK(size >= 1 && size <= 2, "%d threads where the limit is 2", size);
#pragma omp parallel
  {
#pragma omp loop
    for (int i = 0; i < n; ++i) ++hits[i];
    int mine[n];
#pragma omp loop bind(thread)
    for (int i = 0; i < n; ++i) mine[i] = 2;
#pragma omp single
    for (int i = 0; i < n; ++i) hits[i] += mine[i];
  }
  check("loop", 3);
#pragma omp teams num_teams(3)
  {
#pragma omp loop bind(teams)
    for (int i = 0; i < n; ++i) ++hits[i];
  }
  check("loop of teams", 1);
#pragma omp parallel loop collapse(2)
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < 10; ++j) ++hits[i * 10 + j];
  check("parallel loop", 1);
  return finish();
}
