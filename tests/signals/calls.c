// Calls that signal(7) lists as cut short by a handler, each long enough to be interrupted, and what it must come to if
// no signal of the program's comes. Part of the program, and a library of its own that knows nothing of OpenMP.
#define _GNU_SOURCE
#include "calls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { whole_ms = 90, long_ms = 20000 };
static struct timespec const whole = {0, whole_ms * 1000000L}, very_long = {long_ms / 1000, 0};

static struct timespec from_now(clockid_t clock, int ms) {
  struct timespec t;
  clock_gettime(clock, &t);
  t.tv_sec += ms / 1000;
  t.tv_nsec += ms % 1000 * 1000000L;
  if (t.tv_nsec >= 1000000000) ++t.tv_sec, t.tv_nsec -= 1000000000;
  return t;
}

// It ended with that error, which says that its time was over.
static int ended_by(long result, int error) { return result == -1 && errno == error; }

// --- sleeps

static int by_nanosleep(void) {
  struct timespec rest = whole;
  return nanosleep(&rest, &rest) == 0;
}
static int by_nanosleep_without_rest(void) { return nanosleep(&whole, NULL) == 0; }
static int by_clock_nanosleep(void) { return clock_nanosleep(CLOCK_REALTIME, 0, &whole, NULL) == 0; }
static int by_clock_nanosleep_until(void) {
  struct timespec const end = from_now(CLOCK_MONOTONIC, whole_ms);
  return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == 0;
}
static int by_usleep(void) { return usleep(whole_ms * 1000) == 0; }
static int by_thrd_sleep(void) { return thrd_sleep(&whole, NULL) == 0; }
static int by_raw_nanosleep(void) { return syscall(SYS_nanosleep, &whole, NULL) == 0; }

// --- waits for files

static int by_poll(void) { return poll(NULL, 0, whole_ms) == 0; }
static int by_ppoll(void) { return ppoll(NULL, 0, &whole, NULL) == 0; }
static int by_select(void) {
  struct timeval t = {0, whole_ms * 1000L};
  return select(0, NULL, NULL, NULL, &t) == 0;
}
static int by_pselect(void) { return pselect(0, NULL, NULL, NULL, &whole, NULL) == 0; }
static int by_epoll(int way) {
  struct epoll_event e;
  int const file = epoll_create1(0);
  int const result = way == 0   ? epoll_wait(file, &e, 1, whole_ms)
                     : way == 1 ? epoll_pwait(file, &e, 1, whole_ms, NULL)
                                : epoll_pwait2(file, &e, 1, &whole, NULL);
  int const fine = result == 0;
  close(file);
  return fine;
}
static int by_epoll_wait(void) { return by_epoll(0); }
static int by_epoll_pwait(void) { return by_epoll(1); }
static int by_epoll_pwait2(void) { return by_epoll(2); }

// --- semaphores, queues, signals

static int by_sem_timedwait(void) {
  sem_t never;
  sem_init(&never, 0, 0);
  struct timespec const end = from_now(CLOCK_REALTIME, whole_ms);
  return ended_by(sem_timedwait(&never, &end), ETIMEDOUT);
}
static int by_sem_clockwait(void) {
  sem_t never;
  sem_init(&never, 0, 0);
  struct timespec const end = from_now(CLOCK_MONOTONIC, whole_ms);
  return ended_by(sem_clockwait(&never, CLOCK_MONOTONIC, &end), ETIMEDOUT);
}
static int by_semtimedop(void) {
  int const set = semget(IPC_PRIVATE, 1, 0600);
  if (set < 0) return -1;
  struct sembuf take = {0, -1, 0};
  int const fine = ended_by(semtimedop(set, &take, 1, &whole), EAGAIN);
  semctl(set, 0, IPC_RMID);
  return fine;
}
static int by_sigtimedwait(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 9);
  return ended_by(sigtimedwait(&set, NULL, &whole), EAGAIN);
}
static int by_mq_timedreceive(void) {
  char name[64], message[16];
  snprintf(name, sizeof name, "/amity-calls-%d-%p", (int)getpid(), (void*)message);
  struct mq_attr const shape = {.mq_maxmsg = 1, .mq_msgsize = sizeof message};
  mqd_t const queue = mq_open(name, O_CREAT | O_RDWR, 0600, &shape);
  if (queue < 0) return -1;
  mq_unlink(name);
  struct timespec const end = from_now(CLOCK_REALTIME, whole_ms);
  int const fine = ended_by(mq_timedreceive(queue, message, sizeof message, NULL, &end), ETIMEDOUT);
  mq_close(queue);
  return fine;
}
static int by_futex(void) {
  unsigned word = 0;
  return ended_by(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &whole, NULL, 0), ETIMEDOUT);
}
static int by_io_getevents(void) {
  aio_context_t context = 0;
  struct io_event event;
  if (syscall(SYS_io_setup, 1, &context) != 0) return -1;
  struct timespec time = whole;
  int const fine = syscall(SYS_io_getevents, context, 1, 1, &event, &time) == 0;
  syscall(SYS_io_destroy, context);
  return fine;
}

