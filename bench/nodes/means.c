// Points and the nearest of some centres, over and over: each thread sums up its own points, then all are added.
#include <stdlib.h>
#include <string.h>

#include "nodes/programs.h"

static const int every_points[input_count] = {600, 60000};
enum { dimensions = 16, centres = 8, rounds = 5 };
static int points;
static float (*at)[dimensions];
static double centre[centres][dimensions], sum[centres][dimensions];
static long members[centres];

static void set_up(enum input input) {
  points = every_points[input];
  at = malloc(sizeof *at * (size_t)points);
  unsigned seed = 1;
  for (int i = 0; i < points; ++i)
    for (int d = 0; d < dimensions; ++d) {
      seed = seed * 1664525 + 1013904223;
      at[i][d] = (float)(i % centres * 10) + (float)(seed >> 16) * 0x1p-16f;  // clouds that lie apart
    }
}

static int nearest(const float* point) {
  int best = 0;
  double least = 1e300;
  for (int c = 0; c < centres; ++c) {
    double square = 0;
    for (int d = 0; d < dimensions; ++d) square += (point[d] - centre[c][d]) * (point[d] - centre[c][d]);
    if (square < least) least = square, best = c;
  }
  return best;
}

static void run(void) {
  for (int c = 0; c < centres; ++c)
    for (int d = 0; d < dimensions; ++d) centre[c][d] = at[c][d];
  for (int round = 0; round < rounds; ++round) {
    memset(sum, 0, sizeof sum);
    memset(members, 0, sizeof members);
#pragma omp parallel
    {
      double own[centres][dimensions] = {{0}};
      long own_members[centres] = {0};
#pragma omp for nowait
      for (int i = 0; i < points; ++i) {
        const int c = nearest(at[i]);
        ++own_members[c];
        for (int d = 0; d < dimensions; ++d) own[c][d] += at[i][d];
      }
#pragma omp critical
      for (int c = 0; c < centres; ++c) {
        members[c] += own_members[c];
        for (int d = 0; d < dimensions; ++d) sum[c][d] += own[c][d];
      }
    }
    for (int c = 0; c < centres; ++c)
      for (int d = 0; d < dimensions; ++d) centre[c][d] = sum[c][d] / (double)members[c];
  }
}

static bool right(void) {
  for (int c = 0; c < centres; ++c)
    if (members[c] != points / centres || centre[c][0] < c * 10 || centre[c][0] > c * 10 + 1) return false;
  return true;
}

const struct node_program means_program = {"means", set_up, run, right};
