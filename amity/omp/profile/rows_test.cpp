#include "amity/omp/profile/rows.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "amity/omp/profile/word.hpp"

namespace amity::omp::profile {
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

TEST(task_word, the_innermost_counts) {
  EXPECT_EQ(task_word().row(), serial_row);
  EXPECT_EQ(task_word::of(idle_row).row(), idle_row);
  task_word w = task_word::of(7);
  EXPECT_EQ(w.row(), 7u);
  w.enter(9);
  EXPECT_EQ(w.row(), 9u);
  w.wait(11);  // a critical section in the loop
  EXPECT_TRUE(w.waits());
  EXPECT_EQ(w.row(), 11u);
  EXPECT_EQ(task_word(w.bits()).row(), 11u);
  w.go_on();
  EXPECT_FALSE(w.waits());
  EXPECT_EQ(w.row(), 9u);
}

TEST(task_word, a_construct_that_is_over_is_waited_for_at_the_next_barrier) {
  task_word w = task_word::of(most_rows - 1);
  EXPECT_EQ(w.last(), most_rows - 1);
  w.enter(9);
  w.leave();
  EXPECT_EQ(w.row(), most_rows - 1);
  EXPECT_EQ(w.last(), 9u);
  w.wait(w.last());
  EXPECT_EQ(w.row(), 9u);
  w.go_on();
  w.forget_last();
  EXPECT_EQ(w.last(), most_rows - 1);
  w.enter(5);
  w.forget_last();  // it is still in it
  EXPECT_EQ(w.row(), 5u);
}

}  // namespace
}  // namespace amity::omp::profile
