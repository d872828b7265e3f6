#include "common/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/measure.h"

struct choice {
  struct benchmark* all;
  int count;
  const char* only;  // names with commas between them; 0: all
};

// Whether `text`, `length` long, names the benchmark, or the whole group that its name begins with: "daxpy" stands for
// "daxpy/100" too.
static bool names(const char* text, size_t length, const struct benchmark* b) {
  return strncmp(b->name, text, length) == 0 && (b->name[length] == '\0' || b->name[length] == '/');
}

// The next name of a list, which `at` then has passed; its length.
static size_t next_name(const char** at, const char** name) {
  const char* comma = strchr(*at, ',');
  const size_t length = comma ? (size_t)(comma - *at) : strlen(*at);
  *name = *at;
  *at = comma ? comma + 1 : 0;
  return length;
}

static bool chosen(const struct choice* choice, const struct benchmark* b) {
  if (!choice->only) return true;
  for (const char* at = choice->only; at;) {
    const char* name;
    const size_t length = next_name(&at, &name);
    if (names(name, length, b)) return true;
  }
  return false;
}

static void print_names(const struct choice* choice, FILE* to, const char* separator) {
  for (int i = 0; i < choice->count; ++i) fprintf(to, "%s%s", i ? separator : "", choice->all[i].name);
  fputc('\n', to);
}

static bool all_known(const struct bench_program* program, const struct choice* choice) {
  for (const char* at = choice->only; at;) {
    const char* name;
    const size_t length = next_name(&at, &name);
    bool known = false;
    for (int i = 0; i < choice->count; ++i) known |= names(name, length, &choice->all[i]);
    if (!known) {
      fprintf(stderr, "%s: --only: '%.*s' is no %s; allowed: ", program->name, (int)length, name, program->item);
      print_names(choice, stderr, ", ");
      return false;
    }
  }
  return true;
}

static void print_result(const struct benchmark* b, const struct result* r) {
  printf(
      "{\"name\": \"%s\", \"threads\": %d, \"us\": %.5g, \"cpu_us\": %.5g, \"min_us\": %.5g, \"max_us\": %.5g, "
      "\"samples\": %d, \"iterations\": %ld, \"flops\": %.10g, \"bytes\": %.10g, \"tasks\": %.10g, \"kind\": \"%s\", "
      "\"round_trip_ns\": %.4g, \"free_us\": %.5g}\n",
      b->name, team.threads, r->us, r->cpu_us, r->least_us, r->most_us, r->samples, r->reps, b->flops, b->bytes,
      b->tasks, b->kind, r->round_trip_ns, r->free_us);
}

static bool print_value(const struct benchmark* b) {
  if (b->prepare) b->prepare(b);
  const double value = b->value(b);
  if (b->check && !b->check(b, 1)) return false;
  printf(
      "{\"name\": \"%s\", \"threads\": %d, \"value\": %.10g, \"unit\": \"%s\", \"iterations\": 1, "
      "\"kind\": \"%s\"}\n",
      b->name, team.threads, value, b->unit, b->kind);
  return true;
}

static int run_chosen(const struct bench_program* how, const struct choice* choice) {
  int status = 0;
  for (int i = 0; i < choice->count; ++i) {
    const struct benchmark* b = &choice->all[i];
    struct result r;
    if (!chosen(choice, b)) continue;
    if (b->left_out) {
      printf("{\"name\": \"%s\", \"threads\": %d, \"left_out\": \"%s\"}\n", b->name, team.threads, b->left_out);
    } else if (b->value ? print_value(b) : measure(how, b, &r)) {
      if (!b->value) print_result(b, &r);
    } else {
      printf("{\"name\": \"%s\", \"threads\": %d, \"error\": \"wrong answer\"}\n", b->name, team.threads);
      status = 1;
    }
    fflush(stdout);  // what is known stays known when the next one crashes
  }
  return status;
}

static int usage(const struct bench_program* program) {
  fprintf(stderr, "usage: %s [--list] [--only NAME,...] [--samples N] [--sample-ms T]%s%s\n", program->name,
          program->usage ? " " : "", program->usage ? program->usage : "");
  return 2;
}

static bool read_option(struct bench_program* how, struct choice* choice, const char* name, const char* value) {
  if (strcmp(name, "--only") == 0)
    choice->only = value;
  else if (strcmp(name, "--samples") == 0)
    how->samples = atoi(value);
  else if (strcmp(name, "--sample-ms") == 0)
    how->sample_us = 1000 * atof(value);
  else
    return how->option && how->option(name, value);
  return true;
}

int bench_main(const struct bench_program* program, int argc, char** argv) {
  struct bench_program how = *program;
  struct choice choice = {0};
  bool list = false;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--list") == 0)
      list = true;
    else if (i + 1 < argc && read_option(&how, &choice, argv[i], argv[i + 1]))
      ++i;
    else
      return usage(program);
  }
  if (how.samples < how.least_samples || how.samples > most_samples) {
    fprintf(stderr, "%s: --samples: allowed: %d to %d\n", how.name, how.least_samples, most_samples);
    return 2;
  }
  if (!(how.sample_us >= 100 && how.sample_us <= 100e3)) {
    fprintf(stderr, "%s: --sample-ms: allowed: 0.1 to 100\n", how.name);
    return 2;
  }
  if (!list && !look_at_team(how.name)) return 2;
  choice.count = how.make(&choice.all);
  if (list) return print_names(&choice, stdout, "\n"), 0;
  return all_known(&how, &choice) ? run_chosen(&how, &choice) : 2;
}
