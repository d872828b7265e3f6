// Leagues on the host: every team runs once, with ICVs of its own; thread_limit counts all threads below a team, not
// those of one region.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { no_limit = 0x7fffffff };
static int wrong;
#define CHECK(c)                                                                                                     \
  do                                                                                                                 \
    if (!(c) && __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED) < 10) printf("%s:%d: %s\n", __FILE__, __LINE__, #c); \
  while (0)

// In functions of their own: gcc refuses most calls directly in a teams region.
static void check_team(int most_teams, int most_threads) {
  CHECK(omp_get_num_teams() >= 1 && omp_get_num_teams() <= most_teams);
  CHECK(omp_get_team_num() >= 0 && omp_get_team_num() < omp_get_num_teams());
  CHECK(omp_get_level() == 0 && omp_get_thread_num() == 0 && omp_get_num_threads() == 1);
  CHECK(omp_get_thread_limit() <= most_threads);
}
static void count_teams(int* teams) { __atomic_store_n(teams, omp_get_num_teams(), __ATOMIC_RELAXED); }

static void each_team_runs_once(void) {
  int runs = 0, numbers = 0, teams = 0;
#pragma omp teams num_teams(5) reduction(+ : runs, numbers) shared(teams)
  {
    ++runs;
    numbers += omp_get_team_num();
    check_team(5, no_limit);
    count_teams(&teams);
  }
  CHECK(runs == teams && numbers == teams * (teams - 1) / 2);
  CHECK(omp_get_num_teams() == 1 && omp_get_team_num() == 0);

  int sum = 0, last = 0;
#pragma omp teams distribute parallel for num_teams(3) reduction(+ : sum) lastprivate(last)
  for (int i = 0; i < 1000; ++i) {
    sum += i;
    last = i;
  }
  CHECK(sum == 499500 && last == 999);
}

// omp_set_num_teams and omp_set_teams_thread_limit hold where there is no clause, and only there.
static void defaults_without_clauses(void) {
  omp_set_num_teams(7);
  omp_set_teams_thread_limit(15);
  CHECK(omp_get_max_teams() == 7 && omp_get_teams_thread_limit() == 15);
#pragma omp teams
  check_team(7, 15);
#pragma omp teams num_teams(2) thread_limit(9)
  check_team(2, 9);
  omp_set_num_teams(0);
  omp_set_teams_thread_limit(0);
}

static void change_icvs(omp_allocator_handle_t inherited) {
  CHECK(omp_get_max_threads() <= 3);  // another team's 17 is not ours
  CHECK(omp_get_default_allocator() == inherited);
  omp_set_num_threads(17);
  omp_set_default_allocator(omp_default_mem_alloc);
}

static void icvs_of_a_team(void) {
  int const threads = omp_get_max_threads(), limit = omp_get_thread_limit();
  omp_set_num_threads(3);
  omp_alloctrait_t trait = {omp_atk_alignment, 64};
  omp_allocator_handle_t const ours = omp_init_allocator(omp_default_mem_space, 1, &trait);
  omp_set_default_allocator(ours);
#pragma omp teams num_teams(2) thread_limit(4)
  change_icvs(ours);
  CHECK(omp_get_max_threads() == 3 && omp_get_thread_limit() == limit);
  CHECK(omp_get_default_allocator() == ours);
  omp_set_default_allocator(omp_default_mem_alloc);
  omp_destroy_allocator(ours);
  omp_set_num_threads(threads);
}

static void regions_within_six_threads(void) {
  for (int round = 0; round < 3; ++round) {
    int const asked[] = {3, 6, 8};
    int members = 0;
#pragma omp parallel num_threads(asked[round]) reduction(+ : members)
    members += omp_get_num_threads() <= 6;
    CHECK(members >= 1 && members <= 6);
  }
  int running = 0, most = 0;
#pragma omp parallel num_threads(5)
#pragma omp parallel num_threads(5)
#pragma omp parallel num_threads(2)
  {
    int now;
#pragma omp atomic capture
    now = ++running;
#pragma omp critical
    if (now > most) most = now;
#pragma omp barrier
#pragma omp atomic
    --running;
  }
  CHECK(most <= 6);
}

static void thread_limit_holds_for_nested_regions(void) {
  omp_set_dynamic(0);
  omp_set_max_active_levels(3);
#pragma omp teams num_teams(2) thread_limit(6)
  regions_within_six_threads();
  int members = 0;
#pragma omp parallel num_threads(8) reduction(+ : members)
  ++members;
  CHECK(members == 8);  // the limit has ended with the league
  omp_set_max_active_levels(1);
}

int main(void) {
  each_team_runs_once();
  defaults_without_clauses();
  icvs_of_a_team();
  thread_limit_holds_for_nested_regions();
  if (wrong) return printf("%d wrong\n", wrong), 1;
  puts("ok");
}
