// Devices that are not there: a target construct runs on the host, unless OMP_TARGET_OFFLOAD=mandatory or the device's
// number is omp_invalid_device, which end the program. Each case is this program again, in an environment of its own.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { invalid = -4 };

static int one = 1;

static int region(void) {
  int x = 0;
#pragma omp target map(tofrom : x)
  x += one;
  return x == 1;
}
static int region_on(int device) {
  int x = 0;
#pragma omp target map(tofrom : x) device(device)
  x += one;
  return x == 1;
}
static int region_not_to_offload(void) {
  int x = 0;
#pragma omp target map(tofrom : x) if (one == 0)
  x += one;
  return x == 1;
}
static int data(void) {
  int x = 1;
#pragma omp target data map(tofrom : x)
  x += one;
  return x == 2;
}
static int nowait(void) {
  int x = 0;
#pragma omp target map(tofrom : x) nowait
  x += one;
#pragma omp taskwait
  return x == 1;
}
static int region_on_host(void) { return region_on(omp_get_initial_device()); }
static int region_on_7(void) { return region_on(7); }
static int region_on_none(void) { return region_on(invalid); }
static int alloc_on_host(void) {
  void* const p = omp_target_alloc(8, omp_get_initial_device());
  omp_target_free(p, omp_get_initial_device());
  return p != NULL;
}
static int alloc_on_7(void) { return omp_target_alloc(8, 7) == NULL; }
static int null_is_not_there(void) { return !omp_target_is_present(NULL, omp_get_initial_device()); }
static int chosen(void) {
  omp_set_default_device(0);
  return omp_get_default_device() == 0 && region();
}

// 1: runs, 0: ends the program
static const struct {
  const char* name;
  int (*run)(void);
  int by_default, mandatory;
} cases[] = {
    {"region", region, 1, 0},
    {"region_on_host", region_on_host, 1, 1},
    {"region_not_to_offload", region_not_to_offload, 1, 1},
    {"region_on_7", region_on_7, 1, 0},
    {"region_on_none", region_on_none, 0, 0},
    {"data", data, 1, 0},
    {"nowait", nowait, 1, 0},
    {"alloc_on_host", alloc_on_host, 1, 1},
    {"alloc_on_7", alloc_on_7, 1, 0},
    {"null_is_not_there", null_is_not_there, 1, 1},
    {"chosen", chosen, 1, 1},
};
enum { count = sizeof cases / sizeof *cases };

static int status_of(const char* program, const char* index, const char* offload) {
  fflush(NULL);
  pid_t const child = fork();
  if (child == 0) {
    setenv("OMP_TARGET_OFFLOAD", offload, 1);
    if (freopen("/dev/null", "w", stderr) == NULL) _exit(9);
    execl(program, program, index, (char*)NULL);
    _exit(9);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int main(int argc, char** argv) {
  if (argc > 1) {
    int const right = cases[atoi(argv[1])].run();
    return right ? 0 : 3;
  }
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    char index[16];
    snprintf(index, sizeof index, "%d", i);
    static const char* const policies[] = {"default", "disabled", "mandatory"};
    for (int p = 0; p < 3; ++p) {
      int const runs = p == 2 ? cases[i].mandatory : cases[i].by_default;
      int const status = status_of("/proc/self/exe", index, policies[p]);
      if (status == (runs ? 0 : 1)) continue;
      printf("%s with OMP_TARGET_OFFLOAD=%s: status %d\n", cases[i].name, policies[p], status);
      wrong = 1;
    }
  }
  if (!wrong) puts("ok");
  return wrong;
}
