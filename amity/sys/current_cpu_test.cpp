#include "amity/sys/current_cpu.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

namespace amity::sys {
namespace {

// A thread that may run on one CPU only can't be moved between the two readings.
TEST(CurrentCpu, IsTheOneThatTheThreadIsConfinedTo) {
  probe_current_cpu();
  if (!current_cpu_is_known) GTEST_SKIP() << "this processor, or this kernel, does not tell";
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &all)) continue;
    std::thread([cpu] {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
      EXPECT_EQ(current_cpu(), cpu);
    }).join();
  }
}

}  // namespace
}  // namespace amity::sys
