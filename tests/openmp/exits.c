// The end of a process: it comes while other threads are inside regions, and what runs at exit may open regions itself.
#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int team = 4;  // threads of a region

static int region(void) {
  int sum = 0;
#pragma omp parallel num_threads(team) reduction(+ : sum)
  {
#pragma omp barrier
    sum += omp_get_thread_num() + 1;
  }
  return sum;
}

static int right(void) { return region() == team * (team + 1) / 2; }

// What is to run at exit says so by a byte in a pipe; the parent counts them.
static int out = -1;
static int late_regions;

static void tell(void) {
  if (!right() || write(out, "x", 1) != 1) _exit(9);
}

__attribute__((destructor)) static void destructor(void) {
  if (late_regions) tell();
}

static void handler_first_registered(void) { tell(); }

static void handler_last_registered(void) { tell(); }

static int inside, never_written[2];

static void* stays_inside(void* unused) {
#pragma omp parallel num_threads(team)
  {
    char byte;
#pragma omp atomic
    ++inside;
    if (read(never_written[0], &byte, 1) >= 0) _exit(2);
  }
  return unused;
}

static void* opens_for_ever(void* unused) {
  (void)unused;
  for (;;)
    if (!right()) _exit(8);
}

static void start(void* (*body)(void*)) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, body, NULL)) _exit(7);
  pthread_detach(thread);
}

// --- scenes; each is a process of its own

static void handlers(void) {
  late_regions = 1;
  atexit(handler_first_registered);  // before the first region: runs after whatever the runtime registers
  if (!right()) _exit(6);
  atexit(handler_last_registered);
  exit(0);
}

static void handlers_only(void)  // no region before: the runtime starts at exit
{
  late_regions = 1;
  atexit(handler_first_registered);
  atexit(handler_last_registered);
  exit(0);
}

static void others_inside(void) {
  late_regions = 1;
  atexit(handler_last_registered);
  if (pipe(never_written)) _exit(6);
  start(stays_inside);
  for (int n = 0; n < team; sched_yield())
#pragma omp atomic read
    n = inside;
  exit(0);
}

static void others_open(void) {
  late_regions = 1;
  start(opens_for_ever);
  start(opens_for_ever);
  if (!right()) _exit(6);
  exit(0);
}

static void from_thread(void* (*body)(void*)) {
  pthread_t thread;
  late_regions = 1;
  if (!right() || pthread_create(&thread, NULL, body, NULL)) _exit(6);
  for (;;)
    if (!right()) _exit(5);
}

static void* exits(void* unused) {
  if (!right()) _exit(4);
  exit(0);
  return unused;
}

static void another_exits(void)  // a thread of the program ends the process while the initial one is in regions
{
  from_thread(exits);
}

static void exit_inside(void)  // by a thread of the team, not the first
{
#pragma omp parallel num_threads(team)
  {
#pragma omp barrier
    if (omp_get_thread_num() == omp_get_num_threads() - 1) exit(0);
#pragma omp barrier
  }
}

static void initial_thread_leaves(void)  // pthread_exit in main: the process lives on in another thread
{
  pthread_t thread;
  late_regions = 1;
  if (!right() || pthread_create(&thread, NULL, exits, NULL)) _exit(6);
  pthread_exit(NULL);
}

static void* ends(void* unused) {
  if (!right()) _exit(4);
  return unused;
}

static void* ends_later(void* unused) {
  usleep(100000);  // whatever this takes, the process must wait for it
  return unused;
}

// The process ends with the program's last thread. A handler at exit tells that it was by exit().
static void all_leave(void* (*last)(void*)) {
  pthread_t thread;
  late_regions = 1;
  if (!right() || (last != NULL && pthread_create(&thread, NULL, last, NULL))) _exit(6);
  pthread_exit(NULL);
}
static void initial_thread_is_the_last(void) { all_leave(NULL); }
static void team_leader_is_the_last(void) { all_leave(ends); }
static void plain_thread_is_the_last(void) { all_leave(ends_later); }

static int leaving;

static void* ends_meanwhile(void* unused) {
  if (!right()) _exit(4);
  for (int gone = 0; !gone; sched_yield())
#pragma omp atomic read
    gone = leaving;
  return unused;  // the initial thread is on its way out, and still there
}

static void tell_and_sleep(void* unused) {
  (void)unused;
#pragma omp atomic write
  leaving = 1;
  usleep(50000);
}

