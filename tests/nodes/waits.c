/* Says its processes, then stays in a region for a minute, or ends it as the argument says. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void at_end(void) { puts("the handler of main ran"); }

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "wait";
  atexit(at_end);
#pragma omp parallel
  {
    int last = omp_get_thread_num() == omp_get_num_threads() - 1;
    for (int t = 0; t < omp_get_num_threads(); t++) {
      if (t == omp_get_thread_num()) printf("%d\n", (int)getpid()), fflush(stdout);
#pragma omp barrier
    }
    if (last && strcmp(what, "crash") == 0) *(volatile int*)8 = 1;
    if (last && strcmp(what, "exit") == 0) exit(5);
    if (last && strcmp(what, "abort") == 0) abort();
    if (strcmp(what, "main_crashes") == 0 && omp_get_thread_num() == 0) *(volatile int*)8 = 1;
    sleep(60);
  }
  return 0;
}
