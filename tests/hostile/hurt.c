// A library to preload: from some moment on the program's world is a worse one. HURT says how, as words with commas
// between:
//   malloc=N, mmap=N, thread=N     the N-th request for memory, a mapping or a thread fails, and all after it with N+
//   stack=BYTES, as=BYTES, nofile=N, nproc=N     a limit, set now, when everything is loaded
//   uid=N                          becomes that user first: nproc does not hold for root
//   deny=NUMBER:ERROR              the system call has this error (seccomp)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

struct request {
  atomic_long left;  // until the one that fails; 0: has failed, or none will
  int all;           // and those that follow
};
static struct request memory, mapping, thread;

static int fails(struct request* r) {
  long left = atomic_load(&r->left);
  while (left > 0)
    if (atomic_compare_exchange_weak(&r->left, &left, left == 1 && r->all ? 1 : left - 1)) return left == 1;
  return 0;
}

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

static void* refuse(void) {
  errno = ENOMEM;
  return NULL;
}
void* malloc(size_t size) { return fails(&memory) ? refuse() : __libc_malloc(size); }
void* calloc(size_t n, size_t size) { return fails(&memory) ? refuse() : __libc_calloc(n, size); }
void* realloc(void* p, size_t size) { return fails(&memory) ? refuse() : __libc_realloc(p, size); }
void* aligned_alloc(size_t alignment, size_t size) {
  return fails(&memory) ? refuse() : __libc_memalign(alignment, size);
}
int posix_memalign(void** p, size_t alignment, size_t size) {
  return !fails(&memory) && (*p = __libc_memalign(alignment, size)) != NULL ? 0 : ENOMEM;
}

void* mmap(void* at, size_t size, int protection, int flags, int file, off_t offset) {
  if (fails(&mapping)) return errno = ENOMEM, MAP_FAILED;
  return (void*)syscall(SYS_mmap, at, size, protection, flags, file, offset);
}

int pthread_create(pthread_t* made, const pthread_attr_t* attributes, void* (*main)(void*), void* argument) {
  static int (*next)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "pthread_create");
  return fails(&thread) ? EAGAIN : next(made, attributes, main, argument);
}

static void deny(unsigned number, unsigned error) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    puts("skipped: no seccomp");
    _exit(0);
  }
}

static void limit(int which, rlim_t value) {
  struct rlimit both;
  getrlimit(which, &both);
  both.rlim_cur = value < both.rlim_max ? value : both.rlim_max;
  setrlimit(which, &both);
}

__attribute__((constructor)) static void begin(void) {
  const char* const how = getenv("HURT");
  if (how == NULL) return;
  char words[256];
  snprintf(words, sizeof words, "%s", how);
  for (char *rest, *word = strtok_r(words, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
    char* const equals = strchr(word, '=');
    if (equals == NULL) continue;
    *equals = '\0';
    char* end;
    unsigned long const n = strtoul(equals + 1, &end, 10);
    struct request* const r = !strcmp(word, "malloc")   ? &memory
                              : !strcmp(word, "mmap")   ? &mapping
                              : !strcmp(word, "thread") ? &thread
                                                        : NULL;
    if (r != NULL) {
      r->all = *end == '+';
      atomic_store(&r->left, (long)n);
    }
    if (!strcmp(word, "stack")) limit(RLIMIT_STACK, n);
    if (!strcmp(word, "as")) limit(RLIMIT_AS, n);
    if (!strcmp(word, "nofile")) limit(RLIMIT_NOFILE, n);
    if (!strcmp(word, "nproc")) limit(RLIMIT_NPROC, n);
    if (!strcmp(word, "uid") && setuid((uid_t)n) != 0) _exit(99);
    if (!strcmp(word, "deny")) deny((unsigned)n, (unsigned)strtoul(end + 1, NULL, 10));
  }
}
