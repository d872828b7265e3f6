/* What constructors of a library did is there for all threads; thread-local data of theirs are main()'s. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "library.h"

static int by_program;
__attribute__((constructor)) static void begin(void) { by_program = 5; }

int main(void) {
  int n = omp_get_max_threads(), right[64] = {0}, wrong = library_number() != 55;
#pragma omp parallel
  {
    int me = omp_get_thread_num();
    right[me] = library_heap() == 77 && strcmp(library_text(), "set") == 0 && by_program == 5 &&
                library_number() == (me == 0 ? 55 : 0);
  }
  for (int t = 0; t < n; t++) wrong += !right[t];
  puts(wrong ? "failed" : "ok");
  return wrong != 0;
}
