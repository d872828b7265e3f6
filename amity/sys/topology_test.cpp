#include "amity/sys/topology.hpp"

#include <gtest/gtest.h>

#include <array>

namespace amity::sys {
namespace {

constexpr const char* missing_library = "libhwloc-that-is-not-there.so";

constexpr std::array all_kinds = {object_kind::threads, object_kind::cores, object_kind::ll_caches,
                                  object_kind::numa_domains, object_kind::sockets};

TEST(topology, every_kind_covers_each_cpu_of_the_mask_once) {
  const cpu_mask mask = cpu_mask::of_calling_thread();
  for (const char* library : {hwloc_library, missing_library}) {
    for (const object_kind kind : all_kinds) {
      int covered = 0;
      for (const cpu_mask& set : object_sets(kind, mask, library)) {
        EXPECT_FALSE(set.empty());
        for (int cpu = set.first(); cpu >= 0; cpu = set.next(cpu)) {
          EXPECT_TRUE(mask.contains(cpu));
          ++covered;
        }
      }
      EXPECT_EQ(covered, mask.count());
    }
  }
}

TEST(topology, threads_are_single_cpus) {
  for (const char* library : {hwloc_library, missing_library})
    for (const cpu_mask& set : object_sets(object_kind::threads, cpu_mask::of_calling_thread(), library))
      EXPECT_EQ(set.count(), 1);
}

TEST(topology, is_cut_to_the_mask_that_is_given) {
  cpu_mask one;
  one.add(cpu_mask::of_calling_thread().first());
  for (const object_kind kind : all_kinds) {
    const cpu_mask_list sets = object_sets(kind, one);
    ASSERT_EQ(sets.size(), 1U);
    EXPECT_EQ(sets[0].count(), 1);
  }
  EXPECT_EQ(object_sets(object_kind::cores, cpu_mask()).size(), 0U);
}

TEST(topology, describes_counts_that_fit_together) {
  const topology_summary summary = describe();
  EXPECT_GE(summary.threads, summary.cores);
  EXPECT_GE(summary.cores, summary.sockets);
  EXPECT_GE(summary.sockets, 1);
  EXPECT_GE(summary.numa_domains, 1);
  for (int i = 1; i < summary.cache_levels; ++i) EXPECT_GT(summary.caches[i].level, summary.caches[i - 1].level);
}

TEST(topology, without_hwloc_is_flat) {
  const topology_summary summary = describe(missing_library);
  EXPECT_FALSE(summary.from_hwloc);
  EXPECT_EQ(summary.threads, cpu_mask::of_calling_thread().count());
  EXPECT_EQ(summary.cores, summary.threads);
  EXPECT_EQ(summary.cache_levels, 0);
}

TEST(cpu_mask_list, keeps_masks_when_it_grows) {
  cpu_mask_list list;
  for (int cpu = 0; cpu != 100; ++cpu) {
    cpu_mask mask;
    mask.add(cpu);
    EXPECT_TRUE(list.add(std::move(mask)));
  }
  cpu_mask_list moved = std::move(list);
  ASSERT_EQ(moved.size(), 100U);
  for (int cpu = 0; cpu != 100; ++cpu) EXPECT_TRUE(moved[static_cast<std::size_t>(cpu)].contains(cpu));
}

}  // namespace
}  // namespace amity::sys
