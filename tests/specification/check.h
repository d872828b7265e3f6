// How a program of this suite says what it found. Every comparison counts; `finish` prints `ok`, the last line that
// the runner wants, only where something was compared and nothing differed.
#pragma once
#include <stdarg.h>
#include <stdio.h>

static long check_compared, check_wrong;

// Called by one thread at a time: results are gathered in shared memory first and compared after the region.
static inline void check_that(int holds, const char* file, int line, const char* format, ...) {
  ++check_compared;
  if (holds || check_wrong++ >= 10) return;
  va_list arguments;
  va_start(arguments, format);
  printf("%s:%d: ", file, line);
  vprintf(format, arguments);
  printf("\n");
  va_end(arguments);
}
#define CHECK(condition, ...) check_that(!!(condition), __FILE__, __LINE__, __VA_ARGS__)
#define SAME(got, expected)                                                                                    \
  do {                                                                                                         \
    long long const got_value = (long long)(got), expected_value = (long long)(expected);                      \
    check_that(got_value == expected_value, __FILE__, __LINE__, "%s is %lld instead of %lld", #got, got_value, \
               expected_value);                                                                                \
  } while (0)

static inline int finish(void) {
  if (check_wrong || !check_compared) {
    printf("%ld of %ld comparisons are wrong\n", check_wrong, check_compared);
    return 1;
  }
  printf("ok\n");
  return 0;
}
