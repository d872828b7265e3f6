/* Time that is planted: imbalance in a region and in a loop, a critical section, tasks, and the program alone. Each is
   measured here, too, by the clock on the wall, so that other programs on the machine change both figures alike. Prints
   for each what it is in the profile, the line of its pragma, nanoseconds of work and of waiting (-1: not measured),
   and how many may have been waited where the program can't see the end of a wait. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { threads = 2, rounds = 20 };

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}
static int64_t spin_ms(int ms) {
  const int64_t begin = now();
  while (now() - begin < ms * INT64_C(1000000)) {
  }
  return now();
}

static int64_t begun[threads], ended[threads], let_go[threads], waited[threads];

/* What members have worked, and waited for others. */
static void add_up(int64_t* work, int64_t* waiting) {
  for (int i = 0; i < threads; ++i) *work += ended[i] - begun[i], *waiting += let_go[i] - ended[i];
}
static void say(const char* what, int line, int64_t work, int64_t waiting) {
  printf("%s\t%d\t%lld\t%lld\n", what, line, (long long)work, (long long)waiting);
}

/* The first thread goes on at once after a region; the second is still at its end until a core wakes it. It has left
   when it begins the next one. */
static void a_region(void) {
  int64_t work = 0, waiting = 0, most = 0, left = 0;
  int line = 0;
  for (int round = 0; round < rounds; ++round) {
    line = __LINE__ + 1;
#pragma omp parallel num_threads(threads)
    {
      const int me = omp_get_thread_num();
      begun[me] = now();
      if (me == 1 && round > 0) most += begun[me] - left;
      ended[me] = spin_ms(me == 0 ? 4 : 1);
    }
    left = now();
    for (int i = 0; i < threads; ++i) let_go[i] = left;
    add_up(&work, &waiting);
  }
#pragma omp parallel num_threads(threads)
  if (omp_get_thread_num() == 1) most += now() - left;
  most += waiting;
  printf("parallel region\t%d\t%lld\t%lld\t%lld\n", line, (long long)work, (long long)waiting, (long long)most);
}

static void a_loop(void) {
  int64_t work = 0, waiting = 0;
  int line = 0;
  for (int round = 0; round < rounds; ++round) {
#pragma omp parallel num_threads(threads)
    {
      const int me = omp_get_thread_num();
#pragma omp barrier
      begun[me] = ended[me] = now();
      line = __LINE__ + 1;
#pragma omp for schedule(dynamic, 1)
      for (int i = 0; i < 3; ++i) ended[me] = spin_ms(i == 2 ? 5 : 2);
      let_go[me] = now();
    }
    add_up(&work, &waiting);
  }
  say("dynamic loop", line, work, waiting);
}

static void a_critical_section(void) {
  int64_t waiting = 0;
  int line = 0;
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num();
    waited[me] = 0;
    for (int round = 0; round < rounds; ++round) {
      const int64_t wanted = now();
      line = __LINE__ + 1;
#pragma omp critical(planted)
      {
        waited[me] += now() - wanted;
        spin_ms(2);
      }
    }
  }
  for (int i = 0; i < threads; ++i) waiting += waited[i];
  say("critical", line, 0, waiting);
}

static void tasks(void) {
  static int64_t work = 0;
  int line = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  for (int i = 0; i < rounds; ++i) {
    line = __LINE__ + 1;
#pragma omp task
    {
      const int64_t begin = now();
      const int64_t took = spin_ms(2) - begin;
#pragma omp atomic
      work += took;
    }
  }
  say("tasks", line, work, -1);
}

int main(void) {
  a_region();
  a_loop();
  a_critical_section();
  tasks();
  const int64_t begin = now();
  say("outside of regions", 0, spin_ms(40) - begin, 0);
  return 0;
}
