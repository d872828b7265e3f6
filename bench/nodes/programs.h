// Small programs of OpenMP of the kinds that libMPNode's paper runs over several nodes (LCPC 2019, section 4). They
// know nothing of nodes.
#pragma once

#include <stdbool.h>

enum input { tiny, usual, input_count };

struct node_program {
  const char* name;
  void (*set_up)(enum input input);  // once; not timed
  void (*run)(void);                 // over all threads
  bool (*right)(void);               // its last answer
};

extern const struct node_program pairs_program;      // NPB's EP: random pairs, a sum at the end
extern const struct node_program stencil_program;    // Jacobi sweeps of a square
extern const struct node_program gradient_program;   // NPB's CG: a sparse matrix, sums in each step
extern const struct node_program means_program;      // Rodinia's kmeans
extern const struct node_program options_program;    // PARSEC's blackscholes
extern const struct node_program particles_program;  // Rodinia's lavaMD: forces within neighbouring boxes
