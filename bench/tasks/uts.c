// Counts the nodes of a tree that nobody knows before: the number of a node's children follows from its own random
// number, and the tree is very unbalanced. A task for each node.
//
// Geometric: the number of children has a geometric distribution, whose mean falls with the depth. Binomial: a node has
// eight children or none, and the mean is a little less than one, so that some branches are very long.
#include <math.h>

#include "tasks/programs.h"

enum { most_children = 100, rounds = 16, binomial_children = 8 };

static const struct {
  double mean;  // at the root
  int depth;
} geometric_trees[input_count] = {{3, 6}, {4, 15}, {4, 18}};

static const struct {
  int root_children;
  double chance;
} binomial_trees[input_count] = {{30, 0.11}, {2000, 0.1244}, {2000, 0.1249}};

struct node {
  unsigned long random;
  int depth;
};

static double mean, chance;
static int depth_limit, root_children;
static int (*children_of)(const struct node*);
static long answer;
static long expected;

static int geometric_children(const struct node* node) {
  const double here = mean * (1 - (double)node->depth / depth_limit);
  if (here <= 0) return 0;
  const double wanted = floor(log(1 - fraction(node->random)) / log(1 - 1 / (1 + here)));
  return wanted < most_children ? (int)wanted : most_children;
}

static int binomial_or_none(const struct node* node) {
  if (node->depth == 0) return root_children;
  return fraction(node->random) < chance ? binomial_children : 0;
}

// What a node costs is the making of its number.
static struct node child_of(const struct node* parent, int index) {
  unsigned long random = parent->random + (unsigned long)index;
  for (int i = 0; i < rounds; ++i) random = mixed(random);
  return (struct node){random, parent->depth + 1};
}

static long serial(struct node node) {
  long count = 1;
  const int children = children_of(&node);
  for (int i = 0; i < children; ++i) count += serial(child_of(&node, i));
  return count;
}

static long search(struct node node) {
  long count = 1;
  const int children = children_of(&node);
  for (int i = 0; i < children; ++i) {
#pragma omp task shared(count) firstprivate(node, i)
    {
      const long below = search(child_of(&node, i));
#pragma omp atomic
      count += below;
    }
  }
#pragma omp taskwait
  return count;
}

// Each tree has a seed whose tree is about as large as the mean.
enum { geometric_seed = 6, binomial_seed = 2 };
static struct node root;

static void set_up_geometric(enum input input) {
  root = (struct node){mixed(geometric_seed), 0};
  children_of = geometric_children;
  mean = geometric_trees[input].mean;
  depth_limit = geometric_trees[input].depth;
  expected = serial(root);
}

static void set_up_binomial(enum input input) {
  root = (struct node){mixed(binomial_seed), 0};
  children_of = binomial_or_none;
  root_children = binomial_trees[input].root_children;
  chance = binomial_trees[input].chance;
  expected = serial(root);
}

static void prepare(void) { answer = -1; }
static void run(void) { answer = search(root); }
static bool right(void) { return answer == expected; }

const struct task_program uts_programs[] = {
    {"uts_geometric", set_up_geometric, prepare, run, right},
    {"uts_binomial", set_up_binomial, prepare, run, right},
    {0},
};
