#include "amity/cli/targets.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "amity/cli/process_contenders.hpp"

namespace amity::cli {
namespace {

// Two MPIs, the yielding one, UCX alone, Amity by UCX and by sockets; one figure each, 0: it does not take part.
bench_result table_of(const suite& of, const std::string& item, int ranks, const std::vector<double>& us) {
  bench_result result;
  result.of = &of;
  result.contenders = {{"openmpi", "", "", "", false},   {yielding_mpi, "", "", "", false},
                       {"mpich", "", "", "", false},     {raw_ucx, "", "", "", false, true},
                       {amity_by_ucx, "", "", "", true}, {amity_by_sockets, "", "", "", true, true}};
  result.items = {item};
  result.threads = {ranks};
  result.rounds = 1;
  auto& row = result.cells[ranks][item];
  row.resize(us.size());
  for (std::size_t i = 0; i != us.size(); ++i)
    if (us[i] > 0) row[i].rounds = {{us[i], us[i], 100}};
  return result;
}

double ratio(const bench_result& result) {
  return result.ratio(result.threads.front(), result.items.front(), against::all);
}

TEST(targets, of_a_round_trip_depend_on_the_ranks) {
  EXPECT_DOUBLE_EQ(target_of(messages_suite, "round_trip", 2).most, 1.2);
  EXPECT_DOUBLE_EQ(target_of(messages_suite, "round_trip/1024", 2).most, 1.2);
  EXPECT_DOUBLE_EQ(target_of(messages_suite, "round_trip", 8).most, 1.3);
  EXPECT_EQ(target_of(messages_suite, "round_trip", 8).rival, yielding_mpi);
}

TEST(targets, are_the_same_for_all_collective_operations) {
  EXPECT_DOUBLE_EQ(target_of(collectives_suite, "broadcast/4", 2).most, 1.05);
  EXPECT_DOUBLE_EQ(target_of(collectives_suite, "barrier", 16).most, 1.05);
}

TEST(targets, are_none_where_nothing_is_promised) {
  EXPECT_EQ(target_of(messages_suite, "wake_p50", 2).most, 0);
  EXPECT_EQ(target_of(spawn_suite, "fib", 2).most, 0);
}

TEST(targets, mark_what_is_above) {
  EXPECT_TRUE(above_target(table_of(collectives_suite, "scan/4", 2, {2, 0, 1, 0, 1.04, 0}), 2).empty());
  EXPECT_EQ(above_target(table_of(collectives_suite, "scan/4", 2, {2, 0, 1, 0, 1.06, 0}), 2),
            (std::vector<std::string>{"scan/4"}));
}

TEST(process_ratio, is_over_the_better_mpi_and_not_over_ucx_alone) {
  EXPECT_DOUBLE_EQ(ratio(table_of(messages_suite, "round_trip", 2, {4, 0, 2, 0.5, 3, 1})), 1.5);
}

TEST(process_ratio, of_put_and_get_is_over_ucx_alone) {
  EXPECT_DOUBLE_EQ(ratio(table_of(messages_suite, "put/8", 2, {4, 0, 2, 6, 3, 1})), 0.5);
  EXPECT_DOUBLE_EQ(ratio(table_of(messages_suite, "put/8", 2, {4, 0, 2, 0, 3, 1})), 1.5);
}

TEST(process_ratio, of_crowded_round_trips_is_over_the_yielding_mpi) {
  EXPECT_DOUBLE_EQ(ratio(table_of(messages_suite, "round_trip", 8, {1, 6, 2, 0.5, 3, 1})), 0.5);
  EXPECT_DOUBLE_EQ(ratio(table_of(messages_suite, "round_trip", 8, {1, 0, 2, 0.5, 3, 1})), 3);
}

TEST(process_json, counts_ranks_and_has_the_targets) {
  const auto json = nlohmann::json::parse(bench_json(table_of(collectives_suite, "scan/4", 2, {2, 0, 1, 0, 3, 4})));
  const auto& row = json["benchmarks"][0];
  EXPECT_EQ(row["name"], "scan/4/openmpi/ranks:2");
  EXPECT_EQ(row["ranks"], 2);
  EXPECT_FALSE(row.contains("threads"));
  EXPECT_DOUBLE_EQ(json["context"]["ratios"]["2"]["scan/4"]["target"], 1.05);
  EXPECT_EQ(json["benchmarks"].size(), 8U);  // a round and its median, of those that took part
}

TEST(process_json, has_values_with_units_where_they_are_no_times) {
  bench_result result = table_of(messages_suite, "idle_cpu", 2, {100, 0, 99, 0, 0.5, 0.5});
  for (cell& one : result.cells[2]["idle_cpu"]) one.unit = "%";
  const auto row = nlohmann::json::parse(bench_json(result))["benchmarks"][0];
  EXPECT_DOUBLE_EQ(row["value"], 100);
  EXPECT_EQ(row["unit"], "%");
  EXPECT_FALSE(row.contains("real_time"));
}

}  // namespace
}  // namespace amity::cli
