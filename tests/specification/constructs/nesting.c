// section: 10.1.1
//
// How many threads regions inside regions get, for every setting of the variables that decide it.
#include <omp.h>

#include "check.h"
static int size[3], level_seen[3], active_seen[3], ancestors_wrong, bodies;

static void level(int depth, int const* wanted) {
#pragma omp parallel num_threads(wanted[depth])
  {
#pragma omp atomic
    ++bodies;
    int const n = omp_get_num_threads(), l = omp_get_level(), a = omp_get_active_level();
#pragma omp atomic write
    size[depth] = n;
#pragma omp atomic write
    level_seen[depth] = l;
#pragma omp atomic write
    active_seen[depth] = a;
    if (omp_get_ancestor_thread_num(l) != omp_get_thread_num() || omp_get_team_size(l) != n ||
        omp_get_ancestor_thread_num(0) != 0 || omp_get_team_size(0) != 1 || omp_get_ancestor_thread_num(l + 1) != -1 ||
        omp_get_team_size(-1) != -1) {
#pragma omp atomic
      ++ancestors_wrong;
    }
    if (depth < 2) level(depth + 1, wanted);
  }
}

int main(void) {
  static int const choices[] = {1, 2, 3, 4};
  omp_set_dynamic(0);
  for (int active = 0; active < 5; ++active)
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b)
        for (int c = 0; c < 3; ++c) {
          int const wanted[3] = {choices[a], choices[b], choices[c]};
          omp_set_max_active_levels(active);
          SAME(omp_get_max_active_levels(), active);
          bodies = 0;
          level(0, wanted);
          int levels = 0, expected_bodies = 0, product = 1;
          for (int d = 0; d < 3; ++d) {
            int const expected = levels >= active ? 1 : wanted[d];
            levels += expected > 1;
            product *= expected;
            expected_bodies += product;
            CHECK(size[d] == expected, "%d levels, %d %d %d: %d threads at level %d", active, wanted[0], wanted[1],
                  wanted[2], size[d], d + 1);
            SAME(level_seen[d], d + 1);
            SAME(active_seen[d], levels);
          }
          SAME(bodies, expected_bodies);
        }
  SAME(ancestors_wrong, 0);
  // A task's own settings: what an inner region sets does not come out.
  omp_set_max_active_levels(3);
  omp_set_num_threads(3);
  int inner[3] = {0}, after[3] = {0};
#pragma omp parallel num_threads(3)
  {
    int const me = omp_get_thread_num();
    omp_set_num_threads(me + 1);
#pragma omp parallel
#pragma omp single
    inner[me] = omp_get_num_threads();
    after[me] = omp_get_max_threads();
  }
  for (int i = 0; i < 3; ++i) SAME(inner[i], i + 1);
  for (int i = 0; i < 3; ++i) SAME(after[i], i + 1);
  SAME(omp_get_max_threads(), 3);
  omp_set_dynamic(1);
  SAME(omp_get_dynamic(), 1);
  int got = 0;
#pragma omp parallel num_threads(8)
#pragma omp single
  got = omp_get_num_threads();
  CHECK(got >= 1 && got <= 8, "%d threads of at most 8", got);
  return finish();
}
