// A program without OpenMP that loads plugins which use it, uses them and unloads them, hundreds of times, from its
// main thread and from threads that live for one plugin's time: host PLUGIN... Neither OS threads nor memory may
// grow with it.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rounds = 150, warm = 50, at_once = 3, page_limit = 512 };

static void fail(const char* what, const char* detail) {
  printf("%s: %s\n", what, detail ? detail : "");
  exit(EXIT_FAILURE);
}

static void use(const char* path) {
  void* plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!plugin) fail("dlopen", dlerror());
  int (*run)(int, int*) = (int (*)(int, int*))(long)dlsym(plugin, "plugin_run");
  int seen = 0;
  if (!run) fail("dlsym", dlerror());
  if (!run(3, &seen) || seen != 3) fail("three threads", path);
  if (!run(0, &seen)) fail("as many threads as a region has", path);
  if (dlclose(plugin)) fail("dlclose", dlerror());
}

static void* use_in_thread(void* path) {
  use(path);
  return NULL;
}

static void use_in_threads(char* path) {
  pthread_t thread[at_once];
  for (int i = 0; i < at_once; ++i)
    if (pthread_create(&thread[i], NULL, use_in_thread, path)) fail("pthread_create", path);
  for (int i = 0; i < at_once; ++i) pthread_join(thread[i], NULL);
}

static int kernel_threads(void) {
  int count = 0;
  DIR* folder = opendir("/proc/self/task");
  if (!folder) fail("opendir", "/proc/self/task");
  while (readdir(folder)) ++count;
  closedir(folder);
  return count;
}

static long resident_pages(void) {
  long size = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &size, &resident) != 2) fail("reading", "/proc/self/statm");
  fclose(file);
  return resident;
}

// Whatever names the plugins ask for it by, there is one OpenMP runtime in the process.
static void expect_one_runtime(void) {
  char line[4096], seen[2 * 4096] = "";
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps)) {
    char* path = strchr(line, '/');
    const char* name = path ? strrchr(path, '/') + 1 : "";
    if (strncmp(name, "libgomp", 7) && strncmp(name, "libomp", 6) && strncmp(name, "libiomp5", 8)) continue;
    if (*seen && strcmp(seen, path)) fail("two OpenMP runtimes", strcat(seen, path));
    strcpy(seen, path);
  }
  fclose(maps);
  if (!*seen) fail("no OpenMP runtime", NULL);
}

int main(int count, char** plugins) {
  int most_threads = 0;
  long pages = 0;
  if (count < 2) fail("usage", "host PLUGIN...");
  for (int round = 0; round < rounds; ++round) {
    for (int i = 1; i < count; ++i) {
      use(plugins[i]);
      use_in_threads(plugins[i]);
    }
    int const threads = kernel_threads();
    if (round < warm) {
      most_threads = threads > most_threads ? threads : most_threads;
      pages = resident_pages();
    } else if (threads > 2 * most_threads) {  // how many were in a region at the same time is chance
      printf("%d OS threads, at most %d in the first rounds\n", threads, most_threads);
      return EXIT_FAILURE;
    }
  }
  if (resident_pages() > pages + page_limit) {
    printf("%ld pages after %d rounds, %ld after %d\n", resident_pages(), rounds, pages, warm);
    return EXIT_FAILURE;
  }
  expect_one_runtime();
  puts("ok");
}
