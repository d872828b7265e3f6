// Detached tasks: fulfilled before, while and after the body runs, by other tasks and by threads that OpenMP does not
// know.
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { many = 64 };
static int wrong;
static void check(int right) {
  if (!right) {
#pragma omp atomic
    ++wrong;
  }
}

static omp_event_handle_t mailbox[many];
static int posted[many];

static void* fulfiller(void* unused) {
  (void)unused;
  for (int i = 0; i < many; ++i) {
    while (!__atomic_load_n(&posted[i], __ATOMIC_ACQUIRE)) {
    }
    __atomic_store_n(&posted[i], 0, __ATOMIC_RELAXED);
    omp_fulfill_event(mailbox[i]);
  }
  return 0;
}

static void by_a_foreign_thread(void) {
  pthread_t t;
  int done[many] = {0};
  int order[many];
  pthread_create(&t, 0, fulfiller, 0);
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < many; ++i) {
      omp_event_handle_t e;
#pragma omp task detach(e) depend(out : order[i]) shared(done)
      {
        done[i] = 1;
        mailbox[i] = e;
        __atomic_store_n(&posted[i], 1, __ATOMIC_RELEASE);
      }
#pragma omp task depend(in : order[i]) shared(done)
      check(done[i]++ == 1);
    }
#pragma omp taskwait
    for (int i = 0; i < many; ++i) check(done[i] == 2);
  }
  pthread_join(t, 0);
}

static void by_siblings(void) {
  int done = 0;
#pragma omp parallel shared(done)
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < many; ++i) {
      omp_event_handle_t e;
#pragma omp task detach(e) shared(done)
      {
#pragma omp task shared(done)  // a child that outlives the body
#pragma omp atomic
        ++done;
      }
      if (i % 3 == 0) {
        omp_fulfill_event(e);  // perhaps before the body has begun
      } else {
#pragma omp task
        omp_fulfill_event(e);
      }
    }
    check(done == many);
  }
}

static void undeferred(void) {
  int done = 0;
#pragma omp parallel shared(done)
#pragma omp single
  for (int i = 0; i < 8; ++i) {
    omp_event_handle_t e;
#pragma omp task detach(e) if (0) shared(done)
    {
#pragma omp task
      omp_fulfill_event(e);
      ++done;
    }
    check(done == i + 1);
  }
}

static void chain(void) {
  int link, steps = 0;
#pragma omp parallel shared(link, steps)
#pragma omp single
  for (int i = 0; i < 200; ++i) {
    omp_event_handle_t e;
#pragma omp task detach(e) depend(inout : link) shared(steps)
    {
      check(steps++ == i);
      omp_fulfill_event(e);
    }
  }
  check(steps == 200);
}

// The maker of an undeferred task waits for its body, and may fulfil its event afterwards. (libgomp waits for the
// event, and gcc's programs may count on that.)
static void after_an_undeferred_body(void) {
#ifdef __clang__
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < many; ++i) {
    omp_event_handle_t e;
    int ran = 0;
#pragma omp task detach(e) if (0) shared(ran)
    ran = 1;
    check(ran == 1);
    omp_fulfill_event(e);
#pragma omp taskwait
  }
#endif
}

int main(int argc, char** argv) {
  int const rounds = argc > 1 ? atoi(argv[1]) : 10;
  for (int r = 0; r < rounds; ++r) {
    by_a_foreign_thread();
    after_an_undeferred_body();
    by_siblings();
    undeferred();
    chain();
  }
  if (wrong) return printf("%d wrong\n", wrong), 1;
  puts("ok");
}
