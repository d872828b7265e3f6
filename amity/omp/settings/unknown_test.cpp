#include "amity/omp/settings/unknown.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "amity/omp/settings/table.hpp"
#include "amity/sched/host/unknown_names.hpp"

namespace amity::omp {
namespace {

bool is_unknown(const std::string& name) {
  return looks_like_a_setting(name.data(), name.size()) && !is_known_name(name.data(), name.size());
}

std::string near(const std::string& name) {
  const char* const found = nearest_setting(name.data(), name.size());
  return found != nullptr ? found : "";
}

std::string said_of(std::initializer_list<const char*> variables) {
  std::vector<const char*> list(variables);
  list.push_back(nullptr);
  testing::internal::CaptureStderr();
  warn_of_unknown(list.data());
  return testing::internal::GetCapturedStderr();
}

TEST(unknown_variables, are_told_from_those_of_the_table) {
  for (const char* name : {"OMP_NUM_THREAD", "AMITY_THREAD", "KMP_FOO", "GOMP_X", "OMP_NUM_THREADS_DEV_", "OMP_X_ALL"})
    EXPECT_TRUE(is_unknown(name)) << name;
  for (const setting_row& row : table()) EXPECT_FALSE(is_unknown(row.name)) << row.name;
}

// The scheduler has a list of its own, for programs without OpenMP.
TEST(unknown_variables, are_the_same_for_the_scheduler) {
  for (const setting_row& row : table())
    if (std::string const name = row.name; name.starts_with("AMITY_")) {
      EXPECT_TRUE(sched::is_known_amity_name(name)) << name;
    }
  EXPECT_FALSE(sched::is_known_amity_name("AMITY_THREAD"));
}

// OpenMP 6.0's list, with what stands for devices.
TEST(unknown_variables, are_not_those_of_the_standard) {
  for (const char* name : {"OMP_DYNAMIC",
                           "OMP_NUM_THREADS",
                           "OMP_THREAD_LIMIT",
                           "OMP_MAX_ACTIVE_LEVELS",
                           "OMP_PLACES",
                           "OMP_PROC_BIND",
                           "OMP_NUM_TEAMS",
                           "OMP_TEAMS_THREAD_LIMIT",
                           "OMP_SCHEDULE",
                           "OMP_STACKSIZE",
                           "OMP_WAIT_POLICY",
                           "OMP_DISPLAY_AFFINITY",
                           "OMP_AFFINITY_FORMAT",
                           "OMP_CANCELLATION",
                           "OMP_AVAILABLE_DEVICES",
                           "OMP_DEFAULT_DEVICE",
                           "OMP_TARGET_OFFLOAD",
                           "OMP_THREADS_RESERVE",
                           "OMP_MAX_TASK_PRIORITY",
                           "OMP_ALLOCATOR",
                           "OMP_TOOL",
                           "OMP_TOOL_LIBRARIES",
                           "OMP_TOOL_VERBOSE_INIT",
                           "OMP_DEBUG",
                           "OMP_DISPLAY_ENV",
                           "OMP_NESTED",
                           "OMP_NUM_THREADS_ALL",
                           "OMP_NUM_THREADS_DEV",
                           "OMP_SCHEDULE_DEV_0",
                           "OMP_THREAD_LIMIT_DEV_17"})
    EXPECT_FALSE(is_unknown(name)) << name;
}

TEST(unknown_variables, are_not_those_of_other_runtimes_and_tools) {
  for (const char* name :
       {"OMPI_COMM_WORLD_RANK", "KMP_A_DEBUG", "KMP_LOAD_BALANCE_INTERVAL", "GOMP_NVPTX_JIT", "GOMP_GCN_LOWLAT_POOL",
        "GOMP_OPENACC_DIM", "KMP_STATS_EVENTS_FILE", "OMP_CFLAGS", "AMITY_ROOT", "AMITY_DIR", "AMITY_REDIRECT",
        "AMITY_TEST_PATIENCE", "OMP", "OMPX", "KMP_", "LD_PRELOAD", "omp_num_threads"})
    EXPECT_FALSE(is_unknown(name)) << name;
}

TEST(unknown_variables, get_the_nearest_name_or_none) {
  EXPECT_EQ(near("OMP_NUM_THREAD"), "OMP_NUM_THREADS");
  EXPECT_EQ(near("OMP_NUMTHREADS"), "OMP_NUM_THREADS");
  EXPECT_EQ(near("KMP_NUM_THREADS"), "OMP_NUM_THREADS");
  EXPECT_EQ(near("OMP_PROCBIND"), "OMP_PROC_BIND");
  EXPECT_EQ(near("AMITY_THREAD"), "AMITY_THREADS");
  EXPECT_EQ(near("KMP_BLOCK_TIME"), "KMP_BLOCKTIME");
  EXPECT_EQ(near("KMP_FOO"), "");
  EXPECT_EQ(near("GOMP_X"), "");
  EXPECT_EQ(near("KMP_TASKIN"), "") << "what has no effect is not suggested";
  EXPECT_EQ(near("OMP_" + std::string(100'000, 'A')), "");
}

TEST(unknown_variables, are_named_with_what_happens) {
  EXPECT_EQ(said_of({"PATH=/bin", "OMP_NUM_THREAD=3", "OMP_NUM_THREADS=3", "GOMP_X=1"}),
            "amity: OMP_NUM_THREAD is not a setting that is known here; did you mean OMP_NUM_THREADS? It is ignored "
            "(KMP_WARNINGS=0 silences this)\n"
            "amity: GOMP_X is not a setting that is known here. It is ignored (KMP_WARNINGS=0 silences this)\n");
}

TEST(unknown_variables, may_have_any_name) {
  std::string const text = said_of({"OMP_\x1b[2J\xff=1", "OMP_NO_EQUALS_SIGN", "=", "", "OMP_%s%n=2"});
  EXPECT_NE(text.find("amity: OMP_\\x1b[2J\\xff is not a setting"), std::string::npos) << text;
  EXPECT_NE(text.find("amity: OMP_NO_EQUALS_SIGN is not"), std::string::npos) << text;
  EXPECT_NE(text.find("amity: OMP_%s%n is not"), std::string::npos) << text;
}

}  // namespace
}  // namespace amity::omp
