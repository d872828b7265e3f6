// What the routines answer in an initial thread; teams are tested by programs.
#include <gtest/gtest.h>
#include <limits.h>
#include <omp.h>
#include <sched.h>

#include <cstdint>
#include <thread>

extern "C" {
int omp_in_explicit_task();
void omp_set_num_threads_8_(const std::int64_t*);
void omp_set_schedule_8_(const std::int32_t*, const std::int64_t*);
void omp_get_schedule_8_(std::int32_t*, std::int64_t*);
void omp_get_schedule_at_VERSION(omp_sched_t*, int*);  // clang's
}

namespace {

TEST(threads, outside_of_every_region) {
  EXPECT_EQ(omp_get_num_threads(), 1);
  EXPECT_EQ(omp_get_thread_num(), 0);
  EXPECT_FALSE(omp_in_parallel());
  EXPECT_FALSE(omp_in_final());
  EXPECT_FALSE(omp_in_explicit_task());
  EXPECT_EQ(omp_get_level(), 0);
  EXPECT_EQ(omp_get_ancestor_thread_num(0), 0);
  EXPECT_EQ(omp_get_ancestor_thread_num(1), -1);
  EXPECT_EQ(omp_get_ancestor_thread_num(-1), -1);
  EXPECT_EQ(omp_get_team_size(0), 1);
  EXPECT_EQ(omp_get_num_teams(), 1);
  EXPECT_EQ(omp_get_team_num(), 0);
  EXPECT_EQ(omp_get_max_threads(), omp_get_num_procs());
}

TEST(threads, a_thread_that_narrows_itself_has_fewer_processors) {
  const int before = omp_get_num_procs();
  std::thread([&] {
    EXPECT_EQ(omp_get_num_procs(), before);
    const int cpu = sched_getcpu();
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(cpu), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(omp_get_num_procs(), 1);
  }).join();
  EXPECT_EQ(omp_get_num_procs(), before);
}

TEST(threads, until_somebody_chooses_each_compiler_has_its_own_schedule) {
  omp_sched_t kind;
  int chunk;
  std::thread([&] {  // has the control variables of the environment
    omp_get_schedule(&kind, &chunk);
    EXPECT_EQ(kind, omp_sched_dynamic);
    EXPECT_EQ(chunk, 1);
    omp_get_schedule_at_VERSION(&kind, &chunk);
    EXPECT_EQ(kind, omp_sched_static);
    EXPECT_EQ(chunk, 0);
    omp_set_schedule(omp_sched_guided, 5);
    omp_get_schedule_at_VERSION(&kind, &chunk);
    EXPECT_EQ(kind, omp_sched_guided);
    EXPECT_EQ(chunk, 5);
    for (const int libomps : {101, 102}) {  // trapezoidal, static_steal
      omp_set_schedule(static_cast<omp_sched_t>(libomps), 2);
      omp_get_schedule_at_VERSION(&kind, &chunk);
      EXPECT_EQ(kind, static_cast<omp_sched_t>(libomps));
      EXPECT_EQ(chunk, 2);
    }
    omp_set_schedule(static_cast<omp_sched_t>(103), 9);
    omp_get_schedule_at_VERSION(&kind, &chunk);
    EXPECT_EQ(chunk, 2);
  })
      .join();
}

TEST(threads, control_variables_belong_to_the_initial_thread) {
  omp_set_num_threads(7);
  EXPECT_EQ(omp_get_max_threads(), 7);
  std::thread([] { EXPECT_NE(omp_get_max_threads(), 7); }).join();
  omp_set_num_threads(-3);
  EXPECT_EQ(omp_get_max_threads(), 1);
  const std::int64_t huge = std::int64_t{1} << 40;
  omp_set_num_threads_8_(&huge);
  EXPECT_EQ(omp_get_max_threads(), INT_MAX);
  omp_set_num_threads(omp_get_num_procs());
}

TEST(threads, levels) {
  omp_set_max_active_levels(3);
  EXPECT_EQ(omp_get_max_active_levels(), 3);
  omp_set_max_active_levels(-1);
  EXPECT_EQ(omp_get_max_active_levels(), 3);
  omp_set_max_active_levels(1 << 20);
  EXPECT_EQ(omp_get_max_active_levels(), omp_get_supported_active_levels());
  omp_set_max_active_levels(2);
  omp_set_nested(1);  // as many as there may be, whatever it was
  EXPECT_EQ(omp_get_max_active_levels(), omp_get_supported_active_levels());
  omp_set_nested(0);
  EXPECT_EQ(omp_get_max_active_levels(), 1);
}

TEST(schedule, is_what_was_set) {
  omp_sched_t kind;
  int chunk;
  omp_set_schedule(omp_sched_static, 0);
  omp_get_schedule(&kind, &chunk);
  EXPECT_EQ(kind, omp_sched_static);
  EXPECT_EQ(chunk, 0);
  omp_set_schedule(omp_sched_guided, -5);
  omp_get_schedule(&kind, &chunk);
  EXPECT_EQ(kind, omp_sched_guided);
  EXPECT_EQ(chunk, 1);
  const std::int32_t dynamic = omp_sched_dynamic;
  const std::int64_t nine = 9;
  omp_set_schedule_8_(&dynamic, &nine);
  std::int32_t kind_4 = 0;
  std::int64_t chunk_8 = 0;
  omp_get_schedule_8_(&kind_4, &chunk_8);
  EXPECT_EQ(kind_4, omp_sched_dynamic);
  EXPECT_EQ(chunk_8, 9);
  omp_set_schedule(omp_sched_dynamic, 1);
}

TEST(devices, there_is_the_host) {
  EXPECT_EQ(omp_get_num_devices(), 0);
  EXPECT_EQ(omp_get_initial_device(), 0);
  EXPECT_TRUE(omp_is_initial_device());
  int to[4][5] = {}, from[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  const std::size_t volume[] = {2, 2}, to_offset[] = {1, 2}, from_offset[] = {1, 1}, to_shape[] = {4, 5},
                    from_shape[] = {3, 3};
  EXPECT_EQ(
      omp_target_memcpy_rect(to, from, sizeof(int), 2, volume, to_offset, from_offset, to_shape, from_shape, 0, 0), 0);
  EXPECT_EQ(to[1][2], 5);
  EXPECT_EQ(to[2][3], 9);
  EXPECT_EQ(to[2][4], 0);
  EXPECT_EQ(omp_target_memcpy_rect(nullptr, nullptr, 0, 0, nullptr, nullptr, nullptr, nullptr, nullptr, 0, 0), INT_MAX);
  EXPECT_EQ(omp_target_alloc(8, 5), nullptr);
}

}  // namespace
