// Which teams of a league a bound leader runs; where threads are is tested by programs (tests/openmp/binding.c).
#include "amity/omp/rt/placement.hpp"

#include <gtest/gtest.h>

namespace amity::omp {
namespace {

constexpr proc_bind policies[] = {proc_bind::primary, proc_bind::close, proc_bind::spread};

TEST(part_of, gives_each_thing_to_one_thread) {
  for (proc_bind policy : policies)
    for (int places = 1; places < 6; ++places)
      for (int size = 1; size < 9; ++size)
        for (int whole = size; whole < 40; ++whole) {
          int next = 0;
          for (int i = 0; i < size; ++i) {
            run_of_numbers const own = part_of({0, 0, places}, whole, size, policy, i);
            ASSERT_EQ(own.first, next) << "thread " << i << " of " << size << ", " << places << " places";
            next += own.count;
          }
          ASSERT_EQ(next, whole);
        }
}

TEST(part_of, keeps_things_at_their_places) {
  for (proc_bind policy : policies)
    for (int places = 1; places < 6; ++places)
      for (int start = 0; start < places; ++start)
        for (int size = places; size < 9; ++size)
          for (int whole = size; whole < 40; ++whole) {
            thread_place const from{start, 0, places};
            for (int i = 0; i < size; ++i) {
              run_of_numbers const own = part_of(from, whole, size, policy, i);
              for (int k = own.first; k < own.first + own.count; ++k)
                ASSERT_EQ(distribute(from, whole, policy, k).number, distribute(from, size, policy, i).number)
                    << k << " of " << whole << ", thread " << i << " of " << size << ", " << places << " places";
            }
          }
}

TEST(part_of, knows_large_numbers) {
  constexpr int most = 0x7fffffff;
  run_of_numbers const last = part_of({0, 0, 3}, most, 8, proc_bind::close, 7);
  EXPECT_EQ(last.first + (last.count - 1), most - 1);
}

}  // namespace
}  // namespace amity::omp
