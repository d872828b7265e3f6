// A thread of a team overflows its stack. On a runtime that promises words for it (OVERFLOW_WORDS=1) the child process,
// which does so, says what to do and aborts, whichever OS thread ran it; it is killed by a signal everywhere.
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { members = 4 };

static int deeper(int n) {
  char volatile frame[3000];
  memset((char*)frame, n, sizeof frame);
  return n < 0 ? frame[7] : deeper(n + 1) + frame[5];
}

static void overflow(int thread) {
  struct rlimit const no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
#pragma omp parallel num_threads(members)
  {
    for (int i = 0; i < 20; ++i) {
#pragma omp barrier
    }
    if (omp_get_thread_num() == thread) deeper(0);
#pragma omp barrier
  }
}

static int wrong(int thread, int words) {
  int ends[2], status = 0;
  if (pipe(ends)) return 1;
  pid_t const child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    overflow(thread);
    _exit(0);
  }
  close(ends[1]);
  char said[4000] = "";
  size_t length = 0;
  for (ssize_t n; length < sizeof said - 1 && (n = read(ends[0], said + length, sizeof said - 1 - length)) > 0;)
    length += (size_t)n;
  close(ends[0]);
  waitpid(child, &status, 0);
  if (!WIFSIGNALED(status)) return printf("the child was not killed, but ended with %d\n", status);
  if (words && (WTERMSIG(status) != SIGABRT || !strstr(said, "OMP_STACKSIZE") || !strstr(said, "AMITY_STACKSIZE")))
    return printf("thread %d: signal %d and '%s'\n", thread, WTERMSIG(status), said);
  return 0;
}

int main(void) {
  const char* const words = getenv("OVERFLOW_WORDS");
  for (int turn = 0; turn < 4; ++turn)
    for (int thread = 1; thread < members; ++thread)
      if (wrong(thread, words != NULL)) return 1;
  puts("ok");
  return 0;
}
