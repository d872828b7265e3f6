// What one OpenMP program over several nodes costs: barriers and reductions, each beside one that a program would write
// on its own memory, and small programs. Times, and what passes between the nodes meanwhile.
//
//   amity run --nodes 2 -t 1 -- nodes_gcc --only barrier,programs/pairs
#include <amity/nodes.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/program.h"
#include "nodes/programs.h"

enum { page = 4096, barriers = 5000, reduced_pages = 50, most_nodes = 64 };
static enum input input = usual;

// --- 5000 barriers: OpenMP's, and a counter with a flag, each in a page of its own

static struct {
  _Alignas(page) int arrived;
  _Alignas(page) int round;
} counter;

static void wait_for_all(int all) {
  const int round = __atomic_load_n(&counter.round, __ATOMIC_ACQUIRE);
  if (__atomic_add_fetch(&counter.arrived, 1, __ATOMIC_ACQ_REL) == all) {
    counter.arrived = 0;
    __atomic_store_n(&counter.round, round + 1, __ATOMIC_RELEASE);
  }
  while (__atomic_load_n(&counter.round, __ATOMIC_ACQUIRE) == round) sched_yield();
}

static int barriers_now(void) { return input == tiny ? barriers / 100 : barriers; }

static void meet_by_openmp(void) {
  const int n = barriers_now();
#pragma omp parallel
  for (int i = 0; i < n; ++i) {
#pragma omp barrier
  }
}

static void meet_by_memory(void) {
  const int n = barriers_now();
#pragma omp parallel
  for (int i = 0; i < n; ++i) wait_for_all(omp_get_num_threads());
}

// --- 50 pages of sums for each thread: OpenMP's reduction, and copies that are added under a lock of the program's

enum { sums_count = reduced_pages * page / sizeof(double) };
static _Alignas(page) double sums[sums_count];
static double (*copies)[sums_count];
static _Alignas(page) int lock;

static void reduce_by_openmp(void) {
  memset(sums, 0, sizeof sums);
#pragma omp parallel reduction(+ : sums)
  for (int i = 0; i < sums_count; ++i) sums[i] += i;
}

static void reduce_by_memory(void) {
  memset(sums, 0, sizeof sums);
  if (copies == 0) copies = bench_memory(sizeof *copies * (unsigned long)omp_get_max_threads());
#pragma omp parallel
  {
    double* own = copies[omp_get_thread_num()];
    memset(own, 0, sizeof *copies);
    for (int i = 0; i < sums_count; ++i) own[i] += i;
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE) != 0) sched_yield();
    for (int i = 0; i < sums_count; ++i) sums[i] += own[i];
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
  }
}

static bool reduced_right(void) {
  for (int i = 0; i < sums_count; ++i)
    if (sums[i] != (double)i * team.threads) return false;
  return true;
}

// --- all of them

static bool always(void) { return true; }
static void no_set_up(enum input unused) { (void)unused; }

static const struct node_program barrier = {"barrier", no_set_up, meet_by_openmp, always};
static const struct node_program own_barrier = {"barrier", no_set_up, meet_by_memory, always};
static const struct node_program reduction = {"reduction", no_set_up, reduce_by_openmp, reduced_right};
static const struct node_program own_reduction = {"reduction", no_set_up, reduce_by_memory, reduced_right};

static const struct node_program* ready[64];  // what is set up

static const struct node_program* program_of(const struct benchmark* self) {
  const struct node_program* const p = self->what;
  for (int i = 0; i < 64; ++i) {
    if (ready[i] == p) return p;
    if (ready[i] != 0) continue;
    p->set_up(input);
    return ready[i] = p;
  }
  return p;
}

static void prepare(const struct benchmark* self) { program_of(self); }

static bool run(const struct benchmark* self, long reps) {
  for (long i = 0; i < reps; ++i) program_of(self)->run();
  return true;
}

static bool check(const struct benchmark* self, long reps) {
  (void)reps;
  return program_of(self)->right();
}

// Of all nodes together, up to now.
static struct amity_nodes_traffic all_traffic(void) {
  struct amity_nodes_traffic of[most_nodes] = {{0}}, sum = {0};
#pragma omp parallel
  of[amity_nodes_own()] = amity_nodes_traffic_here();
  for (int i = 0; i < most_nodes; ++i) {
    sum.faults += of[i].faults;
    sum.pages += of[i].pages;
    sum.messages += of[i].messages;
  }
  return sum;
}

enum count { faults, pages, messages, count_kinds };
static const char* const units[count_kinds] = {"faults", "pages", "messages"};

static double number_of(struct amity_nodes_traffic t, enum count kind) {
  return (double)(kind == faults ? t.faults : kind == pages ? t.pages : t.messages);
}

// Of one run, the second; less what it takes to ask.
static double traffic_of(const struct benchmark* self) {
  const struct node_program* const p = program_of(self);
  p->run();
  const struct amity_nodes_traffic first = all_traffic(), second = all_traffic();
  p->run();
  const struct amity_nodes_traffic third = all_traffic();
  int kind = 0;
  while (strcmp(units[kind], self->unit) != 0) ++kind;
  const double asking = number_of(second, kind) - number_of(first, kind);
  const double all = number_of(third, kind) - number_of(second, kind);
  return all > asking ? all - asking : 0;
}

static const struct {
  const char* name;
  const struct node_program* program;
} items[] = {{"barrier/openmp", &barrier},
             {"barrier/own", &own_barrier},
             {"reduction/openmp", &reduction},
             {"reduction/own", &own_reduction},
             {"programs/pairs", &pairs_program},
             {"programs/stencil", &stencil_program},
             {"programs/gradient", &gradient_program},
             {"programs/means", &means_program},
             {"programs/options", &options_program},
             {"programs/particles", &particles_program}};
enum { item_count = sizeof items / sizeof items[0] };

static int make(struct benchmark** all) {
  static struct benchmark made[item_count * (1 + count_kinds)];
  static char names[item_count][count_kinds][64];
  int count = 0;
  for (int i = 0; i < item_count; ++i) {
    made[count++] = (struct benchmark){.name = items[i].name,
                                       .what = items[i].program,
                                       .prepare = prepare,
                                       .run = run,
                                       .check = check,
                                       .once = true,
                                       .kind = "time"};
    for (int kind = 0; kind < count_kinds; ++kind) {
      snprintf(names[i][kind], sizeof names[i][kind], "%s:%s", items[i].name, units[kind]);
      made[count++] = (struct benchmark){.name = names[i][kind],
                                         .what = items[i].program,
                                         .check = check,
                                         .value = traffic_of,
                                         .unit = units[kind],
                                         .kind = "count"};
    }
  }
  *all = made;
  return count;
}

static bool option(const char* name, const char* value) {
  static const char* const inputs[input_count] = {"tiny", "usual"};
  if (strcmp(name, "--input") != 0) return false;
  for (int i = 0; i < input_count; ++i)
    if (strcmp(value, inputs[i]) == 0) return input = (enum input)i, true;
  fprintf(stderr, "nodes: --input: '%s' is none; allowed: tiny, usual\n", value);
  return false;
}

int main(int argc, char** argv) {
  const struct bench_program nodes = {.name = "nodes",
                                      .item = "benchmark",
                                      .usage = "[--input tiny|usual]",
                                      .samples = 3,
                                      .least_samples = 1,
                                      .sample_us = 1000,
                                      .budget_us = 5e6,
                                      .option = option,
                                      .make = make};
  return bench_main(&nodes, argc, argv);
}
