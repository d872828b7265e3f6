// `cancel for` and `cancel sections`: no thread goes on with the construct once it knows, no iteration runs twice, and
// what comes behind the construct's barrier is complete. The long loops end only by the cancellation.
#include <omp.h>
#include <stdio.h>

enum { many = 200, schedules = 5 };

// The length of the loops that are to be cancelled. With the static schedules a single thread comes to the iteration
// that does it, and where threads share a core the others would have to wait for each other all the time.
static long length = 1L << 45;

static int wrong;
static void check(int right, const char* what) {
  if (!right) {
    int n;
#pragma omp atomic capture
    n = wrong++;
    if (n < 10) printf("wrong: %s\n", what);
  }
}

static void choose(int schedule) {
  static const omp_sched_t kinds[schedules] = {omp_sched_static, omp_sched_static, omp_sched_dynamic, omp_sched_dynamic,
                                               omp_sched_guided};
  static const int chunks[schedules] = {0, 3, 1, 5, 2};
  omp_set_schedule(kinds[schedule], chunks[schedule]);
  length = schedule < 2 ? 3000 : 1L << 45;
}

static int count_of(int* counter) {
  int now;
#pragma omp atomic read
  now = *counter;
  return now;
}

// What one thread of the team meets, one construct after another without anything in between but the loops' barriers.
static void constructs(int stop) {
  int first[many] = {0}, cancelled[many] = {0}, next[many] = {0}, entered = 0, behind = 0;
#pragma omp parallel
  {
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < many; ++i) ++first[i];
      // Each thread cancels at its first iteration, so none has a second one.
#pragma omp for schedule(runtime)
    for (int i = 0; i < many; ++i) {
      ++cancelled[i];
#pragma omp atomic
      ++entered;
#pragma omp cancel for
      check(0, "behind a cancellation in a loop");
    }
#pragma omp atomic
    ++behind;
#pragma omp for schedule(runtime)
    for (int i = 0; i < many; ++i) ++next[i];
      // One thread does, the others look.
#pragma omp for schedule(runtime)
    for (long i = 0; i < length; ++i) {
      if (i == stop) {
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
#pragma omp for schedule(runtime)
    for (int i = 0; i < many; ++i) ++next[i];
  }
  check(entered <= omp_get_max_threads(), "no thread runs a second iteration of a cancelled loop");
  check(entered >= 1, "somebody runs an iteration");
  check(behind == omp_get_max_threads(), "everybody goes on behind a cancelled loop");
  for (int i = 0; i < many; ++i) {
    check(first[i] == 1, "a loop before the cancelled one");
    check(cancelled[i] <= 1, "an iteration of a cancelled loop");
    check(next[i] == 2, "loops behind the cancelled one");
  }
}

// Schedules that compilers deal out without the runtime.
static void compiled_schedules(int stop) {
  int next[many] = {0};
#pragma omp parallel
  {
#pragma omp for
    for (long i = 0; i < length; ++i) {
      if (i == stop) {
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
#pragma omp for schedule(static)
    for (int i = 0; i < many; ++i) ++next[i];
#pragma omp for schedule(static, 7)
    for (long i = 0; i < length; ++i) {
      if (i == stop) {
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
#pragma omp for schedule(static, 7)
    for (int i = 0; i < many; ++i) ++next[i];
#pragma omp for schedule(static)
    for (int i = 0; i < many; ++i) {
#pragma omp cancellation point for
      ++next[i];
    }
  }
  for (int i = 0; i < many; ++i) check(next[i] == 3, "loops behind a cancelled static loop");
}

// The if clause: without effect it cancels nothing.
static void conditions(int no, int yes) {
  int runs = 0, cut = 0;
#pragma omp parallel
  {
#pragma omp for schedule(runtime)
    for (int i = 0; i < many; ++i) {
#pragma omp cancel for if (no)
#pragma omp atomic
      ++runs;
    }
#pragma omp for schedule(runtime)
    for (int i = 0; i < many; ++i) {
#pragma omp cancel for if (cancel : yes)
#pragma omp atomic
      ++cut;
    }
  }
  check(runs == many, "if (0) cancels nothing");
  check(cut == 0, "if (1) does");
}

static void combined(int stop) {
  int runs = 0;
#pragma omp parallel for schedule(dynamic, 2) reduction(+ : runs)
  for (long i = 0; i < length; ++i) {
    if (i == stop) {
#pragma omp cancel for
    }
#pragma omp cancellation point for
    ++runs;
  }
#pragma omp parallel for schedule(guided)
  for (long i = 0; i < many; ++i) {
#pragma omp cancel for
    check(0, "behind a cancellation in a combined loop");
  }
}

static void sections(void) {
  int entered = 0, behind = 0, runs = 0;
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
      {
#pragma omp atomic
        ++entered;
#pragma omp cancel sections
        check(0, "behind a cancellation in a section");
      }
#pragma omp section
      {
#pragma omp atomic
        ++entered;
#pragma omp cancel sections
        check(0, "behind a cancellation in a section");
      }
#pragma omp section
      {
#pragma omp atomic
        ++entered;
#pragma omp cancel sections
        check(0, "behind a cancellation in a section");
      }
#pragma omp section
      for (;;) {
#pragma omp cancellation point sections
        if (count_of(&entered) == 0) {  // nobody may be there to run another one
#pragma omp cancel sections
        }
      }
    }
#pragma omp atomic
    ++behind;
#pragma omp sections
    {
#pragma omp section
#pragma omp atomic
      runs += 1;
#pragma omp section
#pragma omp atomic
      runs += 10;
#pragma omp section
      {
#pragma omp cancellation point sections
#pragma omp atomic
        runs += 100;
      }
    }
  }
  check(entered <= 3 && entered <= omp_get_max_threads(), "sections begin once, and one for each thread");
  check(behind == omp_get_max_threads(), "everybody goes on behind cancelled sections");
  check(runs == 111, "sections behind cancelled ones");
#pragma omp parallel sections
  {
#pragma omp section
    {
#pragma omp cancel sections
      check(0, "behind a cancellation in a section");
    }
#pragma omp section
    {
#pragma omp cancellation point sections
    }
  }
}

// Some threads find the loop cancelled before they come to it. The loop of one level is nothing to the other's.
static void nested(int stop) {
  int inner_runs = 0, outer_runs = 0;
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 20; ++i) {
    int runs = 0;
#pragma omp parallel num_threads(3) shared(runs)
    {
#pragma omp for schedule(runtime)
      for (long j = 0; j < length; ++j) {
        if (j == stop) {
#pragma omp cancel for
        }
#pragma omp cancellation point for
      }
#pragma omp for schedule(runtime)
      for (int j = 0; j < 10; ++j)
#pragma omp atomic
        ++runs;
    }
#pragma omp atomic
    inner_runs += runs;
#pragma omp atomic
    ++outer_runs;
#pragma omp cancellation point for
  }
  check(outer_runs == 20, "the outer loop is not cancelled");
  check(inner_runs == 200, "loops behind inner ones that were cancelled");
}

// Both in one region. A loop is cancelled, and then, by one thread in passing, the region.
static void loop_then_region(int canceller) {
  int behind = 0;
#pragma omp parallel
  {
#pragma omp for schedule(runtime)
    for (int i = 0; i < many; ++i) {
#pragma omp cancel for
      check(0, "behind a cancellation in a loop");
    }
    if (omp_get_thread_num() == canceller) {
#pragma omp cancel parallel
    }
#pragma omp for schedule(runtime)
    for (int i = 0; i < many; ++i) {
#pragma omp cancellation point for
    }
#pragma omp atomic
    ++behind;
  }
  check(behind == 0, "a cancelled region ends at the loop's barrier");
}

int main(void) {
  if (!omp_get_cancellation()) return puts("OMP_CANCELLATION is not set"), 1;
  omp_set_dynamic(0);
  omp_set_max_active_levels(2);
  for (int round = 0; round < 100; ++round)
    for (int schedule = 0; schedule < schedules; ++schedule) {
      choose(schedule);
      constructs(round);
      conditions(0, 1);
      if (schedule == 0) compiled_schedules(round);
      if (schedule == 1) combined(round);
      if (schedule == 2) sections();
      if (round % 20 == 3) nested(round);
      loop_then_region(round % omp_get_max_threads());
    }
  if (wrong) return printf("%d wrong\n", wrong), 1;
  puts("ok");
}
