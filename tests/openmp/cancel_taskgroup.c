// `cancel taskgroup`: nothing of the group runs once the group is over, other groups are left alone, what depends on
// dropped tasks goes on, and tasks that would make tasks for ever end.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int wrong;
static void check(int right, const char* what) {
  if (!right) {
    int n;
#pragma omp atomic capture
    n = wrong++;
    if (n < 10) printf("wrong: %s\n", what);
  }
}

static int count_of(int* counter) {
  int now;
#pragma omp atomic read
  now = *counter;
  return now;
}

static void add(int* counter) {
#pragma omp atomic
  ++*counter;
}

// Tasks make tasks for ever; only the cancellation ends it.
static void grow(int* made, int* over) {
  check(!count_of(over), "a task of the group after the group");
  for (int i = 0; i < 3; ++i) {
#pragma omp task firstprivate(made, over)
    {
      add(made);
      if (count_of(made) > 200) {
#pragma omp cancel taskgroup
        check(0, "behind a cancellation in a task");
      }
#pragma omp cancellation point taskgroup
      grow(made, over);
#pragma omp taskwait
    }
  }
}

static void for_ever(void) {
  int made = 0, over = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    grow(&made, &over);
#pragma omp atomic write
    over = 1;
  }
  check(made > 200, "the group ran until it was cancelled");
}

// Cancelling a group leaves those around and beside it.
static void groups(void) {
  int beside = 0, around = 0, behind = 0, dropped = 0, ends = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
      for (int i = 0; i < 20; ++i)
#pragma omp task shared(around)
        add(&around);
#pragma omp task shared(beside)
#pragma omp taskgroup
      for (int i = 0; i < 20; ++i)
#pragma omp task shared(beside)
        add(&beside);
#pragma omp taskgroup
      {
#pragma omp task shared(dropped, ends)
        {
#pragma omp cancel taskgroup
          check(0, "behind a cancellation in a task");
        }
#pragma omp taskwait
        // The group is cancelled by now. What comes may be dropped, and ends at a cancellation point at the latest.
        for (int i = 0; i < 20; ++i)
#pragma omp task shared(dropped, ends)
        {
#pragma omp cancellation point taskgroup
          add(&dropped);
#pragma omp taskgroup
          {
#pragma omp task shared(dropped)
            add(&dropped);
          }
          add(&ends);
        }
#pragma omp task if (0) shared(dropped, ends)
        {
#pragma omp cancellation point taskgroup
          add(&dropped);
          add(&ends);
        }
#pragma omp task final(1) shared(dropped, ends)
        {
#pragma omp cancellation point taskgroup
          add(&dropped);
          add(&ends);
        }
      }
      for (int i = 0; i < 20; ++i)
#pragma omp task shared(behind)
        add(&behind);
    }
    check(around == 20 && beside == 20 && behind == 20, "all tasks of other groups have run");
  }
  check(dropped == 0 && ends == 0, "no task of a cancelled group passes a cancellation point");
}

// Those before the canceller have run, in order; those behind it may be dropped, but no one of them alone; then the
// same variables order tasks behind the group.
static void dependences(int length, int stop) {
  int chain = 0, last = -1, behind = 0, x = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < length; ++i)
#pragma omp task depend(inout : chain) shared(last)
    {
      check(last == i - 1, "tasks in a chain run in order");
      last = i;
      if (i == stop) {
#pragma omp cancel taskgroup
      }
    }
    check(last == stop, "a chain is cut where it was cancelled");
    for (int i = 0; i < 10; ++i)
#pragma omp task depend(inout : chain) shared(behind)
      check(behind++ == i, "the chain goes on behind the group");
#pragma omp taskwait
    check(behind == 10, "tasks that depend on a cancelled group's");
    // Many at once, with exclusion.
#pragma omp taskgroup
    for (int i = 0; i < length; ++i) {
#pragma omp task depend(out : x)
      x = i;
#pragma omp task depend(in : x) shared(stop)
      if (i == stop) {
#pragma omp cancel taskgroup
      }
#pragma omp task depend(mutexinoutset : last) shared(last)
      ++last;
    }
    check(x >= stop, "all that the canceller waited for has run");
  }
}

// The tasks of a loop: all that begin are different, and the canceller's is the last one of its thread.
static void taskloops(int stop) {
  enum { many = 500 };
  int runs[many] = {0}, behind = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(1) shared(runs)
    for (int i = 0; i < many; ++i) {
      add(&runs[i]);
      if (i == stop) {
#pragma omp cancel taskgroup
        check(0, "behind a cancellation in a taskloop");
      }
    }
    check(runs[stop] == 1, "the task that cancels has run");
    for (int i = 0; i < many; ++i) check(runs[i] <= 1, "an iteration of a taskloop");
#pragma omp taskloop num_tasks(7) shared(behind)
    for (int i = 0; i < many; ++i) add(&behind);
    check(behind == many, "the taskloop behind a cancelled one");
    // Undeferred: in order, so exactly those up to the canceller.
    int undeferred = 0;
#pragma omp taskloop grainsize(1) if (0) shared(undeferred)
    for (int i = 0; i < many; ++i) {
#pragma omp cancellation point taskgroup
      add(&undeferred);
      if (i == stop) {
#pragma omp cancel taskgroup
      }
    }
    check(undeferred == stop + 1, "an undeferred taskloop stops at once");
  }
}

// Detached tasks: those that begin fulfill their events; those that are dropped need nobody to do it.
static void events(void) {
  int begun = 0, ended = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  for (int i = 0; i < 20; ++i) {
    omp_event_handle_t event;
#pragma omp task detach(event) shared(begun, ended)
    {
      add(&begun);
      omp_fulfill_event(event);
      if (i == 7) {
#pragma omp cancel taskgroup
      }
      add(&ended);
    }
  }
  check(begun == ended + 1, "detached tasks that begin run to their end, but for the one that cancels");
}

// Search in a tree, the usual reason to cancel.
struct node {
  struct node* child[2];
  int value;
};

static struct node* search(struct node* n, int value, int level) {
  if (n == NULL || n->value == value) return n;
  struct node* found = NULL;
  for (int i = 0; i < 2; ++i) {
#pragma omp task shared(found) if (level < 7)
    {
      struct node* const here = search(n->child[i], value, level + 1);
      if (here != NULL) {
#pragma omp atomic write
        found = here;
#pragma omp cancel taskgroup
      }
    }
  }
#pragma omp taskwait
  return found;
}

static void trees(int rounds) {
  enum { size = (1 << 12) - 1 };
  struct node* const tree = malloc(size * sizeof *tree);
  for (int i = 0; i < size; ++i) {
    tree[i].value = i;
    for (int c = 0; c < 2; ++c) tree[i].child[c] = 2 * i + 1 + c < size ? &tree[2 * i + 1 + c] : NULL;
  }
  for (int round = 0; round < rounds; ++round) {
    int const value = (int)(round * 2654435761u % (size + 1));
    struct node* found = NULL;
#pragma omp parallel shared(found)
#pragma omp single
#pragma omp taskgroup
    found = search(tree, value, 0);
    check(found == (value < size ? &tree[value] : NULL), "a search ends with what it looked for");
  }
  free(tree);
}

int main(void) {
  if (!omp_get_cancellation()) return puts("OMP_CANCELLATION is not set"), 1;
  for (int round = 0; round < 100; ++round) {
    for_ever();
    groups();
    dependences(50, round % 50);
    taskloops(round * 5);
    events();
  }
  trees(100);
  if (wrong) return printf("%d wrong\n", wrong), 1;
  puts("ok");
}
