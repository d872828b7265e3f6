#include "amity/sched/host/unknown_names.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "amity/sched/loop/upcalls.hpp"

namespace amity::sched {
namespace {

TEST(unknown_names, are_said_once_in_a_process) {
  setenv("AMITY_THREAD", "4", 1);
  setenv("AMITY_ROOT", "/opt", 1);
  setenv("OMP_NUM_THREAD", "4", 1);  // not the scheduler's
  setenv("KMP_WARNINGS", "0", 1);
  testing::internal::CaptureStderr();
  warn_of_unknown_names();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  unsetenv("KMP_WARNINGS");
  testing::internal::CaptureStderr();
  warn_of_unknown_names();
  warn_of_unknown_names();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "amity: AMITY_THREAD is not a setting that is known here; did you mean AMITY_THREADS? It is ignored "
            "(KMP_WARNINGS=0 silences this)\n");
}

}  // namespace
}  // namespace amity::sched