// --- sockets with a time limit

static void limit_time(int file) {
  struct timeval const time = {0, whole_ms * 1000L};
  setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}
static int by_recv(void) {
  int pair[2];
  char byte;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return -1;
  limit_time(pair[0]);
  int const fine = ended_by(recv(pair[0], &byte, 1, 0), EAGAIN);
  close(pair[0]), close(pair[1]);
  return fine;
}
static int by_recvmsg(void) {
  int pair[2];
  char byte;
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0) return -1;
  limit_time(pair[0]);
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  int const fine = ended_by(recvmsg(pair[0], &message, 0), EAGAIN);
  close(pair[0]), close(pair[1]);
  return fine;
}
static int by_accept(void) {
  int const file = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  if (file < 0 || bind(file, (struct sockaddr*)&here, sizeof here) != 0 || listen(file, 1) != 0) return -1;
  limit_time(file);
  int const fine = ended_by(accept(file, NULL, NULL), EAGAIN);
  close(file);
  return fine;
}
static int by_send(void) {
  int pair[2];
  char block[4096] = {0};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return -1;
  while (send(pair[0], block, sizeof block, MSG_DONTWAIT) > 0) continue;
  limit_time(pair[0]);
  int const fine = ended_by(send(pair[0], block, sizeof block, 0), EAGAIN);
  close(pair[0]), close(pair[1]);
  return fine;
}

// --- waits without a limit, which another thread ends after a while

struct end {
  void (*act)(struct end*);
  int files[2], id;
  pthread_t waiter;
  pthread_t thread;
};
static void* end_later(void* pointer) {
  struct end* const e = pointer;
  struct timespec left = whole;
  while (nanosleep(&left, &left) != 0) continue;
  e->act(e);
  return NULL;
}
static void begin(struct end* e, void (*act)(struct end*)) {
  e->act = act;
  e->waiter = pthread_self();
  pthread_create(&e->thread, NULL, end_later, e);
}
static int finish(struct end* e, int fine) {
  pthread_join(e->thread, NULL);
  return fine;
}

struct message {
  long kind;
  char text[8];
};
static void send_message(struct end* e) {
  struct message const m = {1, "."};
  msgsnd(e->id, &m, sizeof m.text, 0);
}
static int by_msgrcv(void) {
  struct end e = {.id = msgget(IPC_PRIVATE, 0600)};
  struct message m;
  if (e.id < 0) return -1;
  begin(&e, send_message);
  int const fine = finish(&e, msgrcv(e.id, &m, sizeof m.text, 0, 0) == sizeof m.text);
  msgctl(e.id, IPC_RMID, NULL);
  return fine;
}
static void take_message(struct end* e) {
  struct message m;
  msgrcv(e->id, &m, sizeof m.text, 0, 0);
}
static int by_msgsnd(void) {
  struct end e = {.id = msgget(IPC_PRIVATE, 0600)};
  struct message const m = {1, "."};
  if (e.id < 0) return -1;
  while (msgsnd(e.id, &m, sizeof m.text, IPC_NOWAIT) == 0) continue;
  begin(&e, take_message);
  int const fine = finish(&e, msgsnd(e.id, &m, sizeof m.text, 0) == 0);
  msgctl(e.id, IPC_RMID, NULL);
  return fine;
}
static void give_semaphore(struct end* e) {
  struct sembuf give = {0, 1, 0};
  semop(e->id, &give, 1);
}
static int by_semop(void) {
  struct end e = {.id = semget(IPC_PRIVATE, 1, 0600)};
  struct sembuf take = {0, -1, 0};
  if (e.id < 0) return -1;
  begin(&e, give_semaphore);
  int const fine = finish(&e, semop(e.id, &take, 1) == 0);
  semctl(e.id, 0, IPC_RMID);
  return fine;
}
static void write_byte(struct end* e) {
  if (write(e->files[1], ".", 1) != 1) abort();
}
static int with_pipe(int (*wait)(int file)) {
  struct end e;
  if (pipe(e.files) != 0) return -1;
  begin(&e, write_byte);
  int const fine = finish(&e, wait(e.files[0]));
  close(e.files[0]), close(e.files[1]);
  return fine;
}
static int read_byte(int file) {
  char byte;
  return read(file, &byte, 1) == 1;
}
static int poll_for_ever(int file) {
  struct pollfd p = {file, POLLIN, 0};
  return poll(&p, 1, -1) == 1;
}
static int select_for_ever(int file) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(file, &set);
  return select(file + 1, &set, NULL, NULL, NULL) == 1;
}
static int epoll_for_ever(int file) {
  struct epoll_event e = {.events = EPOLLIN};
  int const poller = epoll_create1(0);
  epoll_ctl(poller, EPOLL_CTL_ADD, file, &e);
  int const fine = epoll_wait(poller, &e, 1, -1) == 1;
  close(poller);
  return fine;
}
static int by_read(void) { return with_pipe(read_byte); }
static int by_endless_poll(void) { return with_pipe(poll_for_ever); }
static int by_endless_select(void) { return with_pipe(select_for_ever); }
static int by_endless_epoll(void) { return with_pipe(epoll_for_ever); }

