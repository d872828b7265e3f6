// Sleeps and waits with a time limit last as long as they should, in tasks and members that stand in one another's way:
// the runtime frees an OS thread by a signal of its own, which no program may notice.
#include <errno.h>
#include <omp.h>
#include <poll.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

static int wrong;
static double const length = 0.08;
enum { whole_ms = 80 };
static sem_t never;
static int nothing_happens;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_usleep(void) { return usleep(whole_ms * 1000); }
static int by_nanosleep(void) {
  struct timespec t = {0, whole_ms * 1000000L};
  return nanosleep(&t, &t);
}
static int by_clock(void) {
  struct timespec const t = {0, whole_ms * 1000000L};
  return clock_nanosleep(CLOCK_REALTIME, 0, &t, NULL);
}
static int by_absolute_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  t.tv_nsec += whole_ms * 1000000L;
  if (t.tv_nsec >= 1000000000) ++t.tv_sec, t.tv_nsec -= 1000000000;
  return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}
static int by_sleep(void) { return (int)sleep(1); }
static int by_poll(void) { return poll(NULL, 0, whole_ms); }
static int by_epoll(void) {
  struct epoll_event e;
  return epoll_wait(nothing_happens, &e, 1, whole_ms);
}
static int by_select(void) {
  struct timeval t = {0, whole_ms * 1000L};
  return select(0, NULL, NULL, NULL, &t);
}
static int by_semaphore(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_nsec += whole_ms * 1000000L;
  if (t.tv_nsec >= 1000000000) ++t.tv_sec, t.tv_nsec -= 1000000000;
  return sem_timedwait(&never, &t) == -1 && errno == ETIMEDOUT ? 0 : -1;
}

static struct {
  const char* name;
  int (*wait)(void);
} const ways[] = {{"usleep", by_usleep},
                  {"nanosleep", by_nanosleep},
                  {"clock_nanosleep", by_clock},
                  {"sleep", by_sleep},
                  {"until a time", by_absolute_clock},
                  {"poll", by_poll},
                  {"epoll_wait", by_epoll},
                  {"select", by_select},
                  {"sem_timedwait", by_semaphore}};

static void sleep_in(const char* where, int way) {
  double const begun = now();
  int const result = ways[way].wait();
  double const lasted = now() - begun;
  if (result == 0 && lasted >= length - 1e-3) return;
#pragma omp critical
  {
    ++wrong;
    printf("%s in %s: %d after %g s\n", ways[way].name, where, result, lasted);
  }
}

int main(void) {
  sem_init(&never, 0, 0);
  nothing_happens = epoll_create1(0);
  for (int way = 0; way < (int)(sizeof ways / sizeof *ways); ++way)
    for (int threads = 3; threads <= (ways[way].wait == by_sleep ? 3 : 15); threads *= 5) {
      // The last task is done at once by a member that may stand on the first one's OS thread.
#pragma omp parallel num_threads(threads)
#pragma omp for nowait
      for (int i = 0; i < threads; ++i) {
#pragma omp task if (i == threads - 1) firstprivate(i)
        if (i == threads - 1) sleep_in("a task", way);
      }
#pragma omp parallel num_threads(threads)
      if (omp_get_thread_num() != 0) sleep_in("a member", way);
    }
  if (wrong) return printf("%d wrong\n", wrong), 1;
  puts("ok");
}
