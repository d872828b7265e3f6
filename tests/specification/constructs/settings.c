// section: 18
// options clang: -fopenmp-version=51
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
int main(void) {
  SAME(omp_get_max_threads(), atoi(getenv("OMP_NUM_THREADS")));
  CHECK(omp_get_num_procs() >= 1, "%d cores", omp_get_num_procs());
  SAME(omp_get_num_threads(), 1);
  SAME(omp_get_thread_num(), 0);
  SAME(omp_in_parallel(), 0);
  SAME(omp_in_final(), 0);
  SAME(omp_get_level(), 0);
  SAME(omp_get_active_level(), 0);
  SAME(omp_get_cancellation(), 0);
  SAME(omp_is_initial_device(), 1);
  CHECK(omp_get_supported_active_levels() > 0, "no active levels");
  omp_set_num_threads(5);
  SAME(omp_get_max_threads(), 5);
  omp_set_nested(1);
  SAME(omp_get_nested(), 1);
  omp_set_nested(0);
  SAME(omp_get_nested(), 0);
  omp_set_max_active_levels(4);
  SAME(omp_get_max_active_levels(), 4);
  static omp_sched_t const kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided, omp_sched_auto,
                                      (omp_sched_t)(omp_sched_monotonic | omp_sched_dynamic)};
  for (int k = 0; k < 5; ++k)
    for (int chunk = 1; chunk < 100; chunk += 33) {
      omp_sched_t kind;
      int got = -1;
      omp_set_schedule(kinds[k], chunk);
      omp_get_schedule(&kind, &got);
      CHECK((kind & 0x7fffffff) == (kinds[k] & 0x7fffffff), "schedule %x is %x", (unsigned)kinds[k], (unsigned)kind);
      if ((kind & 0x7fffffff) != omp_sched_auto) SAME(got, chunk);
    }
  double const begun = omp_get_wtime(), tick = omp_get_wtick();
  CHECK(tick > 0 && tick < 1, "a tick of %g s", tick);
  double now = omp_get_wtime();
  while (now < begun + 0.002) now = omp_get_wtime();
  CHECK(now > begun, "time stands still");
  // Places: all of them together, each with processors.
  int const places = omp_get_num_places();
  for (int p = 0; p < places; ++p) {
    int const processors = omp_get_place_num_procs(p);
    CHECK(processors > 0 && processors < 4096, "place %d has %d processors", p, processors);
    int ids[4096];
    omp_get_place_proc_ids(p, ids);
    for (int i = 0; i < processors; ++i) CHECK(ids[i] >= 0, "place %d: processor %d", p, ids[i]);
  }
  int const partition = omp_get_partition_num_places();
  CHECK(partition >= 0 && partition <= places, "%d places of %d", partition, places);
  if (partition) {
    int* numbers = calloc(partition, sizeof *numbers);
    omp_get_partition_place_nums(numbers);
    for (int i = 0; i < partition; ++i)
      CHECK(numbers[i] >= 0 && numbers[i] < places, "place %d of %d", numbers[i], places);
    free(numbers);
  }
  CHECK(omp_get_place_num() >= -1 && omp_get_place_num() < (places ? places : 1), "at place %d", omp_get_place_num());
  CHECK(omp_get_proc_bind() >= omp_proc_bind_false && omp_get_proc_bind() <= omp_proc_bind_spread, "binding %d",
        omp_get_proc_bind());
  char text[100];
  omp_set_affinity_format("level %L thread %n of %N at %.3L|%4n|%0.4n %%");
  size_t const length = omp_get_affinity_format(text, sizeof text);
  SAME(length, strlen("level %L thread %n of %N at %.3L|%4n|%0.4n %%"));
  size_t const needed = omp_capture_affinity(text, sizeof text, 0);
  CHECK(!strcmp(text, "level 0 thread 0 of 1 at   0|0   |0000 %"), "the affinity is '%s'", text);
  SAME(needed, strlen(text));
  char little[6];
  SAME(omp_capture_affinity(little, sizeof little, "abcdefgh"), 8);
  CHECK(!strcmp(little, "abcde"), "cut to '%s'", little);
  int wrong = 0;
#pragma omp parallel num_threads(4) reduction(+ : wrong)
  {
    char mine[40], expected[40];
    snprintf(expected, sizeof expected, "%d/%d", omp_get_thread_num(), omp_get_num_threads());
    omp_capture_affinity(mine, sizeof mine, "%{thread_num}/%{num_threads}");
    wrong += strcmp(mine, expected) != 0;
  }
  SAME(wrong, 0);
#ifdef __clang__  // libgomp has no tools
  SAME(omp_control_tool(1, 0, 0) < 0, 1);
#endif
  SAME(omp_pause_resource_all(omp_pause_soft), 0);
  int after = 0;
#pragma omp parallel num_threads(3) reduction(+ : after)
  ++after;
  SAME(after, 3);
  SAME(omp_pause_resource(omp_pause_hard, omp_get_initial_device()), 0);
#pragma omp parallel num_threads(3) reduction(+ : after)
  ++after;
  SAME(after, 6);
  return finish();
}
