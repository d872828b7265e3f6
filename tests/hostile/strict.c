// num_threads(strict: 8): fewer are an error. Clang has a call before the region for the clause; older clangs don't
// make it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>

int main(void) {
  enum { fatal = 2 };
  void (*strict)(void*, int, int, int, const char*);
  *(void**)&strict = dlsym(RTLD_DEFAULT, "__kmpc_push_num_threads_strict");
  if (strict == NULL) return puts("skipped: another runtime"), 0;
  int size = 0;
#pragma omp parallel num_threads(2)  // the runtime has started, and has a team
  {}
  strict(NULL, 0, 8, fatal, "eight or none");
#pragma omp parallel reduction(+ : size)
  ++size;
  puts(size == 8 ? "ok" : "fewer, and no error");
}
