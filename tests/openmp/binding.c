/* OMP_PLACES, OMP_PROC_BIND and proc_bind: each thread is at the place that the standard says, and runs on its CPUs.
   The variables count at the start only, so the program runs itself once for each setting. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;
#define check(condition, ...)                   \
  do {                                          \
    if (!(condition)) {                         \
      _Pragma("omp critical(report)") {         \
        ++failures;                             \
        fprintf(stderr, "line %d: ", __LINE__); \
        fprintf(stderr, __VA_ARGS__);           \
        fputc('\n', stderr);                    \
      }                                         \
    }                                           \
  } while (0)

/* The calling thread is at `place`, and neither it nor the C library's name for it may be anywhere else. */
static void check_here(int place) {
  int ids[64], count = omp_get_place_num_procs(place);
  cpu_set_t expected, mask;
  check(omp_get_place_num() == place, "thread %d at place %d instead of %d", omp_get_thread_num(), omp_get_place_num(),
        place);
  if (count < 1 || count > 64) {
    check(0, "place %d has %d CPUs", place, count);
    return;
  }
  omp_get_place_proc_ids(place, ids);
  CPU_ZERO(&expected);
  for (int i = 0; i < count; ++i) CPU_SET(ids[i], &expected);
  sched_getaffinity(0, sizeof mask, &mask);
  check(CPU_EQUAL(&mask, &expected), "thread %d may run on other CPUs than its place's", omp_get_thread_num());
  pthread_getaffinity_np(pthread_self(), sizeof mask, &mask);
  check(CPU_EQUAL(&mask, &expected), "pthread_self() of thread %d has other CPUs than its place", omp_get_thread_num());
  for (int round = 0; round < 20; ++round) {
#pragma omp barrier
    check(CPU_ISSET(sched_getcpu(), &expected), "thread %d runs on CPU %d, not at its place", omp_get_thread_num(),
          sched_getcpu());
  }
}

static void check_partition(int first, int count) {
  int numbers[64];
  check(omp_get_partition_num_places() == count, "a partition of %d places instead of %d",
        omp_get_partition_num_places(), count);
  omp_get_partition_place_nums(numbers);
  for (int i = 0; i < count; ++i)
    check(numbers[i] == first + i, "place %d in the partition instead of %d", numbers[i], first + i);
}

/* Neighbours share a place or are at neighbouring ones, and no place has more than one thread more than another. */
static void check_close(const int* place_of, int size, int places) {
  int threads_at[64] = {0};
  check(place_of[0] == 0, "the first thread moved to place %d", place_of[0]);
  for (int i = 0; i < size; ++i) {
    ++threads_at[place_of[i]];
    if (i > 0)
      check(place_of[i] == place_of[i - 1] || place_of[i] == place_of[i - 1] + 1,
            "%d threads: %d at place %d, %d at %d", size, i - 1, place_of[i - 1], i, place_of[i]);
  }
  for (int p = 0; p < places; ++p)
    check(threads_at[p] >= size / places && threads_at[p] <= (size + places - 1) / places, "%d threads, %d at place %d",
          size, threads_at[p], p);
}

/* Four places; the initial thread is at the first of them. */
static void four_places(void) {
  static const int spread_of[][5] = {{0}, {0}, {0, 2}, {0, 2, 3}, {0, 1, 2, 3}};
  static const int spread_size[][5] = {{0}, {4}, {2, 2}, {2, 1, 1}, {1, 1, 1, 1}};
  check(omp_get_num_places() == 4, "%d places", omp_get_num_places());
  check_here(0);
  for (int repeat = 0; repeat < 3; ++repeat) {
    for (int size = 2; size <= 9; ++size) {
      int place_of[9];
#pragma omp parallel num_threads(size) proc_bind(close)
      {
        place_of[omp_get_thread_num()] = omp_get_place_num();
        check_here(omp_get_place_num());
        check_partition(0, 4);
      }
      check_close(place_of, size, 4);
    }
    for (int size = 2; size <= 4; ++size) {
#pragma omp parallel num_threads(size) proc_bind(spread)
      {
        int const me = omp_get_thread_num();
        check_here(spread_of[size][me]);
        check_partition(spread_of[size][me], spread_size[size][me]);
      }
    }
#pragma omp parallel num_threads(8) proc_bind(spread)
    {
      check_here(omp_get_thread_num() / 2);
      check_partition(omp_get_place_num(), 1);
    }
#pragma omp parallel num_threads(3) proc_bind(master)
    {
      check_here(0);
      check_partition(0, 4);
    }
  }
  check_here(0);
}

