// Threads that the program made itself: each may open regions, come and go by the hundred, and end in any way; what the
// runtime took for one serves the next.
#include <dirent.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { generations = 40, at_once = 8, warm = 10, crowd = 24 };

static int region(void) {
  int sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
  {
#pragma omp barrier
    sum += omp_get_thread_num() + 1;
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < 10; ++i) sum += i;
  }
  return sum;
}

static int expected;

static void* opens(void* unused) {
  (void)unused;
  for (int i = 0; i < 3; ++i)
    if (region() != expected) return "a region's sum is wrong";
  return NULL;
}

static void* opens_and_exits(void* unused) { pthread_exit(opens(unused)); }

static void* opens_and_is_cancelled(void* unused) {
  void* wrong = opens(unused);
  if (wrong) return wrong;
  for (;;) pthread_testcancel();
}

static void say(void* wrong) {
  puts(wrong);
  exit(EXIT_FAILURE);
}

static void run(void* (*body)(void*), int threads, int cancels) {
  pthread_t thread[crowd];
  for (int i = 0; i < threads; ++i)
    if (pthread_create(&thread[i], NULL, body, NULL)) say("no more threads");
  for (int i = 0; i < threads; ++i) {
    void* result;
    if (cancels) pthread_cancel(thread[i]);
    pthread_join(thread[i], &result);
    if (result && result != PTHREAD_CANCELED) say(result);
  }
}

static int kernel_threads(void) {
  int count = 0;
  DIR* folder = opendir("/proc/self/task");
  for (struct dirent* entry; folder && (entry = readdir(folder)); ++count)
    ;
  closedir(folder);
  return count;
}

static long resident_pages(void) {
  long size = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &size, &resident) != 2) say("no /proc/self/statm");
  fclose(file);
  return resident;
}

// How many threads of one generation are in a region at the same time is chance: so the most of the first ones counts.
static void come_and_go(void* (*body)(void*), int cancels) {
  int most = 0;
  long pages = 0;
  for (int i = 0; i < generations; ++i) {
    run(body, at_once, cancels);
    int const now = kernel_threads();
    if (i < warm) {
      most = now > most ? now : most;
      pages = resident_pages();
    } else if (now > most + 2 * at_once) {
      printf("%d OS threads after %d generations, at most %d in the first ones\n", now, i, most);
      exit(EXIT_FAILURE);
    }
  }
  if (resident_pages() > pages + 1024) {
    printf("%ld pages after %d generations, %ld after %d\n", resident_pages(), generations, pages, warm);
    exit(EXIT_FAILURE);
  }
}

int main(void) {
  omp_set_dynamic(0);
  expected = region();
  come_and_go(opens, 0);
  come_and_go(opens_and_exits, 0);
  come_and_go(opens_and_is_cancelled, 1);
  run(opens, crowd, 0);  // many at once
  if (region() != expected) say("the initial thread's region, afterwards");
  puts("ok");
}
