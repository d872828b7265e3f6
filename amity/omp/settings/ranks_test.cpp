#include "amity/omp/settings/ranks.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>

namespace amity::omp {
namespace {

class ranks : public testing::Test {
 protected:
  void SetUp() override {
    CPU_ZERO(&all_);
    ASSERT_EQ(sched_getaffinity(0, sizeof all_, &all_), 0);
    for (const char* name :
         {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS",
          "MV2_COMM_WORLD_LOCAL_RANK", "PMI_LOCAL_RANK", "PMI_LOCAL_SIZE", "SLURM_LOCALID", "SLURM_NTASKS_PER_NODE"})
      unsetenv(name);
  }
  void TearDown() override { sched_setaffinity(0, sizeof all_, &all_); }

  static void rank(const char* number, const char* count) {
    setenv("OMPI_COMM_WORLD_LOCAL_RANK", number, 1);
    setenv("OMPI_COMM_WORLD_LOCAL_SIZE", count, 1);
  }

  void confine() {
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
      if (CPU_ISSET(cpu, &all_)) CPU_SET(cpu, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  }

  static std::string said(int threads) {
    settings s;
    if (threads > 0) s.num_threads[s.num_threads_levels++] = threads;
    testing::internal::CaptureStderr();
    warn_of_confined_ranks(s);
    return testing::internal::GetCapturedStderr();
  }

  cpu_set_t all_;
};

TEST_F(ranks, are_what_the_launcher_says) {
  EXPECT_EQ(find_local_rank().number, -1);
  setenv("SLURM_LOCALID", "3", 1);
  setenv("SLURM_NTASKS_PER_NODE", "4(x2)", 1);
  EXPECT_EQ(find_local_rank().number, 3);
  EXPECT_EQ(find_local_rank().count, 4);
  rank("1", "2");  // mpirun in a Slurm job
  EXPECT_EQ(find_local_rank().number, 1);
  EXPECT_EQ(find_local_rank().count, 2);
  rank("nonsense", "2");
  EXPECT_EQ(find_local_rank().number, 3);
}

TEST_F(ranks, without_a_launcher_nothing_is_said_of_one_core) {
  confine();
  EXPECT_EQ(said(8), "");
}

TEST_F(ranks, with_one_core_for_several_threads_get_a_word_that_says_what_to_do) {
  rank("0", "1");
  confine();
  std::string const text = said(8);
  EXPECT_NE(text.find("amity: this MPI process may use one core only, CPU "), std::string::npos) << text;
  EXPECT_NE(text.find("the 8 threads of OMP_NUM_THREADS take turns there"), std::string::npos) << text;
  if (sysconf(_SC_NPROCESSORS_ONLN) > 1) {
    EXPECT_NE(text.find("mpirun --map-by slot:PE="), std::string::npos) << text;
  }
  EXPECT_EQ(text.find('\n'), text.size() - 1);
}

TEST_F(ranks, that_are_more_than_the_cores_are_told_to_have_fewer_threads) {
  rank("0", "100000");
  confine();
  std::string const text = said(8);
  EXPECT_NE(text.find("MPI process 0 of the 100000 on this node"), std::string::npos) << text;
  EXPECT_NE(text.find("OMP_NUM_THREADS=1 is better"), std::string::npos) << text;
}

TEST_F(ranks, that_ask_for_one_thread_are_content_with_one_core) {
  rank("0", "2");
  confine();
  EXPECT_EQ(said(1), "");
}

TEST_F(ranks, of_a_pure_mpi_program_are_content_with_one_core) {
  rank("0", "100000");  // as many as the machine has cores, and more
  confine();
  EXPECT_EQ(said(0), "");
}

TEST_F(ranks, but_the_first_say_nothing) {
  rank("1", "2");
  confine();
  EXPECT_EQ(said(8), "");
}

TEST_F(ranks, with_more_than_one_core_get_no_word) {
  if (CPU_COUNT(&all_) < 2) GTEST_SKIP() << "needs two cores";
  rank("0", "2");
  EXPECT_EQ(said(8), "");
}

}  // namespace
}  // namespace amity::omp
