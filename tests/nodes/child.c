/* Children by system() and popen() are the program's, who knows of no others. fork() fails with ENOSYS. */
#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  int n = omp_get_max_threads(), wrong = 0, sum = 0;
#pragma omp parallel reduction(+ : sum)
  sum++;
  int status = system("exit 3");
  wrong += sum != n || !WIFEXITED(status) || WEXITSTATUS(status) != 3;
  int line = 0;
  FILE* p = popen("echo 17", "r");
  wrong += p == NULL || fscanf(p, "%d", &line) != 1 || line != 17 || pclose(p) != 0;
  wrong += waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD;
  int from_last = 0;
#pragma omp parallel
  if (omp_get_thread_num() == omp_get_num_threads() - 1) from_last = system("exit 4");
  wrong += WEXITSTATUS(from_last) != 4;
  errno = 0;
  if (n > 1) wrong += fork() != -1 || errno != ENOSYS;
  puts(wrong ? "failed" : "ok");
  return wrong != 0;
}
