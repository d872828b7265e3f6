// Parallel regions, nested and resized; single, sections, copyprivate, critical, reductions, threadprivate, locks,
// ICVs.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int wrong;
#define CHECK(c)                                                             \
  do                                                                         \
    if (!(c) && wrong++ < 10) printf("%s:%d: %s\n", __FILE__, __LINE__, #c); \
  while (0)

static int counter;
#pragma omp threadprivate(counter)

static void team_sizes(void) {
  int const before = omp_get_max_threads();
  for (int round = 0; round < 3; ++round)
    for (int n = 1; n <= 9; n += 2) {
      int members = 0, numbers = 0, size = 0;
#pragma omp parallel num_threads(n) reduction(+ : members, numbers)
      {
        ++members;
        numbers += omp_get_thread_num();
#pragma omp master
        size = omp_get_num_threads();
      }
      CHECK(size == n && members == n && numbers == n * (n - 1) / 2);
    }
  CHECK(omp_get_max_threads() == before);
  // omp_set_num_threads holds for every later region, not for one
  omp_set_num_threads(3);
  CHECK(omp_get_max_threads() == 3);
  for (int r = 0; r < 2; ++r) {
    int members = 0;
#pragma omp parallel reduction(+ : members)
    ++members;
    CHECK(members == 3);
  }
  omp_set_num_threads(before);
}

static void threadprivate_persists(void) {
  omp_set_dynamic(0);
#pragma omp parallel num_threads(4)
  counter = 100 + omp_get_thread_num();
  int bad = 0;
#pragma omp parallel num_threads(4) reduction(+ : bad)
  bad += counter != 100 + omp_get_thread_num();
  CHECK(bad == 0);
  counter = 7;
#pragma omp parallel num_threads(4) copyin(counter) reduction(+ : bad)
  bad += counter != 7;
  CHECK(bad == 0);
}

static void nested(void) {
  omp_set_max_active_levels(3);
  int total = 0, bad = 0;
#pragma omp parallel num_threads(3) reduction(+ : total, bad)
  {
    int const outer = omp_get_thread_num();
    for (int r = 0; r < 5; ++r) {
      int inner = 0;
#pragma omp parallel num_threads(4) reduction(+ : inner)
      {
        inner += omp_get_level() == 2 && omp_get_ancestor_thread_num(1) == outer && omp_get_team_size(2) == 4 &&
                 omp_get_team_size(1) == 3 && omp_get_active_level() == 2;
#pragma omp barrier
      }
      total += inner;
      bad += omp_get_level() != 1 || omp_get_thread_num() != outer;
    }
#pragma omp parallel if (0)
    bad += omp_get_level() != 2 || omp_get_num_threads() != 1 || omp_get_active_level() != 1;
  }
  CHECK(total == 60 && bad == 0);
  omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2)
  {
    int inner = 0;
#pragma omp parallel num_threads(2) reduction(+ : inner)
    ++inner;
#pragma omp critical(nested_count)
    CHECK(inner == 1);
  }
}

static void single_and_sections(void) {
  int runs = 0, bad = 0, sections = 0;
#pragma omp parallel num_threads(6) reduction(+ : bad)
  for (int r = 0; r < 50; ++r) {
    int value = -1;
#pragma omp single copyprivate(value)
    {
      value = r * 10;
#pragma omp atomic
      ++runs;
    }
    bad += value != r * 10;
#pragma omp single nowait
#pragma omp atomic
    ++runs;
#pragma omp sections nowait
    {
#pragma omp section
#pragma omp atomic
      sections += 1;
#pragma omp section
#pragma omp atomic
      sections += 100;
#pragma omp section
#pragma omp atomic
      sections += 10000;
    }
  }
  CHECK(runs == 100 && bad == 0 && sections == 50 * 10101);
  int last = 0;
#pragma omp parallel sections lastprivate(last) num_threads(3)
  {
#pragma omp section
    last = 1;
#pragma omp section
    last = 2;
  }
  CHECK(last == 2);
}

static void mutual_exclusion(void) {
  int a = 0, b = 0;
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  int c = 0, d = 0, tries = 0;
#pragma omp parallel num_threads(8)
  for (int i = 0; i < 500; ++i) {
#pragma omp critical(first)
    ++a;
#pragma omp critical(second)
    ++b;
    omp_set_lock(&lock);
    ++c;
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    ++d;
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    if (omp_test_lock(&lock)) {
#pragma omp atomic
      ++tries;
      omp_unset_lock(&lock);
    }
  }
  CHECK(a == 4000 && b == 4000 && c == 4000 && d == 4000);
  CHECK(omp_test_nest_lock(&nest) == 1 && omp_test_nest_lock(&nest) == 2);
  omp_unset_nest_lock(&nest);
  omp_unset_nest_lock(&nest);
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
}

// Two names are two locks: each thread waits inside its own section for the other.
static void critical_names_overlap(void) {
  int one = 0, two = 0;
#pragma omp parallel num_threads(2) shared(one, two)
  if (omp_get_num_threads() == 2) {
    if (omp_get_thread_num() == 0) {
#pragma omp critical(left)
      {
        int seen = 0;
#pragma omp atomic write
        one = 1;
        while (!seen)
#pragma omp atomic read
          seen = two;
      }
    } else {
#pragma omp critical(right)
      {
        int seen = 0;
#pragma omp atomic write
        two = 1;
        while (!seen)
#pragma omp atomic read
          seen = one;
      }
    }
  }
}

static void reductions(void) {
  long sum = 0, product = 1, most = -1, least = 1000;
  unsigned bits = 0, mask = ~0u, parity = 0;
  int all = 1, any = 0;
  double real = 0;
  long histogram[5] = {0};
#pragma omp parallel for num_threads(5) reduction(+ : sum, real, histogram[:5]) reduction(* : product) \
    reduction(max : most) reduction(min : least) reduction(| : bits) reduction(& : mask) reduction(^ : parity) \
    reduction(&& : all) reduction(|| : any)
  for (int i = 1; i <= 1000; ++i) {
    sum += i;
    real += 0.5;
    ++histogram[i % 5];
    if (i <= 15) product *= i % 3 + 1;
    if (i % 997 > most) most = i % 997;
    if (i < least) least = i;
    bits |= 1u << (i % 17);
    mask &= ~(1u << (i % 3));
    parity ^= (unsigned)i;
    all = all && i > 0;
    any = any || i == 500;
  }
  CHECK(sum == 500500 && real == 500.0 && product == 7776 && most == 996 && least == 1 && bits == (1u << 17) - 1 &&
        mask == ~7u && parity == 1000 && all == 1 && any == 1);
  for (int i = 0; i < 5; ++i) CHECK(histogram[i] == 200);
}

int main(void) {
  team_sizes();
  threadprivate_persists();
  nested();
  single_and_sections();
  mutual_exclusion();
  critical_names_overlap();
  reductions();
  if (wrong) return printf("%d wrong\n", wrong), 1;
  puts("ok");
}
