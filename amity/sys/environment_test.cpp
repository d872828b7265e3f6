#include "amity/sys/environment.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace amity::sys {
namespace {

TEST(Environment, DefaultsAreForVariablesThatAreNotSet) {
  ASSERT_EQ(setenv("AMITY_TEST_SET", "by the program", 1), 0);
  library_start const start;
  start.set_default("AMITY_TEST_SET", "ours");
  start.set_default("AMITY_TEST_NOT_SET", "ours");
  start.set_default("AMITY_TEST_EMPTY", "");
  EXPECT_STREQ(getenv("AMITY_TEST_SET"), "by the program");
  EXPECT_STREQ(getenv("AMITY_TEST_NOT_SET"), "ours");
  EXPECT_STREQ(getenv("AMITY_TEST_EMPTY"), "");
}

TEST(Environment, TheProgramCanChangeWhatWasSet) {
  {
    library_start const start;
    start.set_default("AMITY_TEST_CHANGED", "ours");
  }
  ASSERT_EQ(setenv("AMITY_TEST_CHANGED", "by the program", 1), 0);
  EXPECT_STREQ(getenv("AMITY_TEST_CHANGED"), "by the program");
  ASSERT_EQ(unsetenv("AMITY_TEST_CHANGED"), 0);
  EXPECT_EQ(getenv("AMITY_TEST_CHANGED"), nullptr);
}

TEST(Environment, AnEmptyOneIsOne) {
  char** const all = environ;
  environ = nullptr;
  {
    library_start const start;
    start.set_default("AMITY_TEST_ALONE", "yes");
  }
  EXPECT_STREQ(getenv("AMITY_TEST_ALONE"), "yes");
  environ = all;
}

// With setenv in place of set_default, readers crash here in most runs.
TEST(Environment, OthersMayReadWhileLibrariesBegin) {
  ASSERT_EQ(setenv("AMITY_TEST_THERE", "yes", 1), 0);
  std::atomic<bool> is_over{false};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i)
    readers.emplace_back([&] {
      while (!is_over.load(std::memory_order_relaxed)) {
        EXPECT_EQ(getenv("AMITY_TEST_OF_NOBODY"), nullptr);
        EXPECT_NE(getenv("AMITY_TEST_THERE"), nullptr);
      }
    });
  for (int i = 0; i < 1000; ++i) {
    library_start const start;
    std::string const name = "AMITY_TEST_" + std::to_string(i);
    start.set_default(name.c_str(), "1");
    std::vector<char*> const like_an_array(static_cast<std::size_t>(i) + 40);  // what was freed is written over
  }
  is_over.store(true, std::memory_order_relaxed);
  for (auto& r : readers) r.join();
}

}  // namespace
}  // namespace amity::sys
