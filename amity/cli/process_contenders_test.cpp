#include "amity/cli/process_contenders.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace amity::cli {
namespace {

namespace fs = std::filesystem;

// A folder with programs that are empty files: they are found, and never run.
class process_contenders_test : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("amity_contenders_" + std::to_string(getpid()));
    ASSERT_TRUE(fs::create_directory(folder_));
    options_.programs = folder_;
  }
  void TearDown() override { fs::remove_all(folder_); }

  void make(const char* name) { std::ofstream(folder_ / name) << ' '; }

  fs::path folder_;
  bench_options options_{messages_suite};
  std::string error_;
};

TEST_F(process_contenders_test, are_refused_without_any_program) {
  EXPECT_TRUE(find_process_contenders(messages_suite, options_, error_).empty());
  EXPECT_NE(error_.find("there are none in " + folder_.string()), std::string::npos) << error_;
}

TEST_F(process_contenders_test, are_refused_with_a_rival_that_is_not_known) {
  make("messages_ucx");
  options_.rivals = {"mpich", "mvapich"};
  EXPECT_TRUE(find_process_contenders(messages_suite, options_, error_).empty());
  EXPECT_EQ(error_, "--rivals: 'mvapich' is not known; allowed: openmpi, mpich, ucx");
}

TEST_F(process_contenders_test, are_those_whose_programs_are_here) {
  make("messages_ucx");
  const std::vector<contender> all = find_process_contenders(messages_suite, options_, error_);
  EXPECT_EQ(error_, "");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].label, raw_ucx);
  EXPECT_TRUE(all[0].measure);
  EXPECT_EQ(all[0].start(3), (std::vector<std::string>{folder_ / "messages_ucx", "--ranks", "3"}));
}

TEST_F(process_contenders_test, are_not_those_that_are_no_wanted_rivals) {
  make("messages_ucx");
  options_.rivals = {};
  EXPECT_TRUE(find_process_contenders(messages_suite, options_, error_).empty());
  EXPECT_EQ(error_, "");
}

}  // namespace
}  // namespace amity::cli
