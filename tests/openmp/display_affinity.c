// OMP_DISPLAY_AFFINITY: every thread of a region says where it runs, and says nothing where it was in a region of the
// same level and size before. (libgomp looks at other things than level and size.)
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int regions(void) {
  omp_set_max_active_levels(2);
  omp_set_dynamic(0);
  int ran = 0;
  for (int again = 0; again < 3; ++again) {
#pragma omp parallel num_threads(1) reduction(+ : ran)
    ++ran;
  }
  for (int again = 0; again < 3; ++again) {
#pragma omp parallel num_threads(4) reduction(+ : ran)
    ++ran;
  }
#pragma omp parallel num_threads(2) reduction(+ : ran)
  for (int again = 0; again < 2; ++again) {
#pragma omp parallel num_threads(3) reduction(+ : ran)
    ++ran;
  }
#pragma omp parallel num_threads(1) reduction(+ : ran)
  ++ran;
  return ran == 3 + 3 * 4 + 2 * 2 * 3 + 1 ? 0 : 1;
}

int main(int argc, char** argv) {
  if (argc > 1) return regions();
  setenv("OMP_DISPLAY_AFFINITY", "true", 1);
  setenv("OMP_AFFINITY_FORMAT", "@ level %L thread %n of %N", 1);
  char command[4096];
  ssize_t const length = readlink("/proc/self/exe", command, sizeof command - 8);
  if (length < 0) return perror("readlink"), 1;
  strcpy(command + length, " again");
  FILE* const child = popen(command, "r");
  if (child == NULL) return perror("popen"), 1;
  int of[3][5] = {{0}}, wrong = 0;
  for (char line[256]; fgets(line, sizeof line, child) != NULL;) {
    int level, number, size;
    if (sscanf(line, "@ level %d thread %d of %d", &level, &number, &size) == 3 && level >= 1 && level <= 2 &&
        size >= 1 && size <= 4 && number >= 0 && number < size)
      ++of[level][size];
    else
      ++wrong;
  }
  if (pclose(child) != 0) ++wrong;
  // Serial: at first, and at the end, after other sizes. Four threads once, then two, each of which leads three.
  if (wrong || of[1][1] != 2 || of[1][4] != 4 || of[1][2] != 2 || of[2][3] != 6)
    return printf("%d wrong; %d %d %d %d\n", wrong, of[1][1], of[1][4], of[1][2], of[2][3]), 1;
  puts("ok");
}
