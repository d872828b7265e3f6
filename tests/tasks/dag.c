// Random graphs of dependences of every kind, against what the same tasks would see one after the other.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { variables = 12, tasks = 600, most_names = 3 };
enum kind { in, out, exclusive, set };

static long value[variables], expected[variables];
static int held[variables];
static int wrong;

static unsigned seed;
static unsigned next(void) { return seed = seed * 1664525u + 1013904223u, seed >> 8; }

struct access {
  int variable;
  enum kind kind;
  long before, change;
};
struct job {
  int names;
  struct access access[most_names];
};

static void complain(void) {
#pragma omp atomic
  ++wrong;
}

static void run(struct job j) {
  for (int n = 0; n < j.names; ++n) {
    struct access* a = &j.access[n];
    switch (a->kind) {
      case in:
        if (value[a->variable] != a->before) complain();
        break;
      case out:
        if (value[a->variable] != a->before) complain();
        value[a->variable] += a->change;
        break;
      case exclusive:
        if (__atomic_exchange_n(&held[a->variable], 1, __ATOMIC_ACQUIRE)) complain();
        value[a->variable] += a->change;
        break;
      case set:
#pragma omp atomic
        value[a->variable] += a->change;
        break;
    }
  }
  for (volatile unsigned spin = j.access[0].change % 64; spin > 0; --spin) {
  }
  for (int n = 0; n < j.names; ++n)
    if (j.access[n].kind == exclusive) __atomic_store_n(&held[j.access[n].variable], 0, __ATOMIC_RELEASE);
}

static struct job make(void) {
  struct job j;
  unsigned used = 0;
  j.names = 1 + next() % most_names;
  for (int n = 0; n < j.names; ++n) {
    struct access* a = &j.access[n];
    do a->variable = next() % variables;
    while (used >> a->variable & 1);
    used |= 1u << a->variable;
#if SETS
    a->kind = next() % 4;
#else
    a->kind = next() % 3;
#endif
    a->before = expected[a->variable];
    a->change = a->kind == in ? 0 : 1 + next() % 1000;
    expected[a->variable] += a->change;
  }
  for (int n = j.names; n < most_names; ++n) j.access[n] = j.access[0];
  return j;
}

static void name(omp_depend_t* object, const struct access* a) {
  long* v = &value[a->variable];
  switch (a->kind) {
    case in: {
#pragma omp depobj(*object) depend(in : *v)
      break;
    }
    case out: {
#pragma omp depobj(*object) depend(inout : *v)
      break;
    }
    case exclusive: {
#pragma omp depobj(*object) depend(mutexinoutset : *v)
      break;
    }
    case set: {
#if SETS
#pragma omp depobj(*object) depend(inoutset : *v)
#endif
      break;
    }
  }
}

static void spawn(struct job j, int undeferred) {
  omp_depend_t a, b, c;
  name(&a, &j.access[0]);
  name(&b, &j.access[1]);
  name(&c, &j.access[2]);
#pragma omp task depend(depobj : a) depend(depobj : b) depend(depobj : c) if (!undeferred)
  run(j);
#pragma omp depobj(a) destroy
#pragma omp depobj(b) destroy
#pragma omp depobj(c) destroy
}

int main(int argc, char** argv) {
  int const rounds = argc > 1 ? atoi(argv[1]) : 20;
#pragma omp parallel
#pragma omp single
  for (int r = 0; r < rounds; ++r) {
    seed = 12345u + r;
    for (int i = 0; i < variables; ++i) value[i] = expected[i] = 0;
    for (int t = 0; t < tasks; ++t) {
      spawn(make(), t % 37 == 0);
      if (t % 101 == 0) {
        int const i = next() % variables;
#pragma omp taskwait depend(in : value[i])
        if (value[i] != expected[i]) complain();
      }
      if (t % 251 == 0) {
#pragma omp taskwait
        for (int i = 0; i < variables; ++i)
          if (value[i] != expected[i]) complain();
      }
    }
#pragma omp taskwait
    for (int i = 0; i < variables; ++i)
      if (value[i] != expected[i]) complain();
  }
  if (wrong) return printf("%d wrong\n", wrong), 1;
  puts("ok");
}