enum { large = 1 << 20 };
static void drain(struct end* e) {
  char block[8192];
  for (long got = 0, n; got < large; got += n) {
    n = read(e->files[0], block, sizeof block);
    if (n <= 0) abort();
    if (got % 131072 < n) poll(NULL, 0, 10);  // so that the writer blocks again and again
  }
}
static int by_large_write(void) {
  struct end e;
  char* const block = calloc(large, 1);
  if (pipe(e.files) != 0) return -1;
  begin(&e, drain);
  long const written = write(e.files[1], block, large);
  // What is missing, so that the other one ends.
  for (long rest = large - written; written > 0 && rest > 0; rest -= write(e.files[1], block, rest)) continue;
  int const fine = finish(&e, written == large);
  close(e.files[0]), close(e.files[1]);
  free(block);
  return fine;
}
static void send_in_parts(struct end* e) {
  for (int i = 0; i < 4; ++i) {
    write_byte(e);
    poll(NULL, 0, 10);
  }
}
static int by_recv_of_all(void) {
  struct end e;
  char bytes[4];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, e.files) != 0) return -1;
  begin(&e, send_in_parts);
  int const fine = finish(&e, recv(e.files[0], bytes, sizeof bytes, MSG_WAITALL) == sizeof bytes);
  close(e.files[0]), close(e.files[1]);
  return fine;
}
static void make_file(struct end* e) {
  char name[64];
  snprintf(name, sizeof name, "/tmp/amity-calls-%d-%d/file", (int)getpid(), e->id);
  int const file = open(name, O_CREAT | O_WRONLY, 0600);
  if (file < 0) abort();
  close(file);
  unlink(name);
}
static int by_inotify(void) {
  static int number;
  struct end e = {.id = __atomic_add_fetch(&number, 1, __ATOMIC_RELAXED)};
  char name[64], event[512];
  snprintf(name, sizeof name, "/tmp/amity-calls-%d-%d", (int)getpid(), e.id);
  int const file = inotify_init1(0);
  if (file < 0 || mkdir(name, 0700) != 0) return -1;
  inotify_add_watch(file, name, IN_CREATE);
  begin(&e, make_file);
  int const fine = finish(&e, read(file, event, sizeof event) > 0);
  close(file);
  rmdir(name);
  return fine;
}
static int by_waitpid(void) {
  pid_t const child = fork();
  if (child == 0) {
    struct timespec left = whole;
    while (nanosleep(&left, &left) != 0) continue;
    _exit(7);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

// --- waits that a signal of the program's is to end

static _Thread_local volatile sig_atomic_t signals;
static void handle(int signal) {
  (void)signal;
  signals = signals + 1;
}
static void kill_waiter(struct end* e) { pthread_kill(e->waiter, SIGRTMIN + 5); }
// `wait` returns 1 if it ended with EINTR.
static int until_signal(int (*wait)(void)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handle;
  sigaction(SIGRTMIN + 5, &action, NULL);
  struct end e;
  int const before = signals;
  begin(&e, kill_waiter);
  int const interrupted = wait();
  return finish(&e, interrupted && signals == before + 1);
}
static int pause_once(void) { return ended_by(pause(), EINTR); }
static int suspend_once(void) {
  sigset_t none;
  sigemptyset(&none);
  return ended_by(sigsuspend(&none), EINTR);
}
static int sleep_long(void) {
  struct timespec rest = {0, 0};
  return ended_by(nanosleep(&very_long, &rest), EINTR) && rest.tv_sec >= 1 && rest.tv_sec < very_long.tv_sec;
}
static int poll_long(void) { return ended_by(poll(NULL, 0, long_ms), EINTR); }
static int semaphore_long(void) {
  sem_t never;
  sem_init(&never, 0, 0);
  struct timespec const end = from_now(CLOCK_REALTIME, long_ms);
  return ended_by(sem_timedwait(&never, &end), EINTR);
}
static int by_pause(void) { return until_signal(pause_once); }
static int by_sigsuspend(void) { return until_signal(suspend_once); }
static int by_interrupted_sleep(void) { return until_signal(sleep_long); }
static int by_interrupted_poll(void) { return until_signal(poll_long); }
static int by_interrupted_semaphore(void) { return until_signal(semaphore_long); }
static void kill_who_takes_it(struct end* e) { pthread_kill(e->waiter, SIGRTMIN + 6); }
static int by_sigwaitinfo(void) {
  struct end e;
  sigset_t set, before;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 6);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  begin(&e, kill_who_takes_it);
  int const fine = finish(&e, sigwaitinfo(&set, NULL) == SIGRTMIN + 6);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return fine;
}

struct call const calls[] = {{"nanosleep", by_nanosleep, 0},
                             {"nanosleep without rest", by_nanosleep_without_rest, 0},
                             {"clock_nanosleep", by_clock_nanosleep, 0},
                             {"clock_nanosleep until a time", by_clock_nanosleep_until, 0},
                             {"usleep", by_usleep, 0},
                             {"thrd_sleep", by_thrd_sleep, 0},
                             {"syscall(SYS_nanosleep)", by_raw_nanosleep, 0},
                             {"poll", by_poll, 0},
                             {"ppoll", by_ppoll, 0},
                             {"select", by_select, 0},
                             {"pselect", by_pselect, 0},
                             {"epoll_wait", by_epoll_wait, 0},
                             {"epoll_pwait", by_epoll_pwait, 0},
                             {"epoll_pwait2", by_epoll_pwait2, 0},
                             {"sem_timedwait", by_sem_timedwait, 0},
                             {"sem_clockwait", by_sem_clockwait, 0},
                             {"semtimedop", by_semtimedop, 0},
                             {"sigtimedwait", by_sigtimedwait, 0},
                             {"mq_timedreceive", by_mq_timedreceive, 0},
                             {"futex", by_futex, 0},
                             {"io_getevents", by_io_getevents, 0},
                             {"recv with a limit", by_recv, 0},
                             {"recvmsg with a limit", by_recvmsg, 0},
                             {"accept with a limit", by_accept, 0},
                             {"send with a limit", by_send, 0},
                             {"msgrcv", by_msgrcv, 0},
                             {"msgsnd", by_msgsnd, 0},
                             {"semop", by_semop, 0},
                             {"read", by_read, 0},
                             {"poll without limit", by_endless_poll, 0},
                             {"select without limit", by_endless_select, 0},
                             {"epoll_wait without limit", by_endless_epoll, 0},
                             {"write of a megabyte", by_large_write, 0},
                             {"recv of all", by_recv_of_all, 0},
                             {"read from inotify", by_inotify, 0},
                             {"waitpid", by_waitpid, 0},
                             {"pause", by_pause, 0},
                             {"sigsuspend", by_sigsuspend, 0},
                             {"sigwaitinfo", by_sigwaitinfo, 1},
                             {"a sleep that a signal ends", by_interrupted_sleep, 0},
                             {"a poll that a signal ends", by_interrupted_poll, 0},
                             {"a semaphore's wait that a signal ends", by_interrupted_semaphore, 0},
                             {NULL, NULL, 0}};

int call_lasts(int number) {
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  int const fine = calls[number].wait();
  int const error = errno;
  clock_gettime(CLOCK_MONOTONIC, &to);
  if (fine < 0) return 1;  // the system has no such thing
  double const lasted = (double)(to.tv_sec - from.tv_sec) * 1e3 + 1e-6 * (double)(to.tv_nsec - from.tv_nsec);
  if (fine && lasted >= whole_ms - 1) return 1;
  printf("%s: %s after %g ms, errno %d (%s)\n", calls[number].name, fine ? "its end came" : "it ended otherwise",
         lasted, error, strerror(error));
  return 0;
}
