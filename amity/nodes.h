/* For a program that may run over several nodes (`amity run --nodes 2 -- ./program`): where it runs, what passes
 * between its nodes, and hints, which change no result, only when pages come.
 *
 *     #include <amity/nodes.h>
 *
 *     #pragma omp parallel
 *     {
 *       amity_nodes_prefetch(matrix + first, bytes, amity_nodes_to_read, amity_nodes_here);
 *       ...
 *     }
 *
 * C and C++, without a library: a program that is run otherwise is one node, and a hint does nothing. Any thread may
 * call these at any time; none of them blocks. */
#ifndef AMITY_NODES_H
#define AMITY_NODES_H

#include <dlfcn.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum amity_nodes_use { amity_nodes_to_read = 0, amity_nodes_to_write = 1 };
enum { amity_nodes_here = -1 };

/* What has passed between a node and the others since the program's start. */
struct amity_nodes_traffic {
  unsigned long long faults;   /* how often a thread of it had to wait for a page, or for leave to write to one */
  unsigned long long pages;    /* contents of pages that it has sent */
  unsigned long long messages; /* all that it has sent, pages included */
};

/* What libamity_nodes.so exports under this name. Not for programs. */
struct amity_nodes_functions_1 {
  int (*count)(void);
  int (*own)(void);
  int (*threads)(int node);
  void (*prefetch)(const void* from, size_t bytes, int use, int node);
  struct amity_nodes_traffic (*traffic)(void);
};

static inline const struct amity_nodes_functions_1* amity_nodes_found(void) {
  static const struct amity_nodes_functions_1 nowhere = {0, 0, 0, 0, 0};
  static const struct amity_nodes_functions_1* found; /* all threads find the same */
  const struct amity_nodes_functions_1* f = __atomic_load_n(&found, __ATOMIC_ACQUIRE);
  if (f == 0) {
    f = (const struct amity_nodes_functions_1*)dlsym((void*)0 /* RTLD_DEFAULT */, "amity_nodes_functions_1");
    if (f == 0) f = &nowhere;
    __atomic_store_n(&found, f, __ATOMIC_RELEASE);
  }
  return f;
}

/* How many nodes the program has. */
static inline int amity_nodes_count(void) {
  const struct amity_nodes_functions_1* f = amity_nodes_found();
  return f->count == 0 ? 1 : f->count();
}

/* The node of the calling thread, from 0; main() is on node 0. */
static inline int amity_nodes_own(void) {
  const struct amity_nodes_functions_1* f = amity_nodes_found();
  return f->own == 0 ? 0 : f->own();
}

/* How many threads `node` has in a team of the usual size; 0 if there is no such node, or it takes part in none. On one
 * node: what omp_get_max_threads() says, or 1 where the program has no OpenMP. */
static inline int amity_nodes_threads(int node) {
  const struct amity_nodes_functions_1* f = amity_nodes_found();
  if (f->threads != 0) return f->threads(node);
  if (node != 0) return 0;
  union { /* ISO C has no cast from one to the other */
    void* found;
    int (*call)(void);
  } most;
  most.found = dlsym((void*)0, "omp_get_max_threads");
  return most.found == 0 ? 1 : most.call();
}

/* Threads of `node` (amity_nodes_here: the caller's) will soon use `bytes` bytes from `from` on, to read, or to write
 * to them as well. Their pages begin to come, some at a time; a thread that uses one which has not come yet waits for
 * that one, as always. What is not the program's data, heap or a stack is passed over, and so are hints beyond some
 * dozens that are waiting. No good where another node is about to write to these pages: it takes them back. */
static inline void amity_nodes_prefetch(const void* from, size_t bytes, enum amity_nodes_use use, int node) {
  const struct amity_nodes_functions_1* f = amity_nodes_found();
  if (f->prefetch != 0) f->prefetch(from, bytes, (int)use, node);
}

/* Of the caller's node; all 0 on one node. */
static inline struct amity_nodes_traffic amity_nodes_traffic_here(void) {
  static const struct amity_nodes_traffic none = {0, 0, 0};
  const struct amity_nodes_functions_1* f = amity_nodes_found();
  return f->traffic == 0 ? none : f->traffic();
}

#ifdef __cplusplus
}
#endif

#endif
