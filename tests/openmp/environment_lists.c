// What is read at start: the limit of the environment for all threads together, and lists whose next entry serves the
// next level.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int wrong;
#define CHECK(c)                                                                                                     \
  do                                                                                                                 \
    if (!(c) && __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED) < 10) printf("%s:%d: %s\n", __FILE__, __LINE__, #c); \
  while (0)

static void thread_limit_counts_nested_teams(void) {
  CHECK(omp_get_thread_limit() == 6);
  for (int round = 0; round < 20; ++round) {
    int running = 0, most = 0, full = 0;
#pragma omp parallel num_threads(4)
#pragma omp parallel num_threads(4)
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
#pragma omp parallel num_threads(6) reduction(+ : full)
    ++full;
    CHECK(full == 6);  // all that the nested regions took is there again
  }
}

static void lists_go_on_to_the_next_entry(void) {
  CHECK(omp_get_max_threads() == 3 && omp_get_proc_bind() == omp_proc_bind_spread);
#pragma omp parallel
  {
    CHECK(omp_get_num_threads() == 3 && omp_get_max_threads() == 2 && omp_get_proc_bind() == omp_proc_bind_close);
#pragma omp parallel
    CHECK(omp_get_num_threads() <= 2 && omp_get_max_threads() == 2 && omp_get_proc_bind() == omp_proc_bind_close);
  }
  CHECK(omp_get_max_threads() == 3 && omp_get_proc_bind() == omp_proc_bind_spread);
}

int main(int argc, char** argv) {
  if (argc == 1) {
    setenv("OMP_THREAD_LIMIT", "6", 1);
    setenv("OMP_NUM_THREADS", "3,2", 1);
    setenv("OMP_PROC_BIND", "spread,close", 1);
    setenv("OMP_MAX_ACTIVE_LEVELS", "2", 1);
    setenv("OMP_DYNAMIC", "false", 1);
    execl("/proc/self/exe", argv[0], "again", NULL);
    return perror("execl"), 1;
  }
  lists_go_on_to_the_next_entry();
  thread_limit_counts_nested_teams();
  if (wrong) return printf("%d wrong\n", wrong), 1;
  puts("ok");
}
