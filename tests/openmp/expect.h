// What a test of one process says: each complaint on a line of its own, from any thread of a team; main looks at
// `wrong` in the end.
#pragma once

#include <stdio.h>

static int wrong;

static void expect(int condition, const char* what) {
  if (condition) return;
#pragma omp critical(says)
  puts(what);
#pragma omp atomic write
  wrong = 1;
}
