/* What libc keeps for a program: what main() has done is so for a thread in another process. */
#define _GNU_SOURCE
#include <errno.h>
#include <omp.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static int failures;
#define CHECK(what) \
  if (!(what)) printf("not so: %s\n", #what), failures++

static size_t written;
static ssize_t count_bytes(void* c, const char* b, size_t n) {
  (void)c, (void)b;
  written += n;
  return (ssize_t)n;
}
static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

int main(void) {
  setenv("AMITY_TEST_WORD", "set", 1);
  setenv("TZ", "UTC-5", 1);
  tzset();
  FILE* null = fopen("/dev/null", "w");
  FILE* cookie = fopencookie(NULL, "w", (cookie_io_functions_t){.write = count_bytes});
  char* pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  FILE* passwords = fopen("/etc/passwd", "r");
  char* file = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fileno(passwords), 0);
  pages[5000] = 9;
  static jmp_buf back;
  int last = omp_get_max_threads() - 1;
#pragma omp parallel
  if (omp_get_thread_num() == last) {
    const char* word = getenv("AMITY_TEST_WORD");
    CHECK(word != NULL && strcmp(word, "set") == 0);
    errno = 5;
    CHECK(close(-1) == -1 && errno == EBADF);
    static volatile int jumps;
    if (setjmp(back) == 0) {
      jumps = 1;
      longjmp(back, 1);
    }
    jumps++;
    CHECK(jumps == 2);
    int values[5] = {5, 4, 3, 2, 1};
    qsort(values, 5, sizeof *values, compare);
    CHECK(values[0] == 1 && values[4] == 5);
    CHECK(pages[5000] == 9 && pages[0] == 0);
    CHECK(file != MAP_FAILED && memcmp(file, "root", 4) == 0);
    time_t epoch = 0;
    struct tm tm;
    CHECK(localtime_r(&epoch, &tm)->tm_hour == 5);
    CHECK(fprintf(null, "from the last thread\n") > 0);
    CHECK(fprintf(cookie, "x") == 1 && fflush(cookie) == 0);
    pages[1] = 8;
  }
  CHECK(fflush(null) == 0);
  CHECK(written == 1);
  CHECK(pages[1] == 8 && munmap(pages, 8192) == 0 && munmap(file, 4096) == 0);
  char* again = malloc(10);
  CHECK(again != NULL && malloc(0) != NULL && realloc(again, 100000) != NULL);
  puts(failures ? "failed" : "ok");
  return failures != 0;
}
