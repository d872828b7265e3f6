// A program that ends in one of several ways; its argument says which. The tool must end once, whatever happens.
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void region(int threads) {
#pragma omp parallel num_threads(threads)
  (void)omp_get_thread_num();
}

static void* other_initial_thread(void* unused) {
  region(2);
  return unused;
}

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "";
  region(3);
  if (strcmp(how, "worker") == 0) {
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 2) exit(0);
  } else if (strcmp(how, "leader") == 0) {
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 0) exit(0);
  } else if (strcmp(how, "pause") == 0) {
    if (omp_pause_resource_all(omp_pause_hard) != 0) return 1;
    puts("paused");
    region(3);
  } else if (strcmp(how, "thread") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, other_initial_thread, NULL);
    pthread_join(thread, NULL);
  } else if (strcmp(how, "fork") == 0) {
    fflush(stdout);
    pid_t const child = fork();
    int status = 1;
    region(2);
    if (child == 0) exit(0);
    waitpid(child, &status, 0);
    if (status != 0) return 1;
  }
  region(2);
  return 0;
}