// Destructors of the initial thread still run when the last thread with regions ends.
static void leave_slowly(void) {
  pthread_key_t key;
  pthread_t thread;
  late_regions = 1;
  if (pthread_key_create(&key, tell_and_sleep) || pthread_setspecific(key, &key)) _exit(6);
  if (pthread_create(&thread, NULL, ends_meanwhile, NULL)) _exit(6);
  pthread_exit(NULL);
}
static void initial_thread_takes_its_time(void) {
  if (!right()) _exit(6);
  leave_slowly();
}
static void initial_thread_without_regions_takes_its_time(void) { leave_slowly(); }

static void* ends_after(void* unused) {
  usleep(20000);
  return ends(unused);
}

static void initial_thread_without_regions(void)  // it has left before the only thread with regions ends
{
  pthread_t thread;
  late_regions = 1;
  if (pthread_create(&thread, NULL, ends_after, NULL)) _exit(6);
  pthread_exit(NULL);
}

static void quick_handlers(void) {
  at_quick_exit(handler_first_registered);
  if (!right()) _exit(6);
  at_quick_exit(handler_last_registered);
  quick_exit(0);
}

static void tell_of_key(void* value) {
  (void)value;
  tell();
}

static void* leaves_a_key(void* key) {
  if (!right() || pthread_setspecific(*(pthread_key_t*)key, key)) _exit(4);
  return NULL;
}

static void key_destructors(void)  // when a thread of the program ends, before or after the runtime's own
{
  pthread_key_t before, after;
  pthread_t thread[2];
  if (pthread_key_create(&before, tell_of_key)) _exit(6);
  if (!right() || pthread_key_create(&after, tell_of_key)) _exit(6);
  if (pthread_create(&thread[0], NULL, leaves_a_key, &before)) _exit(6);
  if (pthread_create(&thread[1], NULL, leaves_a_key, &after)) _exit(6);
  for (int i = 0; i < 2; ++i) pthread_join(thread[i], NULL);
  if (!right()) _exit(6);
  exit(0);
}

static const struct {
  const char* name;
  void (*run)(void);
  int told;  // how often, at exit
} scenes[] = {
    {"regions in exit handlers", handlers, 3},
    {"the first region in an exit handler", handlers_only, 3},
    {"exit while others are inside a region", others_inside, 2},
    {"exit while others open regions", others_open, 1},
    {"exit by another thread", another_exits, 1},
    {"exit by a thread of a team", exit_inside, 0},
    {"the initial thread has left", initial_thread_leaves, 1},
    {"all threads leave, the initial one last", initial_thread_is_the_last, 1},
    {"all threads leave, one with regions last", team_leader_is_the_last, 1},
    {"all threads leave, one without last", plain_thread_is_the_last, 1},
    {"all threads leave, the initial one slowly", initial_thread_takes_its_time, 1},
    {"all threads leave, only the last had regions", initial_thread_without_regions, 1},
    {"the same, the initial one slowly", initial_thread_without_regions_takes_its_time, 1},
    {"regions in handlers of quick_exit", quick_handlers, 2},
    {"regions in destructors of keys", key_destructors, 2},
};

static int play(int scene) {
  int ends[2], status = -1, told = 0;
  if (pipe(ends)) return puts("no pipe"), 0;
  pid_t const child = fork();
  if (child == 0) {
    out = ends[1];
    close(ends[0]);
    scenes[scene].run();
    _exit(3);
  }
  close(ends[1]);
  struct pollfd told_or_ended = {.fd = ends[0], .events = POLLIN};
  char byte;
  int more;
  while ((more = poll(&told_or_ended, 1, 20000)) == 1 && read(ends[0], &byte, 1) == 1) ++told;
  if (more == 0) kill(child, SIGKILL);  // no other signal ends a process of whose threads only the runtime's are left
  close(ends[0]);
  if (waitpid(child, &status, 0) == child && status == 0 && told == scenes[scene].told) return 1;
  printf("%s: %s, status 0x%x, %d of %d told\n", scenes[scene].name, more == 0 ? "did not end" : "ended", status, told,
         scenes[scene].told);
  fflush(stdout);  // before the next fork
  return 0;
}

int main(void) {
  int fine = 1;
  for (int repeat = 0; repeat < 3; ++repeat)  // no region in this process: each child is as a program of its own
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) fine &= play((int)i);
  if (!fine) return EXIT_FAILURE;
  puts("ok");
}
