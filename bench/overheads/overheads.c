// Measures what OpenMP's constructs cost, in microseconds: one JSON object per construct and line on standard output.
//
//   OMP_NUM_THREADS=8 overheads_gcc --only parallel,barrier --samples 15
//
// Exit status: 0; 1 when a construct gave a wrong answer; 2 for wrong usage.
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness.h"

struct team team;

static const struct construct* const groups[] = {sync_constructs, loop_constructs, task_constructs, whole_constructs};
enum { group_count = sizeof groups / sizeof groups[0], most_samples = 1000, least_samples = 3 };

static double sample_us = 1500;          // aimed at
static const double budget_us = 1500e3;  // of one construct: slow ones get fewer samples

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static double cpu_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values, int n) {
  qsort(values, (size_t)n, sizeof *values, by_value);
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

// One delay, at best: whatever makes it longer is the machine, and has no place in the reference.
static double delay_us(void) {
  double best = 1e9;
  for (int i = 0; i < 50; ++i) {
    const double begin = now_us();
    for (int k = 0; k < 200; ++k) delay();
    const double took = (now_us() - begin) / 200;
    if (took < best) best = took;
  }
  return best;
}

struct result {
  double us, cpu_us, least_us, most_us;
  int samples;
  long reps;
};

// The shortest of a few runs, as soon as one is shorter than a sample: one that met a preempted thread says nothing of
// how many repetitions a sample takes.
static bool least_time(const struct construct* c, long reps, double* least) {
  *least = 1e12;
  for (int attempt = 0; attempt < 4 && *least >= sample_us; ++attempt) {
    const double begin = now_us();
    if (!c->run(reps)) return false;
    const double took = now_us() - begin;
    if (took < *least) *least = took;
    if (took > budget_us / 16) break;
  }
  return true;
}

static bool measure(const struct construct* c, int samples, struct result* result) {
  static double walls[most_samples];
  static double cpus[most_samples];
  const double start = now_us();
  long reps = c->least_reps > 0 ? c->least_reps : 1;
  if (!c->run(reps)) return false;  // makes the team, fills its pools
  for (;;) {
    double took;
    if (!least_time(c, reps, &took)) return false;
    if (took >= sample_us || now_us() - start > budget_us / 4) break;
    reps *= took < sample_us / 10 ? 4 : 2;
  }

  const double constructs = (double)reps * (c->per_rep ? c->per_rep() : 1);
  const double work = c->free_delays() > 0 ? c->free_delays() * (double)reps * delay_us() : 0;
  int n = 0;
  while (n < samples && (n < least_samples || now_us() - start < budget_us)) {
    const double cpu_begin = cpu_us();
    const double begin = now_us();
    if (!c->run(reps)) return false;
    walls[n] = (now_us() - begin - work) / constructs;
    cpus[n] = (cpu_us() - cpu_begin) / constructs;
    ++n;
  }
  result->samples = n;
  result->reps = reps;
  result->us = median(walls, n);
  result->cpu_us = median(cpus, n);
  result->least_us = walls[0];  // sorted by now
  result->most_us = walls[n - 1];
  return true;
}

// Whether `name` stands in the comma-separated `list`.
static bool listed(const char* list, const char* name) {
  const size_t length = strlen(name);
  for (const char* at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : 0)
    if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0')) return true;
  return false;
}

static void print_names(FILE* to, const char* separator) {
  const char* before = "";
  for (int g = 0; g < group_count; ++g)
    for (const struct construct* c = groups[g]; c->name; ++c) {
      fprintf(to, "%s%s", before, c->name);
      before = separator;
    }
  fputc('\n', to);
}

static void check_names(const char* list) {
  for (const char* at = list; at;) {
    const char* end = strchr(at, ',');
    const int length = end ? (int)(end - at) : (int)strlen(at);
    bool known = false;
    for (int g = 0; g < group_count; ++g)
      for (const struct construct* c = groups[g]; c->name; ++c)
        known |= (int)strlen(c->name) == length && strncmp(c->name, at, (size_t)length) == 0;
    if (!known) {
      fprintf(stderr, "overheads: --only: '%.*s' is no construct; allowed: ", length, at);
      print_names(stderr, ", ");
      exit(2);
    }
    at = end ? end + 1 : 0;
  }
}

static void look_at_team(void) {
  cpu_set_t mask;
  team.cpus = sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : omp_get_num_procs();
  omp_set_dynamic(0);
#pragma omp parallel
#pragma omp single
  team.threads = omp_get_num_threads();
  if (team.threads > most_threads) {
    fprintf(stderr, "overheads: a team of %d threads; at most %d can be measured\n", team.threads, most_threads);
    exit(2);
  }
  if (team.threads != omp_get_max_threads())
    fprintf(stderr, "overheads: the runtime gives %d threads where %d were asked for\n", team.threads,
            omp_get_max_threads());
}

int main(int argc, char** argv) {
  const char* only = 0;
  int samples = 15;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--list") == 0) return print_names(stdout, "\n"), 0;
    const bool value = i + 1 < argc;
    if (strcmp(argv[i], "--only") == 0 && value) {
      only = argv[++i];
    } else if (strcmp(argv[i], "--samples") == 0 && value) {
      samples = atoi(argv[++i]);
    } else if (strcmp(argv[i], "--sample-ms") == 0 && value) {
      sample_us = 1000 * atof(argv[++i]);
    } else {
      fprintf(stderr, "usage: %s [--list] [--only NAME,...] [--samples N] [--sample-ms T]\n", argv[0]);
      return 2;
    }
  }
  if (samples < least_samples || samples > most_samples) {
    fprintf(stderr, "overheads: --samples: allowed: %d to %d\n", least_samples, most_samples);
    return 2;
  }
  if (!(sample_us >= 100 && sample_us <= 100e3)) {
    fprintf(stderr, "overheads: --sample-ms: allowed: 0.1 to 100\n");
    return 2;
  }
  check_names(only);
  look_at_team();

  int status = 0;
  for (int g = 0; g < group_count; ++g)
    for (const struct construct* c = groups[g]; c->name; ++c) {
      if (only && !listed(only, c->name)) continue;
      struct result r;
      if (!measure(c, samples, &r)) {
        printf("{\"name\": \"%s\", \"threads\": %d, \"error\": \"wrong answer\"}\n", c->name, team.threads);
        status = 1;
      } else {
        printf(
            "{\"name\": \"%s\", \"threads\": %d, \"us\": %.5g, \"cpu_us\": %.5g, \"min_us\": %.5g, \"max_us\": %.5g, "
            "\"samples\": %d, \"iterations\": %ld, \"kind\": \"%s\"}\n",
            c->name, team.threads, r.us, r.cpu_us, r.least_us, r.most_us, r.samples, r.reps,
            c->free_delays() < 0 ? "time" : "overhead");
      }
      fflush(stdout);  // what is known stays known when the next one crashes
    }
  return status;
}
