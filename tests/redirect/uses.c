// uses LIBRARY...: a program without OpenMP, as Python is, that loads libraries which use it (tests/guest/plugin.c),
// and prints which OpenMP runtimes are in the process then.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char** libraries) {
  for (int i = 1; i < count; ++i) {
    void* library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
    int (*run)(int, int*) = library ? (int (*)(int, int*))(long)dlsym(library, "plugin_run") : NULL;
    int seen = 0;
    if (!run || !run(3, &seen) || seen != 3) {
      printf("%s: %s\n", libraries[i], run ? "a wrong answer" : dlerror());
      return EXIT_FAILURE;
    }
  }
  char line[4096], last[4096] = "";
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps)) {
    const char* path = strchr(line, '/');
    const char* name = path ? strrchr(path, '/') + 1 : "";
    if (strncmp(name, "libgomp", 7) && strncmp(name, "libomp", 6) && strncmp(name, "libiomp5", 8)) continue;
    if (strcmp(last, path)) fputs(strcpy(last, path), stdout);
  }
  fclose(maps);
}
