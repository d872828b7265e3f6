// Places rectangles so that the one around them all is as small as possible: branch and bound. Each rectangle, upright
// or lying, stands to the right of one before it or above it. A task for each place, which gets a copy of the plan;
// with a cut-off, only for the first rectangles. How many plans are tried depends on luck, the smallest area does not.
#include "tasks/programs.h"

enum { most_cells = 16, task_cells = 4 };

static const int counts[input_count] = {5, 11, 12};

struct rectangle {
  short x, y, width, height;
};

struct plan {
  struct rectangle placed[most_cells];
  int count;
  short width, height;  // around them all
};

static int cells;
static int cut;  // cells whose places are tasks
static struct rectangle shapes[most_cells];
static long best;
static long expected;

static bool overlap(const struct rectangle* a, const struct rectangle* b) {
  return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height && b->y < a->y + a->height;
}

static long area(const struct plan* p) { return (long)p->width * p->height; }

static long best_so_far(void) {
  long area_now;
#pragma omp atomic read
  area_now = best;
  return area_now;
}

static void improve(long found) {
#pragma omp critical(floorplan)
  if (found < best_so_far()) {
#pragma omp atomic write
    best = found;
  }
}

static short larger(int a, int b) { return (short)(a > b ? a : b); }

// Puts the next cell there; false when something stands there, or the plan can't be better than what is known.
static bool put(struct plan* p, struct rectangle r) {
  for (int i = 0; i < p->count; ++i)
    if (overlap(&p->placed[i], &r)) return false;
  p->placed[p->count++] = r;
  p->width = larger(p->width, r.x + r.width);
  p->height = larger(p->height, r.y + r.height);
  return area(p) < best_so_far();
}

// The i-th choice for the next cell: right of or above each one that is placed, upright or lying.
static int choices(const struct plan* p) { return p->count == 0 ? 2 : 4 * p->count; }
static struct rectangle choice(const struct plan* p, int i) {
  struct rectangle r = shapes[p->count];
  if (i % 2 != 0) r = (struct rectangle){0, 0, r.height, r.width};
  if (p->count == 0) return r;
  const struct rectangle* beside = &p->placed[i / 4];
  const bool right_of = i / 2 % 2 == 0;
  r.x = (short)(beside->x + (right_of ? beside->width : 0));
  r.y = (short)(beside->y + (right_of ? 0 : beside->height));
  return r;
}

static void serial(const struct plan* p) {
  if (p->count == cells) {
    improve(area(p));
    return;
  }
  for (int i = 0; i < choices(p); ++i) {
    struct plan next = *p;
    if (put(&next, choice(p, i))) serial(&next);
  }
}

static void extend(struct plan p) {
  if (p.count >= cut || p.count == cells) {
    serial(&p);
    return;
  }
  for (int i = 0; i < choices(&p); ++i) {
    struct plan next = p;
    if (!put(&next, choice(&p, i))) continue;
#pragma omp task firstprivate(next)
    extend(next);
  }
#pragma omp taskwait
}

static void prepare(void) { best = 1L << 40; }
static void run(void) { extend((struct plan){.count = 0}); }

static void set_up(enum input input, int task_levels) {
  cells = counts[input];
  cut = task_levels;
  for (int i = 0; i < cells; ++i) {
    const unsigned long random = mixed((unsigned long)i + 7);
    shapes[i] = (struct rectangle){0, 0, (short)(2 + random % 9), (short)(2 + random / 16 % 9)};
  }
  prepare();
  serial(&(struct plan){.count = 0});
  expected = best;
}

static void set_up_every(enum input input) { set_up(input, most_cells); }
static void set_up_cut(enum input input) { set_up(input, task_cells); }
static bool right(void) { return best == expected; }

const struct task_program floorplan_programs[] = {
    {"floorplan", set_up_every, prepare, run, right},
    {"cut/floorplan", set_up_cut, prepare, run, right},
    {0},
};
