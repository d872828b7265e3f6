// Tasks inside a final task run in place, one in the other. Each has ICVs of its own all the same, and is another owner
// of nestable locks.
#include <omp.h>
#include <stdio.h>

static int wrong;
#define CHECK(x)                                                   \
  do {                                                             \
    if (!(x)) {                                                    \
      _Pragma("omp atomic")++ wrong;                               \
      printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #x); \
    }                                                              \
  } while (0)

static omp_sched_t kind(void) {
  omp_sched_t is;
  int chunk;
  omp_get_schedule(&is, &chunk);
  return is;
}

// Changes what it finds, makes tasks that do, and finds it unchanged by them.
static void nest(int depth) {
  int const before = omp_get_max_threads();
  CHECK(omp_in_final());
  if (depth == 0) return;
#pragma omp task firstprivate(depth)
  {
    CHECK(omp_get_max_threads() == before);
    omp_set_num_threads(depth + 1);
    omp_set_dynamic(depth % 2);
    CHECK(omp_get_max_threads() == depth + 1);
    nest(depth - 1);
    CHECK(omp_get_max_threads() == depth + 1);
    CHECK(omp_get_dynamic() == depth % 2);
#pragma omp parallel
    {
#pragma omp single
      {
        CHECK(omp_get_num_threads() <= depth + 1);
        CHECK(omp_get_max_threads() == depth + 1);
        CHECK(!omp_in_final());  // the implicit tasks of a region are not
      }
      omp_set_num_threads(7);
#pragma omp task
      omp_set_num_threads(9);
#pragma omp taskwait
      CHECK(omp_get_max_threads() == 7);
    }
    CHECK(omp_get_max_threads() == depth + 1);
  }
  CHECK(omp_get_max_threads() == before);  // it has ended: it was run in place
#pragma omp task if (0) priority(2)
  omp_set_schedule(omp_sched_guided, 3);
  CHECK(kind() == omp_sched_static);
}

static void icvs(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; ++i) {
    int const before = omp_get_max_threads();
#pragma omp task final(1)
    {
      omp_set_schedule(omp_sched_static, 1);
      nest(5);
      CHECK(kind() == omp_sched_static);
    }
#pragma omp taskwait
    CHECK(omp_get_max_threads() == before);
  }
}

static void owners(void) {
#pragma omp parallel
#pragma omp single
#pragma omp task final(1)
  {
    omp_nest_lock_t lock;
    omp_init_nest_lock(&lock);
    CHECK(omp_test_nest_lock(&lock) == 1);
#pragma omp task shared(lock)
    {
      CHECK(omp_test_nest_lock(&lock) == 0);
#pragma omp task shared(lock)
      CHECK(omp_test_nest_lock(&lock) == 0);
    }
    CHECK(omp_test_nest_lock(&lock) == 2);
    omp_unset_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
#pragma omp task shared(lock)
    {
      CHECK(omp_test_nest_lock(&lock) == 1);
      CHECK(omp_test_nest_lock(&lock) == 2);
      omp_unset_nest_lock(&lock);
      omp_unset_nest_lock(&lock);
    }
    omp_destroy_nest_lock(&lock);
  }
}

// Groups, waits, dependences and reductions in there, and tasks that others run meanwhile.
static void company(void) {
  int sum = 0, others = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 200; ++i) {
#pragma omp task shared(others)
#pragma omp atomic
    ++others;
#pragma omp task final(i % 2) shared(sum)
    {
      int mine = 0;
#pragma omp taskgroup task_reduction(+ : mine)
      {
#pragma omp task in_reduction(+ : mine)
        mine += 1;
#pragma omp task in_reduction(+ : mine)
        {
#pragma omp taskyield
          mine += 10;
        }
      }
      CHECK(mine == 11);
      int a = 0, b = 0;
#pragma omp task depend(out : a) shared(a)
      a = 1;
#pragma omp task depend(in : a) depend(out : b) shared(a, b)
      b = a + 1;
#pragma omp taskwait
      CHECK(a == 1 && b == 2);
#pragma omp taskloop shared(b)
      for (int k = 0; k < 10; ++k)
#pragma omp atomic
        ++b;
      CHECK(b == 12);
#pragma omp atomic
      sum += mine;
    }
  }
  CHECK(sum == 2200);
  CHECK(others == 200);
}

int main(void) {
  icvs();
  owners();
  company();
  if (wrong) return printf("%d wrong\n", wrong), 1;
  puts("ok");
}
