#include "amity/cli/benchmark.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace amity::cli {
namespace {

// libgomp, libomp, Amity by gcc, Amity by clang; one figure each.
bench_result table_of(const std::vector<double>& us) {
  bench_result result;
  result.contenders = {{"libgomp", "x_gcc", "", "", false},
                       {"libomp", "x_clang", "", "", false},
                       {"amity(gcc)", "x_gcc", "", "", true},
                       {"amity(clang)", "x_clang", "", "", true}};
  result.items = {"parallel"};
  result.threads = {2};
  result.rounds = 1;
  auto& row = result.cells[2]["parallel"];
  row.resize(us.size());
  for (std::size_t i = 0; i != us.size(); ++i) row[i].rounds = {{us[i], us[i], 100}};
  return result;
}

TEST(bench_ratio, is_amitys_worse_compiler_over_the_better_rival) {
  EXPECT_DOUBLE_EQ(table_of({4, 2, 1, 3}).ratio(2, "parallel", against::all), 1.5);
}

TEST(bench_ratio, is_over_the_rival_with_the_same_program_if_asked) {
  EXPECT_DOUBLE_EQ(table_of({4, 1, 3, 0.5}).ratio(2, "parallel", against::same_program), 0.75);
  EXPECT_DOUBLE_EQ(table_of({4, 1, 3, 0.5}).ratio(2, "parallel", against::all), 3);
}

TEST(bench_ratio, treats_everything_below_a_nanosecond_as_one) {
  EXPECT_DOUBLE_EQ(table_of({-0.5, 2, 1e-9, -3}).ratio(2, "parallel", against::all), 1);
}

TEST(bench_ratio, treats_everything_below_a_hundredth_of_the_work_as_that) {
  bench_result result = table_of({-2, 9, 0.2, 0.8});
  for (cell& one : result.cells[2]["parallel"]) one.rounds[0].free_us = 40;
  EXPECT_DOUBLE_EQ(result.ratio(2, "parallel", against::all), 2);
}

TEST(bench_ratio, is_nothing_without_both_sides) {
  bench_result result = table_of({4, 2, 1, 3});
  for (const std::size_t i : {2U, 3U}) result.cells[2]["parallel"][i].failure = "signal 11";
  EXPECT_EQ(result.ratio(2, "parallel", against::all), 0);
  EXPECT_TRUE(result.failed());
}

// pictures_in_turn/256, pictures_beside/256, pictures_in_turn/512, ...: each mean stood in the table twice.
TEST(groups_of, has_each_group_once) {
  EXPECT_EQ(groups_of({"launch", "turn/256", "beside/256", "turn/512", "beside/512", "busy"}),
            (std::vector<std::string>{"turn", "beside"}));
}

// Without a device its table was dashes, and nobody said why.
TEST(bench_result, knows_why_a_contender_measures_nothing) {
  bench_result result = table_of({4, 2, 1, 3});
  EXPECT_EQ(result.why_nothing_of(2), "");
  result.cells[2]["parallel"][2].left_out = "there is no device";
  EXPECT_EQ(result.why_nothing_of(2), "there is no device");
  EXPECT_EQ(result.why_nothing_of(1), "");
}

TEST(bench_ratio, is_of_rates_where_those_are_shown) {
  bench_result result = table_of({4, 2, 1, 3});
  result.of = &blaze_suite;
  EXPECT_DOUBLE_EQ(result.ratio(2, "parallel", against::all), 2.0 / 3);
}

TEST(bench_ratio, compares_rounds_in_which_the_cores_were_equally_far_apart) {
  // A contender that met the near cores more often looks faster by the median of all.
  bench_result result = table_of({1, 1, 1, 1});
  auto& row = result.cells[2]["parallel"];
  row[0].rounds = {{1, 1, 1, 30}, {1, 1, 1, 28}, {10, 1, 1, 300}};
  row[1].rounds = row[0].rounds;
  row[2].rounds = {{0.5, 1, 1, 31}, {5, 1, 1, 310}, {5, 1, 1, 290}};
  row[3].rounds = row[2].rounds;
  EXPECT_DOUBLE_EQ(result.ratio(2, "parallel", against::all), 0.5);
  for (measurement& one : row[1].rounds) one.round_trip_ns = 100;  // nothing in common: all count
  EXPECT_DOUBLE_EQ(result.ratio(2, "parallel", against::all), 5);
  row[1].rounds = row[0].rounds;
  result.busy_cpus = {1};
  EXPECT_DOUBLE_EQ(result.ratio(2, "parallel", against::all), 5);
}

TEST(bench_ratio, pairs_what_is_near_and_not_what_is_in_the_same_bin) {
  bench_result result = table_of({1, 1, 1, 1});
  auto& row = result.cells[2]["parallel"];
  row[0].rounds = {{1, 1, 1, 45}, {8, 1, 1, 91}};
  row[1].rounds = {{1, 1, 1, 44}, {8, 1, 1, 300}};
  row[2].rounds = {{2, 1, 1, 46}, {2, 1, 1, 47}, {100, 1, 1, 150}};  // the last one has no like
  row[3].rounds = row[2].rounds;
  EXPECT_DOUBLE_EQ(result.ratio(2, "parallel", against::all), 2);
}

TEST(bench_ratio, leaves_no_round_out_for_what_is_not_known) {
  bench_result result = table_of({1, 1, 1, 1});
  auto& row = result.cells[2]["parallel"];
  row[0].rounds = {{1, 1, 1, 100}, {1, 1, 1, 110}, {1, 1, 1, 120}};
  row[1].rounds = row[0].rounds;
  row[2].rounds = {{0.5, 1, 1, 0}, {0.5, 1, 1, 0}, {3, 1, 1, 100}};
  row[3].rounds = row[2].rounds;
  EXPECT_DOUBLE_EQ(result.ratio(2, "parallel", against::all), 0.5);
}

TEST(bench_ratio, has_a_mean_of_each_group_without_what_runs_serially) {
  bench_result result = table_of({8, 8, 4, 4});
  result.items = {"add/1", "add/9", "mult/9"};
  auto& table = result.cells[2];
  for (const std::string& item : result.items) table[item] = table["parallel"];
  for (cell& one : table["add/1"]) one.kind = "serial";
  for (cell& one : table["add/1"]) one.rounds = {{100, 100, 1}};
  for (const std::size_t own : {2U, 3U}) table["mult/9"][own].rounds = {{1, 1, 1}};
  EXPECT_DOUBLE_EQ(result.mean_ratio(2, "add", against::all), 0.5);
  EXPECT_DOUBLE_EQ(result.mean_ratio(2, "mult", against::all), 0.125);
  EXPECT_DOUBLE_EQ(result.mean_ratio(2, {}, against::all), 0.25);
  EXPECT_EQ(result.mean_ratio(2, "sub", against::all), 0);
  EXPECT_EQ(result.mean_ratio(2, "", against::all), 0);
}

TEST(bench_ratio, of_what_is_in_no_group_has_a_mean_of_its_own) {
  bench_result result = table_of({8, 8, 4, 4});
  result.items = {"parallel", "cut/parallel"};
  auto& table = result.cells[2];
  table["cut/parallel"] = table["parallel"];
  for (const std::size_t own : {2U, 3U}) table["cut/parallel"][own].rounds = {{1, 1, 1}};
  EXPECT_DOUBLE_EQ(result.mean_ratio(2, "cut", against::all), 0.125);
  EXPECT_DOUBLE_EQ(result.mean_ratio(2, "", against::all), 0.5);
  EXPECT_DOUBLE_EQ(result.mean_ratio(2, {}, against::all), 0.25);
}

TEST(bench_threads, are_a_number_or_a_range) {
  EXPECT_EQ(thread_counts("3"), (std::vector<int>{3}));
  EXPECT_EQ(thread_counts("2-4"), (std::vector<int>{2, 3, 4}));
  for (const char* wrong : {"", "0", "-2", "2-", "4-2", "x", "1-2-3", "1025", "1-2000000000"})
    EXPECT_TRUE(thread_counts(wrong).empty()) << wrong;
}

TEST(bench_items, are_of_the_group_before_the_slash) {
  EXPECT_EQ(group_of("daxpy/1000"), "daxpy");
  EXPECT_EQ(group_of("parallel"), "");
}

TEST(bench_cell, is_the_median_of_the_rounds) {
  cell one;
  EXPECT_FALSE(one.known());
  one.rounds = {{9, 1, 1}, {1, 2, 1}, {2, 4, 1}, {4, 3, 1}};
  EXPECT_DOUBLE_EQ(one.median_us(), 3);
  EXPECT_DOUBLE_EQ(one.median_cpu_us(), 2.5);
}

TEST(bench_json, has_the_form_of_google_benchmark) {
  bench_result result = table_of({4, 2, 1, 3});
  result.cells[2]["parallel"][1].failure = "wrong answer";
  const auto json = nlohmann::json::parse(bench_json(result));
  EXPECT_TRUE(json["context"].contains("date"));
  ASSERT_EQ(json["benchmarks"].size(), 7U);  // three with a round and its median, one failed
  const auto& round = json["benchmarks"][0];
  EXPECT_EQ(round["name"], "parallel/libgomp/threads:2");
  EXPECT_EQ(round["run_type"], "iteration");
  EXPECT_EQ(round["time_unit"], "us");
  EXPECT_DOUBLE_EQ(round["real_time"], 4);
  EXPECT_EQ(json["benchmarks"][1]["aggregate_name"], "median");
  EXPECT_EQ(json["benchmarks"][2]["error_message"], "wrong answer");
  EXPECT_FALSE(round.contains("mflops"));
}

TEST(bench_json, has_the_ratios_of_the_tables_for_whoever_draws_them) {
  const auto json = nlohmann::json::parse(bench_json(table_of({4, 1, 3, 0.5})));
  const auto& ratios = json["context"]["ratios"]["2"]["parallel"];
  EXPECT_DOUBLE_EQ(ratios["all"], 3);
  EXPECT_DOUBLE_EQ(ratios["same program"], 0.75);
  EXPECT_DOUBLE_EQ(ratios["of"]["amity(gcc)"], 0.75);
  EXPECT_DOUBLE_EQ(ratios["of"]["amity(clang)"], 0.5);
}

TEST(bench_json, has_the_rate_of_what_counts_its_operations) {
  bench_result result = table_of({4, 2, 1, 3});
  result.cells[2]["parallel"][0].flops = 1000;
  const auto json = nlohmann::json::parse(bench_json(result));
  EXPECT_DOUBLE_EQ(json["benchmarks"][0]["mflops"], 250);
  EXPECT_DOUBLE_EQ(json["benchmarks"][1]["mflops"], 250);
}

}  // namespace
}  // namespace amity::cli
