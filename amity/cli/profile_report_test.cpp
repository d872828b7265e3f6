#include "amity/cli/profile_report.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace amity::cli {
namespace {

const std::string head = "amity profile\t2\nprogram\ta.out\t4711\t-1\trank\ntime\t1000000000\t2\n";

profile read(const std::string& text) {
  std::istringstream in(text);
  profile all;
  std::string problem;
  EXPECT_TRUE(read_profile(in, all, problem)) << problem;
  return all;
}
std::string problem_of(const std::string& text) {
  std::istringstream in(text);
  profile all;
  std::string problem;
  EXPECT_FALSE(read_profile(in, all, problem)) << text;
  return problem;
}

TEST(profile_report, reads_what_the_runtime_writes) {
  profile const all = read(head + "row\t0\t0\t5\t0\t0\t0\t-\t-\t-\nrow\t3\t12\t1\t2\t3\t4\t40102f\t0\t/a b/c\n");
  EXPECT_EQ(all.program, "a.out");
  EXPECT_EQ(all.process, 4711);
  EXPECT_EQ(all.rank, -1);
  EXPECT_EQ(all.carriers, 2u);
  ASSERT_EQ(all.rows.size(), 2u);
  EXPECT_EQ(all.rows[1].calls, 12u);
  EXPECT_EQ(all.rows[1].total(), 10u);
  EXPECT_EQ(all.rows[1].code, 0x40102fu);
  EXPECT_EQ(all.rows[1].file, "/a b/c");
}

TEST(profile_report, says_what_is_wrong_with_a_file) {
  EXPECT_NE(problem_of("").find("does not begin with"), std::string::npos);
  EXPECT_NE(problem_of("amity profile\t1\n").find("does not begin with"), std::string::npos);
  EXPECT_NE(problem_of("amity profile\t2\nprogram\ta\t1\t0\trank\n").find("cut off"), std::string::npos);
  for (const char* bad : {"", "row\t3", "row\t3\t1\t1\t1\t1\t-1\t-\t-\t-", "row\tx\t1\t1\t1\t1\t1\t-\t-\t-",
                          "row\t3\t1\t1\t1\t1\t1\tzz\t0\t/a", "time\t1", "time\tx\t2", "what\t1"})
    EXPECT_NE(problem_of(head + bad + "\n").find("line 4 can't be read"), std::string::npos) << bad;
}

TEST(profile_report, the_largest_row_first_and_what_to_do_about_it) {
  profile all = read(head +
                     "row\t1\t0\t100000000\t0\t0\t0\t-\t-\t-\n"              // serial
                     "row\t0\t0\t100000000\t0\t0\t0\t-\t-\t-\n"              // idle
                     "row\t4\t10\t900000000\t700000000\t0\t0\t10\t0\t/p\n"   // a static loop
                     "row\t3\t10\t50000000\t0\t150000000\t0\t20\t0\t/p\n");  // a region
  for (profile_row& row : all.rows)
    if (row.code != 0) row.place = row.code == 0x10 ? "a.cpp:6" : "a.cpp:9";
  std::string const said = report_of(all);
  EXPECT_NE(said.find("profile of a.out (pid 4711): 1.000 s on 2 cores, 2.000 s of cores"), std::string::npos) << said;
  std::size_t const loop = said.find(
                        " 80.0 %      0.900      0.700      0.000      0.000         10  a.cpp:6, static loop"),
                    fork = said.find("a.cpp:9, parallel region");
  EXPECT_NE(loop, std::string::npos) << said;
  EXPECT_LT(loop, fork) << said;
  EXPECT_NE(said.find("a.cpp:6, static loop: 44 % waiting: its threads end at different times; if it is a loop, try "
                      "schedule(dynamic).\n"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("a.cpp:9, parallel region: 75 % forking and joining: a region takes 20000.0 us in all"),
            std::string::npos)
      << said;
  EXPECT_EQ(said.find("computes alone"), std::string::npos) << said;
}

TEST(profile_report, places_of_one_line_are_one_row) {
  profile all = read(head + "row\t12\t1\t1000000\t0\t0\t0\t10\t0\t/p\nrow\t12\t2\t2000000\t0\t0\t0\t20\t0\t/p\n");
  for (profile_row& row : all.rows) row.place = "a.cpp:6";
  EXPECT_NE(report_of(all).find("0.003      0.000      0.000      0.000          3  a.cpp:6, tasks"),
            std::string::npos);
}

TEST(profile_report, without_debug_information_there_is_the_file) {
  profile all = read(head + "row\t12\t1\t1000000\t0\t0\t0\t10\t0\t/nowhere/prog\nrow\t12\t1\t5\t0\t0\t0\t-\t-\t-\n");
  name_places(all.rows);
  EXPECT_EQ(all.rows[0].place, "prog+0x10");
  EXPECT_EQ(all.rows[1].place, "?");
}

}  // namespace
}  // namespace amity::cli
