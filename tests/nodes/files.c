/* Threads of several nodes that use one FILE, without a lock of the program's, and C11's mutexes and condition
 * variables. Prints ok. files [ROUNDS] */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static int turn, sum;
static once_flag once = ONCE_FLAG_INIT;
static int onces;

static void count_once(void) { onces++; }

int main(int count, char** words) {
  int rounds = count > 1 ? atoi(words[1]) : 200, wrong = 0;
  char* text;
  size_t bytes;
  FILE* const all = open_memstream(&text, &bytes);
  if (all == 0 || mtx_init(&lock, mtx_plain) != thrd_success || cnd_init(&changed) != thrd_success) return 1;
#pragma omp parallel reduction(+ : wrong)
  {
    int me = omp_get_thread_num(), n = omp_get_num_threads();
    call_once(&once, count_once);
    for (int i = 0; i < rounds; i++) wrong += fprintf(all, "%03d %05d\n", me, i) != 10;
    for (int i = 0; i < 20; i++) {
      mtx_lock(&lock);
      while (turn % n != me) cnd_wait(&changed, &lock);
      turn++;
      sum += me;
      cnd_broadcast(&changed);
      mtx_unlock(&lock);
    }
#pragma omp barrier
#pragma omp single
    {
      wrong += onces != 1 || turn != 20 * n || sum != 20 * n * (n - 1) / 2;
      fflush(all);
      wrong += bytes != (size_t)(10 * rounds * n);
      int next[1000] = {0};
      for (char* line = text; wrong == 0 && line < text + bytes; line += 10) {
        int who, what;
        wrong += sscanf(line, "%3d %5d\n", &who, &what) != 2 || what != next[who]++;
      }
    }
  }
  fclose(all);
  printf(wrong ? "%d wrong\n" : "ok\n", wrong);
  return wrong != 0;
}
