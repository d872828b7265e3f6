#include "amity/omp/profile/word.hpp"

#include <gtest/gtest.h>

namespace amity::omp::profile {
namespace {

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
