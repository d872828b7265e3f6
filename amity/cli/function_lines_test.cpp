#include "amity/cli/function_lines.hpp"

#include <gtest/gtest.h>

namespace amity::cli {
namespace {

TEST(function_lines, finds_the_programs_function_in_a_templates_name) {
  EXPECT_EQ(program_function_in("amity::detail::call_task<void, main::{lambda()#1}>::run(amity::sched::task&, "
                                "amity::sched::worker&, amity::sched::call)"),
            "main::{lambda()#1}");
  EXPECT_EQ(program_function_in("amity::detail::call_task<std::pair<int, long>, work(int, int)::{lambda(int, "
                                "long)#2}>::run(amity::sched::task&, amity::sched::worker&, amity::sched::call)"),
            "work(int, int)::{lambda(int, long)#2}");
  EXPECT_EQ(program_function_in("amity::detail::plain_task<solver<2>::step>::run_once(amity::sched::task&, "
                                "amity::sched::worker&, amity::sched::call)"),
            "solver<2>::step");
  EXPECT_EQ(program_function_in("main"), "main");
  EXPECT_EQ(program_function_in(""), "");
}

TEST(function_lines, without_a_file_all_are_unknown) {
  EXPECT_TRUE(places_of_functions("/nowhere/program", 0, {0x1000}).empty());
}

}  // namespace
}  // namespace amity::cli
