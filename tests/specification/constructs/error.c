// section: 8.5
// options clang: -fopenmp-version=52
//
// The error directive at execution: a warning lets the program go on, an error ends it, at once and with what the
// compilers' users know: a status of 1 with gcc, SIGABRT with clang.
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static char said[4096];

// What `run` writes to stderr; returns how its process ends.
static int listen_to(void (*run)(void)) {
  int ends[2], status = -1;
  size_t length = 0;
  if (pipe(ends) != 0) return -1;
  pid_t const child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    run();
    _exit(7);
  }
  close(ends[1]);
  for (ssize_t got; (got = read(ends[0], said + length, sizeof said - 1 - length)) > 0;) length += (size_t)got;
  said[length] = '\0';
  close(ends[0]);
  waitpid(child, &status, 0);
  return status;
}

enum { first_line = __LINE__ + 2, last_line = first_line + 4 };
static void warn(void) {
#pragma omp error at(execution) severity(warning) message("the first")
#pragma omp error at(execution) severity(warning)
}
static void fail(void) {
#pragma omp error at(execution) severity(fatal) message("the last")
}
static void fail_in_a_region(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp barrier
    if (omp_get_thread_num() == omp_get_num_threads() - 1) fail();
#pragma omp barrier
  }
}

static void expect(int line, const char* words) {
  char all[200];
  snprintf(all, sizeof all, ":%d:1: %s", line, words);
  CHECK(strstr(said, all) != NULL, "not \"%s\" but %s", all, said);
}

static void check_end(int status) {
#ifdef __clang__
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "status %#x", (unsigned)status);
  expect(last_line, "Encountered user-directed error: the last.\n");
  CHECK(strncmp(said, "OMP: Error #", 12) == 0, "said: %s", said);
#else
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1, "status %#x", (unsigned)status);
  CHECK(strstr(said, "libgomp: fatal error: error directive encountered: the last\n") != NULL, "said: %s", said);
#endif
}

int main(void) {
  signal(SIGABRT, SIG_DFL);
  int const status = listen_to(warn);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7, "status %#x", (unsigned)status);
#ifdef __clang__
  expect(first_line, "Encountered user-directed warning: the first.\n");
  expect(first_line + 1, "Encountered user-directed warning: ");
#else
  CHECK(strstr(said, "libgomp: error directive encountered: the first\n") != NULL, "said: %s", said);
  CHECK(strstr(said, "libgomp: error directive encountered\n") != NULL, "said: %s", said);
#endif
  check_end(listen_to(fail));
  check_end(listen_to(fail_in_a_region));
  return finish();
}
