// `cancel parallel`: everybody leaves, nobody who was in or comes to a barrier goes on behind it, those who do not know
// yet are not left alone in loops, and the next region of the same team is as good as new.
#include <omp.h>
#include <stdio.h>

static int wrong;
static void check(int right, const char* what) {
  if (!right) {
    int n;
#pragma omp atomic capture
    n = wrong++;
    if (n < 10) printf("wrong: %s\n", what);
  }
}

// The whole team, with all that its members share.
static void next_region_works(void) {
  enum { many = 64 };
  int members = 0, at_barrier = 0, singles = 0, loop[many] = {0}, order = 0;
#pragma omp parallel
  {
#pragma omp atomic
    ++members;
#pragma omp atomic
    ++at_barrier;
#pragma omp barrier
    int seen;
#pragma omp atomic read
    seen = at_barrier;
    check(seen == omp_get_num_threads(), "a barrier of the next region lets all pass together");
#pragma omp for schedule(dynamic)
    for (int i = 0; i < many; ++i) ++loop[i];
#pragma omp single
    ++singles;
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < many; ++i) {
#pragma omp ordered
      check(order++ == i, "ordered in the next region");
    }
  }
  check(members == omp_get_max_threads(), "the next region has all members");
  check(singles == 1, "a single in the next region");
  for (int i = 0; i < many; ++i) check(loop[i] == 1, "a loop in the next region");
}

// Neither the first threads at a barrier nor those that come to it late may go on.
static void at_barriers(int canceller) {
  int entered = 0, behind = 0;
#pragma omp parallel
  {
    int const me = omp_get_thread_num();
#pragma omp atomic
    ++entered;
    if (me == canceller) {
#pragma omp cancel parallel
#pragma omp atomic
      ++behind;
    }
    if (me % 3 == 1) {
#pragma omp cancellation point parallel
    }
#pragma omp barrier
#pragma omp atomic
    ++behind;
  }
  check(entered == omp_get_max_threads(), "all members enter");
  check(behind == 0, "nobody passes the barrier of a cancelled region");
}

// Some barriers and loops first, and the canceller meets fewer than the others.
static void in_the_middle(int canceller, int rounds) {
  int behind = 0, counts[8] = {0};
#pragma omp parallel
  {
    int const me = omp_get_thread_num();
    for (int r = 0; r < rounds; ++r) {
#pragma omp atomic
      ++counts[r];
#pragma omp barrier
      int seen;
#pragma omp atomic read
      seen = counts[r];
      check(seen == omp_get_num_threads(), "barriers before the cancellation");
    }
    if (me == canceller) {
#pragma omp cancel parallel
    }
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 100; ++i)
#pragma omp atomic
      ++counts[7];
      // The loop's barrier is a cancellation point, and all met it after the canceller.
#pragma omp atomic
    ++behind;
  }
  check(behind == 0, "nobody goes on behind the loop");
}

// More loops without barriers than a runtime is likely to keep apart. The canceller meets none of them; the others do
// not look, and have to get through all.
static void many_loops(int canceller) {
  enum { loops = 20, many = 40 };
  int runs[loops][many] = {{0}}, mine = 0;
#pragma omp parallel
  {
    if (omp_get_thread_num() == canceller) {
#pragma omp cancel parallel
    }
    for (int l = 0; l < loops; ++l)
#pragma omp for schedule(runtime) nowait
      for (int i = 0; i < many; ++i)
#pragma omp atomic
        ++runs[l][i];
#pragma omp atomic
    ++mine;
  }
  check(mine == omp_get_max_threads() - 1, "whoever is not at a cancellation point goes on");
  for (int l = 0; l < loops; ++l)
    for (int i = 0; i < many; ++i) {
      check(runs[l][i] <= 1, "an iteration runs once at most");
      check(mine == 0 || runs[l][i] == 1, "dynamic: the others run all of it");
    }
}

// Turns in an ordered loop with a share for each, one of which nobody runs.
static void ordered_turns(int canceller, int chunk) {
  int last = -1, runs = 0;
#pragma omp parallel
  {
    if (omp_get_thread_num() == canceller) {
#pragma omp cancel parallel
    }
    omp_set_schedule(omp_sched_static, chunk);
#pragma omp for schedule(runtime) ordered
    for (int i = 0; i < 100; ++i) {
#pragma omp ordered
      {
        check(last < i, "iterations stay in order");
        last = i;
        ++runs;
      }
    }
  }
  check(runs <= 100, "ordered iterations");
}

// Sinks in iterations that nobody runs.
static void doacross(int canceller) {
  enum { many = 60 };
  int a[many + 1] = {0};
#pragma omp parallel
  {
    if (omp_get_thread_num() == canceller) {
#pragma omp cancel parallel
    }
#pragma omp for schedule(static, 1) ordered(1)
    for (int i = 1; i <= many; ++i) {
#pragma omp ordered depend(sink : i - 1)
#pragma omp atomic
      ++a[i];
#pragma omp ordered depend(source)
    }
  }
  for (int i = 1; i <= many; ++i) check(a[i] <= 1, "doacross iterations");
}