/* Inner regions use the partition of the thread that forks them. */
static void nested(void) {
  omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2) proc_bind(spread)
  {
    int const outer = omp_get_thread_num(), base = 2 * outer;
#pragma omp parallel num_threads(2) proc_bind(close)
    {
      check_here(base + omp_get_thread_num());
      check_partition(base, 2);
    }
#pragma omp parallel num_threads(4) proc_bind(close)
    check_here(base + omp_get_thread_num() / 2);
#pragma omp parallel num_threads(2) proc_bind(spread)
    {
      check_here(base + omp_get_thread_num());
      check_partition(base + omp_get_thread_num(), 1);
#pragma omp parallel num_threads(2) proc_bind(close)
      check_here(base + omp_get_ancestor_thread_num(2));
    }
#pragma omp parallel num_threads(3) proc_bind(master)
    check_here(base);
  }
#pragma omp parallel num_threads(4) proc_bind(close)
  {
    int const outer = omp_get_thread_num();
#pragma omp parallel num_threads(4) proc_bind(close)
    check_here((outer + omp_get_thread_num()) % 4);
#pragma omp parallel num_threads(3) proc_bind(spread)
    {
      /* parts {0, 1}, {2}, {3}, from the leader's on */
      static const int second[] = {2, 2, 3, 0}, third[] = {3, 3, 0, 2};
      int const me = omp_get_thread_num();
      check_here(me == 0 ? outer : me == 1 ? second[outer] : third[outer]);
    }
  }
}

/* What threads keep is theirs again when nothing changes. */
static int kept = -1;
#pragma omp threadprivate(kept)
static void keeps(void) {
#pragma omp parallel num_threads(6) proc_bind(spread)
  kept = omp_get_thread_num();
  for (int repeat = 0; repeat < 50; ++repeat) {
#pragma omp parallel num_threads(6) proc_bind(spread)
    check(kept == omp_get_thread_num(), "threadprivate %d of thread %d", kept, omp_get_thread_num());
  }
}

/* Nobody has confined the process: it begins at the first place, even if a later one has all its CPUs. */
static void first(void) {
  check(omp_get_place_num() == 0, "the initial thread is at place %d", omp_get_place_num());
#pragma omp parallel num_threads(2)
  check(omp_get_place_num() == omp_get_thread_num(), "thread %d at place %d", omp_get_thread_num(),
        omp_get_place_num());
}

static void unbound(void) {
  check(omp_get_proc_bind() == omp_proc_bind_false, "bound by default: %d", omp_get_proc_bind());
  cpu_set_t all, mask;
  sched_getaffinity(0, sizeof all, &all);
#pragma omp parallel num_threads(4) proc_bind(spread) private(mask)
  {
    sched_getaffinity(0, sizeof mask, &mask);
    check(CPU_EQUAL(&mask, &all), "a thread is bound though OMP_PROC_BIND=false");
  }
}

static void run_self(const char* self, const char* what, const char* places, const char* bind) {
  pid_t child = fork();
  if (child == 0) {
    setenv("OMP_PLACES", places, 1);
    setenv("OMP_PROC_BIND", bind, 1);
    execl(self, self, what, (char*)0);
    _exit(127);
  }
  int status;
  waitpid(child, &status, 0);
  check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s with OMP_PLACES=%s OMP_PROC_BIND=%s: status %x", what,
        places, bind, (unsigned)status);
}

int main(int argc, char** argv) {
  if (argc > 1) {
    if (strcmp(argv[1], "four") == 0) four_places(), nested(), keeps();
    if (strcmp(argv[1], "first") == 0) first();
    if (strcmp(argv[1], "unbound") == 0) unbound();
    return failures != 0;
  }
  cpu_set_t mine;
  sched_getaffinity(0, sizeof mine, &mine);
  int cpu[2] = {-1, -1};
  for (int c = 0; c < CPU_SETSIZE; ++c)
    if (CPU_ISSET(c, &mine)) cpu[cpu[0] < 0 ? 0 : 1] = c;
  if (cpu[1] < 0) cpu[1] = cpu[0];
  char places[128];
  unsetenv("OMP_NUM_THREADS");
  unsetenv("OMP_THREAD_LIMIT");
  snprintf(places, sizeof places, "{%d},{%d},{%d},{%d}", cpu[0], cpu[1], cpu[0], cpu[1]);
  run_self("/proc/self/exe", "four", places, "true");
  run_self("/proc/self/exe", "four", places, "spread,close,spread");
  snprintf(places, sizeof places, "{%d,%d},{%d},{%d},{%d}", cpu[0], cpu[1], cpu[0], cpu[1], cpu[1]);
  run_self("/proc/self/exe", "four", places, "close");
  snprintf(places, sizeof places, "{%d},{%d},{%d,%d}", cpu[0], cpu[1], cpu[0], cpu[1]);
  if (cpu[0] != cpu[1]) run_self("/proc/self/exe", "first", places, "close");
  run_self("/proc/self/exe", "unbound", "threads", "false");
  if (failures == 0) puts("ok");
  return failures != 0;
}
