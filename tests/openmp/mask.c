// The affinity mask that counts is the one at the first use of OpenMP: a program may have narrowed it before, to one
// CPU even. All threads stay within it.
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static cpu_set_t all;

static int is_within(const cpu_set_t* mask) {
  cpu_set_t own, both;
  if (sched_getaffinity(0, sizeof own, &own)) return 0;
  CPU_AND(&both, &own, mask);
  return CPU_EQUAL(&both, &own) && CPU_ISSET(sched_getcpu(), mask);
}

static int regions(const cpu_set_t* mask) {
  int outside = 0, sum = 0;
  for (int i = 0; i < 20; ++i) {
    int size = 0, seen = 0;
#pragma omp parallel reduction(+ : outside, seen)
    {
      outside += !is_within(mask);
#pragma omp barrier
#pragma omp for schedule(dynamic)
      for (int k = 0; k < 50; ++k) outside += !is_within(mask);
#pragma omp single
      size = omp_get_num_threads();
      seen += 1;
    }
    sum += seen != size;
  }
  if (outside || sum) printf("%d times outside of the mask, %d regions wrong\n", outside, sum);
  return !outside && !sum;
}

// In a process of its own: the first `cpus` of the mask.
static void narrowed(int cpus) {
  cpu_set_t few;
  CPU_ZERO(&few);
  for (int cpu = 0; CPU_COUNT(&few) < cpus; ++cpu)
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &few);
  if (sched_setaffinity(0, sizeof few, &few)) _exit(2);
  if (omp_get_num_procs() != cpus)
    printf("%d CPUs in the mask, omp_get_num_procs() is %d\n", cpus, omp_get_num_procs());
  int const fine = omp_get_num_procs() == cpus && regions(&few);
  // Wider again, when the threads are there: they stay, or follow; both are within.
  if (sched_setaffinity(0, sizeof all, &all)) _exit(2);
  fflush(stdout);
  _exit(fine && regions(&all) ? 0 : 1);
}

int main(void) {
  int status, fine = 1;
  if (sched_getaffinity(0, sizeof all, &all)) return EXIT_FAILURE;
  for (int cpus = 1; cpus <= CPU_COUNT(&all) && cpus <= 3; ++cpus) {
    pid_t const child = fork();
    if (child == 0) {
      alarm(40);
      narrowed(cpus);
    }
    fine &= waitpid(child, &status, 0) == child && status == 0;
  }
  if (!fine) return EXIT_FAILURE;
  puts("ok");
}
