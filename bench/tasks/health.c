// A country's health care, simulated step by step: villages in a tree, each with a hospital. A villager who falls ill
// waits, is examined, and is treated there or sent to the hospital one level up; one who has been treated leaves the
// simulation. A task for each village below another one; with a cut-off, only for villages of the upper levels.
//
// A village touches nothing but itself and, once their tasks are done, its children's referrals in the children's
// order: the outcome is the same as that of a serial run.
#include <stdlib.h>
#include <string.h>

#include "tasks/programs.h"

enum { branches = 4, people = 60, staff_per_level = 3, examination = 3, treatment = 10, small_levels = 2 };

static const double falls_ill = 0.003;
static const double needs_treatment = 0.6;
static const double is_referred = 0.3;

static const struct { int levels, steps; } countries[input_count] = {{3, 30}, {6, 250}, {7, 400}};

struct patient {
  struct patient* next;
  int left;  // steps of the examination or the treatment
};

struct queue {
  struct patient* first;
  struct patient** last;  // where the next one goes
};

struct village {
  struct village* child[branches];
  int level;  // 1: no children
  int healthy;
  int staff;  // that is free
  unsigned long random;
  struct queue waiting, examined, treated, referred;
  long waited, visits, healed;
};

struct totals {
  long healthy, waited, visits, healed;
};

static int cut;  // villages of this level and below are no tasks
static int steps;
static struct village* country;
static struct totals expected;
static int levels;

static bool happens(struct village* v, double chance) {
  v->random = mixed(v->random);
  return fraction(v->random) < chance;
}

static void append(struct queue* q, struct patient* p) {
  p->next = 0;
  *q->last = p;
  q->last = &p->next;
}

static struct patient* take(struct queue* q) {
  struct patient* p = q->first;
  q->first = p->next;
  if (!q->first) q->last = &q->first;
  return p;
}

// Everybody in `q` now, once; `with` puts them somewhere again.
static void pass(struct village* v, struct queue* q, void (*with)(struct village*, struct patient*)) {
  long count = 0;
  for (struct patient* p = q->first; p; p = p->next) ++count;
  while (count-- > 0) with(v, take(q));
}

static void treat(struct village* v, struct patient* p) {
  if (--p->left > 0) {
    append(&v->treated, p);
    return;
  }
  ++v->staff;
  ++v->healed;
  free(p);
}

static void examine(struct village* v, struct patient* p) {
  if (--p->left > 0) {
    append(&v->examined, p);
  } else if (!happens(v, needs_treatment)) {
    ++v->staff;
    ++v->healed;
    free(p);
  } else if (v->level < levels && happens(v, is_referred)) {
    ++v->staff;
    append(&v->referred, p);
  } else {
    p->left = treatment;
    append(&v->treated, p);
  }
}

static void wait_or_enter(struct village* v, struct patient* p) {
  if (v->staff == 0) {
    ++v->waited;
    append(&v->waiting, p);
    return;
  }
  --v->staff;
  ++v->visits;
  p->left = examination;
  append(&v->examined, p);
}

static void fall_ill(struct village* v) {
  for (int person = v->healthy; person > 0; --person) {
    if (!happens(v, falls_ill)) continue;
    struct patient* p = malloc(sizeof *p);
    if (p == 0) abort();
    --v->healthy;
    append(&v->waiting, p);
  }
}

static void live(struct village* v) {
  for (int i = 0; i < branches && v->child[i]; ++i)
    while (v->child[i]->referred.first) append(&v->waiting, take(&v->child[i]->referred));
  pass(v, &v->treated, treat);
  pass(v, &v->examined, examine);
  pass(v, &v->waiting, wait_or_enter);
  fall_ill(v);
}

static void serial_step(struct village* v) {
  for (int i = 0; i < branches && v->child[i]; ++i) serial_step(v->child[i]);
  live(v);
}

static void step(struct village* v) {
  if (v->level <= cut) {
    serial_step(v);
    return;
  }
  for (int i = 0; i < branches && v->child[i]; ++i) {
#pragma omp task firstprivate(i)
    step(v->child[i]);
  }
#pragma omp taskwait
  live(v);
}

static struct village* settle(int level, unsigned long seed) {
  struct village* v = calloc(1, sizeof *v);
  if (v == 0) abort();
  v->level = level;
  v->healthy = people;
  v->staff = staff_per_level * level;
  v->random = mixed(seed);
  struct queue* queues[] = {&v->waiting, &v->examined, &v->treated, &v->referred};
  for (int i = 0; i < 4; ++i) queues[i]->last = &queues[i]->first;
  for (int i = 0; i < branches && level > 1; ++i) v->child[i] = settle(level - 1, v->random + (unsigned long)i);
  return v;
}

static void leave(struct village* v) {
  if (!v) return;
  for (int i = 0; i < branches; ++i) leave(v->child[i]);
  struct queue* queues[] = {&v->waiting, &v->examined, &v->treated, &v->referred};
  for (int i = 0; i < 4; ++i)
    while (queues[i]->first) free(take(queues[i]));
  free(v);
}

static void count(const struct village* v, struct totals* sum) {
  for (int i = 0; i < branches && v->child[i]; ++i) count(v->child[i], sum);
  sum->healthy += v->healthy;
  sum->waited += v->waited;
  sum->visits += v->visits;
  sum->healed += v->healed;
}

static struct totals counted(void) {
  struct totals sum = {0};
  count(country, &sum);
  return sum;
}

static void prepare(void) {
  leave(country);
  country = settle(levels, 1);
}

static void set_up(enum input input, int serial_levels) {
  cut = serial_levels;
  levels = countries[input].levels;
  steps = countries[input].steps;
  prepare();
  for (int i = 0; i < steps; ++i) serial_step(country);
  expected = counted();
}

static void set_up_every(enum input input) { set_up(input, 0); }
static void set_up_cut(enum input input) { set_up(input, small_levels); }
static void run(void) {
  for (int i = 0; i < steps; ++i) step(country);
}

static bool right(void) {
  const struct totals now = counted();
  return memcmp(&now, &expected, sizeof now) == 0 && now.healed > 0;
}

const struct task_program health_programs[] = {
    {"health", set_up_every, prepare, run, right},
    {"cut/health", set_up_cut, prepare, run, right},
    {0},
};
