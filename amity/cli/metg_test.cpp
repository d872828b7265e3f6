#include "amity/cli/metg.hpp"

#include <gtest/gtest.h>

namespace amity::cli {
namespace {

// Two contenders, a graph of 10 tasks on two cores. The first reaches the peak of 100 flops a microsecond; the second
// takes what is given for 1000, 100 and 10 flops a task.
bench_result graph_with(const std::vector<double>& us) {
  bench_result result;
  result.contenders = {{"tbb", "", "", "", false}, {"amity", "", "", "", true}};
  result.threads = {2};
  result.rounds = 1;
  result.cores = 2;
  double flops = 10000;
  for (const double one : us) {
    const std::string item = "tree/" + std::to_string(static_cast<int>(flops));
    result.items.push_back(item);
    auto& row = result.cells[2][item];
    for (const double taken : {flops / 100, one}) {
      cell made;
      made.kind = "grain";
      made.flops = flops;
      made.tasks = 10;
      made.rounds = {{taken, taken, 1}};
      row.push_back(made);
    }
    flops /= 10;
  }
  return result;
}

const cell& metg(const bench_result& result, std::size_t contender) {
  static bench_result made;
  made = metg_of(result);
  return made.at(2, "tree", contender);
}

TEST(metg, lies_between_the_grains_around_one_half) {
  const bench_result result = graph_with({100, 12.5, 4});  // efficient to 1, 0.8, 0.25
  EXPECT_DOUBLE_EQ(grain_of(result, 2, result.at(2, "tree/1000", 1)).granularity_us, 2.5);
  EXPECT_DOUBLE_EQ(grain_of(result, 2, result.at(2, "tree/1000", 1)).efficiency, 0.8);
  EXPECT_GT(metg(result, 1).median_us(), 0.8);
  EXPECT_LT(metg(result, 1).median_us(), 2.5);
  EXPECT_EQ(metg(result, 1).kind, "metg");
}

TEST(metg, is_a_grain_that_is_just_half_efficient) {
  EXPECT_DOUBLE_EQ(metg(graph_with({100, 20, 10}), 1).median_us(), 4);
}

TEST(metg, is_a_bound_where_all_grains_are_efficient) {
  EXPECT_EQ(metg(graph_with({100, 20, 10}), 0).kind, "bound");
  EXPECT_DOUBLE_EQ(metg(graph_with({100, 20, 10}), 0).median_us(), 0.2);
}

TEST(metg, is_nothing_where_no_grain_is_efficient) { EXPECT_FALSE(metg(graph_with({300, 200, 100}), 1).known()); }

TEST(metg, is_only_for_what_has_grains) {
  EXPECT_TRUE(has_grains(graph_with({1})));
  bench_result result = graph_with({1});
  for (cell& one : result.cells[2]["tree/10000"]) one.kind = "task";
  EXPECT_FALSE(has_grains(result));
}

}  // namespace
}  // namespace amity::cli
