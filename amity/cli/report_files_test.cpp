#include "amity/cli/report_files.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace amity::cli {
namespace {

namespace fs = std::filesystem;

class report_files_test : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("amity_report_" + std::to_string(getpid()));
    ASSERT_TRUE(fs::create_directory(folder_));
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string content(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  fs::path folder_;
  bench_options options_{blaze_suite};
};

TEST_F(report_files_test, writes_the_json) {
  options_.json = folder_ / "a.json";
  report_files files;
  ASSERT_TRUE(files.open(blaze_suite, options_));
  EXPECT_TRUE(files.write("{}"));
  EXPECT_EQ(content(folder_ / "a.json"), "{}\n");
}

TEST_F(report_files_test, refuses_a_file_that_cannot_be_written_before_anything_is_measured) {
  options_.json = folder_ / "missing" / "a.json";
  report_files files;
  EXPECT_FALSE(files.open(blaze_suite, options_));
}

// There is no plot_bench.py in that folder: the figures are kept all the same.
TEST_F(report_files_test, keeps_the_figures_of_pictures_that_cannot_be_drawn) {
  options_.programs = folder_;
  options_.plot = folder_ / "new" / "pictures";
  report_files files;
  ASSERT_TRUE(files.open(blaze_suite, options_));
  EXPECT_FALSE(files.write("{}"));
  EXPECT_EQ(content(folder_ / "new" / "pictures" / "blaze.json"), "{}\n");
}

}  // namespace
}  // namespace amity::cli
