/* Regions whose pages and messages a test counts (refusals.py): counted empty|sum N */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static void do_nothing(void) { __asm__ volatile("" ::: "memory"); }

int main(int count, char** words) {
  int n = count == 3 ? atoi(words[2]) : 0, sum = 0;
  for (int i = 0; i < n; i++) {
    if (!strcmp(words[1], "empty")) {
#pragma omp parallel
      do_nothing();
    } else {
#pragma omp parallel reduction(+ : sum)
      sum += 1;
    }
  }
  int right = !strcmp(words[1], "empty") ? sum == 0 : sum == n * omp_get_max_threads();
  puts(right ? "ok" : "wrong");
  return !right;
}
