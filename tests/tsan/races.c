// Programs with one race each, chosen by name. Either of the lines that end in `// race NAME` is to be reported.
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The detector keeps the last few accesses to a word, and sometimes has lost where the earlier one was: a single pair
// may go unseen.
#define AGAIN 20

static int shared_sum, values[1000], other;

static void reduction_without_critical(void) {
#pragma omp parallel
  for (int i = 0; i < AGAIN; ++i) {
    int const mine = omp_get_thread_num();
    shared_sum += mine;  // race reduction_without_critical
    usleep(200);
  }
}

static void missing_barrier(void) {
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 1000; ++i) values[i] = i;  // race missing_barrier
#pragma omp for schedule(static)
    for (int i = 0; i < 1000; ++i) {
      int const theirs = values[999 - i];  // race missing_barrier
      if (theirs < 0) puts("");
    }
  }
}

static void single_nowait(void) {
#pragma omp parallel
  for (int i = 0; i < AGAIN; ++i) {
#pragma omp single nowait
    other = 1;                // race single_nowait
    if (other > 1) puts("");  // race single_nowait
    usleep(200);
  }
}

static void teams_of_a_league(void) {
  for (int i = 0; i < AGAIN; ++i)
#pragma omp teams num_teams(2)
  {
    shared_sum += 1;  // race teams_of_a_league
    usleep(200);
  }
}

static void sections(void) {
  for (int i = 0; i < AGAIN; ++i) {
#pragma omp parallel sections
    {
#pragma omp section
      {
        other = 1;  // race sections
        usleep(5000);
      }
#pragma omp section
      {
        other = 2;  // race sections
        usleep(5000);
      }
    }
  }
}

static void dynamic_loop(void) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 100; ++i) {
    values[i % 7] += i;  // race dynamic_loop
    usleep(100);
  }
}

static void two_locks(void) {
  static omp_lock_t lock[2];
  omp_init_lock(&lock[0]);
  omp_init_lock(&lock[1]);
#pragma omp parallel
  for (int i = 0; i < AGAIN; ++i) {
    omp_lock_t* const mine = &lock[omp_get_thread_num() % 2];
    omp_set_lock(mine);
    ++other;  // race two_locks
    omp_unset_lock(mine);
    usleep(200);
  }
}

static void missing_lock(void) {
  static omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
  for (int i = 0; i < AGAIN; ++i) {
    if (omp_get_thread_num() == 0) {
      ++other;  // race missing_lock
    } else {
      omp_set_lock(&lock);
      ++other;  // race missing_lock
      omp_unset_lock(&lock);
    }
    usleep(200);
  }
}

static void two_names(void) {
#pragma omp parallel
  for (int i = 0; i < AGAIN; ++i) {
    if (omp_get_thread_num() == 0) {
#pragma omp critical(one)
      ++other;  // race two_names
    } else {
#pragma omp critical(two)
      ++other;  // race two_names
    }
    usleep(200);
  }
}

static void after_ordered(void) {
#pragma omp parallel for ordered schedule(static, 1)
  for (int i = 0; i < 100; ++i) {
#pragma omp ordered
    values[0] += other;  // race after_ordered
    other = i;           // race after_ordered
  }
}

static void doacross(void) {
#pragma omp parallel for ordered(1) schedule(static, 1)
  for (int i = 1; i < 100; ++i) {
#pragma omp ordered depend(sink : i - 1)
    values[i] = values[i - 1] + 1;
#pragma omp ordered depend(source)
    values[0] += i;  // race doacross
  }
}

// Those above need two threads; tasks race even where one thread runs them all.

static void missing_depend(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : values[0])
    other = 1;  // race missing_depend
#pragma omp task depend(in : values[1])
    values[2] = other;  // race missing_depend
  }
}

static void two_readers(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(in : values[0])
    ++other;  // race two_readers
#pragma omp task depend(in : values[0])
    ++other;  // race two_readers
  }
}

static void missing_taskwait(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    other = 1;  // race missing_taskwait
#pragma omp taskyield
    values[0] = other;  // race missing_taskwait
  }
}

static void grandchild(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
#pragma omp task
      other = 1;  // race grandchild
    }
#pragma omp taskwait
    values[0] = other;  // race grandchild
  }
}

static void maker_goes_on(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    other = 1;  // race maker_goes_on
    other = 2;  // race maker_goes_on
#pragma omp taskwait
  }
}

static void siblings(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; ++i) {
#pragma omp task
    ++other;  // race siblings
  }
}

static void taskloop(void) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
  for (int i = 0; i < 10; ++i) {
    ++other;  // race taskloop
  }
}

static void early_end(void) {
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : values[0])
    values[0] = 1;
#pragma omp task firstprivate(event)
    {
      omp_fulfill_event(event);
      other = 1;  // race early_end
    }
#pragma omp task depend(in : values[0])
    values[1] = other;  // race early_end
  }
}

static const struct {
  const char* name;
  void (*run)(void);
} races[] = {
    {"reduction_without_critical", reduction_without_critical},
    {"missing_barrier", missing_barrier},
    {"single_nowait", single_nowait},
    {"teams_of_a_league", teams_of_a_league},
    {"sections", sections},
    {"dynamic_loop", dynamic_loop},
    {"two_locks", two_locks},
    {"missing_lock", missing_lock},
    {"two_names", two_names},
    {"after_ordered", after_ordered},
    {"doacross", doacross},
    {"missing_depend", missing_depend},
    {"two_readers", two_readers},
    {"missing_taskwait", missing_taskwait},
    {"grandchild", grandchild},
    {"maker_goes_on", maker_goes_on},
    {"siblings", siblings},
    {"taskloop", taskloop},
    {"early_end", early_end},
};

int main(int argc, char** argv) {
  for (unsigned i = 0; i < sizeof races / sizeof *races; ++i)
    if (argc == 2 && strcmp(argv[1], races[i].name) == 0) {
      for (int again = 0; again < 4; ++again) races[i].run();  // ThreadSanitizer may miss one pair
      puts("ok");
      return 0;
    }
  puts("usage: races NAME");
  return 2;
}
