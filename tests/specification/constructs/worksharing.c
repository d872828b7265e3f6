// section: 11
// since clang: 22 19 does not keep lastprivate(conditional:)
#include <omp.h>

#include "check.h"
#define CALL(x) x
int main(void) {
  int counts[12] = {0}, last = 0, first = 3, first_wrong = 0, sum = 0, threads = 0;
#pragma omp parallel
  {
#pragma omp single nowait
    threads = omp_get_num_threads();
#pragma omp sections lastprivate(last) firstprivate(first) reduction(+ : sum)
    {
#pragma omp section
      {
#pragma omp atomic
        counts[0]++;
        last = 1, sum += first;
      }
#pragma omp section
      {
#pragma omp atomic
        counts[1]++;
        last = 2, sum += 10 * first;
      }
#pragma omp section
      {
#pragma omp atomic
        counts[2]++;
        last = 3, sum += 100 * first;
      }
    }
    for (int round = 0; round < 30; ++round) {
#pragma omp sections nowait
      {
#pragma omp section
        {
#pragma omp atomic
          counts[3]++;
        }
#pragma omp section
        {
#pragma omp atomic
          counts[4]++;
        }
      }
    }
#pragma omp barrier
    for (int round = 0; round < 50; ++round) {
#pragma omp single nowait
      {
#pragma omp atomic
        counts[5]++;
      }
    }
    int mine = -1;
    for (int round = 0; round < 20; ++round) {
      int copied = -1;
      double also = 0;
#pragma omp single copyprivate(copied, also)
      copied = round * 7, also = round / 2.0;
      if (copied != round * 7 || also != round / 2.0) {
#pragma omp atomic
        counts[6]++;
      }
    }
    (void)mine;
#pragma omp masked
    counts[7]++;
#pragma omp masked filter(omp_get_num_threads() - 1)
    {
      if (omp_get_thread_num() != omp_get_num_threads() - 1) first_wrong = 1;
      counts[8]++;
    }
#pragma omp master
    counts[9]++;
#pragma omp critical
    counts[10]++;
#pragma omp critical(named) hint(omp_sync_hint_contended)
    counts[11]++;
  }
  for (int i = 0; i < 3; ++i) SAME(counts[i], 1);
  SAME(last, 3);
  SAME(sum, 333);
  SAME(counts[3], 30);
  SAME(counts[4], 30);
  SAME(counts[5], 50);
  SAME(counts[6], 0);
  SAME(counts[7], 1);
  SAME(counts[8], 1);
  SAME(counts[9], 1);
  SAME(counts[10], threads);
  SAME(counts[11], threads);
  SAME(first_wrong, 0);
  // Loops with the other forms of bounds and steps; a triangle.
  int hits[50][50] = {{0}}, not_equal = 0, triangle = 0;
#pragma omp parallel
  {
#pragma omp for collapse(2) schedule(dynamic, 3)
    for (int i = 0; i <= 49; i++)
      for (int j = 49; j >= 0; j--) hits[i][j]++;
#pragma omp for reduction(+ : not_equal) schedule(guided)
    for (int i = 10; i != 40; ++i) not_equal += i;
#pragma omp for collapse(2) reduction(+ : triangle)
    for (int i = 0; i < 30; i++)
      for (int j = i; j < 30; j++) triangle += i * 100 + j;
  }
  int expected = 0;
  for (int i = 0; i < 30; i++)
    for (int j = i; j < 30; j++) expected += i * 100 + j;
  SAME(triangle, expected);
  SAME(not_equal, 735);
  for (int i = 0; i < 50; ++i)
    for (int j = 0; j < 50; ++j) SAME(hits[i][j], 1);
  int conditional = -1;
#pragma omp parallel for lastprivate(conditional : conditional) schedule(dynamic)
  for (int i = 0; i < 100; ++i)
    if (i % 17 == 3) conditional = i;
  SAME(conditional, 88);
  int concurrent[64] = {0};
#pragma omp parallel for order(concurrent)
  for (int i = 0; i < 64; ++i) concurrent[i] = i;
  for (int i = 0; i < 64; ++i) SAME(concurrent[i], i);
  char const* pointers = "abcdefghij";
  int letters = 0;
#pragma omp parallel for reduction(+ : letters)
  for (char const* p = pointers; p < pointers + 10; ++p) letters += *p;
  SAME(letters, 1015);
  return finish();
}
