// omp_pause_resource ends the threads that the caller's regions have left behind: what hangs on them is destroyed
// before it returns, the next region has new ones, and other threads' regions go on. libgomp ends them as well; the
// standard only says that threadprivate values may be gone.
#define _GNU_SOURCE
#include <dirent.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { rounds = 20, others = 2, page_limit = 512 };

static pthread_key_t key;
static _Atomic int destroyed, late_sum, stop;
static int value = -1;
#pragma omp threadprivate(value)

static void fail(const char* what, int seen, int expected) {
  printf("%s: %d, not %d\n", what, seen, expected);
  exit(EXIT_FAILURE);
}

static void expect(const char* what, int seen, int expected) {
  if (seen != expected) fail(what, seen, expected);
}

static int region(int threads) {
  int sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
#pragma omp barrier
    sum += 1;
  }
  return sum;
}

// Runs on a thread that ends; it may be a user of OpenMP like any other.
static void destroy(void* own_number) {
  if ((int)(long)own_number % 2 == 0) late_sum += region(3);
  ++destroyed;
}

// Each thread but the first gets something to destroy. Returns how many there are, and that all of them are new or all
// known.
static int mark(int threads, int known) {
  int marked = 0, wrong = 0;
#pragma omp parallel num_threads(threads) reduction(+ : marked, wrong)
  if (omp_get_thread_num() != 0) {
    wrong += value != (known ? omp_get_thread_num() : -1);
    value = omp_get_thread_num();
    pthread_setspecific(key, (void*)(long)omp_get_thread_num());
    marked = 1;
  }
  expect(known ? "threads that have forgotten their values" : "threads that still have values from before", wrong, 0);
  return marked;
}

static void* goes_on(void* unused) {
  int const threads = 4;
#pragma omp parallel num_threads(threads)
  value = 100 + omp_get_thread_num();
  while (!stop) {
    int wrong = 0;
#pragma omp parallel num_threads(threads) reduction(+ : wrong)
    {
      wrong += value != 100 + omp_get_thread_num();
#pragma omp barrier
    }
    expect("threads of another's team that were changed", wrong, 0);
  }
  return unused;
}

static int kernel_threads(void) {
  int count = 0;
  DIR* folder = opendir("/proc/self/task");
  if (!folder) fail("opendir", 0, 1);
  while (readdir(folder)) ++count;
  closedir(folder);
  return count;
}

static long resident_pages(void) {
  long size = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &size, &resident) != 2) fail("statm", 0, 1);
  fclose(file);
  return resident;
}

static void pause_and_check(int kind) {
  int const threads = 2 + omp_get_max_threads();
  int const marked = mark(threads, 0);
  expect("threads marked", mark(threads, 1), marked);
  destroyed = late_sum = 0;
  expect("omp_pause_resource", omp_pause_resource(kind, omp_get_initial_device()), 0);
  expect("threads destroyed when it returns", destroyed, marked);
  expect("regions in destructors", late_sum, 3 * (marked / 2));
}

int main(void) {
  int rejected = 0, most_threads = 0;
  long pages = 0;
  pthread_t thread[others];
  pthread_key_create(&key, destroy);
  expect("before the first region", omp_pause_resource_all(omp_pause_hard), 0);
#pragma omp parallel num_threads(3) reduction(+ : rejected)
  rejected += omp_pause_resource_all(omp_pause_soft) != 0;
  expect("rejected inside a region", rejected, 3);
  for (int round = 0; round < rounds; ++round) {
    pause_and_check(round % 2 ? omp_pause_hard : omp_pause_soft);
    int const now = kernel_threads();
    if (round < 8) {
      most_threads = now > most_threads ? now : most_threads;
      pages = resident_pages();
    } else if (now > most_threads + 4 || resident_pages() > pages + page_limit) {
      printf("round %d: %d OS threads and %ld pages, before %d and %ld\n", round, now, resident_pages(), most_threads,
             pages);
      return EXIT_FAILURE;
    }
  }
  for (int i = 0; i < others; ++i) pthread_create(&thread[i], NULL, goes_on, NULL);
  for (int round = 0; round < rounds; ++round) {
    region(5);
    expect("pausing beside others", omp_pause_resource_all(omp_pause_hard), 0);
    expect("a region afterwards", region(5), 5);
  }
  stop = 1;
  for (int i = 0; i < others; ++i) pthread_join(thread[i], NULL);
  puts("ok");
}
