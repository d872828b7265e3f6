#include "amity/sched/profile/rows.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace amity::sched::profile {
namespace {

const void* place(std::uintptr_t at) { return reinterpret_cast<const void*>(at); }

TEST(rows, a_place_and_a_construct_have_one) {
  unsigned const loop = row_of(place(0x401000), construct::loop_static);
  EXPECT_GT(loop, others_row);
  EXPECT_EQ(row_of(place(0x401000), construct::loop_static), loop);
  EXPECT_NE(row_of(place(0x401000), construct::region), loop);
  EXPECT_NE(row_of(place(0x401005), construct::loop_static), loop);
}

TEST(rows, several_threads_that_ask_for_the_same_get_the_same) {
  constexpr unsigned count = 200;
  std::vector<std::vector<unsigned>> got(4);
  {
    std::vector<std::jthread> all;
    for (auto& mine : got)
      all.emplace_back([&mine] {
        for (std::uintptr_t i = 0; i < count; ++i) mine.push_back(row_of(place(0x500000 + i), construct::task));
      });
  }
  for (const auto& mine : got) EXPECT_EQ(mine, got.front());
  EXPECT_EQ(std::set<unsigned>(got.front().begin(), got.front().end()).size(), count);
}

TEST(rows, a_full_table_has_a_row_for_the_rest) {
  std::set<unsigned> rows;
  for (std::uintptr_t i = 0; i < 2 * most_rows; ++i) rows.insert(row_of(place(0x700000 + i), construct::barrier));
  EXPECT_TRUE(rows.contains(others_row));
  EXPECT_FALSE(rows.contains(idle_row));
  EXPECT_FALSE(rows.contains(serial_row));
  for (unsigned row : rows) EXPECT_LT(row, most_rows);
}

}  // namespace
}  // namespace amity::sched::profile
