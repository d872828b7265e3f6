#include "amity/sys/rebind.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <string.h>
#include <sys/syscall.h>
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

// Each of these objects calls getppid in another way: bound lazily, bound at once and read-only, and without a
// procedure linkage table.
class RebindCalls : public testing::TestWithParam<const char*> {};

TEST_P(RebindCalls, GoElsewhere) {
  void* const object = dlopen(GetParam(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(object, nullptr) << dlerror();
  int (*parent)() = nullptr;
  *reinterpret_cast<void**>(&parent) = dlsym(object, "parent_by_call");
  ASSERT_NE(parent, nullptr) << dlerror();
  auto const real = static_cast<int>(syscall(SYS_getppid));  // this program's own call may lead elsewhere by now
  EXPECT_EQ(parent(), real);
  EXPECT_GT(rebind_calls("getppid", reinterpret_cast<void*>(&getpid), [](const char*) { return true; }), 0);
  EXPECT_EQ(parent(), getpid());
}

INSTANTIATE_TEST_SUITE_P(Tables, RebindCalls, testing::Values(REBIND_LAZY, REBIND_READ_ONLY, REBIND_WITHOUT_TABLE));

}  // namespace
}  // namespace amity::sys
