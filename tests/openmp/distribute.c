// distribute and distribute parallel for over leagues of several teams, with every dist_schedule and schedule: each
// iteration runs once, on the team that it belongs to, and reductions and lastprivate are those of a serial loop.
// (libomp gives fewer teams than were asked for where there are few CPUs.)
#include <limits.h>
#include <omp.h>
#include <stdio.h>

static int wrong;
#define CHECK(c)                                                                                                     \
  do                                                                                                                 \
    if (!(c) && __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED) < 10) printf("%s:%d: %s\n", __FILE__, __LINE__, #c); \
  while (0)

enum { most = 1000 };
static int hits[most];
static int team_of[most];

// In functions of their own: gcc refuses most calls directly in a teams region.
static void hit(long i, int teams) {
  if (i < 0 || i >= most) {
    CHECK(!"an iteration outside the loop");
    return;
  }
  __atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);
  team_of[i] = omp_get_team_num();
  if (omp_get_num_teams() != teams) CHECK(!"another number of teams");
  if (team_of[i] < 0 || team_of[i] >= teams) CHECK(!"no such team");
}

// chunk 0: each team has one block of neighbours, all about as large; else chunks go round.
static void check(int n, int teams, int chunk) {
  int size[16] = {0};
  for (int i = 0; i < most; ++i) {
    CHECK(hits[i] == (i < n));
    if (i < n) ++size[team_of[i]];
    if (i < n && chunk > 0) CHECK(team_of[i] == i / chunk % teams);
    if (i > 0 && i < n && chunk == 0) CHECK(team_of[i] >= team_of[i - 1]);
    hits[i] = 0;
  }
  for (int t = 0; t < teams && chunk == 0; ++t) CHECK(size[t] >= n / teams && size[t] <= n / teams + 1);
}

#define STRING(...) #__VA_ARGS__
#define PRAGMA(...) _Pragma(STRING(__VA_ARGS__))

// One loop with the directive given; its sum, and what its last iteration left, are the serial ones.
#define LOOP(TYPE, FROM, COND, STEP, INDEX, CHUNK, ...)           \
  do {                                                            \
    long sum = 0;                                                 \
    TYPE last = (TYPE)-7;                                         \
    PRAGMA(__VA_ARGS__) for (TYPE i = (TYPE)(FROM); COND; STEP) { \
      long const k = (long)(INDEX);                               \
      sum += 3 * k;                                               \
      last = i;                                                   \
      hit(k, teams);                                              \
    }                                                             \
    check(n, teams, CHUNK);                                       \
    CHECK(sum == 3l * n * (n - 1) / 2);                           \
    TYPE expected = (TYPE)-7;                                     \
    for (TYPE i = (TYPE)(FROM); COND; STEP) expected = i;         \
    CHECK(n == 0 || last == expected);                            \
  } while (0)
#define UP(CHUNK, ...) LOOP(int, 0, i < n, ++i, i, CHUNK, __VA_ARGS__)

#define COMMON num_teams(teams) reduction(+ : sum) lastprivate(last)
#define TEAMS omp teams distribute COMMON
#define BOTH omp teams distribute parallel for COMMON num_threads(3)

#define SCHEDULES(CHUNK, ...)                           \
  UP(CHUNK, __VA_ARGS__);                               \
  UP(CHUNK, __VA_ARGS__ schedule(static));              \
  UP(CHUNK, __VA_ARGS__ schedule(static, 3));           \
  UP(CHUNK, __VA_ARGS__ schedule(dynamic));             \
  UP(CHUNK, __VA_ARGS__ schedule(dynamic, 4));          \
  UP(CHUNK, __VA_ARGS__ schedule(monotonic : dynamic)); \
  UP(CHUNK, __VA_ARGS__ schedule(guided));              \
  UP(CHUNK, __VA_ARGS__ schedule(guided, 5));           \
  UP(CHUNK, __VA_ARGS__ schedule(runtime));             \
  UP(CHUNK, __VA_ARGS__ schedule(auto))

static void loops(int n, int teams) {
  UP(0, TEAMS);
  UP(0, TEAMS dist_schedule(static));
  UP(1, TEAMS dist_schedule(static, 1));
  UP(9, TEAMS dist_schedule(static, 9));
  SCHEDULES(0, BOTH);
  SCHEDULES(0, BOTH dist_schedule(static));
  SCHEDULES(7, BOTH dist_schedule(static, 7));
}

static void types_and_directions(int n, int teams) {
  LOOP(unsigned, UINT_MAX - 1, i > UINT_MAX - 1 - 3u * (unsigned)n, i -= 3, (UINT_MAX - 1 - i) / 3, 0, TEAMS);
  LOOP(unsigned, 5, i < 5 + 2u * (unsigned)n, i += 2, (i - 5) / 2, 0, BOTH);
  LOOP(long long, LLONG_MIN, i < LLONG_MIN + 11ll * n, i += 11, (i - LLONG_MIN) / 11, 0, BOTH schedule(dynamic, 3));
  LOOP(long long, LLONG_MAX - 1, i > LLONG_MAX - 1 - n, --i, LLONG_MAX - 1 - i, 4, BOTH dist_schedule(static, 4));
  LOOP(unsigned long long, 0, i < (unsigned long long)n, ++i, i, 0, BOTH schedule(guided));
  LOOP(signed char, -50, i < -50 + n, ++i, i + 50, 2, TEAMS dist_schedule(static, 2));
}

static void count(int teams, int* runs, int* numbers) {
  CHECK(omp_get_num_teams() == teams);
  ++*runs;
  *numbers += omp_get_team_num();
}

// A league in each thread of a region; they know nothing of one another.
static void leagues_side_by_side(void) {
  int runs = 0, numbers = 0;
#pragma omp parallel num_threads(3) reduction(+ : runs, numbers)
#pragma omp target teams num_teams(4) thread_limit(2) map(tofrom : runs, numbers) reduction(+ : runs, numbers)
  count(4, &runs, &numbers);
  CHECK(runs % 4 == 0 && runs >= 4 && numbers == runs / 4 * 6);
}

static void regions_of_a_team(int* members) {
  int mine = 0;
#pragma omp parallel num_threads(8) reduction(+ : mine)
  {
    ++mine;
    if (omp_get_num_threads() > 3) CHECK(!"more threads than thread_limit");
  }
  *members += mine;
}

static void thread_limit_of_each_team(void) {
  omp_set_dynamic(0);
  int members = 0;
#pragma omp teams num_teams(4) thread_limit(3) reduction(+ : members)
  regions_of_a_team(&members);
  CHECK(members >= 4 && members <= 12);
}

int main(void) {
  static int const sizes[] = {0, 1, 3, 100, most};
  for (int s = 0; s < 5; ++s)
    for (int teams = 1; teams <= 7; teams += 3) {
      loops(sizes[s], teams);
      if (sizes[s] < 100) types_and_directions(sizes[s], teams);
    }
  types_and_directions(99, 4);
  leagues_side_by_side();
  thread_limit_of_each_team();
  if (wrong) return printf("%d wrong\n", wrong), 1;
  puts("ok");
}
