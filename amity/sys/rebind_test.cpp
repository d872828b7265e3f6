#include "amity/sys/rebind.hpp"

#include <gtest/gtest.h>
#include <string.h>
#include <unistd.h>

namespace amity::sys {
namespace {

int asked = 0;

TEST(Rebind, WhatNobodyCallsIsNotFound) {
  EXPECT_EQ(
      rebind_calls("no_such_function_anywhere", reinterpret_cast<void*>(&asked), [](const char*) { return true; }), 0);
}

TEST(Rebind, AsksForEachLibraryThatIsNeeded) {
  static bool c_library = false;
  asked = 0;
  rebind_calls("no_such_function_anywhere", reinterpret_cast<void*>(&strlen), [](const char* needed) {
    ++asked;
    c_library |= strncmp(needed, "libc.so", 7) == 0;
    return false;
  });
  EXPECT_GT(asked, 0);
  EXPECT_TRUE(c_library);
}

TEST(Rebind, CallsGoElsewhere) {
  ASSERT_NE(getppid(), getpid());
  int const changed = rebind_calls("getppid", reinterpret_cast<void*>(&getpid), [](const char*) { return true; });
  if (changed == 0) GTEST_SKIP() << "this program's table of calls is read-only";
  EXPECT_EQ(getppid(), getpid());
}

}  // namespace
}  // namespace amity::sys
