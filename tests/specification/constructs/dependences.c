// section: 15.9.5
// options clang: -fopenmp-version=51 -DSETS=1
//
// Random graphs of tasks. The oracle is the order in which they are made: plain code finds for each task which others
// it must follow, and the task looks whether they are over.
#include <omp.h>
#include <string.h>

#include "check.h"
enum { most = 300, variables = 7, per_task = 3 };
#ifdef SETS
enum { kinds = 5 };
#else
enum { kinds = 4 };  // inoutset came with gcc 13
#endif
enum kind { in, out, inout, exclusive, set };
static struct {
  int n, variable[per_task];
  enum kind kind[per_task];
  int waits;
} task[most];
static unsigned char must_follow[most][most];
static int done[most], busy[variables], disorder, together, made;
static char place[variables];
static unsigned long seed;
static unsigned dice(unsigned n) {
  seed = seed * 6364136223846793005ul + 1442695040888963407ul;
  return (unsigned)(seed >> 33) % n;
}

static void plan(int tasks) {
  memset(must_follow, 0, sizeof must_follow);
  memset(done, 0, sizeof done);
  for (int t = 0; t < tasks; ++t) {
    task[t].n = 1 + dice(per_task);
    for (int i = 0; i < task[t].n; ++i) {
      int again;
      do {  // one variable once only
        task[t].variable[i] = dice(variables);
        again = 0;
        for (int j = 0; j < i; ++j) again |= task[t].variable[j] == task[t].variable[i];
      } while (again);
      task[t].kind[i] = dice(kinds);
      int const v = task[t].variable[i];
      // Tasks of one kind that share (in, exclusive, set) do not follow one another.
      for (int u = 0; u < t; ++u)
        for (int j = 0; j < task[u].n; ++j)
          if (task[u].variable[j] == v) {
            enum kind const a = task[u].kind[j], b = task[t].kind[i];
            if (!(a == b && (a == in || a == exclusive || a == set))) must_follow[t][u] = 1;
          }
    }
  }
}

static void body(int t, int tasks) {
  for (int u = 0; u < tasks; ++u)
    if (must_follow[t][u]) {
      int over;
#pragma omp atomic read acquire
      over = done[u];
      if (!over) {
#pragma omp atomic
        ++disorder;
      }
    }
  for (int i = 0; i < task[t].n; ++i)
    if (task[t].kind[i] == exclusive) {
      int others;
#pragma omp atomic capture
      others = busy[task[t].variable[i]]++;
      if (others) {
#pragma omp atomic
        ++together;
      }
    }
  for (int volatile spin = 0; spin < 200; ++spin) {
  }
  for (int i = 0; i < task[t].n; ++i)
    if (task[t].kind[i] == exclusive) {
#pragma omp atomic
      --busy[task[t].variable[i]];
    }
#pragma omp atomic write release
  done[t] = 1;
#pragma omp atomic
  ++made;
}

// The variables of one kind as an array, for an iterator.
static int of_kind(int t, enum kind kind, int list[per_task]) {
  int n = 0;
  for (int i = 0; i < task[t].n; ++i)
    if (task[t].kind[i] == kind) list[n++] = task[t].variable[i];
  return n;
}

static void create(int tasks, int depth_first) {
  for (int t = 0; t < tasks; ++t) {
    int a[per_task], b[per_task], c[per_task], d[per_task], e[per_task];
    int const na = of_kind(t, in, a), nb = of_kind(t, out, b), nc = of_kind(t, inout, c), nd = of_kind(t, exclusive, d),
              ne = of_kind(t, set, e);
    (void)ne, (void)e;
#ifdef SETS
#define SET_DEPEND depend(iterator(int i = 0 : ne), inoutset : place[e[i]])
#else
#define SET_DEPEND
#endif
#define PRAGMA(x) _Pragma(#x)
#define TASK(...)                                                                                       \
  PRAGMA(omp task firstprivate(t) depend(iterator(int i = 0                                             \
                                                  : na),                                                \
                                         in                                                             \
                                         : place[a[i]]) depend(iterator(int i = 0                       \
                                                                        : nb),                          \
                                                               out                                      \
                                                               : place[b[i]]) depend(iterator(int i = 0 \
                                                                                              : nc),    \
                                                                                     inout              \
                                                                                     : place[c[i]])     \
             depend(iterator(int i = 0                                                                  \
                             : nd),                                                                     \
                    mutexinoutset                                                                       \
                    : place[d[i]]) SET_DEPEND __VA_ARGS__)
    int const undeferred = dice(9) == 0;
    if (depth_first) {
      TASK(if (!undeferred))
      body(t, tasks);
    } else {
      TASK(untied priority(t % 3))
      body(t, tasks);
    }
  }
}

int main(void) {
  for (int round = 0; round < 24; ++round) {
    seed = 1000 + round;
    int const tasks = 20 + dice(most - 20);
    plan(tasks);
    made = 0;
#pragma omp parallel
#pragma omp single
    create(tasks, round % 2);
    SAME(disorder, 0);
    SAME(together, 0);
    SAME(made, tasks);
    for (int t = 0; t < tasks; ++t) CHECK(done[t] == 1, "round %d: task %d did not run", round, t);
  }
  // Only a task's siblings are ordered: children of different tasks use the same variable at once, each in order of its
  // own.
  int wrong = 0;
#pragma omp parallel
#pragma omp single
  for (int p = 0; p < 10; ++p) {
#pragma omp task shared(wrong)
    {
      int x = 0;
      for (int k = 0; k < 20; ++k) {
#pragma omp task shared(x, wrong) depend(inout : x)
        {
          if (x != k) {
#pragma omp atomic
            ++wrong;
          }
          ++x;
        }
      }
#pragma omp taskwait depend(in : x)
      if (x != 20) {
#pragma omp atomic
        ++wrong;
      }
#pragma omp taskwait
    }
  }
  SAME(wrong, 0);
  // Dependence objects, which can be updated.
  int value = 0, seen[3] = {-1, -1, -1};
#pragma omp parallel
#pragma omp single
  {
    omp_depend_t object;
#pragma omp depobj(object) depend(inout : value)
#pragma omp task depend(depobj : object) shared(value)
    value = 10;
#pragma omp depobj(object) update(in)
    for (int i = 0; i < 3; ++i) {
#pragma omp task depend(depobj : object) shared(value, seen) firstprivate(i)
      seen[i] = value;
    }
#pragma omp depobj(object) update(out)
#pragma omp task depend(depobj : object) shared(value)
    value = 20;
#pragma omp taskwait
#pragma omp depobj(object) destroy
  }
  for (int i = 0; i < 3; ++i) SAME(seen[i], 10);
  SAME(value, 20);
  return finish();
}
