#include "amity/launch/membership.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <map>
#include <string>

namespace amity::launching {
namespace {

/// The environment of one launcher alone.
class Membership : public testing::Test {
 protected:
  using variables = std::map<std::string, std::string>;
  membership read(const variables& of_launcher) {
    for (const char* const name : {"PMIX_RANK", "PMIX_NAMESPACE", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
                                   "OMPI_COMM_WORLD_LOCAL_SIZE", "PMI_SIZE", "PMI_RANK", "PMI_FD", "MPI_LOCALRANKID",
                                   "MPI_LOCALNRANKS", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS",
                                   "SLURM_STEP_ID", "SLURM_STEP_TASKS_PER_NODE", "AMITY_RUN_RANK"})
      unsetenv(name);
    for (const auto& [name, value] : of_launcher) setenv(name.c_str(), value.c_str(), 1);
    return read_membership(&problem_);
  }
  const char* problem_ = nullptr;
};

TEST_F(Membership, WithoutALauncherAProcessIsAlone) {
  membership const m = read({});
  EXPECT_EQ(problem_, nullptr);
  EXPECT_EQ(m.by, wiring::none);
  EXPECT_EQ(m.rank, 0);
  EXPECT_EQ(m.size, 1);
}

TEST_F(Membership, OpenMpiSaysItByPmix) {
  membership const m = read({{"PMIX_RANK", "2"},
                             {"PMIX_NAMESPACE", "x"},
                             {"OMPI_COMM_WORLD_SIZE", "5"},
                             {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                             {"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}});
  EXPECT_EQ(problem_, nullptr);
  EXPECT_EQ(m.by, wiring::pmix);
  EXPECT_EQ(m.rank, 2);
  EXPECT_EQ(m.size, 5);
  EXPECT_EQ(m.local_rank, 1);
  EXPECT_EQ(m.local_size, 3);
}

TEST_F(Membership, SizeIsPmixsWhereNobodyElseSaysIt) {
  membership const m = read({{"PMIX_RANK", "1"}, {"PMIX_NAMESPACE", "x"}});
  EXPECT_EQ(m.by, wiring::pmix);
  EXPECT_EQ(m.size, 0);
}

TEST_F(Membership, HydraSaysItByPmi1) {
  membership const m = read({{"PMI_FD", "7"}, {"PMI_RANK", "3"}, {"PMI_SIZE", "4"}});
  EXPECT_EQ(problem_, nullptr);
  EXPECT_EQ(m.by, wiring::pmi1);
  EXPECT_EQ(m.rank, 3);
  EXPECT_EQ(m.size, 4);
}

TEST_F(Membership, SrunWithoutPmixIsRefusedInWords) {
  static_cast<void>(read({{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_STEP_ID", "0"}}));
  ASSERT_NE(problem_, nullptr);
  EXPECT_NE(std::string(problem_).find("--mpi=pmix"), std::string::npos);
  static_cast<void>(read({{"SLURM_PROCID", "1"}, {"PMI_FD", "7"}, {"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}));
  ASSERT_NE(problem_, nullptr);
  EXPECT_NE(std::string(problem_).find("PMI-2"), std::string::npos);
}

TEST_F(Membership, OfALauncherWithoutItsDescriptorNothingCanBeLearnt) {
  static_cast<void>(read({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}));
  ASSERT_NE(problem_, nullptr);
  EXPECT_NE(std::string(problem_).find("PMI_FD"), std::string::npos);
}

}  // namespace
}  // namespace amity::launching
