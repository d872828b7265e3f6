// Particles in boxes of a cube; each feels those of its own and the neighbouring boxes. Positions are read everywhere,
// a force is written by the one thread whose box it is in.
#include <math.h>
#include <stdlib.h>

#include "nodes/programs.h"

static const int every_side[input_count] = {3, 8};
enum { in_box = 40 };
static int side;
static struct particle { double at[3], charge; } * all;
static struct force { double by[3], potential; } * felt;

static int box_of(int x, int y, int z) { return (z * side + y) * side + x; }

static struct force force_on(const struct particle* p, int x, int y, int z) {
  struct force sum = {{0}, 0};
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const int nx = x + dx, ny = y + dy, nz = z + dz;
        if (nx < 0 || ny < 0 || nz < 0 || nx >= side || ny >= side || nz >= side) continue;
        const struct particle* other = all + (long)box_of(nx, ny, nz) * in_box;
        for (int i = 0; i < in_box; ++i) {
          double square = 0, d[3];
          for (int k = 0; k < 3; ++k) {
            d[k] = p->at[k] - other[i].at[k];
            square += d[k] * d[k];
          }
          const double weight = other[i].charge * exp(-2 * square);
          sum.potential += weight;
          for (int k = 0; k < 3; ++k) sum.by[k] += weight * d[k];
        }
      }
  return sum;
}

static void set_up(enum input input) {
  side = every_side[input];
  const int count = side * side * side * in_box;
  all = malloc(sizeof *all * (size_t)count);
  felt = calloc((size_t)count, sizeof *felt);
  unsigned seed = 7;
  for (int i = 0; i < count; ++i) {
    const int box = i / in_box, corner[3] = {box % side, box / side % side, box / side / side};
    for (int k = 0; k < 3; ++k) {
      seed = seed * 1664525 + 1013904223;
      all[i].at[k] = corner[k] + (seed >> 16) * 0x1p-16;
    }
    all[i].charge = 1 + i % 3;
  }
}

static void run(void) {
#pragma omp parallel for collapse(3)
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x)
        for (int i = 0; i < in_box; ++i) {
          const long n = (long)box_of(x, y, z) * in_box + i;
          felt[n] = force_on(&all[n], x, y, z);
        }
}

static bool right(void) {
  for (int box = 0; box < side * side * side; box += 5) {
    const long n = (long)box * in_box;
    const struct force f = force_on(&all[n], box % side, box / side % side, box / side / side);
    if (felt[n].potential != f.potential || felt[n].by[1] != f.by[1]) return false;
  }
  return true;
}

const struct node_program particles_program = {"particles", set_up, run, right};
