#include "graph/graph.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char* const pattern_names[pattern_count] = {"trivial", "stencil_1d", "stencil_1d_periodic", "tree",
                                                  "fft",     "all_to_all", "random_nearest",      "spread"};

// In a cache line of its own: a neighbour's result is written by another thread.
struct output {
  _Alignas(64) long run;  // so that what an earlier run left behind is no right input
  int step, point;
  double value;
};

static void* zeroed(size_t count, size_t size) {
  const size_t bytes = (count * size + 63) / 64 * 64;
  void* memory = aligned_alloc(64, bytes != 0 ? bytes : 64);
  if (memory == 0) {
    fprintf(stderr, "graph: no memory for %zu bytes\n", bytes);
    exit(1);
  }
  return memset(memory, 0, bytes != 0 ? bytes : 64);
}

static int log2_of(int n) {
  int bits = 0;
  while (n > 1) {
    n /= 2;
    ++bits;
  }
  return bits;
}

static int width_at(const struct shape* s, int step) {
  if (s->pattern != tree || step > log2_of(s->width)) return s->width;
  return 1 << step < s->width ? 1 << step : s->width;
}

// Half of all, and always the same ones.
static bool by_chance(int step, int point, int other) {
  uint32_t x = (uint32_t)step * 0x9e3779b1u ^ (uint32_t)point * 0x85ebca77u ^ (uint32_t)other * 0xc2b2ae3du;
  x ^= x >> 15;
  x *= 0x2c1b3c6du;
  return (x >> 17 & 1) != 0;
}

enum { radius = 2, spread_inputs = 5 };

static bool depends(const struct shape* s, int step, int point, int before) {
  const int distance = abs(point - before);
  const int w = s->width;
  switch (s->pattern) {
    case trivial:
    case pattern_count:
      break;
    case stencil_1d:
      return distance <= 1;
    case stencil_1d_periodic:
      return distance <= 1 || distance == w - 1;
    case tree:
      return width_at(s, step - 1) < width_at(s, step) ? before == point / 2 : before == point;
    case fft:
      return distance == 0 || (w > 1 && distance == 1 << (step - 1) % log2_of(w));
    case all_to_all:
      return true;
    case random_nearest:
      return distance == 0 || (distance <= radius && by_chance(step, point, before));
    case spread:
      for (int i = 0; i < spread_inputs; ++i)
        if ((point + (long)i * w / spread_inputs + (i > 0 ? step : 0)) % w == before) return true;
      break;
  }
  return false;
}

static int count_edges(const struct graph* g) {
  int edges = 0;
  for (int step = 1; step < g->shape.steps; ++step)
    for (int p = 0; p < width_at(&g->shape, step); ++p)
      for (int q = 0; q < width_at(&g->shape, step - 1); ++q) edges += depends(&g->shape, step, p, q);
  return edges;
}

// Both directions, ordered by task.
static void find_edges(struct graph* g, const int* row) {
  const int edges = count_edges(g);
  int* input_begin = zeroed((size_t)g->tasks + 1, sizeof(int));
  int* output_begin = zeroed((size_t)g->tasks + 1, sizeof(int));
  int* inputs = zeroed((size_t)edges, sizeof(int));
  int* outputs = zeroed((size_t)edges, sizeof(int));
  int ins = 0;
  int outs = 0;
  for (int step = 0; step < g->shape.steps; ++step) {
    const int w = width_at(&g->shape, step);
    for (int p = 0; p < w; ++p) {
      const int task = row[step] + p;
      input_begin[task] = ins;
      output_begin[task] = outs;
      for (int q = 0; step > 0 && q < row[step] - row[step - 1]; ++q)
        if (depends(&g->shape, step, p, q)) inputs[ins++] = row[step - 1] + q;
      for (int q = 0; step + 1 < g->shape.steps && q < row[step + 2] - row[step + 1]; ++q)
        if (depends(&g->shape, step + 1, q, p)) outputs[outs++] = row[step + 1] + q;
    }
  }
  input_begin[g->tasks] = ins;
  output_begin[g->tasks] = outs;
  g->input_begin = input_begin;
  g->inputs = inputs;
  g->output_begin = output_begin;
  g->outputs = outputs;
}

struct graph* graph_of(const struct shape* shape, const struct kernel* kernel) {
  struct graph* g = zeroed(1, sizeof *g);
  g->shape = *shape;
  g->kernel = *kernel;
  int* row = zeroed((size_t)shape->steps + 1, sizeof(int));
  for (int step = 0; step < shape->steps; ++step) row[step + 1] = row[step] + width_at(shape, step);
  g->row = row;
  g->tasks = row[shape->steps];
  find_edges(g, row);
  g->results = zeroed((size_t)g->tasks, sizeof(struct output));
  if (kernel->kind == kernel_memory) g->memory = zeroed((size_t)shape->width, bytes_of_point);
  return g;
}

void graph_free(struct graph* g) {
  if (g == 0) return;
  free((void*)g->row);
  free((void*)g->input_begin);
  free((void*)g->inputs);
  free((void*)g->output_begin);
  free((void*)g->outputs);
  free(g->results);
  free(g->memory);
  free(g);
}

// flops_of_iteration operations for each iteration: eight chains, so that no unit waits for its own result.
static double compute(long iterations) {
  double x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  for (long i = 0; i < iterations; ++i)
    for (int k = 0; k < 4; ++k)
      for (int j = 0; j < 8; ++j) x[j] = x[j] * 0.999 + 0.001;
  double sum = 0;
  for (int j = 0; j < 8; ++j) sum += x[j];
  return sum;
}

// The next bytes_of_iteration of the point's memory for each iteration, read and written.
static double touch(double* memory, long iterations) {
  enum { elements = bytes_of_iteration / sizeof(double), pieces = bytes_of_point / bytes_of_iteration };
  for (long i = 0; i < iterations; ++i) {
    double* piece = memory + i % pieces * elements;
    for (int j = 0; j < elements; ++j) piece[j] += 1;
  }
  return memory[0];
}

static double run_kernel(const struct graph* g, int point) {
  switch (g->kernel.kind) {
    case kernel_empty:
      break;
    case kernel_compute:
      return compute(g->kernel.iterations);
    case kernel_memory:
      return touch(g->memory + (long)point * (bytes_of_point / (long)sizeof(double)), g->kernel.iterations);
  }
  return 0;
}

void graph_begin(struct graph* g) { ++g->run; }

// The step of a task. Tasks know it anyway where they are made; here it costs a division, or a short search in a tree.
static int step_of(const struct graph* g, int task) {
  int step = task / g->shape.width;
  while (g->row[step + 1] <= task) ++step;
  return step;
}

void graph_task(struct graph* g, int task) {
  const int step = step_of(g, task);
  const int point = task - g->row[step];
  bool right = true;
  for (int i = g->input_begin[task]; i < g->input_begin[task + 1]; ++i) {
    const struct output* in = &g->results[g->inputs[i]];
    right &= in->run == g->run && in->step == step - 1 && in->point == g->inputs[i] - g->row[step - 1];
  }
  if (!right) __atomic_fetch_add(&g->wrong, 1, __ATOMIC_RELAXED);
  struct output* out = &g->results[task];
  out->value = run_kernel(g, point);
  out->step = step;
  out->point = point;
  out->run = g->run;  // the last: a task that looks too early finds the old one
}

bool graph_end(struct graph* g) {
  for (int task = 0; task < g->tasks; ++task) g->wrong += g->results[task].run != g->run;
  return g->wrong == 0;
}

char* graph_result(const struct graph* g, int task) { return (char*)&g->results[task]; }
