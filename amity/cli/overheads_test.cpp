#include "amity/cli/overheads.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace amity::cli {
namespace {

// libgomp, libomp, Amity by gcc, Amity by clang; one figure each.
overheads_result table_of(const std::vector<double>& us) {
  overheads_result result;
  result.contenders = {{"libgomp", "", "", "", false},
                       {"libomp", "", "", "", false},
                       {"amity(gcc)", "", "", "", true},
                       {"amity(clang)", "", "", "", true}};
  result.constructs = {"parallel"};
  result.threads = {2};
  result.rounds = 1;
  auto& row = result.cells[2]["parallel"];
  row.resize(us.size());
  for (std::size_t i = 0; i != us.size(); ++i) row[i].rounds = {{us[i], us[i], 100}};
  return result;
}

TEST(overheads_ratio, is_amitys_worse_compiler_over_the_better_rival) {
  EXPECT_DOUBLE_EQ(table_of({4, 2, 1, 3}).ratio(2, "parallel"), 1.5);
}

TEST(overheads_ratio, treats_everything_below_a_nanosecond_as_one) {
  EXPECT_DOUBLE_EQ(table_of({-0.5, 2, 1e-9, -3}).ratio(2, "parallel"), 1);
}

TEST(overheads_ratio, is_nothing_without_both_sides) {
  overheads_result result = table_of({4, 2, 1, 3});
  for (const std::size_t i : {2U, 3U}) result.cells[2]["parallel"][i].failure = "signal 11";
  EXPECT_EQ(result.ratio(2, "parallel"), 0);
  EXPECT_TRUE(result.failed());
}

TEST(overheads_cell, is_the_median_of_the_rounds) {
  cell one;
  EXPECT_FALSE(one.known());
  one.rounds = {{9, 1, 1}, {1, 2, 1}, {2, 4, 1}, {4, 3, 1}};
  EXPECT_DOUBLE_EQ(one.median_us(), 3);
  EXPECT_DOUBLE_EQ(one.median_cpu_us(), 2.5);
}

TEST(overheads_json, has_the_form_of_google_benchmark) {
  overheads_result result = table_of({4, 2, 1, 3});
  result.cells[2]["parallel"][1].failure = "wrong answer";
  const auto json = nlohmann::json::parse(overheads_json(result));
  EXPECT_TRUE(json["context"].contains("date"));
  ASSERT_EQ(json["benchmarks"].size(), 7U);  // three with a round and its median, one failed
  const auto& round = json["benchmarks"][0];
  EXPECT_EQ(round["name"], "parallel/libgomp/threads:2");
  EXPECT_EQ(round["run_type"], "iteration");
  EXPECT_EQ(round["time_unit"], "us");
  EXPECT_DOUBLE_EQ(round["real_time"], 4);
  EXPECT_EQ(json["benchmarks"][1]["aggregate_name"], "median");
  EXPECT_EQ(json["benchmarks"][2]["error_message"], "wrong answer");
}

}  // namespace
}  // namespace amity::cli