// A thread that copies must get what the thread in the single block had, and that thread must not be gone meanwhile.
static int copied[200];
#pragma omp threadprivate(copied)

static void copyprivate(int canceller, int round) {
#pragma omp parallel
  {
    int value[50] = {0};
    for (int i = 0; i < 200; ++i) copied[i] = -1;
    if (omp_get_thread_num() == canceller) {
#pragma omp cancel parallel
    }
#pragma omp single copyprivate(value, copied)
    {
      for (int i = 0; i < 50; ++i) value[i] = round + i;
      for (int i = 0; i < 200; ++i) copied[i] = round + i;
    }
    for (int i = 0; i < 50; ++i) check(value[i] == round + i, "copyprivate in a cancelled region");
  }
#pragma omp parallel
  for (int i = 0; i < 200; ++i)
    check(copied[i] == -1 || copied[i] == round + i, "copyprivate in a cancelled region, seen from the next");
}

// Tasks that have not begun are dropped, or run before the region ends. What has begun ends.
static void tasks(int canceller) {
  int begun = 0, ended = 0;
#pragma omp parallel
  {
    for (int i = 0; i < 50; ++i) {
#pragma omp task
      {
#pragma omp atomic
        ++begun;
#pragma omp task
        {
#pragma omp atomic
          ++begun;
#pragma omp atomic
          ++ended;
        }
#pragma omp taskwait
#pragma omp atomic
        ++ended;
      }
    }
    if (omp_get_thread_num() == canceller) {
#pragma omp cancel parallel
    }
#pragma omp barrier
    check(0, "behind the barrier of a cancelled region with tasks");
  }
  check(begun == ended, "tasks that have begun end within the region");
}

// A taskgroup that is left in the middle, with tasks in it.
static void taskgroups(int canceller) {
  int behind = 0;
#pragma omp parallel
  {
    if (omp_get_thread_num() == canceller) {
#pragma omp cancel parallel
    }
#pragma omp taskgroup
    {
#pragma omp for
      for (int i = 0; i < 64; ++i) {
#pragma omp task
        check(omp_get_num_threads() > 0, "a task of a cancelled region");
      }
    }
#pragma omp barrier
#pragma omp atomic
    ++behind;
  }
  check(behind == 0, "nobody goes on behind the barrier");
}

// A region inside of a cancelled one is its own business, and so is one that is cancelled inside of another.
static void nested(int canceller) {
  int inner_members = 0, inner_behind = 0, outer_behind = 0, wanted = 0;
#pragma omp parallel
  {
    int const me = omp_get_thread_num();
    if (me == canceller) {
#pragma omp cancel parallel
    }
#pragma omp atomic
    wanted += 2;
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
#pragma omp atomic
      ++inner_members;
    }
#pragma omp parallel num_threads(2)
    {
      if (omp_get_thread_num() == 1 || omp_get_num_threads() == 1) {
#pragma omp cancel parallel
      }
#pragma omp barrier
#pragma omp atomic
      ++inner_behind;
    }
#pragma omp barrier
#pragma omp atomic
    ++outer_behind;
  }
  check(inner_members == wanted, "a region in a cancelled one is whole");
  check(inner_behind == 0, "the inner region is cancelled");
  check(outer_behind == 0, "the outer region is cancelled");
#pragma omp parallel
  {
#pragma omp parallel num_threads(2)
    {
      if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
      }
    }
#pragma omp barrier
#pragma omp atomic
    ++outer_behind;
  }
  check(outer_behind == omp_get_max_threads(), "cancelling the inner region leaves the outer one");
}

// A loop that only ends by the cancellation.
static void no_end_but_this(int canceller) {
#pragma omp parallel
  {
    int const me = omp_get_thread_num();
    for (long n = 0;; ++n) {
      if (me == canceller && n == 100) {
#pragma omp cancel parallel
      }
#pragma omp cancellation point parallel
#pragma omp taskyield
    }
  }
}

int main(void) {
  if (!omp_get_cancellation()) return puts("OMP_CANCELLATION is not set"), 1;
  omp_set_dynamic(0);
  omp_set_max_active_levels(2);
  omp_set_schedule(omp_sched_dynamic, 1);
  int const threads = omp_get_max_threads();
  for (int round = 0; round < 200; ++round) {
    int const canceller = round % threads;
    at_barriers(canceller);
    if (round % 8 == 0) next_region_works();
    in_the_middle(canceller, round % 7);
    ordered_turns(canceller, round % 4);
    copyprivate(canceller, round);
    tasks(canceller);
    taskgroups(canceller);
    doacross(canceller);
    if (round % 4 == 0) many_loops(canceller);
    if (round % 10 == 0) nested(canceller);
    if (round % 10 == 5) no_end_but_this(threads - 1 - canceller / 2);
    if (round % 8 == 4) next_region_works();
  }
  if (wrong) return printf("%d wrong\n", wrong), 1;
  puts("ok");
}
