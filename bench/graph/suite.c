#include "graph/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/program.h"

static const struct graph_runner* runner;
static struct {
  enum kernel_kind kernel;
  int width, steps;
  long least, most;
} how = {kernel_compute, 0, 100, 1, 4096};

struct item {
  char name[64];
  enum pattern pattern;
  long iterations;
};

// The one that is measured now.
static struct graph* graph;
static const struct item* made_for;

static struct shape shape_of(enum pattern pattern) {
  return (struct shape){pattern, how.width > 0 ? how.width : 4 * team.threads, how.steps};
}

static void prepare(const struct benchmark* self) {
  const struct item* item = self->what;
  if (made_for == item) return;
  graph_free(graph);
  const struct shape shape = shape_of(item->pattern);
  graph = graph_of(&shape, &(struct kernel){how.kernel, item->iterations});
  made_for = item;
}

static bool run(const struct benchmark* self, long reps) {
  (void)self;
  bool right = true;
  for (long i = 0; i < reps; ++i) {
    graph_begin(graph);
    runner->run(graph);
    right &= graph_end(graph);
  }
  return right;
}

static void add(struct benchmark* to, struct item* item) {
  if (item->iterations > 0)
    snprintf(item->name, sizeof item->name, "%s/%ld", pattern_names[item->pattern], item->iterations);
  else
    snprintf(item->name, sizeof item->name, "%s", pattern_names[item->pattern]);
  const struct shape shape = shape_of(item->pattern);
  struct graph* g = graph_of(&shape, &(struct kernel){kernel_empty, 0});
  const double tasks = g->tasks;
  graph_free(g);
  const double work = tasks * (double)item->iterations;
  *to = (struct benchmark){.name = item->name,
                           .what = item,
                           .prepare = prepare,
                           .run = run,
                           .flops = how.kernel == kernel_compute ? work * flops_of_iteration : 0,
                           .bytes = how.kernel == kernel_memory ? work * bytes_of_iteration : 0,
                           .tasks = tasks,
                           .per_rep = how.kernel == kernel_empty ? tasks : 1,
                           .kind = how.kernel == kernel_empty ? "task" : "grain"};
}

static int make(struct benchmark** all) {
  enum { most_grains = 32 };
  static struct benchmark made[pattern_count * most_grains];
  static struct item items[pattern_count * most_grains];
  if (runner->begin) runner->begin(team.threads);
  int count = 0;
  for (int p = 0; p < pattern_count; ++p) {
    const bool empty = how.kernel == kernel_empty;
    for (long n = empty ? 0 : how.most; n >= (empty ? 0 : how.least); n /= 2) {
      items[count].pattern = (enum pattern)p;
      items[count].iterations = n;
      add(&made[count], &items[count]);
      ++count;
      if (n == 0) break;
    }
  }
  *all = made;
  return count;
}

static bool whole(const char* text, long least, long most, long* number) {
  char* end;
  *number = strtol(text, &end, 10);
  return end != text && *end == '\0' && *number >= least && *number <= most;
}

static bool read_iterations(const char* value) {
  char text[64];
  snprintf(text, sizeof text, "%s", value);
  char* dash = strchr(text, '-');
  if (dash) *dash = '\0';
  const long largest = 1L << 30;
  return whole(text, 1, largest, &how.least) && whole(dash ? dash + 1 : text, how.least, largest, &how.most);
}

static bool read_kernel(const char* value) {
  static const char* const names[] = {"empty", "compute", "memory"};
  for (int i = 0; i < 3; ++i)
    if (strcmp(value, names[i]) == 0) return how.kernel = (enum kernel_kind)i, true;
  return false;
}

static bool option(const char* name, const char* value) {
  long number = 0;
  const char* allowed = 0;
  if (strcmp(name, "--kernel") == 0) {
    if (!read_kernel(value)) allowed = "empty, compute, memory";
  } else if (strcmp(name, "--iterations") == 0) {
    if (!read_iterations(value)) allowed = "FROM-TO or N, from 1 to 2^30";
  } else if (strcmp(name, "--width") == 0) {
    if (!whole(value, 1, 1 << 14, &number)) allowed = "1 to 16384";
    how.width = (int)number;
  } else if (strcmp(name, "--steps") == 0) {
    if (!whole(value, 1, 1 << 16, &number)) allowed = "1 to 65536";
    how.steps = (int)number;
  } else {
    return false;
  }
  if (allowed) fprintf(stderr, "graph: %s: '%s' is none; allowed: %s\n", name, value, allowed);
  return allowed == 0;
}

int graph_main(int argc, char** argv, const struct graph_runner* by) {
  const struct bench_program program = {
      .name = "graph",
      .item = "graph",
      .usage = "[--kernel empty|compute|memory] [--width N] [--steps N] [--iterations FROM-TO]",
      .samples = 5,
      .least_samples = 1,
      .sample_us = 1500,
      .budget_us = 1e6,
      .option = option,
      .make = make};
  runner = by;
  return bench_main(&program, argc, argv);
}
