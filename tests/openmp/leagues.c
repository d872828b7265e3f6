// Leagues whose teams run at the same time, if the runtime can: what they share is reduced and locked, what is a team's
// own stays its own, and more teams than threads take turns. TEAMS_MEET=1 in the environment says that the runtime can.
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;
#define CHECK(c)                                                                                                     \
  do                                                                                                                 \
    if (!(c) && __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED) < 10) printf("%s:%d: %s\n", __FILE__, __LINE__, #c); \
  while (0)

// In functions of their own: gcc refuses most calls directly in a teams region.

// Each waits for all the others.
static void meet(int* here, int teams) {
  CHECK(omp_get_num_teams() == teams);
  __atomic_fetch_add(here, 1, __ATOMIC_SEQ_CST);
  double const end = omp_get_wtime() + 30;
  while (__atomic_load_n(here, __ATOMIC_SEQ_CST) < teams && omp_get_wtime() < end) sched_yield();
  CHECK(__atomic_load_n(here, __ATOMIC_SEQ_CST) == teams);
}

static void teams_meet(void) {
  for (int round = 0; round < 20; ++round)
    for (int teams = 2; teams <= 4; ++teams) {
      int here = 0;
#pragma omp teams num_teams(teams) shared(here)
      meet(&here, teams);
    }
}

static int private_of_thread = 7;
#pragma omp threadprivate(private_of_thread)

static void run_once(int* hits, int teams) {
  int const me = omp_get_team_num();
  CHECK(me >= 0 && me < teams && omp_get_num_teams() == teams);
  if (me >= 0 && me < teams) __atomic_fetch_add(&hits[me], 1, __ATOMIC_RELAXED);
  CHECK(omp_get_level() == 0 && !omp_in_parallel() && omp_get_thread_num() == 0 && omp_get_num_threads() == 1);
  CHECK(omp_get_ancestor_thread_num(0) == 0 && omp_get_team_size(0) == 1 && omp_get_ancestor_thread_num(1) == -1);
  CHECK(omp_get_max_active_levels() == 3);
  omp_set_max_active_levels(2);  // no other team's business, and none of those that come after us here
  int const before = private_of_thread;
  private_of_thread = before + 1;
  CHECK(private_of_thread == before + 1);
}

enum { most = 3000 };
static int hits[most];

// libomp makes no more teams than there are cores.
static int teams_of(int wanted) {
  int teams = 0;
#pragma omp teams num_teams(wanted) shared(teams)
  {
    int const n = omp_get_num_teams();
    __atomic_store_n(&teams, n, __ATOMIC_RELAXED);
  }
  return teams;
}

static void more_teams_than_threads(void) {
  omp_set_max_active_levels(3);
  int const sizes[] = {1, 2, 3, 5, 64, most};
  for (int s = 0; s < 6; ++s) {
    int const teams = teams_of(sizes[s]);
    memset(hits, 0, sizeof hits);
#pragma omp teams num_teams(sizes[s])
    run_once(hits, teams);
    for (int i = 0; i < most; ++i) CHECK(hits[i] == (i < teams));
  }
  CHECK(omp_get_max_active_levels() == 3);
  CHECK(omp_get_num_teams() == 1 && omp_get_team_num() == 0 && omp_get_level() == 0);
}

// A reduction of several variables at once, and one that has no atomic operation.
struct pair {
  long sum, last;
};
static void join(struct pair* into, const struct pair* from) {
  into->sum += from->sum;
  if (from->last > into->last) into->last = from->last;
}
#pragma omp declare reduction(join : struct pair : join(&omp_out, &omp_in)) initializer(omp_priv = {0, -1})

static void reductions(void) {
  for (int round = 0; round < 50; ++round) {
    int const teams = teams_of(1 + round % 9);
    struct pair both = {0, -1};
    long sum = 0, product = 1;
    double real = 0;
#pragma omp teams num_teams(1 + round % 9) reduction(join : both) reduction(+ : sum, real) reduction(* : product)
    {
      long const me = omp_get_team_num();
      both.sum += me;
      both.last = me;
      sum += me;
      real += .5;
      product *= 2;
    }
    long const expected = (long)teams * (teams - 1) / 2;
    CHECK(both.sum == expected && both.last == teams - 1);
    CHECK(sum == expected && real == .5 * teams && product == 1l << teams);
  }
}

// What a team's regions share among themselves and not with another team's.
static void regions(long* of_all) {
  int const me = omp_get_team_num(), teams = omp_get_num_teams();
  long own = 0, tasks = 0;
  for (int round = 0; round < 5; ++round) {
#pragma omp parallel num_threads(3) reduction(+ : own)
    {
      CHECK(omp_get_level() == 1 && omp_get_ancestor_thread_num(0) == 0);
      CHECK(omp_get_team_num() == me && omp_get_num_teams() == teams);
#pragma omp barrier
#pragma omp for schedule(dynamic, 3)
      for (int i = 0; i < 100; ++i) own += i;
#pragma omp single
      for (int i = 0; i < 20; ++i)
#pragma omp task shared(tasks)
      {
#pragma omp atomic
        ++tasks;
      }
#pragma omp critical
      ++*of_all;
    }
  }
#pragma omp task shared(tasks)
  {
#pragma omp atomic
    ++tasks;
  }
#pragma omp taskwait
  CHECK(own == 5 * 4950 && tasks == 101);
}

static void regions_inside(void) {
  for (int teams = 1; teams < 8; ++teams) {
    long members = 0, expected = 0;
#pragma omp teams num_teams(teams) shared(members)
    regions(&members);
#pragma omp teams num_teams(teams) reduction(+ : expected)
#pragma omp parallel num_threads(3) reduction(+ : expected)
    expected += 5;
    CHECK(members >= 5 * 1 && members == expected);
  }
}

// The same threads serve leagues and regions.
static void in_turns(void) {
  for (int round = 0; round < 100; ++round) {
    int members = 0, teams = 0;
#pragma omp parallel num_threads(1 + round % 4) reduction(+ : members)
    ++members;
#pragma omp teams num_teams(1 + round % 3) reduction(+ : teams)
    ++teams;
    CHECK(members >= 1 && members <= 1 + round % 4 && teams >= 1 && teams <= 1 + round % 3);
  }
}

static void* threads_of_the_program(void* argument) {
  in_turns();
  reductions();
  return argument;
}

int main(void) {
  omp_set_dynamic(0);
  const char* const can = getenv("TEAMS_MEET");
  if (can != NULL && *can == '1') teams_meet();
  more_teams_than_threads();
  reductions();
  regions_inside();
  in_turns();
  pthread_t others[3];
  for (int i = 0; i < 3; ++i) pthread_create(&others[i], NULL, threads_of_the_program, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(others[i], NULL);
  if (wrong) return printf("%d wrong\n", wrong), 1;
  puts("ok");
}
