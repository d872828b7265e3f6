#include "amity/sys/launcher.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

namespace amity::sys {
namespace {

cpu_budget budget_of(int usable, int in_mask) {
  cpu_budget budget;
  budget.usable = usable;
  budget.in_mask = in_mask;
  return budget;
}

TEST(launcher, cores_are_dealt_to_the_ranks_of_a_node) {
  int const here = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  cpu_budget const all = budget_of(here, here);
  for (int size = 1; size <= here; ++size) {
    int sum = 0;
    for (int rank = 0; rank < size; ++rank) sum += share_of_node(all, {rank, size}, dealt::unknown);
    EXPECT_EQ(sum, here) << size;
  }
  for (int rank = 0; rank < 3 * here; ++rank) EXPECT_EQ(share_of_node(all, {rank, 3 * here}, dealt::unknown), 1);
}

// In a container that allows two CPUs' worth of time, each of four ranks had two workers.
TEST(launcher, what_a_quota_allows_is_dealt_too) {
  int const here = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  EXPECT_EQ(share_of_node(budget_of(1, here), {0, 2}, dealt::unknown), 1);
  EXPECT_EQ(share_of_node(budget_of(4, here < 4 ? 4 : here), {1, 4}, dealt::to_nobody), 1);
}

// Under taskset each rank of `amity run -n` had all CPUs of the mask.
TEST(launcher, a_mask_is_dealt_unless_the_launcher_has_set_it) {
  int const here = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  cpu_budget const two_of_more = budget_of(2, 2);
  EXPECT_EQ(share_of_node(two_of_more, {0, 2}, dealt::to_nobody), 1);
  if (here > 2) {
    EXPECT_EQ(share_of_node(two_of_more, {0, 2}, dealt::unknown), 2);
  }
}

TEST(launcher, the_rank_in_the_job_is_the_first_that_a_launcher_says) {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"})
    unsetenv(name);
  EXPECT_EQ(rank_in_job(), -1);
  setenv("SLURM_PROCID", "7", 1);
  EXPECT_EQ(rank_in_job(), 7);
  unsetenv("SLURM_PROCID");
}

}  // namespace
}  // namespace amity::sys
