// Random pairs in a square: how many lie in the circle, by a generator that can begin anywhere. Nothing is shared but a
// sum.
#include "nodes/programs.h"

static const long every_count[input_count] = {1 << 14, 1 << 23};
static long count, expected, inside;

// SplitMix64 (Steele, Lea, Flood 2014) of a number.
static double random_of(unsigned long i) {
  unsigned long z = i * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static long is_inside(long i) {
  const double x = random_of(2 * (unsigned long)i), y = random_of(2 * (unsigned long)i + 1);
  return x * x + y * y < 1;
}

static void set_up(enum input input) {
  count = every_count[input];
  expected = 0;
  for (long i = 0; i < count; ++i) expected += is_inside(i);
}

static void run(void) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (long i = 0; i < count; ++i) sum += is_inside(i);
  inside = sum;
}

static bool right(void) { return inside == expected; }

const struct node_program pairs_program = {"pairs", set_up, run, right};
