#include "amity/cli/tuning.hpp"

#include <gtest/gtest.h>

#include "amity/coll/choice_text.hpp"

namespace amity::cli {
namespace {

namespace tuning = collectives::tuning;
using tuning::method;
using tuning::operation;

tuning::table read(const std::vector<tuned_point>& points) {
  tuning::table t;
  EXPECT_EQ(tuning::parse_table(table_of(points), t), "");
  return t;
}

TEST(tuning_test, a_border_lies_between_the_sizes_whose_best_ones_differ) {
  const tuning::table t = read({{4, "reduce", 1024, "tree 8:8 131072"},
                                {4, "reduce", 16384, "parts 8:8 131072"},
                                {4, "reduce", 4, "tree 8:8 131072"}});
  EXPECT_EQ(tuning::choose(t, operation::reduce, 4, 4096).how, method::tree);
  EXPECT_EQ(tuning::choose(t, operation::reduce, 4, 4097).how, method::parts);
  EXPECT_EQ(tuning::choose(t, operation::reduce, 3, std::size_t{1} << 30).how, method::parts);
}

TEST(tuning_test, each_number_of_ranks_has_its_rules_and_more_ranks_the_built_in_ones) {
  const tuning::table t = read({{4, "reduce", 4, "parts 8:8 131072"}, {2, "reduce", 4, "lanes 8:8 131072"}});
  EXPECT_EQ(tuning::choose(t, operation::reduce, 2, 1).how, method::lanes);
  EXPECT_EQ(tuning::choose(t, operation::reduce, 4, 1).how, method::parts);
  for (std::size_t bytes : {1, 100'000}) {
    const tuning::choice built_in = tuning::choose(tuning::default_table(), operation::reduce, 300, bytes);
    const tuning::choice here = tuning::choose(t, operation::reduce, 300, bytes);
    EXPECT_EQ(here.how, built_in.how);
    EXPECT_EQ(here.arity, built_in.arity);
  }
}

TEST(tuning_test, operations_that_were_not_measured_are_left_out) {
  EXPECT_EQ(table_of({}), "");
  EXPECT_EQ(table_of({{2, "scatter", 4, "straight 8:8 131072"}}).find("reduce"), std::string::npos);
}

}  // namespace
}  // namespace amity::cli
