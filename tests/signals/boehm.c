// Boehm's garbage collector in a team: all threads allocate trees, and whichever finds the heap full, or comes to the
// single, stops the others by signals. A thread that does not answer within 15 seconds ends the program.
// Argument: regions.
#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
  struct node *left, *right;
  long depth;
};

static struct node* grow(int depth) {
  struct node* const n = GC_MALLOC(sizeof *n);
  if (depth > 0) {
    n->left = grow(depth - 1);
    n->right = grow(depth - 1);
  }
  n->depth = depth;
  return n;
}

static long count(const struct node* n) { return n == NULL ? 0 : 1 + count(n->left) + count(n->right); }

int main(int argc, char** argv) {
  int const regions = argc > 1 ? atoi(argv[1]) : 10;
  int wrong = 0;
  GC_INIT();
  GC_allow_register_threads();
  for (int r = 0; r < regions; ++r) {
#pragma omp parallel reduction(+ : wrong)
    {
      struct GC_stack_base base;
      GC_get_stack_base(&base);
      int const registered = GC_register_my_thread(&base) == GC_SUCCESS;
      struct node* const kept = grow(10);
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 200; ++i) wrong += count(grow(8)) != 511;
      wrong += count(kept) != 2047;
#pragma omp single
      GC_gcollect();
      if (registered) GC_unregister_my_thread();
    }
  }
  puts(wrong == 0 ? "ok" : "wrong");
  return wrong != 0;
}
