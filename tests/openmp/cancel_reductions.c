// Reductions and lastprivate in constructs that are cancelled: their values mean nothing, but the team stays in step.
// Compilers leave part of the code that ends such a construct out for those who cancel it.
#include <omp.h>
#include <stdio.h>

enum { many = 64 };

static int wrong;
static void check(int right, const char* what) {
  if (!right) {
    int n;
#pragma omp atomic capture
    n = wrong++;
    if (n < 10) printf("wrong: %s\n", what);
  }
}

static int steps;
// In a region: all members are here at once.
static void in_step(void) {
  int now;
#pragma omp barrier
#pragma omp atomic
  ++steps;
#pragma omp barrier
#pragma omp atomic read
  now = steps;
  check(now % omp_get_num_threads() == 0, "the team is out of step");
#pragma omp barrier
}

static void loops(int stop) {
  long sum = 0, product = 1, before = 0, after = 0, last = 0;
  steps = 0;
#pragma omp parallel
  {
#pragma omp for reduction(+ : before)
    for (int i = 0; i < many; ++i) before += i;
    for (int round = 0; round < 4; ++round) {
#pragma omp for reduction(+ : sum) reduction(* : product) lastprivate(last)
      for (int i = 0; i < many; ++i) {
        if (i == stop) {
#pragma omp cancel for
        }
        sum += i;
        product *= 3;
        last = i;
#pragma omp cancellation point for
      }
      in_step();
#pragma omp for reduction(+ : sum) reduction(max : product) lastprivate(last) schedule(dynamic)
      for (int i = 0; i < many; ++i) {
        if (i == stop) {
#pragma omp cancel for
        }
        sum += i;
        product = i;
        last = i;
      }
      in_step();
#pragma omp sections reduction(+ : sum) lastprivate(last)
      {
#pragma omp section
        {
          sum += 1;
          if (round % 2) {
#pragma omp cancel sections
          }
          last = 1;
        }
#pragma omp section
        {
#pragma omp cancellation point sections
          sum += 1;
          last = 2;
        }
      }
      in_step();
    }
#pragma omp for reduction(+ : after)
    for (int i = 0; i < many; ++i) after += i;
  }
  check(before == many * (many - 1) / 2, "a reduction before cancelled ones");
  check(after == many * (many - 1) / 2, "a reduction behind cancelled ones");
}

// The reduction of the region itself, by whoever is not cancelled.
static void regions(int canceller) {
  int members = 0, whole = 0;
#pragma omp parallel reduction(+ : members)
  {
    ++members;
    if (omp_get_thread_num() == canceller) {
#pragma omp cancel parallel
    }
#pragma omp barrier
    members += 1000;
  }
  check(members < 1000, "nobody goes on behind the barrier");
#pragma omp parallel reduction(+ : whole)
  ++whole;
  check(whole == omp_get_max_threads(), "the reduction of the next region");
}

static void by_tasks(int stop) {
  long sum = 0, after = 0;
  steps = 0;
#pragma omp parallel
  {
    for (int round = 0; round < 3; ++round) {
#pragma omp for reduction(task, + : sum) schedule(dynamic)
      for (int i = 0; i < many; ++i) {
#pragma omp task in_reduction(+ : sum)
        sum += i;
        if (i == stop) {
#pragma omp cancel for
        }
      }
      in_step();
    }
#pragma omp for reduction(task, + : after)
    for (int i = 0; i < many; ++i) {
#pragma omp task in_reduction(+ : after)
      after += i;
    }
  }
  check(after == many * (many - 1) / 2, "a task reduction behind cancelled ones");
}

// The canceller does not come to the construct, and others may not know yet.
static void regions_by_tasks(int canceller) {
  long sum = 0, after = 0;
#pragma omp parallel
  {
    if (omp_get_thread_num() == canceller) {
#pragma omp cancel parallel
    }
#pragma omp for reduction(task, + : sum) schedule(dynamic)
    for (int i = 0; i < many; ++i) {
#pragma omp task in_reduction(+ : sum)
      sum += i;
    }
  }
#pragma omp parallel reduction(task, + : sum)
  {
#pragma omp task in_reduction(+ : sum)
    sum += 1;
    if (omp_get_thread_num() == canceller) {
#pragma omp cancel parallel
    }
#pragma omp task in_reduction(+ : sum)
    sum += 1;
#pragma omp barrier
  }
#pragma omp parallel reduction(task, + : after)
  {
#pragma omp task in_reduction(+ : after)
    after += 1;
  }
  check(after == omp_get_max_threads(), "a region's task reduction behind cancelled ones");
}

static void taskgroups(int stop) {
  long sum = 0, after = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < many; ++i) {
#pragma omp task in_reduction(+ : sum)
      {
        sum += i;
        if (i == stop) {
#pragma omp cancel taskgroup
        }
      }
    }
#pragma omp taskloop reduction(+ : sum)
    for (int i = 0; i < many; ++i) {
      sum += i;
      if (i == stop) {
#pragma omp cancel taskgroup
      }
    }
#pragma omp taskloop reduction(+ : after)
    for (int i = 0; i < many; ++i) after += i;
  }
  check(after == many * (many - 1) / 2, "a taskloop's reduction behind cancelled ones");
}

int main(void) {
  if (!omp_get_cancellation()) return puts("OMP_CANCELLATION is not set"), 1;
  omp_set_dynamic(0);
  for (int round = 0; round < 100; ++round) {
    int const canceller = round % omp_get_max_threads();
    loops(round % many);
    regions(canceller);
    by_tasks(round % many);
    regions_by_tasks(canceller);
    taskgroups(round % many);
  }
  if (wrong) return printf("%d wrong\n", wrong), 1;
  puts("ok");
}
